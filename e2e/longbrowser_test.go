//go:build browser

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// These browser tests take long. make test runs the main browser tests, make browser-test all of them.

// TestDashboardConversation follows a message on one node, in the demo's week.
func TestDashboardConversation(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	converse(t, srv, srv)
}

func TestDashboardSignIn(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 800)
	s.Open(srv.URL() + "/inbox")
	s.Has("button", "Sign in")
	s.Accessible()
	s.Write("E-mail", "nobody@example.com")
	s.Write("Password", "wrong")
	s.Press("button", "Sign in")
	s.Says("wrong")
	signIn(t, s, srv)
	s.Content()
}

// TestPhoneOnAPhone: the phone's page alone, on a small screen, in the demo's week.
func TestPhoneOnAPhone(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 360, 740)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/phone")
	s.Choose("Write as", "6281255500142")
	s.Press("button", "Di satpam")
	s.SaysIn("Chat with Demo on the phone", "Di satpam")
	s.Holds("document.documentElement.scrollWidth <= innerWidth")
	s.Accessible()
	s.Content()
}

// The screen is correct again after the server was down, without a reload by the user.
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
	s.PressIn("Conversations", "before")
	s.Has("log", "Messages")
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

// A user is invited, joins by the link, may do less than an owner, and is signed out at once when disabled.
func TestDashboardInvitation(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	owner, guest := OpenScreen(t, 1280, 800), OpenScreen(t, 1280, 800)
	signIn(t, owner, srv)
	owner.Open(srv.URL() + "/settings/users")
	owner.Press("button", "Invite")
	owner.Write("Name", "Budi")
	owner.Write("E-mail", "budi@example.com")
	owner.Press("button", "Create the link")
	link := owner.value("Link")
	owner.Accessible()
	owner.Press("button", "Done")

	guest.Open(strings.Replace(link, "localhost", "127.0.0.1", 1))
	guest.Accessible()
	guest.Write("Password", "correct horse battery")
	guest.Press("button", "Join")
	guest.Has("link", "Inbox")
	guest.Open(srv.URL() + "/settings/me")
	guest.Has("link", "Your profile")
	guest.Lacks("link", "Users")

	owner.Press("button", "More for Budi")
	owner.Press("menuitem", "Disable")
	owner.Press("button", "Disable") // a confirmation is asked for, because their open conversations go back to the queue
	guest.Has("button", "Sign in")
	guest.Content()
	owner.Content()
}

// value is the content of a field.
func (s *Screen) value(name string) (text string) {
	s.t.Helper()
	s.on(s.await("textbox", name), "function () { window.asked = this.value }")
	text, err := chromedp.Run(s.ctx, chromedp.Evaluate[string]("window.asked"))
	if err != nil || text == "" {
		s.fail("the field %q holds %q: %v", name, text, err)
	}
	return text
}

// An agent without a mouse signs in, goes through the list, answers, and resolves.
func TestDashboardByKeyboard(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	email, password := demoLogin(t, srv)
	s := OpenScreen(t, 1440, 900)
	s.Open(srv.URL() + "/inbox/all")
	s.Has("button", "Sign in")
	for _, text := range []string{email, password} { // the first field has the focus
		s.do(chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Tab))
	}
	s.Browser.Press(kb.Enter)
	s.Has("list", "Conversations")
	s.Says("Dewi Pratiwi")
	if !eventually(func() bool {
		s.Browser.Press("j")
		return s.holds(inside("Conversations") + ".contains(document.activeElement)")
	}) {
		s.fail("j leads to no conversation")
	}
	s.Browser.Press("o")
	s.Has("log", "Messages")
	s.Browser.Press("r")
	s.do(chromedp.KeyEvent("Sent without a mouse"), chromedp.KeyEvent(kb.Enter))
	s.SaysIn("Messages", "Sent without a mouse")
	s.Browser.Press(kb.Escape)
	s.Browser.Press("e")
	s.Has("button", "Reopen")
	s.Content()
}

// fits opens a page, by an element's role and name that it has: axe finds nothing serious, and nothing is wider than the
// screen.
func (s *Screen) fits(srv *Server, page string, sign [2]string) {
	s.t.Helper()
	s.Open(srv.URL() + page)
	s.Has(sign[0], sign[1])
	s.Holds("document.documentElement.scrollWidth <= innerWidth")
	s.Accessible()
}

// Every page, on a desktop and on a phone, in light and in dark: axe finds nothing serious, and nothing is wider than
// the screen.
func TestDashboardPages(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	for _, width := range []int64{1280, 360} {
		s := OpenScreen(t, width, 800)
		signIn(t, s, srv)
		for page, sign := range map[string][2]string{
			"/":                 {"heading", "Messages per day"},
			"/inbox/all":        {"list", "Conversations"},
			"/inbox/snoozed":    {"list", "Conversations"},
			"/settings/me":      {"button", "Change password"},
			"/settings/users":   {"button", "Invite"},
			"/settings/teams":   {"button", "New team"},
			"/settings/labels":  {"button", "New label"},
			"/settings/replies": {"button", "New reply"},
		} {
			s.fits(srv, page, sign)
		}
	}
}

// A search finds a message of the demo's week, is narrowed, leads to the message, and has an address.
func TestDashboardSearch(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/inbox/all")
	s.Has("list", "Conversations")
	s.writeInto("searchbox", "Search messages and people", "200 kg")
	s.SaysIn("Search results", "We need 200 kg by Friday")
	s.PressIn("Search in", "Notes")
	s.Says("No results")
	s.PressIn("Search in", "Messages")
	s.SaysIn("Search results", "We need 200 kg by Friday")
	s.Choose("When", "week")
	s.Choose("Number", demoNumber)
	s.Until(`location.search.includes("since=week") && location.search.includes("number=") && location.search.includes("in=messages")`)
	s.PressIn("Search results", "We need 200 kg by Friday")
	s.SaysIn("Messages", "We need 200 kg by Friday")
	s.Until(`location.search.includes("item=msg_")`)
	s.Accessible()
	s.Reload()
	s.SaysIn("Search results", "We need 200 kg by Friday")
	s.SaysIn("Messages", "We need 200 kg by Friday")
	s.Press("button", "Clear the search")
	s.Has("list", "Conversations")
	s.Until(`!location.search.includes("since") && !location.search.includes("in=")`)
	s.Content()
}
