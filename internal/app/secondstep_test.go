package app_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// person is a user with a password, a browser, and later a phone that makes codes.
type person struct {
	w *apptest.World
	chat.User
	browser  *apptest.Browser
	secret   string
	recovery []string
}

func newPerson(t *testing.T, w *apptest.World, org storetest.Organization, role chat.Role) *person {
	t.Helper()
	u := w.User(t, org, role, chat.SeesAll, org.TeamID)
	setPassword(t, w, u)
	return &person{w: w, User: u, browser: w.As(t, u)}
}

func (p *person) code(t *testing.T) string {
	t.Helper()
	code, err := chat.TOTPCode(p.secret, p.w.Clock.Now())
	must(t, err)
	return code
}

// nextCode is a code that was not used yet.
func (p *person) nextCode(t *testing.T) string {
	t.Helper()
	p.w.Clock.Advance(30 * time.Second)
	return p.code(t)
}

// turnOn sets up two-step sign-in and moves on to the next code.
func (p *person) turnOn(t *testing.T) {
	t.Helper()
	var begun struct{ Secret, Address string }
	p.browser.Do(t, "POST", "/me/second-step", "").RequireStatus(t, http.StatusOK).Data(t, &begun)
	if !strings.HasPrefix(begun.Address, "otpauth://totp/Parley%20%28") || !strings.Contains(begun.Address, begun.Secret) {
		t.Errorf("to scan is %s", begun.Address)
	}
	p.secret = begun.Secret
	var confirmed struct {
		Codes []string `json:"recovery_codes"`
	}
	p.browser.Do(t, "POST", "/me/second-step/confirm", `{"code":"`+p.code(t)+`"}`).RequireStatus(t, http.StatusOK).Data(t, &confirmed)
	if p.recovery = confirmed.Codes; len(p.recovery) != 10 {
		t.Fatalf("recovery codes are %v", p.recovery)
	}
	p.w.Clock.Advance(time.Minute)
}

func (p *person) proof(code string) string {
	body := `{"password":"` + password + `"`
	if code != "" {
		body += `,"code":"` + code + `"`
	}
	return body + "}"
}

func (p *person) signIn(t *testing.T, code string) *apitest.Response {
	t.Helper()
	return p.signInAt(t, p.w.Browser(), code)
}

func (p *person) signInAt(t *testing.T, b *apptest.Browser, code string) *apitest.Response {
	t.Helper()
	return b.Do(t, "POST", "/session", strings.Replace(p.proof(code), "{", `{"email":"`+p.Email+`",`, 1))
}

func TestTwoStepSignIn(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
		elsewhere := w.As(t, ana.User)
		ana.browser.Do(t, "POST", "/me/second-step", "").RequireStatus(t, http.StatusOK)
		ana.browser.Do(t, "POST", "/me/second-step/confirm", `{"code":"000000x"}`).RequireFailure(t, "invalid_field_value", "code")
		ana.signIn(t, "").RequireStatus(t, http.StatusOK) // the second step is not confirmed

		ana.turnOn(t)
		elsewhere.Get(t, "/me").RequireFailure(t, "not_signed_in", "") // that session was opened without a code
		ana.browser.Do(t, "POST", "/me/second-step", "").RequireFailure(t, "invalid_field_value", "second_step")
		ana.signIn(t, "").RequireFailure(t, "second_step_required", "code")
		ana.signIn(t, "12345").RequireFailure(t, "invalid_second_step", "code")
		code := ana.code(t)
		ana.signIn(t, code).RequireStatus(t, http.StatusOK)
		ana.signIn(t, code).RequireFailure(t, "invalid_second_step", "code") // no code counts twice

		written := strings.ToUpper(ana.recovery[3])
		ana.signIn(t, written).RequireStatus(t, http.StatusOK)
		ana.signIn(t, written).RequireFailure(t, "invalid_second_step", "code")
		var view struct {
			On   bool
			Left int `json:"recovery_codes_left"`
		}
		ana.browser.Get(t, "/me/second-step").RequireStatus(t, http.StatusOK).Data(t, &view)
		if !view.On || view.Left != 9 {
			t.Errorf("it is %+v", view)
		}
	})
}

