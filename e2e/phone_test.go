package e2e

import "testing"

// TestPhoneBesideInbox: the simulated phone and the inbox in one window exchange messages.
func TestPhoneBesideInbox(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.Open(srv.URL() + "/phone")
	s.Choose("Write as", "6281255500142")
	s.Write("Message to the business", "Halo, apakah *buka*?")
	s.Press("button", "Send from phone")
	s.PressIn("Conversations", "Dewi Pratiwi")
	s.Write("Message", "Buka sampai jam lima")
	s.Press("button", "Send")
	s.SaysIn("Chat with Demo on the phone", "Buka sampai jam lima")
	s.Press("switch", "Online")
	s.Says("This phone is off.")
	s.Write("Message", "Masih di sana?")
	s.Press("button", "Send")
	s.SaysIn("Messages", "Masih di sana?")
	s.Press("switch", "Online")
	s.SaysIn("Chat with Demo on the phone", "Masih di sana?")
	s.Press("button", "STOP")
	s.SaysIn("Messages", "STOP")
	s.Accessible()
	s.Content()
}

// Choose selects an option of a field by its value.
func (s *Screen) Choose(field, value string) {
	s.t.Helper()
	s.on(s.await("combobox", field), `function () {
		this.value = '`+value+`'
		this.dispatchEvent(new Event('change', {bubbles: true}))
	}`)
}

// inside is a JavaScript expression for the element with that label.
func inside(label string) string { return `document.querySelector('[aria-label="` + label + `"]')` }

// SaysIn waits until a part of the page contains a text.
func (s *Screen) SaysIn(label, text string) {
	s.t.Helper()
	if !eventually(func() bool { return s.holds(inside(label) + `?.innerText.includes("` + text + `") === true`) }) {
		s.fail("%q does not say %q", label, text)
	}
}

// PressIn presses the link in a part of the page that contains a text.
func (s *Screen) PressIn(label, text string) {
	s.t.Helper()
	link := `[...` + inside(label) + `?.querySelectorAll('a') ?? []].find(a => a.innerText.includes("` + text + `"))`
	if !eventually(func() bool { return s.holds(`(` + link + `)?.click() === undefined && !!` + link) }) {
		s.fail("there is no link to %q in %q", text, label)
	}
}
