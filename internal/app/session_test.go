package app_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestMain(m *testing.M) {
	core.HashMemory = 64
	os.Exit(m.Run())
}

const password = "correct horse battery"

func setPassword(t *testing.T, w *apptest.World, u chat.User) {
	t.Helper()
	hash, err := core.HashPassword(password)
	must(t, err)
	storetest.InTx(t, w.Store, func(tx *store.Tx) error { return core.SetPassword(tx, u.OrgID, u.ID, hash) })
}

func TestSignInAndOut(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
		setPassword(t, w, u)
		b := w.Browser()
		b.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
		b.Do(t, "POST", "/session", `{"email":"`+u.Email+`","password":"wrong"}`).RequireFailure(t, "invalid_credentials", "")
		b.Do(t, "POST", "/session", `{"email":"nobody@example.com","password":"wrong"}`).RequireFailure(t, "invalid_credentials", "")

		b.Token = "planted" // by an attacker who wants to know the session's token
		answer := b.Do(t, "POST", "/session", `{"email":" `+strings.ToUpper(u.Email)+`","password":"`+password+`"}`).RequireStatus(t, http.StatusOK)
		if b.Token == "planted" || b.Token == "" {
			t.Error("the session has no token of its own")
		}
		cookie := answer.Header.Get("Set-Cookie")
		for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
			if !strings.Contains(cookie, part) {
				t.Errorf("the cookie is %q", cookie)
			}
		}
		var me struct{ User struct{ ID, Role string } }
		b.Get(t, "/me").RequireStatus(t, http.StatusOK).Data(t, &me)
		if me.User.ID != u.ID || me.User.Role != "agent" {
			t.Errorf("signed in is %+v", me)
		}
		token := b.Token
		b.Do(t, "DELETE", "/session", "").RequireStatus(t, http.StatusOK)
		b.Token = token
		b.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
	})
}

// Signing in ignores Idempotency-Key: a repetition makes another session, and strangers store nothing.
func TestSignInHasNoKeys(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
	setPassword(t, w, u)
	b, tokens := w.Browser(), map[string]bool{}
	for range 2 {
		answer := b.Do(t, "POST", "/session", `{"email":"`+u.Email+`","password":"`+password+`"}`, "Idempotency-Key", "same")
		if answer.RequireStatus(t, http.StatusOK).Header["Idempotent-Replayed"] != nil {
			t.Error("the answer is kept")
		}
		tokens[b.Token] = true
	}
	if len(tokens) != 2 {
		t.Errorf("there are %d sessions", len(tokens))
	}
}

// A stored answer would lack the new cookie, and a repetition would be signed out.
func TestPasswordChangeHasNoKeys(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
	setPassword(t, w, u)
	b := w.As(t, u)
	change := `{"current_password":"` + password + `","new_password":"` + password + `"}`
	for range 2 {
		before := b.Token
		answer := b.Do(t, "POST", "/me/password", change, "Idempotency-Key", "same").RequireStatus(t, http.StatusOK)
		if answer.Header["Idempotent-Replayed"] != nil || b.Token == before {
			t.Error("the answer is kept, without a cookie")
		}
		b.Get(t, "/me").RequireStatus(t, http.StatusOK)
	}
}

func TestSessionsEndByThemselves(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	b := w.As(t, w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID))
	for range 4 { // it lasts if it is used every six days
		w.Clock.Advance(6 * 24 * time.Hour)
		b.Get(t, "/me").RequireStatus(t, http.StatusOK)
	}
	w.Clock.Advance(6*24*time.Hour + time.Minute) // but not for more than thirty
	b.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
	b = w.As(t, w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID))
	w.Clock.Advance(7 * 24 * time.Hour)
	b.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
}

// While nothing can be written, on a full disk for example, users and programs read on.
func TestReadingWithoutWriting(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		key := o.WithKey(t, o.org.ID)
		o.TakeNoWrites(t)
		for range 3 { // each time the session's use is to be stored, and tokens to be leased
			o.Clock.Advance(2 * time.Minute)
			o.as.Get(t, "/me").RequireStatus(t, http.StatusOK)
			key.Get(t, "/labels").RequireStatus(t, http.StatusOK)
			o.as.Do(t, "PATCH", "/me", `{"away":true}`).RequireFailure(t, "service_unavailable", "")
			key.Do(t, "POST", "/labels", `{"name":"x"}`).RequireFailure(t, "service_unavailable", "")
		}
	})
}

func TestGuessing(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
	setPassword(t, w, u)
	for _, email := range []string{u.Email, "nobody@example.com"} {
		b := w.Browser()
		for range 8 {
			b.Do(t, "POST", "/session", `{"email":"`+email+`","password":"wrong"}`).RequireFailure(t, "invalid_credentials", "")
		}
		b.Do(t, "POST", "/session", `{"email":"`+email+`","password":"`+password+`"}`).RequireFailure(t, "rate_limit_exceeded", "")
	}
}

