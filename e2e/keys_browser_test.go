//go:build browser

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// onRow is a JavaScript condition: the focus is on a person's conversation in the list.
func onRow(name string) string {
	return fmt.Sprintf(`document.activeElement.matches("[data-row]") && document.activeElement.innerText.includes(%q)`, name)
}

// TestDashboardQueueByKeyboard: an agent works through a queue without a mouse. Keys mean the row that has the focus; a
// row that was dealt with hands its place on, and what was done can be taken back.
func TestDashboardQueueByKeyboard(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	for i := 1; i <= 6; i++ {
		name := fmt.Sprintf("Person %d", i)
		writesAs(t, srv, map[string]any{"phone": fmt.Sprintf("+49151555001%02d", i), "name": name}, map[string]any{"text": "Hello"})
		s.conversationOf(name) // one after the other
	}
	status := func(name, wanted string) {
		t.Helper()
		s.conversation(s.conversationOf(name), func(c storedConversation) bool { return c.Status == wanted })
	}
	s.Open(srv.URL() + "/inbox/all") // the newest, Person 6, is the first
	s.SaysIn("Conversations", "Person 1")
	s.Browser.Press("j")
	s.Until(onRow("Person 6"))
	s.Browser.Press("j")
	s.Until(onRow("Person 5"))

	s.Browser.Press("e") // of the row, while no conversation is open
	status("Person 5", "resolved")
	s.Until(onRow("Person 4"))
	s.Has("button", "Undo")
	s.Browser.Press("z")
	status("Person 5", "open")
	s.Until(onRow("Person 4"))

	s.Browser.Press("o")
	s.Has("log", "Messages")
	s.Browser.Press("j")
	s.Until(onRow("Person 3"))
	s.Browser.Press("e") // of the row, not of the conversation that is open
	status("Person 3", "resolved")
	status("Person 4", "open")
	s.Until(onRow("Person 2"))

	s.Browser.Press("a") // opens the conversation of the row, and its menu
	s.Has("menuitem", "To me")
	s.Has("heading", "Person 2")
	s.Browser.Press(kb.Enter)
	s.Until(`document.body.innerText.includes("Assigned to you")`)
	s.Browser.Press("z")
	s.conversation(s.conversationOf("Person 2"), func(c storedConversation) bool { return c.Assignee == nil })

	s.Browser.Press("r")
	s.do(chromedp.KeyEvent("On its way"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Escape))
	s.SaysIn("Messages", "On its way")
	s.Browser.Press("h") // a menu, in which letters find items, and after which the field that was left has not the focus
	s.Until(`document.activeElement.closest("[role=menu]") !== null`)
	s.Browser.Press("e")
	s.Browser.Press(kb.Escape)
	s.Until(`!document.querySelector("[role=menu]")`)
	s.Has("button", "Resolve")
	s.Browser.Press("e")
	s.Has("button", "Reopen")
	s.Until("!" + inside("Conversations") + `.innerText.includes("Person 2")`)
	s.Until(onRow("Person ")) // which one depends on whether the reply had moved its conversation to the top already
	s.Holds(inside("Conversations") + `.querySelectorAll("[data-row]:not([tabindex='-1'])").length === 1`)
	s.Browser.Press("k")
	s.Browser.Press("k")
	s.Browser.Press("k")
	s.Until(`document.activeElement.closest("li").ariaPosInSet === "1"`)
	s.Browser.Press(kb.ArrowDown)
	s.Until(`document.activeElement.closest("li").ariaPosInSet === "2"`)
	s.Accessible()
	s.Content()
}

// A conversation can be taken back as soon as its row is gone, also while the server has not answered yet.
func TestDashboardUndoAtOnce(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	writesAs(t, srv, map[string]any{"phone": "+4915155500201", "name": "Person 1"}, map[string]any{"text": "Hello"})
	id := s.conversationOf("Person 1")
	s.Open(srv.URL() + "/inbox/all")
	s.SaysIn("Conversations", "Person 1")
	s.does(`const send = fetch, late = new Promise((go) => { window.answer = go });
		window.fetch = async (to, how) => { if (how?.method === "PATCH") await late; return send(to, how) }`)
	s.Browser.Press("j")
	s.Until(onRow("Person 1"))
	s.Browser.Press("e")
	s.Has("button", "Undo")
	s.Browser.Press("z")
	s.does("window.answer()")
	s.SaysIn("Conversations", "Person 1")
	s.conversation(id, func(c storedConversation) bool { return c.Status == "open" })
}

// Who works by the keyboard goes on where they were: at the next row after one was deleted, and at the button from which
// one dialog led to another.
func TestDashboardFocusGoesOn(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/settings/labels")
	s.Press("button", "Delete Refund")
	s.keyOn("Delete")
	s.Lacks("button", "Delete Refund")
	s.Until(focused("Delete Shipping"))

	s.Open(srv.URL() + "/dev/keys")
	s.Press("button", "Create key")
	s.Write("Name", "Tests")
	s.enter()
	s.Has("textbox", "Key")
	s.keyOn("Done") // Escape does not close what is shown once
	s.Lacks("textbox", "Key")
	s.Until(focused("Create key"))
}
