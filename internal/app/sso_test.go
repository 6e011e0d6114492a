package app_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/sso"
	"github.com/parleyhq/parley/internal/sso/ssotest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// door is a server with an identity provider.
type door struct {
	*apptest.World
	provider *ssotest.Provider
	org      storetest.Organization
}

func openDoor(t *testing.T, engine storetest.Engine, welcome core.Newcomers) *door {
	t.Helper()
	d := &door{provider: ssotest.Start(t)}
	d.World = apptest.Start(t, engine, func(cfg *app.Config) {
		cfg.SSO = &app.SSO{Name: "Acme", Newcomers: welcome, Provider: sso.New(sso.Config{
			Issuer: d.provider.URL, ClientID: ssotest.ClientID, ClientSecret: ssotest.ClientSecret, RedirectURL: cfg.PublicURL + app.SSOPath,
		})}
	})
	d.org = storetest.Org(t, d.Store)
	return d
}

// visit sends a browser to the provider, and returns what it comes back with.
func (d *door) visit(t *testing.T, b *apptest.Browser) (way *http.Cookie, state, code string) {
	t.Helper()
	answer := b.Do(t, "POST", "/sso/begin", "").RequireStatus(t, http.StatusOK)
	var begun struct{ Address string }
	answer.Data(t, &begun)
	cookies, err := http.ParseSetCookie(answer.Header.Get("Set-Cookie"))
	if err != nil || !cookies.HttpOnly || cookies.SameSite != http.SameSiteLaxMode {
		t.Fatalf("the cookie is %v, %v", cookies, err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	back, err := client.Get(begun.Address)
	must(t, err)
	back.Body.Close()
	location, err := url.Parse(back.Header.Get("Location"))
	if err != nil || location.Path != app.SSOPath {
		t.Fatalf("the provider answers %s with %v, %v", back.Status, location, err)
	}
	return cookies, location.Query().Get("state"), location.Query().Get("code")
}

func finish(t *testing.T, b *apptest.Browser, way *http.Cookie, state, code, more string) *apitest.Response {
	t.Helper()
	return b.Do(t, "POST", "/sso/finish", `{"state":"`+state+`","code":"`+code+`"`+more+`}`, "Cookie", way.Name+"="+way.Value)
}

// signIn goes there and back.
func (d *door) signIn(t *testing.T, claims map[string]any) (*apptest.Browser, *apitest.Response) {
	t.Helper()
	d.provider.SignsIn(claims)
	b := d.Browser()
	way, state, code := d.visit(t, b)
	return b, finish(t, b, way, state, code, "")
}

func verified(email string) map[string]any {
	return map[string]any{"email": email, "email_verified": true, "name": "Ana Lima"}
}

func TestSSO(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		d := openDoor(t, engine, core.Newcomers{})
		u := d.User(t, d.org, chat.RoleAgent, chat.SeesAll, d.org.TeamID) // invited: without a password
		var setup struct{ SSO *string }
		if d.Browser().Get(t, "/setup").RequireStatus(t, http.StatusOK).Data(t, &setup); setup.SSO == nil || *setup.SSO != "Acme" {
			t.Errorf("the sign-in page is told %v", setup.SSO)
		}
		b, answer := d.signIn(t, verified(u.Email))
		answer.RequireStatus(t, http.StatusOK)
		var me struct{ User struct{ ID string } }
		if b.Get(t, "/me").RequireStatus(t, http.StatusOK).Data(t, &me); me.User.ID != u.ID {
			t.Errorf("signed in is %+v", me)
		}
		now, err := d.Store.Read(t.Context()).User(u.OrgID, u.ID)
		if err != nil || now.PasswordHash == "" {
			t.Errorf("the invitation is still open: %+v, %v", now, err)
		}
		_, answer = d.signIn(t, map[string]any{"email": u.Email, "email_verified": false})
		answer.RequireFailure(t, "invalid_credentials", "")
		_, answer = d.signIn(t, map[string]any{"email": u.Email})
		answer.RequireFailure(t, "invalid_credentials", "")
		_, answer = d.signIn(t, verified("stranger@example.com"))
		answer.RequireFailure(t, "invalid_credentials", "")
		storetest.InTx(t, d.Store, func(tx *store.Tx) error {
			_, err := core.UpdateUser(tx, chat.RoleOwner, u.OrgID, u.ID, core.UserPatch{Disabled: new(true)})
			return err
		})
		_, answer = d.signIn(t, verified(u.Email))
		answer.RequireFailure(t, "invalid_credentials", "")
	})
}

