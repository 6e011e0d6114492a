//go:build browser

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestDashboardCollision: two agents see each other, and one who has not seen the other's reply is asked once.
func TestDashboardCollision(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	demo, ana := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, demo, srv)
	signInAs(t, ana, srv, "ana@example.com")
	collide(t, demo, ana, srv, srv)
	demo.Press("button", "Send")
	demo.onPhone(dewi, wrote("business", "From Demo"))
	for _, text := range []string{"From Demo", "From Ana"} {
		if n := demo.countOnPhone(dewi, wrote("business", text)); n != 1 {
			t.Errorf("%q came %d times", text, n)
		}
	}
	ana.Open(srv.URL() + "/inbox/mine")
	demo.Until(`!document.body.innerText.includes("Ana Wijaya is")`)
	demo.Content()
	ana.Content()
}

// TestDashboardLateCollision: a reply that waited for the server does not go out past a colleague's that came
// meanwhile. Its writer is told where they are, and asked.
func TestDashboardLateCollision(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	demo, ana := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, demo, srv)
	signInAs(t, ana, srv, "ana@example.com")
	line := newLine(t, srv)
	demo.Open(line.url() + "/inbox/all")
	demo.PressIn("Conversations", "Dewi Pratiwi")
	demo.Write("Message", "From Demo")
	line.cut()
	demo.Press("button", "Send")
	demo.SaysIn("Messages", "From Demo")
	demo.PressIn("Conversations", "Wei Zhang")
	ana.openConversation(srv, "Dewi Pratiwi")
	ana.Write("Message", "From Ana")
	ana.Press("button", "Send")
	ana.onPhone(dewi, wrote("business", "From Ana"))
	line.mend()
	demo.Says("Not sent to Dewi Pratiwi.")
	demo.SaysIn("Conversations", "Not sent")
	demo.Accessible()
	demo.Press("button", "Open")
	demo.SaysIn("Messages", "Not sent: Ana Wijaya has replied in the meantime.")
	demo.SaysIn("Messages", "From Ana")
	demo.Accessible()
	if n := demo.countOnPhone(dewi, wrote("business", "From Demo")); n != 0 {
		t.Error("it was sent past a colleague's reply")
	}
	demo.Press("button", "Send anyway")
	demo.onPhone(dewi, wrote("business", "From Demo"))
	demo.Until(`!document.body.innerText.includes("Not sent")`)
	demo.Content()
	ana.Content()
}

// collide lets both write to Dewi, each on a node: they see each other, and Demo, who has not seen Ana's reply, is asked
// before a message of Demo's goes out.
func collide(t *testing.T, demo, ana *Screen, ofDemo, ofAna *Server) {
	t.Helper()
	demo.openConversation(ofDemo, "Dewi Pratiwi")
	ana.openConversation(ofAna, "Dewi Pratiwi")
	demo.Says("Ana Wijaya is looking at this conversation")
	demo.Write("Message", "From Demo")
	ana.Says("Demo is replying")
	ana.Write("Message", "From Ana")
	ana.Press("button", "Send")
	demo.SaysIn("Messages", "From Ana")
	demo.Press("button", "Send")
	demo.Has("dialog", "Ana Wijaya has replied in the meantime")
	demo.Accessible()
	demo.Press("button", "Let me check")
	demo.Lacks("dialog", "Ana Wijaya has replied in the meantime")
	if n := demo.countOnPhone(dewi, wrote("business", "From Demo")); n != 0 {
		t.Error("it was sent although it was asked about")
	}
}

