//go:build browser

package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// mouseTo moves the mouse over the middle of an element, which a JavaScript expression names.
func (s *Screen) mouseTo(element string) (at input.DispatchMouseEventParams) {
	s.t.Helper()
	box, err := s.run("const box = (" + element + ").getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]")
	var middle [2]float64
	if err == nil {
		err = json.Unmarshal(box, &middle)
	}
	if err != nil {
		s.fail("the mouse does not find %s: %v", element, err)
	}
	at = input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: middle[0], Y: middle[1]}
	call(s.Browser, input.DispatchMouseEvent, at)
	return at
}

// mouseOn presses an element with the mouse.
func (s *Screen) mouseOn(element string) {
	s.t.Helper()
	at := s.mouseTo(element)
	at.Button, at.ClickCount = input.MouseButtonLeft, 1
	for _, at.Type = range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		call(s.Browser, input.DispatchMouseEvent, at)
	}
}

// queueOf lets a number of people write, one after the other: the last one is the first of the list.
func queueOf(t *testing.T, srv *Server, s *Screen, n int) (write func(i int)) {
	t.Helper()
	write = func(i int) {
		t.Helper()
		writesAs(t, srv, map[string]any{"phone": fmt.Sprintf("+49151555003%02d", i), "name": fmt.Sprintf("Person %02d", i)}, map[string]any{"text": "Hello"})
	}
	for i := 1; i <= n; i++ {
		write(i)
		s.conversationOf(fmt.Sprintf("Person %02d", i))
	}
	s.Open(srv.URL() + "/inbox/all")
	s.Until(firstRow(n))
	return write
}

// firstRow is a JavaScript condition: a person is the first of the list.
func firstRow(i int) string {
	return fmt.Sprintf(`document.querySelector("[aria-posinset='1']")?.innerText.includes("Person %02d")`, i)
}

// TestDashboardNewRows: rows do not move under the pointer. A button tells how many wait, and shows them.
func TestDashboardNewRows(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	write := queueOf(t, srv, s, 4)
	const button = `[...document.querySelectorAll("button")].find((b) => /^\d+ new$/.test(b.innerText))`
	waits := func(n int) { t.Helper(); s.Until(fmt.Sprintf(`%s?.innerText === "%d new"`, button, n)) }

	s.mouseTo(`document.querySelector("[aria-posinset='2']")`)
	write(1) // would move up
	waits(1)
	write(5) // would come in
	waits(2)
	s.Holds(firstRow(4))
	s.mouseOn(button)
	s.Until(firstRow(5) + " && !" + button)

	write(2) // the pointer is where the button was, over the rows
	waits(1)
	s.Holds(firstRow(5))
	s.does(button + ".focus()")
	s.enter()
	s.Until(firstRow(2) + " && !" + button)
	s.Until(onRow("Person 02")) // who works by the keyboard goes on from there

	write(3)
	waits(1)
	s.mouseTo(`document.querySelector("nav")`) // nobody points any more
	s.Until(firstRow(3) + " && !" + button)
	s.Until(onRow("Person 02"))
}

// TestDashboardFocusOutOfSight: a row that is scrolled away keeps the focus, and the keys go on from it.
func TestDashboardFocusOutOfSight(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	queueOf(t, srv, s, 40)
	s.Browser.Press("j")
	s.Until(onRow("Person 40"))
	s.does(inside("Conversations") + `.parentElement.scrollTo({ top: 1e6 })`)
	s.Until(`document.querySelector("[aria-posinset='40']") && !document.querySelector("[aria-posinset='5']")`)
	s.Holds(onRow("Person 40"))
	s.Browser.Press("j")
	s.Until(onRow("Person 39") + ` && document.activeElement.getBoundingClientRect().top > 0`)
	s.Browser.Press("j") // two keys at once: the second means the row of the first
	s.Browser.Press("e")
	s.conversation(s.conversationOf("Person 38"), func(c storedConversation) bool { return c.Status == "resolved" })
	s.Until(onRow("Person 37"))
	s.Browser.Press(kb.Tab)
	s.Until(`document.activeElement.getAttribute("aria-label")?.includes("Person 37")`) // its checkbox
}

// TestDashboardListsBeginAtTheTop: another list does not begin where the one before was scrolled to.
func TestDashboardListsBeginAtTheTop(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1024, 400)
	signIn(t, s, srv)
	queueOf(t, srv, s, 12)
	const scrolled = `document.querySelector("[data-row]").closest("ul").parentElement`
	s.does(scrolled + `.scrollTo(0, 600)`)
	s.Until(scrolled + `.scrollTop === 600`)
	s.PressIn("Views", "Unassigned")
	s.Until(firstRow(12))
	s.Holds(scrolled + `.scrollTop === 0`)
}
