//go:build browser

package e2e

import (
	"strings"
	"testing"
)

// Actions in the dashboard and at the shell are in the audit log, which can be filtered by person, action and object.
func TestDashboardAudit(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.ask("POST", "/teams", map[string]any{"name": "Night shift"})
	s.ask("POST", "/keys", map[string]any{"name": "Shop"})
	s.Open(srv.URL() + "/settings/audit")
	s.SaysIn("Entries", "Created an API key")
	s.SaysIn("Entries", "Night shift")
	s.SaysIn("Entries", "Signed in")
	s.Picture("audit-wide")
	s.Accessible()

	s.Choose("What", "team.created")
	s.Until(`!document.querySelector("[aria-label=Entries]")?.innerText.includes("API key")`)
	s.Press("button", "Show only entries about Night shift")
	s.Has("button", "Only about Night shift")
	s.Open(s.where()) // the address contains all filters
	s.Has("button", "Only about Night shift")
	s.SaysIn("Entries", "Created a team")
	s.Press("button", "Only about Night shift")
	s.Choose("What", "number.disconnected")
	s.Says("No entries")
	s.Accessible()
	got := s.ask("GET", "/audit?action=team.created", nil)
	if got.Status != 200 || !strings.Contains(string(got.Body.Data), "Night shift") {
		t.Errorf("the log is %s", got.Body.Data)
	}
	s.Content()

	small := OpenScreen(t, 360, 720)
	small.Scheme("dark")
	signIn(t, small, srv)
	small.Open(srv.URL() + "/settings/audit")
	small.SaysIn("Entries", "Night shift")
	small.Picture("audit-small-dark")
	small.Accessible()
	if small.holds("document.documentElement.scrollWidth > innerWidth") {
		t.Error("the page is wider than the phone")
	}
	small.Open(srv.URL() + "/settings/me")
	small.Press("button", "Turn on")
	small.Has("image", "QR code for the authenticator app")
	small.Picture("set-up-small-dark")
	small.Accessible()
}
