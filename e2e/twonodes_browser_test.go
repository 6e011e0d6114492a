//go:build browser

package e2e

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

// The inbox on PostgreSQL with two nodes: the phones and the sending are on the first, and actions on one node appear
// on the screens of the other.

// twoNodes starts the demo's week on one node, and a second node without workers.
func twoNodes(t *testing.T) (phones, desk *Server) {
	t.Helper()
	database := OnDatabase(pgtest.NewDatabase(t))
	phones = Start(t, database, masterKey(1), WithFlags("--demo"))
	return phones, Start(t, database, masterKey(1), WithFlags("--role=api,dashboard"))
}

// signInThere signs in on one node as one of the demo's people, whose password another node printed.
func signInThere(t *testing.T, s *Screen, demo, srv *Server, email string) {
	t.Helper()
	_, password := demoLogin(t, demo)
	s.Open(srv.URL() + "/login")
	s.Write("E-mail", email)
	s.Write("Password", password)
	s.Press("button", "Sign in")
	s.Has("link", "Inbox")
}

// TestNodesShareTheInbox: every action on a conversation on one node is visible on the other, while the conversation is
// open there.
func TestNodesShareTheInbox(t *testing.T) {
	t.Parallel()
	phones, desk := twoNodes(t)
	s, other := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, other, phones)
	signInAt(t, s, phones, desk)
	s.Open(desk.URL() + "/inbox/all")
	s.Has("list", "Conversations")

	var waits []time.Duration
	for _, text := range []string{"one", "two", "three", "four", "five"} {
		begin := time.Now()
		other.phoneWrites(dewi, map[string]any{"type": "text", "text": "Number " + text})
		s.SaysIn("Conversations", "Number "+text)
		waits = append(waits, time.Since(begin))
	}
	t.Logf("from the phone at one node into the list at the other: %v", waits)
	if slices.Sort(waits); waits[len(waits)/2] > time.Second {
		t.Errorf("a message is on the other node's screen after %v", waits)
	}

	id := other.openConversation(phones, "Dewi Pratiwi")
	s.PressIn("Conversations", "Number five")
	s.SaysIn("Messages", "Number five")
	s.Write("Message", "Five it is")
	s.Press("button", "Send")
	other.onPhone(dewi, wrote("business", "Five it is"))
	other.SaysIn("Messages", "Five it is")
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Text.Body == "Five it is" && i.Message.Status == "delivered"
	})

	s.Press("button", "Assign")
	s.Press("menuitem", "Ana Wijaya")
	other.SaysIn("Messages", "assigned it to Ana Wijaya")
	s.Press("button", "Labels")
	s.Press("menuitemcheckbox", "Refund")
	other.Until(`document.querySelector("aside")?.innerText.includes("Refund")`)
	s.Press("button", "Labels") // this closes the menu
	s.Press("tab", "Note")
	s.Write("Message", "She counts to five.")
	s.Press("button", "Send")
	other.SaysIn("Messages", "She counts to five.")
	s.Press("tab", "Reply")
	s.Press("button", "Snooze")
	s.Press("menuitem", "Until they reply")
	other.conversation(id, func(c storedConversation) bool { return c.Status == "pending" })
	other.phoneWrites(dewi, map[string]any{"type": "text", "text": "Six!"})
	s.SaysIn("Messages", "Six!")
	s.SaysIn("Messages", "Unsnoozed")
	s.Press("button", "Resolve")
	other.Has("button", "Reopen")
	other.phoneWrites(dewi, map[string]any{"type": "reaction", "message_id": other.onPhone(dewi, wrote("business", "Five it is")).ID, "emoji": "❤️"})
	s.SaysIn("Messages", "❤️")
	s.Content()
	other.Content()
}

// TestNodesSeeEachOther: the other node knows who views and who types, and about a reply that was not seen.
func TestNodesSeeEachOther(t *testing.T) {
	t.Parallel()
	phones, desk := twoNodes(t)
	demo, ana := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, demo, phones)
	signInThere(t, ana, phones, desk, "ana@example.com")
	collide(t, demo, ana, phones, desk)
	ana.Open(desk.URL() + "/inbox/mine")
	demo.Until(`!document.body.innerText.includes("Ana Wijaya is")`)
	demo.Content()
	ana.Content()
}

// TestNodesThrowOut: a change of role and a disabling of a user on one node end the user's sessions on the other.
func TestNodesThrowOut(t *testing.T) {
	t.Parallel()
	phones, desk := twoNodes(t)
	owner, ana, budi := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, owner, phones)
	signInThere(t, ana, phones, desk, "ana@example.com")
	signInThere(t, budi, phones, desk, "budi@example.com")
	ana.openConversation(desk, "Dewi Pratiwi")
	budi.Open(desk.URL() + "/inbox/all")
	budi.Has("list", "Conversations")
	for _, out := range []struct {
		s      *Screen
		name   string
		change map[string]any
	}{
		{ana, "Ana Wijaya", map[string]any{"role": "admin"}},
		{budi, "Budi Hartono", map[string]any{"disabled": true}},
	} {
		id := owner.idOf("/users", out.name)
		begin := time.Now()
		if a := owner.ask("PATCH", "/users/"+id, out.change); a.Status != http.StatusOK {
			t.Fatalf("%v: %+v", out.change, a)
		}
		out.s.Has("button", "Sign in")
		t.Logf("%v threw out on the other node after %v", out.change, time.Since(begin))
		if a := out.s.ask("GET", "/me", nil); a.Status != http.StatusUnauthorized {
			t.Errorf("%v: the session still works: %+v", out.change, a)
		}
	}
	owner.phoneWrites(dewi, map[string]any{"type": "text", "text": "Not for Budi"})
	signInThere(t, ana, phones, desk, "ana@example.com")
	ana.openConversation(desk, "Dewi Pratiwi")
	ana.SaysIn("Messages", "Not for Budi")
	budi.Holds(`!document.body.innerText.includes("Not for Budi")`)
}

// TestNodeRestartsUnderAnAgent: the node that a tab uses stops, the balancer leads the tab to the other node, and later
// back. Nothing on the screen is stale, the draft is there, and a message sent meanwhile is sent once.
func TestNodeRestartsUnderAnAgent(t *testing.T) {
	t.Parallel()
	phones, desk := twoNodes(t)
	line := newLine(t, desk)
	s, phone := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, phone, phones)
	signInAt(t, s, phones, desk)
	id := s.conversationOf("Dewi Pratiwi")
	s.Open(line.url() + "/inbox/all/" + id)
	s.Has("log", "Messages")
	s.Write("Message", "half a sentence")

	desk.Stop()
	phone.phoneWrites(dewi, map[string]any{"type": "text", "text": "Written while it was away"})
	s.Says("Offline")
	line.lead(phones)
	s.SaysIn("Messages", "Written while it was away")
	s.writes("half a sentence")

	desk.Restart()
	line.lead(desk)
	line.cut()
	s.Write("Message", "Sent without a line")
	s.Press("button", "Send")
	s.Says("Offline")
	phone.phoneWrites(dewi, map[string]any{"type": "text", "text": "Still there?"})
	line.mend()
	s.SaysIn("Messages", "Still there?")
	phone.onPhone(dewi, wrote("business", "Sent without a line"))
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Text.Body == "Sent without a line" && i.Message.Status == "delivered"
	})
	if n := phone.countOnPhone(dewi, wrote("business", "Sent without a line")); n != 1 {
		t.Errorf("it came %d times", n)
	}
	s.Until(inside("Messages") + `.innerText.split("Sent without a line").length === 2`)
	s.Content()
}
