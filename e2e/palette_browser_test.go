//go:build browser

package e2e

import "testing"

// TestDashboardPalette: what is typed into the palette is looked for, a search is one step, and going back empties its field.
func TestDashboardPalette(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/inbox/open")
	s.Has("searchbox", "Search messages and people")
	palette := func(typed string) {
		t.Helper()
		s.Holds("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true})) || true")
		s.writeInto("combobox", "Commands", typed)
	}
	palette("dewi")
	s.Has("option", "Search for “dewi” Inbox")
	s.Accessible()
	s.Picture("palette")
	s.Browser.Press("\r")
	s.Until(`location.search.includes("q=dewi")`)
	s.Says("Halo Kak Dewi, besok pagi ya.")
	field := `document.querySelector('[type="search"]').value`
	s.Until(field + ` === "dewi"`)
	s.writeInto("searchbox", "Search messages and people", "dewi pra")
	s.Until(`location.search.includes("pra")`)
	s.Picture("found")
	s.Holds("history.back() || true")
	s.Until(`location.pathname === "/inbox/open" && !location.search.includes("q=")`)
	s.Until(field + ` === ""`)
}