// Foreign values open no session: another's code, a code twice, an old state, a token for somebody else.
func TestSSORefuses(t *testing.T) {
	t.Parallel()
	d := openDoor(t, storetest.SQLite, core.Newcomers{})
	u := d.User(t, d.org, chat.RoleAgent, chat.SeesAll, d.org.TeamID)
	d.provider.SignsIn(verified(u.Email))
	b := d.Browser()
	way, state, code := d.visit(t, b)
	otherWay, otherState, _ := d.visit(t, b)
	finish(t, b, otherWay, state, code, "").RequireFailure(t, "invalid_credentials", "")
	finish(t, b, otherWay, otherState, code, "").RequireFailure(t, "service_unavailable", "") // PKCE: the code belongs to another attempt
	b.Do(t, "POST", "/sso/finish", `{"state":"`+state+`","code":"`+code+`"}`).RequireFailure(t, "invalid_credentials", "")
	finish(t, b, &http.Cookie{Name: way.Name, Value: "forged"}, state, code, "").RequireFailure(t, "invalid_credentials", "")

	way, state, code = d.visit(t, b)
	finish(t, b, way, state, code, "").RequireStatus(t, http.StatusOK)
	finish(t, d.Browser(), way, state, code, "").RequireFailure(t, "service_unavailable", "") // the code was used

	way, state, code = d.visit(t, b)
	d.Clock.Advance(sso.AttemptLife)
	finish(t, d.Browser(), way, state, code, "").RequireFailure(t, "invalid_credentials", "")

	for what, want := range map[string]string{"nonce": "invalid_credentials", "aud": "service_unavailable", "iss": "service_unavailable"} {
		d.provider.Spoil(func(claims map[string]any) { claims[what] = "http://other.example" })
		way, state, code = d.visit(t, b)
		finish(t, d.Browser(), way, state, code, "").RequireFailure(t, want, "")
	}
	d.provider.Spoil(func(claims map[string]any) { claims["exp"] = time.Now().Add(-time.Hour).Unix() })
	way, state, code = d.visit(t, b)
	finish(t, d.Browser(), way, state, code, "").RequireFailure(t, "service_unavailable", "")
}

// Whoever makes up codes is stopped, before the provider stops the server for asking about all of them.
func TestSSOCodesAreNotEndless(t *testing.T) {
	t.Parallel()
	d := openDoor(t, storetest.SQLite, core.Newcomers{})
	b := d.Browser()
	way, state, _ := d.visit(t, b)
	for range 60 {
		finish(t, b, way, state, "made-up", "").RequireFailure(t, "service_unavailable", "")
	}
	finish(t, b, way, state, "made-up", "").RequireFailure(t, "rate_limit_exceeded", "")
}

func TestSSONewcomers(t *testing.T) {
	t.Parallel()
	d := openDoor(t, storetest.SQLite, core.Newcomers{Domains: []string{"acme.example"}})
	b, answer := d.signIn(t, verified("new@ACME.example"))
	answer.RequireStatus(t, http.StatusOK)
	var me struct {
		User         struct{ Name, Role string }
		Organization struct{ ID string }
	}
	b.Get(t, "/me").RequireStatus(t, http.StatusOK).Data(t, &me)
	if me.User.Name != "Ana Lima" || me.User.Role != "agent" || me.Organization.ID != d.org.ID {
		t.Errorf("the newcomer is %+v", me)
	}
	for _, email := range []string{"x@notacme.example", "x@acme.example.evil.example", "acme.example"} {
		_, answer = d.signIn(t, verified(email))
		answer.RequireFailure(t, "invalid_credentials", "")
	}
	storetest.Org(t, d.Store) // with several organizations there is no default
	_, answer = d.signIn(t, verified("late@acme.example"))
	answer.RequireFailure(t, "invalid_credentials", "")
}