func TestTurningTwoStepSignInOff(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
		ana.turnOn(t)
		ana.browser.Do(t, "POST", "/me/second-step/off", `{"password":"wrong","code":"`+ana.code(t)+`"}`).RequireFailure(t, "invalid_field_value", "password")
		ana.browser.Do(t, "POST", "/me/second-step/off", ana.proof("")).RequireFailure(t, "invalid_field_value", "code")
		ana.browser.Do(t, "POST", "/me/second-step/off", ana.proof("123")).RequireFailure(t, "invalid_field_value", "code")

		var others struct {
			Codes []string `json:"recovery_codes"`
		}
		ana.browser.Do(t, "POST", "/me/second-step/recovery-codes", ana.proof(ana.code(t))).RequireStatus(t, http.StatusOK).Data(t, &others)
		ana.browser.Do(t, "POST", "/me/second-step/off", ana.proof(ana.recovery[0])).RequireFailure(t, "invalid_field_value", "code")
		ana.browser.Do(t, "POST", "/me/second-step/off", ana.proof(others.Codes[0])).RequireStatus(t, http.StatusOK)
		ana.signIn(t, "").RequireStatus(t, http.StatusOK)
		ana.browser.Do(t, "POST", "/me/second-step/recovery-codes", ana.proof("")).RequireFailure(t, "invalid_field_value", "second_step")
	})
}

// Whoever reads a user's mail can open a reset link, but still needs the phone.
func TestLinksTakeTheSecondStep(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
	ana.turnOn(t)
	var token string
	storetest.InTx(t, w.Store, func(tx *store.Tx) (err error) {
		token, _, err = core.LinkUser(tx, chat.User{Role: chat.RoleOwner}, ana.OrgID, ana.ID)
		return err
	})
	b := w.Browser()
	var link struct {
		SecondStep bool `json:"second_step"`
	}
	if b.Get(t, "/links/"+token).RequireStatus(t, http.StatusOK).Data(t, &link); !link.SecondStep {
		t.Error("the link does not say that a code is needed")
	}
	b.Do(t, "POST", "/links/"+token, `{"password":"another password"}`).RequireFailure(t, "second_step_required", "code")
	b.Do(t, "POST", "/links/"+token, `{"password":"another password","code":"1"}`).RequireFailure(t, "invalid_second_step", "code")
	b.Do(t, "POST", "/links/"+token, `{"password":"another password","code":"`+ana.code(t)+`"}`).RequireStatus(t, http.StatusOK)
	b.Get(t, "/me").RequireStatus(t, http.StatusOK)
}

func TestGuessingCodes(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
	ana.turnOn(t)
	for range 20 { // a right password without a code is no guess
		ana.signIn(t, "").RequireFailure(t, "second_step_required", "code")
	}
	for range 6 {
		ana.signIn(t, "guess").RequireFailure(t, "invalid_second_step", "code")
	}
	ana.signIn(t, ana.code(t)).RequireFailure(t, "rate_limit_exceeded", "")
}

// However many browsers are known for a user, they share twelve wrong codes. Those of strangers are apart: neither
// use up the others.
func TestGuessingCodesInKnownBrowsers(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
	ana.turnOn(t)
	var known []*apptest.Browser
	for i := range 3 {
		known = append(known, w.Browser())
		ana.signInAt(t, known[i], ana.recovery[i]).RequireStatus(t, http.StatusOK)
	}
	for range 6 {
		ana.signIn(t, "guess").RequireFailure(t, "invalid_second_step", "code")
	}
	ana.signIn(t, ana.recovery[3]).RequireFailure(t, "rate_limit_exceeded", "")
	for _, b := range known[:2] {
		for range 6 {
			ana.signInAt(t, b, "guess").RequireFailure(t, "invalid_second_step", "code")
		}
		ana.signInAt(t, b, ana.recovery[3]).RequireFailure(t, "rate_limit_exceeded", "")
	}
	ana.signInAt(t, known[2], ana.recovery[3]).RequireFailure(t, "rate_limit_exceeded", "")
}