// TestDashboardChoices: buttons and lists are sent from the composer and answered on the phone; quotes and reactions go
// both ways.
func TestDashboardChoices(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	asked := s.phoneWrites(dewi, map[string]any{"type": "text", "text": "When do you deliver?"})
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.Press("button", "Buttons or a list")
	s.Has("dialog", "Buttons or a list")
	s.writeInDialog("Message", "When does it suit you?")
	s.Write("Option 1", "Morning")
	s.Write("Option 2", "Evening")
	s.Accessible()
	s.pressInDialog("Send")
	got := s.onPhone(dewi, wrote("business", "When does it suit you?"))
	if len(got.Buttons) != 2 || got.Buttons[1].Title != "Evening" {
		t.Fatalf("the phone shows %+v", got)
	}
	s.phoneWrites(dewi, map[string]any{"type": "button", "message_id": got.ID, "button_id": got.Buttons[1].ID})
	s.Until(inside("Messages") + `.innerText.split("Evening").length === 3`)

	s.Press("button", "Buttons or a list")
	s.Has("dialog", "Buttons or a list")
	s.on(s.await("radio", "List"), "function () { this.click() }")
	s.writeInDialog("Message", "Which one?")
	s.Write("Text that opens the list", "Show them")
	s.Write("Option 1", "Blue")
	s.Write("Description 1", "With a lid")
	s.Write("Option 2", "Green")
	s.pressInDialog("Send")
	got = s.onPhone(dewi, wrote("business", "Which one?"))
	if got.List != "Show them" || len(got.Buttons) != 2 {
		t.Fatalf("the phone shows %+v", got)
	}
	s.phoneWrites(dewi, map[string]any{"type": "list", "message_id": got.ID, "button_id": got.Buttons[0].ID})
	s.Until(inside("Messages") + `.innerText.split("Blue").length >= 2`)

	first := `[...` + inside("Messages") + `.querySelectorAll("[data-key]")].find(e => e.innerText.includes("When do you deliver?"))`
	s.Until(`!!` + first)
	s.does(first + `.querySelector('[aria-label="Reply to this message"]').click()`)
	s.Says("Replying to Dewi Pratiwi")
	s.Write("Message", "On Tuesdays")
	s.Press("button", "Send")
	reply := s.onPhone(dewi, wrote("business", "On Tuesdays"))
	if reply.Quoted == nil || reply.Quoted.ID != asked {
		t.Errorf("the phone shows %+v", reply)
	}
	good := s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Good", "quote": reply.ID})
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Text.Body == "Good" && i.Message.Quoted != nil
	})
	last := `[...` + inside("Messages") + `.querySelectorAll("[data-key]")].findLast(e => e.innerText.includes("Good"))`
	s.Until(`!!` + last)
	s.does(last + `.querySelector('[aria-label=React]').click()`) // it must be visible: the choice is hidden with its message
	s.Press("button", "React with 👍")
	s.onPhone(dewi, func(l phoneLine) bool {
		return l.ID == good && len(l.Reactions) == 1 && l.Reactions[0].Emoji == "👍"
	})
	s.phoneWrites(dewi, map[string]any{"type": "reaction", "message_id": reply.ID, "emoji": "❤️"})
	s.SaysIn("Messages", "❤️")
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Text.Body == "On Tuesdays" && len(i.Message.Reactions) == 1
	})
	s.Accessible()
	s.Content()
}

// TestDashboardNotes: a note mentions a colleague, who finds it. Only its author can change and delete it.
func TestDashboardNotes(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	demo, budi := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, demo, srv)
	signInAs(t, budi, srv, "budi@example.com")
	budi.Open(srv.URL() + "/inbox/mentions")
	id := demo.openConversation(srv, "Wei Zhang")
	demo.Press("tab", "Note")
	demo.Write("Message", "Can you look, @budi")
	demo.Has("listbox", "Suggestions")
	demo.enter()
	demo.Until(`document.querySelector('[aria-label=Message]').value === "Can you look, @Budi Hartono "`)
	demo.Press("button", "Send")
	demo.timeline(id, func(i storedItem) bool { return i.Note != nil && i.Note.Body == "Can you look, @Budi Hartono" })
	budi.PressIn("Conversations", "Wei Zhang")
	budi.SaysIn("Messages", "Can you look")
	budi.Lacks("button", "Note options")

	demo.Press("button", "Note options")
	demo.Press("menuitem", "Edit")
	demo.Write("Note", "No need to look")
	demo.Press("button", "Save")
	demo.timeline(id, func(i storedItem) bool {
		return i.Note != nil && i.Note.Body == "No need to look" && i.Note.EditedAt != nil
	})
	budi.SaysIn("Messages", "No need to look")
	demo.Lacks("textbox", "Note")
	demo.Press("button", "Note options")
	demo.Press("menuitem", "Delete")
	demo.Has("dialog", "Delete this note?")
	demo.pressInDialog("Delete")
	becomes(demo, "/conversations/"+id+"/timeline?limit=100", func(items []storedItem) bool {
		for _, i := range items {
			if i.Note != nil && i.Note.Body == "No need to look" {
				return false
			}
		}
		return true
	})
	budi.Until(`!` + inside("Messages") + `.innerText.includes("No need to look")`)
	demo.Content()
	budi.Content()
}

// writeInDialog and pressInDialog are for names that the page behind the dialog also has.
func (s *Screen) writeInDialog(label, text string) {
	s.t.Helper()
	field := `[...document.querySelectorAll("[role=dialog] label")].find(l => l.innerText === ` + quote(label) + `)?.control`
	s.Until(`(() => { const f = ` + field + `; f?.focus(); f?.select(); return !!f })()`)
	call(s.Browser, input.InsertText, input.InsertTextParams{Text: text})
}

func (s *Screen) pressInDialog(text string) {
	s.t.Helper()
	s.Until(`(() => { const b = [...document.querySelectorAll("[role=dialog] button")].find(b => b.innerText === ` + quote(text) + `); b?.click(); return !!b })()`)
}