// The address of another mailbox signs nobody in, although its letters fold to those of a user's address: the provider has
// verified that mailbox, not the user's. Nor does a domain welcome those of a domain that looks like it.
func TestSSOTakesAddressesAsTheyAre(t *testing.T) {
	t.Parallel()
	d := openDoor(t, storetest.SQLite, core.Newcomers{Domains: []string{"firma.example", "sale.example"}})
	storetest.InTx(t, d.Store, func(tx *store.Tx) error {
		_, err := core.CreateUser(tx, core.NewUser{OrgID: d.org.ID, Email: "admin@firma.example", Name: "Admin", Role: chat.RoleOwner, TeamID: d.org.TeamID})
		return err
	})
	_, answer := d.signIn(t, verified("adm\u0131n@firma.example"))
	answer.RequireFailure(t, "invalid_credentials", "")
	_, answer = d.signIn(t, verified("new@\u017fale.example"))
	answer.RequireFailure(t, "invalid_credentials", "")
	_, answer = d.signIn(t, verified("Admin@Firma.example"))
	answer.RequireStatus(t, http.StatusOK)
}

// A provider may tell of people apart from its token. Its word counts for the person of the token alone.
func TestSSOAsksWhoItIs(t *testing.T) {
	t.Parallel()
	d := openDoor(t, storetest.SQLite, core.Newcomers{})
	u := d.User(t, d.org, chat.RoleAgent, chat.SeesAll, d.org.TeamID)
	d.provider.TellsApart("1")
	_, answer := d.signIn(t, verified(u.Email))
	answer.RequireStatus(t, http.StatusOK)
	_, answer = d.signIn(t, map[string]any{"email": u.Email, "email_verified": "true"})
	answer.RequireStatus(t, http.StatusOK)
	for _, unsure := range []any{false, "false"} {
		_, answer = d.signIn(t, map[string]any{"email": u.Email, "email_verified": unsure})
		answer.RequireFailure(t, "invalid_credentials", "")
	}
	_, answer = d.signIn(t, map[string]any{"name": "Nobody"})
	answer.RequireFailure(t, "invalid_credentials", "")
	d.provider.TellsApart("2")
	_, answer = d.signIn(t, verified(u.Email))
	answer.RequireFailure(t, "invalid_credentials", "")
}

// The provider replaces the password, not the second step.
func TestSSOTakesTheSecondStep(t *testing.T) {
	t.Parallel()
	d := openDoor(t, storetest.SQLite, core.Newcomers{})
	ana := newPerson(t, d.World, d.org, chat.RoleAgent)
	ana.turnOn(t)
	d.provider.SignsIn(verified(ana.Email))
	b := d.Browser()
	way, state, code := d.visit(t, b)
	answer := finish(t, b, way, state, code, "").RequireFailure(t, "second_step_required", "second_step")
	way, err := http.ParseSetCookie(answer.Header.Get("Set-Cookie"))
	must(t, err)
	finish(t, b, way, "another", code, `,"second_step":"`+ana.code(t)+`"`).RequireFailure(t, "invalid_credentials", "")
	finish(t, b, way, state, code, `,"second_step":"1"`).RequireFailure(t, "invalid_second_step", "code")
	finish(t, b, way, state, code, `,"second_step":"`+ana.code(t)+`"`).RequireStatus(t, http.StatusOK)
	b.Get(t, "/me").RequireStatus(t, http.StatusOK)
}

func TestWithoutSSO(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	w.Browser().Do(t, "POST", "/sso/begin", "").RequireFailure(t, "resource_not_found", "")
	w.Browser().Do(t, "POST", "/sso/finish", `{"state":"x","code":"y"}`).RequireFailure(t, "resource_not_found", "")
}
