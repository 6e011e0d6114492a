//go:build browser

package e2e

import (
	"strings"
	"testing"
)

const lucia = "34655500147"

// TestDashboardClosedWindow: a template is sent with its values, and the answer opens the window at once.
func TestDashboardClosedWindow(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	id := s.conversationOf("Lucía Ortega")
	if a := s.ask("PUT", "/conversations/"+id+"/draft", map[string]any{"body": "La L ya está", "note": false}); a.Status != 200 {
		t.Fatalf("the draft: %+v", a)
	}
	s.openConversation(srv, "Lucía Ortega")
	s.Says("The 24-hour window is closed")
	s.Says("La L ya está")
	s.Lacks("textbox", "Message")
	s.Press("button", "Templates")
	s.Write("Search templates", "appointment")
	s.pressTemplate("appointment_reminder")
	s.Until(`document.querySelector('[aria-label="How it will look"]')?.innerText.includes("Lucía")`)
	s.Has("button", "Send template")
	s.Holds(`[...document.querySelectorAll('button')].find(b => b.innerText === "Send template").disabled`)
	s.Write("Text {{day}}", "el viernes")
	s.Until(`document.querySelector('[aria-label="How it will look"]')?.innerText.includes("el viernes")`)
	s.Accessible()
	s.Press("button", "Send template")
	got := s.onPhone(lucia, func(l phoneLine) bool { return l.Type == "template" })
	if !strings.Contains(got.Text, "Lucía") || !strings.Contains(got.Text, "el viernes") || strings.Contains(got.Text, "{{") {
		t.Errorf("the phone shows %q", got.Text)
	}
	s.SaysIn("Messages", got.Text)
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Type == "template" && i.Message.Status == "delivered"
	})
	s.Says("La L ya está") // still only a draft
	s.phoneWrites(lucia, map[string]any{"type": "text", "text": "Perfecto"})
	s.Has("textbox", "Message")
	s.Until(`document.querySelector('[aria-label=Message]').value === "La L ya está"`)
	s.Press("button", "Send")
	s.onPhone(lucia, wrote("business", "La L ya está"))
	s.Content()
}

// pressTemplate chooses from the list of templates.
func (s *Screen) pressTemplate(name string) {
	s.t.Helper()
	s.Until(`(() => { const b = [...document.querySelectorAll('ul[aria-label=Templates] button')].find(b => b.innerText.includes(` + quote(name) + `)); b?.click(); return !!b })()`)
}

// TestDashboardCannedReplies: they are found by a slash, known values are filled in, and the others are asked for, in a
// note too.
func TestDashboardCannedReplies(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	for name, body := range map[string]string{
		"greeting": "Hello {{contact.first_name}}, this is {{agent.name}}.",
		"delivery": "It comes on {{day}} for {{contact.name}}, not before {{day}}.",
	} {
		if a := s.ask("POST", "/replies", map[string]any{"name": name, "body": body, "team_id": nil}); a.Status != 201 {
			t.Fatalf("the reply: %+v", a)
		}
	}
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Halo"})
	id := s.openConversation(srv, "Dewi Pratiwi")
	me := stored[struct{ User storedName }](s, "/me").User.Name
	greeting := "Hello Dewi, this is " + me + "."
	s.Write("Message", "/gree")
	s.Has("listbox", "Suggestions")
	s.enter()
	s.Until(`document.querySelector('[aria-label=Message]').value === ` + quote(greeting))
	s.enter()
	s.onPhone(dewi, wrote("business", greeting))
	s.Write("Message", "/deliv")
	s.Has("listbox", "Suggestions")
	s.Accessible()
	s.enter()
	s.Write("day", "Friday")
	s.Press("button", "Insert")
	s.Until(`document.querySelector('[aria-label=Message]').value === "It comes on Friday for Dewi Pratiwi, not before Friday."`)
	s.Press("button", "Send")
	s.onPhone(dewi, wrote("business", "It comes on Friday for Dewi Pratiwi, not before Friday."))
	s.Press("tab", "Note")
	s.Write("Message", "Told her: /gree")
	s.Has("listbox", "Suggestions")
	s.enter()
	s.Until(`document.querySelector('[aria-label=Message]').value === ` + quote("Told her: "+greeting))
	s.Press("button", "Send")
	s.timeline(id, func(i storedItem) bool { return i.Note != nil && i.Note.Body == "Told her: "+greeting })
	s.SaysIn("Messages", "Told her: "+greeting)
	if n := s.countOnPhone(dewi, func(l phoneLine) bool { return strings.Contains(l.Text, "Told her") }); n != 0 {
		t.Error("the note has reached the phone")
	}
	s.Content()
}
