//go:build browser

package e2e

import (
	"fmt"
	"testing"
)

// shows is a JavaScript condition: a message of the thread is in view, and whoever uses the keyboard goes on from it.
func shows(text string) string {
	return fmt.Sprintf(`(() => {
		const row = document.activeElement.closest("[data-key]"), log = %s.getBoundingClientRect()
		const at = row?.getBoundingClientRect()
		return row?.innerText.includes(%q) && at.top >= log.top && at.bottom <= log.bottom
	})()`, inside("Messages"), text)
}

// pressQuote presses the newest quote of a text in the thread.
func (s *Screen) pressQuote(text string) {
	s.t.Helper()
	find := fmt.Sprintf(`[...%s.querySelectorAll('button[title="Go to the quoted message"]')].findLast(b => b.innerText === %q)`, inside("Messages"), text)
	s.Until("!!" + find)
	s.does(find + ".focus(); " + find + ".click()")
}

// TestDashboardQuote: a press on a quote leads to the message that it quotes, wherever in the thread that is, and once
// more after one has gone back to the newest message.
func TestDashboardQuote(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	mira := map[string]any{"phone": "+4915155500188", "name": "Mira Vogel"}
	says := func(text, answered string) string {
		fields := map[string]any{"text": text}
		if answered != "" {
			fields["context"] = map[string]any{"id": answered}
		}
		return writesAs(t, srv, mira, fields)
	}
	far := says("Do you have lamps?", "")
	for i := range 320 { // more than a thread keeps on the page
		says(fmt.Sprintf("Line %d", i), "")
	}
	near := says("The blue one", "")
	for i := range 20 {
		says(fmt.Sprintf("More %d", i), "")
	}
	says("I mean this one", near)
	says("As I asked", far)
	s.openConversation(srv, "Mira Vogel")
	s.SaysIn("Messages", "As I asked")

	s.pressQuote("The blue one")
	s.Until(shows("The blue one"))
	s.Holds(`!location.search.includes("item=")`) // it was there already

	for range 2 {
		s.Holds("!" + inside("Messages") + `.innerText.includes("Line 3\n")`) // the beginning is not loaded
		s.pressQuote("Do you have lamps?")
		s.Until(shows("Do you have lamps?"))
		s.Has("button", "Jump to the newest")
		s.Accessible()
		s.Press("button", "Jump to the newest")
		s.SaysIn("Messages", "As I asked")
		s.Lacks("button", "Jump to the newest")
	}

	s.pressQuote("Do you have lamps?")
	s.Until(shows("Do you have lamps?"))
	s.Until(`(log => { log.scrollTop = log.scrollHeight; return log.innerText.includes("As I asked") })(` + inside("Messages") + ")")
	s.Holds("!" + inside("Messages") + `.innerText.includes("Line 3\n")`) // who reads on loses the beginning again
	s.pressQuote("Do you have lamps?")
	s.Until(shows("Do you have lamps?"))
	s.Content()
}