// A browser stays known with the proof that it was given. After the second step has come or gone, or with another password,
// only the browser in which that was done is known: somebody else may have collected what the others have.
func TestKnownBrowsersEnd(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, ana *person)
		code   func(ana *person, t *testing.T) string
	}{
		"password": {func(t *testing.T, ana *person) {
			ana.browser.Do(t, "POST", "/me/password", `{"current_password":"`+password+`","new_password":"`+password+`"}`).RequireStatus(t, http.StatusOK)
		}, (*person).nextCode},
		"second step off": {func(t *testing.T, ana *person) {
			ana.browser.Do(t, "POST", "/me/second-step/off", ana.proof(ana.nextCode(t))).RequireStatus(t, http.StatusOK)
		}, func(*person, *testing.T) string { return "" }},
		"second step anew": {func(t *testing.T, ana *person) {
			ana.browser.Do(t, "POST", "/me/second-step/off", ana.proof(ana.nextCode(t))).RequireStatus(t, http.StatusOK)
			ana.turnOn(t)
		}, (*person).nextCode},
	} {
		t.Run(name, func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, w *apptest.World) {
				ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
				ana.turnOn(t)
				other, collected := w.Browser(), w.Browser()
				for _, b := range []*apptest.Browser{ana.browser, other} {
					ana.signInAt(t, b, ana.nextCode(t)).RequireStatus(t, http.StatusOK)
				}
				collected.Known = other.Known
				test.change(t, ana)
				for range 8 { // strangers use up what browsers share that are not known
					w.Browser().Do(t, "POST", "/session", `{"email":"`+ana.Email+`","password":"wrong"}`).RequireFailure(t, "invalid_credentials", "")
				}
				ana.signInAt(t, ana.browser, test.code(ana, t)).RequireStatus(t, http.StatusOK)
				ana.signInAt(t, collected, test.code(ana, t)).RequireFailure(t, "rate_limit_exceeded", "")
			})
		})
	}
}

// Codes of somebody who does not know the password are no guesses: they keep nobody from signing in.
func TestCodesWithoutThePassword(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
	ana.turnOn(t)
	for i := range 12 {
		w.Browser().Do(t, "POST", "/session", `{"email":"`+ana.Email+`","password":"wrong","code":"123456"}`, "X-Forwarded-For", fmt.Sprint("192.0.2.", i)).
			RequireFailure(t, "invalid_credentials", "")
	}
	ana.signIn(t, ana.code(t)).RequireStatus(t, http.StatusOK)
}

func TestRequiringTwoStepSignIn(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		owner, admin, agent := newPerson(t, w, org, chat.RoleOwner), newPerson(t, w, org, chat.RoleAdmin), newPerson(t, w, org, chat.RoleAgent)
		stranger := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
		admin.turnOn(t)
		admin.browser.Do(t, "PATCH", "/organization", `{"second_step":true}`).RequireFailure(t, "forbidden", "")
		owner.browser.Do(t, "PATCH", "/organization", `{"second_step":true}`).RequireFailure(t, "invalid_field_value", "second_step")
		owner.turnOn(t)
		owner.browser.Do(t, "PATCH", "/organization", `{"second_step":true}`).RequireStatus(t, http.StatusOK)

		agent.browser.Get(t, "/conversations").RequireFailure(t, "second_step_setup_required", "")
		agent.browser.Do(t, "PATCH", "/me", `{"name":"X"}`).RequireFailure(t, "second_step_setup_required", "")
		var me struct {
			Needed bool `json:"second_step_needed"`
		}
		if agent.browser.Get(t, "/me").RequireStatus(t, http.StatusOK).Data(t, &me); !me.Needed {
			t.Error("the agent is not told")
		}
		agent.turnOn(t)
		agent.browser.Get(t, "/conversations").RequireStatus(t, http.StatusOK)
		stranger.browser.Get(t, "/conversations").RequireStatus(t, http.StatusOK)
	})
}

