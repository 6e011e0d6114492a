//go:build browser

package e2e

import "testing"

// An admin sets the organization up. The settings survive a reload, and from then on messages are assigned in turn.
// Everybody can read the page, on a small screen too.
func TestOrganizationPage(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/settings/org")
	s.Press("switch", "Hand out new conversations in turn")
	s.Press("checkbox", "Monday")
	s.Press("switch", "Reply automatically outside the opening hours")
	s.Write("Away message", "We are closed.")
	s.Accessible()
	s.Picture("organization")
	s.Scheme("dark")
	s.Picture("organization-dark")
	s.on(s.await("form", "Opening hours"), "function () { this.requestSubmit() }") // two panels have such a button
	s.Says("Saved")
	s.Reload()
	s.Has("switch", "Hand out new conversations in turn")
	s.holdsSoon(`document.querySelectorAll('[role=switch]:checked').length === 2`)
	if text := s.value("Away message"); text != "We are closed." {
		t.Errorf("the away message is %q", text)
	}

	small := OpenScreen(t, 360, 740)
	signIn(t, small, srv)
	small.Open(srv.URL() + "/settings/org")
	small.Has("switch", "Hide people's numbers from agents")
	small.Holds("document.documentElement.scrollWidth <= innerWidth")
	small.Picture("organization-small")
	s.Content()
}

// A message from the phone is assigned to the person whose turn it is, and the timeline says so.
func TestRoundRobinOnScreen(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.Open(srv.URL() + "/settings/org")
	s.Press("switch", "Hand out new conversations in turn")
	s.holdsSoon(`document.querySelectorAll('[role=switch]:checked').length === 1`)
	s.Open(srv.URL() + "/phone")
	s.Choose("Write as", dewi)
	s.Write("Message to the business", "Halo")
	s.Press("button", "Send from phone")
	s.PressIn("Conversations", "Dewi Pratiwi")
	s.SaysIn("Messages", "in turn")
	s.Accessible()
	s.Content()
}
