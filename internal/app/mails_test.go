package app_test

import (
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/mail"
	"github.com/parleyhq/parley/internal/mail/mailtest"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// withMail gives a world a mail server.
func withMail(t *testing.T) (*mailtest.Server, func(*app.Config)) {
	t.Helper()
	server := mailtest.Start(t)
	postman, err := mail.New(server.URL, "Parley <parley@example.com>", slog.New(slog.DiscardHandler))
	must(t, err)
	parttest.Start(t, postman)
	return server, func(cfg *app.Config) {
		cfg.Mail = func(m app.Mail) { postman.Send(mail.Message(m)) }
	}
}

var linkInMail = regexp.MustCompile(`http://\S+/invite/(\S+)`)

// Invitations and reset links are mailed, and work. An unknown address gets the same answer and no mail.
func TestLinksAreMailed(t *testing.T) {
	t.Parallel()
	server, mails := withMail(t)
	w := apptest.Start(t, storetest.SQLite, mails)
	org := storetest.Org(t, w.Store)
	admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
	var made struct {
		Link struct {
			URL    string
			Mailed bool
		}
	}
	admin.Do(t, "POST", "/users", `{"email":"budi@example.com","name":"Budi","role":"agent"}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
	invitation := server.Next(t)
	if invitation.To != "budi@example.com" || !made.Link.Mailed || !strings.Contains(invitation.Text, made.Link.URL) {
		t.Errorf("of %+v this was mailed: %+v", made, invitation)
	}
	use := func(m mailtest.Mail) {
		t.Helper()
		found := linkInMail.FindStringSubmatch(m.Text)
		if found == nil {
			t.Fatalf("no link in %q", m.Text)
		}
		w.Browser().Do(t, "POST", "/links/"+found[1], `{"password":"`+password+`"}`).RequireStatus(t, http.StatusOK)
	}
	use(invitation)
	stranger := w.Browser()
	nobody := stranger.Do(t, "POST", "/forgotten", `{"email":"nobody@example.com"}`).RequireStatus(t, http.StatusAccepted)
	budi := stranger.Do(t, "POST", "/forgotten", `{"email":"BUDI@example.com"}`).RequireStatus(t, http.StatusAccepted)
	id := regexp.MustCompile(`req_\w+`)
	if a, b := id.ReplaceAllString(string(nobody.Body), ""), id.ReplaceAllString(string(budi.Body), ""); a != b {
		t.Errorf("the answers differ: %s and %s", a, b)
	}
	reset := server.Next(t)
	if reset.To != "budi@example.com" {
		t.Errorf("mailed to %s", reset.To)
	}
	use(reset)
}

// Whoever makes links for somebody again and again does not fill their mailbox, even if the links are used. The links
// work all the same.
func TestLinksAreMailedOnceInAWhile(t *testing.T) {
	t.Parallel()
	server, mails := withMail(t)
	w := apptest.Start(t, storetest.SQLite, mails)
	org := storetest.Org(t, w.Store)
	admin := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID))
	var budi struct{ User struct{ ID string } }
	admin.Do(t, "POST", "/users", `{"email":"budi@example.com","name":"Budi","role":"agent"}`).RequireStatus(t, http.StatusCreated).Data(t, &budi)
	server.Next(t)
	link := func() (made struct {
		URL    string
		Mailed bool
	}) {
		t.Helper()
		admin.Do(t, "POST", "/users/"+budi.User.ID+"/link", "").RequireStatus(t, http.StatusCreated).Data(t, &made)
		return made
	}
	use := func(url string) {
		t.Helper()
		w.Browser().Do(t, "POST", "/links/"+url[strings.LastIndex(url, "/")+1:], `{"password":"`+password+`"}`).RequireStatus(t, http.StatusOK)
	}
	for range 2 {
		made := link()
		if made.Mailed {
			t.Error("a link is mailed right after another")
		}
		use(made.URL)
	}
	w.Clock.Advance(10 * time.Minute)
	last := link()
	if got := server.Next(t); !last.Mailed || !strings.Contains(got.Text, last.URL) {
		t.Errorf("after ten minutes, of %+v this was mailed: %+v", last, got)
	}
}

// Repeated requests are slowed down, whether or not the user exists. Without a mail server nobody can ask.
func TestForgottenPasswords(t *testing.T) {
	t.Parallel()
	_, mails := withMail(t)
	w := apptest.Start(t, storetest.SQLite, mails)
	for range 8 {
		w.Browser().Do(t, "POST", "/forgotten", `{"email":"nobody@example.com"}`).RequireStatus(t, http.StatusAccepted)
	}
	w.Browser().Do(t, "POST", "/forgotten", `{"email":"nobody@example.com"}`).RequireFailure(t, "rate_limit_exceeded", "")
	var setup struct{ Forgotten bool }
	if w.Browser().Get(t, "/setup").Data(t, &setup); !setup.Forgotten {
		t.Error("the page does not offer it")
	}
	silent := apptest.Start(t, storetest.SQLite)
	silent.Browser().Do(t, "POST", "/forgotten", `{"email":"nobody@example.com"}`).RequireFailure(t, "resource_not_found", "")
	if silent.Browser().Get(t, "/setup").Data(t, &setup); setup.Forgotten {
		t.Error("the page offers what cannot be done")
	}
}
