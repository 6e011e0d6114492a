//go:build browser

package e2e

import "testing"

// TestServerAwayUnderAnAgent: while the server is away, what could not be done is taken back and can be repeated, and a
// page that was never open waits. When the server is back, all goes on without a reload, and what was sent is no draft.
func TestServerAwayUnderAnAgent(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	line := newLine(t, srv)
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	id := s.conversationOf("Dewi Pratiwi")
	s.Open(line.url() + "/inbox/all/" + id)
	s.Has("log", "Messages")
	s.does("window.neverReloaded = true")
	s.Write("Message", "Written before")
	becomes(s, "/conversations?view=all&limit=100", func(list []storedConversation) bool {
		for _, c := range list {
			if c.ID == id {
				return c.Draft
			}
		}
		return false
	})

	line.cut()
	s.Says("Offline")
	s.Press("button", "Send")
	s.SaysIn("Messages", "Written before")
	s.Press("button", "Resolve")
	s.Says("That was not done")
	s.Has("button", "Resolve")
	s.SaysIn("Conversations", "Dewi Pratiwi")
	s.Picture("away")
	s.Press("link", "Templates")
	s.Until(`location.pathname === "/templates"`)

	line.mend()
	s.Has("heading", "Templates")
	s.does("history.back()")
	s.onPhone(dewi, wrote("business", "Written before"))
	s.writes("")
	s.Until(`!document.querySelector("[aria-label=Conversations]").innerText.includes("Draft")`)
	s.Press("button", "Try again")
	s.Has("button", "Reopen")
	s.Holds("window.neverReloaded")
	s.Content()
}
