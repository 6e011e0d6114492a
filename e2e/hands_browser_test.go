//go:build browser

package e2e

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// types types as a keyboard does: into the field that has the focus, or else as shortcuts.
func (s *Screen) types(text string) {
	s.t.Helper()
	for _, letter := range strings.Split(text, "") {
		key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: letter, Text: letter}
		call(s.Browser, input.DispatchKeyEvent, key)
		key.Type, key.Text = input.DispatchKeyEventTypeKeyUp, ""
		call(s.Browser, input.DispatchKeyEvent, key)
	}
}

// closing lets the window of a conversation end as soon as closeWindow() is called.
const closing = `const ask = fetch; let closed = false;
	window.closeWindow = () => { closed = true; dispatchEvent(new Event("online")) };
	const close = (c) => { if (closed && c?.window_expires_at) c.window_expires_at = "2020-01-01T00:00:00Z" };
	window.fetch = async (to, how) => {
		const answer = await ask(to, how);
		if ((how?.method ?? "GET") !== "GET" || !/\/conversations(\?|\/[^/?]+$)/.test(to)) return answer;
		const body = await answer.json();
		[body.data].flat().forEach(close);
		return Response.json(body, { status: answer.status });
	}`

// Letters are shortcuts outside of fields. Whoever goes on typing must be in one: after Send was pressed with the mouse,
// and when the 24-hour window closes under their hands.
func TestDashboardTypingIsNoCommand(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Halo"})
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.Write("Message", "Hello")
	s.Press("button", "Send")
	s.onPhone(dewi, wrote("business", "Hello"))
	s.types("one") // n and e are shortcuts
	s.writes("one")

	s.does(closing)
	s.does(`closeWindow()`)
	s.Says("The 24-hour window is closed")
	s.types(" more")
	s.writes("one more")
	s.Lacks("button", "Send")
	s.enter()
	s.Picture("window-closed-while-writing")
	s.Accessible()
	s.Reload()
	s.writes("one more") // the window is open again, and nothing was lost
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" })
	if n := s.countOnPhone(dewi, func(l phoneLine) bool { return l.From == "business" }); n != 1 {
		t.Errorf("the phone got %d messages", n)
	}
	s.Content()
}

// twice presses a button two times, as quickly as a hand does: it may be gone the second time.
func (s *Screen) twice(button string) {
	s.t.Helper()
	s.does(`const b = [...document.querySelectorAll("button")].find(b => b.innerText.trim() === ` + quote(button) + `);
		b.click(); await new Promise(done => setTimeout(done, 5)); b.click()`)
}

// A double click on Try again sends a failed message once more, not twice.
func TestDashboardDoubleClicks(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	writesAs(t, srv, map[string]any{"phone": unlucky, "name": "Bad Luck"}, map[string]any{"text": "Hello?"})
	id := s.openConversation(srv, "Bad Luck")
	s.Write("Message", "Once more")
	s.Press("button", "Send")
	s.Has("button", "Try again")
	s.twice("Try again")
	s.Write("Message", "Later")
	s.Press("button", "Send")
	s.timeline(id, func(i storedItem) bool { return i.Message != nil && i.Message.Text.Body == "Later" })
	sent := 0
	for _, i := range stored[[]storedItem](s, "/conversations/"+id+"/timeline?limit=100") {
		if i.Message != nil && i.Message.Text.Body == "Once more" {
			sent++
		}
	}
	if sent != 2 {
		t.Errorf("it was sent %d times, want 2: at first and by Try again", sent)
	}
	s.Content()
}

// A text that is longer than a message can be is pasted whole, and sent when it was shortened. A file that went away after
// it was chosen is said to be unreadable at once, and does not hold up what comes after it.
func TestDashboardTooLongAndGone(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Halo"})
	s.openConversation(srv, "Dewi Pratiwi")
	long := strings.Repeat("word ", 1000)
	s.Write("Message", long)
	s.writes(long)
	s.Says("903 characters too many")
	s.Holds(`[...document.querySelectorAll("button")].find(b => b.innerText === "Send").disabled`)
	s.enter()
	s.writes(long)
	s.Accessible()
	s.Press("tab", "Note")
	s.Write("Message", long)
	s.Lacks("status", "903 characters too many to send")
	s.Press("button", "Send")
	s.SaysIn("Messages", "word word")
	s.Press("tab", "Reply")
	s.Write("Message", strings.TrimSpace(long[:4000]))
	s.Press("button", "Send")
	s.onPhone(dewi, wrote("business", strings.TrimSpace(long[:4000])))

	path := writeFile(t, "plan.pdf", []byte("%PDF-1.4"))
	s.does(`document.querySelector('button[aria-label="Attach a file"]').focus()`)
	s.chooseFiles("Attach a file", path)
	s.Has("button", "Remove plan.pdf")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.types("See you") // the caption, without a click into the field
	s.writes("See you")
	s.Press("button", "Send")
	s.Says("The file cannot be read")
	s.Write("Message", "It comes later")
	s.Press("button", "Send")
	s.onPhone(dewi, wrote("business", "It comes later"))
	s.Picture("unreadable")
	s.Content()
}

// stays answers no to the browser's question whether to leave the page, and counts how often it asks.
func (s *Screen) stays() *atomic.Int32 {
	var asked atomic.Int32
	questions := chromedp.Events(s.ctx, page.JavascriptDialogOpening)
	go func() {
		for _, err := range questions {
			if err != nil {
				return
			}
			asked.Add(1)
			chromedp.Call(s.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
		}
	}()
	return &asked
}

// clickBeside clicks at the left edge of the window, where no dialog is.
func (s *Screen) clickBeside() {
	s.t.Helper()
	at := input.DispatchMouseEventParams{X: 20, Y: 450, Button: input.MouseButtonLeft, ClickCount: 1}
	for _, at.Type = range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		call(s.Browser, input.DispatchMouseEvent, at)
	}
}

// What was typed into a dialog goes neither with a click beside it nor with the session: whoever stays on the page is asked
// once, signs in in another tab, and saves.
func TestDashboardTypedIntoADialog(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	asked := s.stays()
	s.Open(srv.URL() + "/settings/replies")
	s.Press("button", "New reply")
	s.Write("Name", "closing")
	s.Write("Text", "We close at")
	s.types(" six")
	s.clickBeside()
	if text := s.value("Text"); text != "We close at six" {
		t.Fatalf("after a click beside the dialog its field has %q", text)
	}

	s.does(`await fetch("/app/api/session", { method: "DELETE", headers: { "Content-Type": "application/json" }, body: "{}" })`)
	s.Says("You are signed out.")
	s.Press("button", "Save")
	s.Has("alert", "")
	s.Picture("signed-out")
	if n := asked.Load(); n != 1 {
		t.Errorf("the browser asked %d times whether to leave", n)
	}
	tab := s.Tab()
	signIn(t, tab, srv)
	s.Press("button", "Save")
	s.SaysIn("Canned replies", "We close at six")
	s.Until(`!document.body.innerText.includes("You are signed out.")`)
}