func TestTakingOffTwoStepSignIn(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	owner, admin, agent := newPerson(t, w, org, chat.RoleOwner), newPerson(t, w, org, chat.RoleAdmin), newPerson(t, w, org, chat.RoleAgent)
	stranger := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleOwner)
	owner.turnOn(t)
	agent.turnOn(t)
	admin.browser.Do(t, "DELETE", "/users/"+owner.ID+"/second-step", "").RequireFailure(t, "forbidden", "")
	agent.browser.Do(t, "DELETE", "/users/"+owner.ID+"/second-step", "").RequireFailure(t, "forbidden", "")
	stranger.browser.Do(t, "DELETE", "/users/"+agent.ID+"/second-step", "").RequireFailure(t, "resource_not_found", "")
	admin.browser.Do(t, "DELETE", "/users/"+agent.ID+"/second-step", "").RequireStatus(t, http.StatusOK)
	agent.browser.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
	agent.signIn(t, "").RequireStatus(t, http.StatusOK)
	owner.signIn(t, "").RequireFailure(t, "second_step_required", "code")
}

// A session alone is not enough to change one's own password or to turn off one's own second step: operations on other
// users are no way around the password and the code.
func TestASessionIsNotEnough(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		for _, role := range []chat.Role{chat.RoleAdmin, chat.RoleOwner} {
			p := newPerson(t, w, org, role)
			p.turnOn(t)
			p.browser.Get(t, "/me").RequireStatus(t, http.StatusOK) // notes that the session is in use
			w.Tables.Unchanged(t, org.ID, func() {
				p.browser.Do(t, "DELETE", "/users/"+p.ID+"/second-step", "").RequireFailure(t, "forbidden", "")
				p.browser.Do(t, "POST", "/users/"+p.ID+"/link", "").RequireFailure(t, "forbidden", "")
			})
		}
	})
}

// Whoever takes over a browser that was signed in a while ago cannot lock its user out with a second step of their own.
func TestTurningTwoStepSignInOnTakesThePassword(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		ana, budi := newPerson(t, w, org, chat.RoleAgent), newPerson(t, w, org, chat.RoleAgent)
		w.Clock.Advance(16 * time.Minute)
		for _, p := range []*person{ana, budi} {
			var begun struct {
				Secret string
				Needed bool `json:"password_needed"`
			}
			p.browser.Do(t, "POST", "/me/second-step", "").RequireStatus(t, http.StatusOK).Data(t, &begun)
			if p.secret = begun.Secret; !begun.Needed {
				t.Error("the password is not asked for")
			}
		}
		confirm := func(p *person, password string) *apitest.Response {
			return p.browser.Do(t, "POST", "/me/second-step/confirm", `{"code":"`+p.code(t)+`"`+password+`}`)
		}
		w.Tables.Unchanged(t, org.ID, func() {
			confirm(ana, "").RequireFailure(t, "invalid_field_value", "password")
			for range 8 {
				confirm(ana, `,"password":"wrong"`).RequireFailure(t, "invalid_field_value", "password")
			}
			confirm(ana, `,"password":"`+password+`"`).RequireFailure(t, "rate_limit_exceeded", "")
		})
		confirm(budi, `,"password":"`+password+`"`).RequireStatus(t, http.StatusOK)
	})
}

// The store's files contain neither the secret nor a code.
func TestSecretsOfTwoStepSignInAreSealed(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	ana := newPerson(t, w, storetest.Org(t, w.Store), chat.RoleAgent)
	ana.turnOn(t)
	step, err := w.Store.Read(t.Context()).SecondStep(ana.OrgID, ana.ID)
	if err != nil || step.Sealed == "" || strings.Contains(step.Sealed, ana.secret) {
		t.Error(step, err)
	}
	err = w.Store.InTx(t.Context(), func(tx *store.Tx) error { return tx.UseRecoveryCode(ana.OrgID, ana.ID, ana.recovery[0]) })
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a code stands as it is: %v", err)
	}
}
