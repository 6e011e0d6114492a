package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/parleyhq/parley/internal/pgtest"
)

// openConversation opens the conversation with a person from the list.
func (s *Screen) openConversation(person string) {
	s.t.Helper()
	script := fmt.Sprintf(`(() => { const a = [...document.querySelectorAll('[aria-label="Conversations"] a')].find(a => a.innerText.includes(%q)); a?.click(); return !!a })()`, person)
	opened := eventually(func() bool {
		ok, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](script))
		return err == nil && ok
	})
	if !opened {
		s.fail("there is no conversation with %s", person)
	}
	s.Has("log", "Messages")
}

// writeFromPhone writes to the business as the handset that is chosen.
func (s *Screen) writeFromPhone(text string) {
	s.t.Helper()
	s.Write("Message to the business", text)
	s.Press("button", "Send from phone")
}

// The way of a message: from a customer's phone into the inbox, where it is answered, noted, assigned, snoozed
// and resolved.
func TestDashboardConversation(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	converse(t, srv, srv)
}

// The same with the phone on one node and the inbox on another, which leaves the sending to the first.
func TestDashboardOnTwoNodes(t *testing.T) {
	t.Parallel()
	database := OnDatabase(pgtest.NewDatabase(t))
	first := Start(t, database, masterKey(1), WithFlags("--demo"))
	converse(t, first, Start(t, database, masterKey(1), WithFlags("--role=api,dashboard")))
}

func converse(t *testing.T, phoneAt, inboxAt *Server) {
	phone, inbox := OpenScreen(t, 1000, 900), OpenScreen(t, 1440, 900)
	signIn(t, phone, phoneAt)
	phone.Open(phoneAt.URL() + "/phone")
	signInAt(t, inbox, phoneAt, inboxAt)
	inbox.Open(inboxAt.URL() + "/inbox/all")

	phone.writeFromPhone("Is the blue one still there?")
	inbox.openConversation("Is the blue one")
	inbox.Says("Is the blue one still there?")
	inbox.Write("Message", "Yes, *two* of them.")
	inbox.Press("button", "Send")
	phone.Says("two of them.")
	inbox.Says("two of them.")

	inbox.Press("tab", "Note")
	inbox.Write("Message", "Wants the blue one.")
	inbox.Press("button", "Send")
	inbox.Says("Wants the blue one.")
	inbox.Press("tab", "Reply")

	inbox.Press("button", "Resolve")
	inbox.Has("button", "Reopen")
	phone.writeFromPhone("Then I take both.")
	inbox.Says("Then I take both.")
	inbox.Has("button", "Resolve")
	inbox.Accessible()
	phone.Accessible()
	inbox.Content()
	phone.Content()
}

// What is on the screen is right again after the server was away, and nobody pressed reload.
func TestDashboardServerRestarts(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	key, listen := demoKey(t, srv), "--listen="+srv.URL()[len("http://"):]
	send := func(text string) {
		t.Helper()
		body := fmt.Sprintf(`{"messaging_product":"chat","to":"+12025550100","type":"text","text":{"body":%q}}`, text)
		expect(t, srv.Post(key, "/v1/100200300400500/messages", body), http.StatusOK, "")
	}
	send("before")
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/inbox/all")
	s.openConversation("before")
	s.Says("before")
	s.Write("Message", "half a sentence")
	srv.Stop()
	srv.flags = append(srv.flags, listen)
	srv.Restart()
	send("after")
	s.Says("after")
	s.Holds("document.querySelector('[aria-label=Message]').value === 'half a sentence'")
	s.Reload()
	s.Says("after")
	s.Has("textbox", "Message")
	if !eventually(func() bool {
		kept, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool]("document.querySelector('[aria-label=Message]').value === 'half a sentence'"))
		return err == nil && kept
	}) {
		s.fail("the draft is gone")
	}
}