// Whoever guesses has as many guesses for all spellings of an address as for one.
func TestGuessingWithOtherSpellings(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	hash, err := core.HashPassword(password)
	must(t, err)
	storetest.InTx(t, w.Store, func(tx *store.Tx) error {
		_, err := core.CreateUser(tx, core.NewUser{OrgID: org.ID, Email: "simi@example.com", Name: "Simi", Role: chat.RoleAgent, Password: hash, TeamID: org.TeamID})
		return err
	})
	try := func(email, password, code string) {
		t.Helper()
		w.Browser().Do(t, "POST", "/session", `{"email":"`+email+`","password":"`+password+`"}`).RequireFailure(t, code, "")
	}
	try("\u017fimi@example.com", password, "invalid_credentials") // another address, of which nobody is known
	for _, email := range []string{"simi@example.com", "SIMI@example.com", " simi@example.com", "Simi@Example.Com"} {
		try(email, "wrong", "invalid_credentials")
		try(email, "wrong", "invalid_credentials")
	}
	try("siMi@example.com", password, "rate_limit_exceeded")
}

// Guesses elsewhere do not keep somebody out of a browser in which they have signed in before. There they have as many tries
// as everywhere, and for nobody else.
func TestGuessesElsewhere(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	u, other := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID), w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
	setPassword(t, w, u)
	setPassword(t, w, other)
	try := func(b *apptest.Browser, email, password, code string) {
		t.Helper()
		r := b.Do(t, "POST", "/session", `{"email":"`+email+`","password":"`+password+`"}`)
		if code == "" {
			r.RequireStatus(t, http.StatusOK)
			return
		}
		r.RequireFailure(t, code, "")
	}
	own := w.Browser()
	try(own, u.Email, password, "")
	for _, email := range []string{u.Email, other.Email} {
		for range 8 {
			try(w.Browser(), email, "wrong", "invalid_credentials")
		}
		try(w.Browser(), email, password, "rate_limit_exceeded")
	}
	try(own, strings.ToUpper(u.Email), password, "")
	try(own, other.Email, password, "rate_limit_exceeded")
	own.Do(t, "POST", "/me/password", `{"current_password":"`+password+`","new_password":"another long one"}`).RequireStatus(t, http.StatusOK)
	for range 8 {
		try(own, u.Email, "wrong", "invalid_credentials")
	}
	try(own, u.Email, "another long one", "rate_limit_exceeded")
	forged := w.Browser()
	forged.Known = own.Known[:len(own.Known)-1]
	try(forged, u.Email, "another long one", "rate_limit_exceeded")
}

// Another site's page cannot change anything, whatever its browser sends along.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	b := w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID))
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}, {"Origin", "null"},
	} {
		b.Do(t, "POST", "/teams", `{"name":"Mine"}`, header...).RequireFailure(t, "forbidden", "")
	}
	b.Do(t, "POST", "/teams", `{"name":"Mine"}`, "Content-Type", "text/plain").RequireFailure(t, "unsupported_media_type", "")
	b.Do(t, "POST", "/teams", `{"name":"Mine"}`, "Origin", w.URL).RequireStatus(t, http.StatusCreated)
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	u := w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID)
	setPassword(t, w, u)
	b, elsewhere := w.As(t, u), w.As(t, u)
	before := b.Token
	b.Do(t, "POST", "/me/password", `{"current_password":"wrong","new_password":"another long one"}`).RequireFailure(t, "invalid_field_value", "current_password")
	b.Do(t, "POST", "/me/password", `{"current_password":"`+password+`","new_password":"short"}`).RequireFailure(t, "invalid_field_value", "new_password")
	b.Do(t, "POST", "/me/password", `{"current_password":"`+password+`","new_password":"another long one"}`).RequireStatus(t, http.StatusOK)
	b.Get(t, "/me").RequireStatus(t, http.StatusOK)
	elsewhere.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
	b.Token = before
	b.Get(t, "/me").RequireFailure(t, "not_signed_in", "")
}

func TestSetUp(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		b := w.Browser()
		var setup struct{ Needed bool }
		if b.Get(t, "/setup").Data(t, &setup); !setup.Needed {
			t.Error("nobody can sign in, and no set-up is needed")
		}
		body := func(token string) string {
			return `{"token":"` + token + `","organization":"Kopi Kita","name":"Ayu","email":"ayu@example.com","password":"` + password + `"}`
		}
		b.Do(t, "POST", "/setup", body("guessed")).RequireFailure(t, "invalid_credentials", "token")
		b.Do(t, "POST", "/setup", body(apptest.SetupToken)).RequireStatus(t, http.StatusOK)
		var me struct {
			User         struct{ Role string }
			Organization struct{ Name string }
		}
		if b.Get(t, "/me").Data(t, &me); me.User.Role != "owner" || me.Organization.Name != "Kopi Kita" {
			t.Errorf("set up is %+v", me)
		}
		w.Browser().Do(t, "POST", "/setup", body(apptest.SetupToken)).RequireFailure(t, "resource_not_found", "")
		if b.Get(t, "/setup").Data(t, &setup); setup.Needed {
			t.Error("set-up is needed again")
		}
	})
}
