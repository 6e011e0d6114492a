//go:build browser

package e2e

import "testing"

// The use of the plan is shown with a forecast, and an owner chooses how long messages are kept.
func TestDashboardUsage(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/settings/usage")
	s.Says("Messages this month")
	s.Says("by the end of the month")
	s.Has("list", "Messages sent per day")
	s.Picture("usage-wide")
	s.Accessible()

	s.Choose("Keep messages for", "30")
	s.Press("button", "Change")
	s.Says("Keep messages for 30 days?")
	s.Accessible()
	s.pressInDialog("Save") // the demo's week is more recent than that
	s.Says("Saved")
	s.Open(srv.URL() + "/settings/usage")
	s.Until(`document.querySelector("select")?.value === "30"`)

	s.Scheme("dark")
	s.Picture("usage-dark")
	s.Accessible()
	s.Content()

	small := OpenScreen(t, 360, 720)
	signIn(t, small, srv)
	small.Open(srv.URL() + "/settings/usage")
	small.Says("How long messages are kept")
	small.Picture("usage-small")
	small.Accessible()
	if small.holds("document.documentElement.scrollWidth > innerWidth") {
		t.Error("the page is wider than the phone")
	}
}
