package e2e

import (
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// writeFromPhone writes to the business from the chosen handset.
func (s *Screen) writeFromPhone(text string) {
	s.t.Helper()
	s.Write("Message to the business", text)
	s.Press("button", "Send from phone")
}

// A message goes from a customer's phone on one node into the inbox on another node, which leaves sending to the first.
// There it is answered, noted and resolved.
func TestDashboardOnTwoNodes(t *testing.T) {
	t.Parallel()
	database := OnDatabase(pgtest.NewDatabase(t))
	first := Start(t, database, masterKey(1), WithFlags("--demo", "--demo-empty"))
	converse(t, first, Start(t, database, masterKey(1), WithFlags("--role=api,dashboard")))
}

func converse(t *testing.T, phoneAt, inboxAt *Server) {
	phone, inbox := OpenScreen(t, 1000, 900), OpenScreen(t, 1440, 900)
	signIn(t, phone, phoneAt)
	phone.Open(phoneAt.URL() + "/phone")
	signInAt(t, inbox, phoneAt, inboxAt)
	inbox.Open(inboxAt.URL() + "/inbox/all")

	phone.writeFromPhone("Is the blue one still there?")
	inbox.PressIn("Conversations", "Is the blue one")
	inbox.Has("log", "Messages")
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
