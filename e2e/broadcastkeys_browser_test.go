//go:build browser

package e2e

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is a condition: the element with this name or text has the focus.
func focused(name string) string {
	return `(e => [e.getAttribute("aria-label"), e.labels?.[0]?.innerText, e.innerText].some(n => n?.trim() === ` + quote(name) + `))(document.activeElement)`
}

// tabTo presses Tab until an element has the focus, and says how often.
func (s *Screen) tabTo(name string) (presses int) {
	s.t.Helper()
	for ; presses < 40; presses++ {
		if s.holds(focused(name)) {
			return presses
		}
		s.Browser.Press(kb.Tab)
	}
	s.fail("Tab does not lead to %q", name)
	return 0
}

// keyOn presses Enter on the element that Tab leads to.
func (s *Screen) keyOn(name string) { s.t.Helper(); s.tabTo(name); s.enter() }

// at waits until the address ends with a text.
func (s *Screen) at(end string) { s.t.Helper(); s.Until(`location.href.endsWith(` + quote(end) + `)`) }

// A broadcast without a mouse, on a desktop and on a phone: each step begins at its first field, the way back leads to
// the one draft that was made, what was not saved is asked about, only the button starts it, and then the steps are no
// places to come back to any more.
func TestBroadcastByKeyboard(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	srv.Sim()
	for _, width := range []int64{1280, 390} {
		s := OpenScreen(t, width, 700)
		signIn(t, s, srv)
		s.Open(srv.URL() + "/broadcasts")
		s.Until(`document.title.endsWith("Broadcasts · Parley")`)
		s.keyOn("New broadcast")
		s.Until(`document.title.endsWith("New broadcast · Parley")`)
		s.Until(focused("Message") + ` || document.activeElement.getAttribute("role") === "group"`)
		if n := s.tabTo("Name"); n != 1 {
			t.Errorf("Tab is pressed %d times to come to the first field", n)
		}
		s.do(chromedp.KeyEvent("By keys"))
		s.does("history.back()")
		s.Says("Leave without saving?")
		s.Browser.Press(kb.Escape)
		s.Lacks("dialog", "Leave without saving?")
		s.Until(focused("Name") + ` && document.activeElement.value === "By keys"`)
		s.tabTo("Template")
		s.do(chromedp.KeyEvent("hello_world"), chromedp.KeyEvent(kb.ArrowDown))
		s.enter()
		s.Says("This template has no variables")
		s.keyOn("Next")
		s.at("?step=2")
		s.Has("button", "Choose a CSV file")
		s.does("history.back()")
		s.at("?step=1")
		if got := s.value("Name"); got != "By keys" {
			t.Errorf("the way back leads to a draft named %q", got)
		}
		s.does("history.forward()")
		s.at("?step=2")
		s.tabTo("Or paste numbers")
		s.do(chromedp.KeyEvent("+12025550177"))
		s.keyOn("Add numbers")
		s.Says("1 in the list")
		s.keyOn("Next")
		s.at("?step=3")
		s.Says("1 will get a message")
		s.keyOn("Next")
		s.at("?step=4")
		s.Has("button", "Start")
		s.Holds(`document.querySelector("h1").getBoundingClientRect().top >= 0`)
		s.tabTo("As soon as I press Start")
		s.enter()
		s.tabTo("Messages per second")
		s.do(chromedp.KeyEvent("1"))
		s.enter()
		if all := stored[[]storedBroadcast](s, "/broadcasts?status=draft"); len(all) != 1 {
			t.Errorf("Enter in a field leaves %+v", all)
		}
		s.at("?step=4")
		s.keyOn("Start")
		s.Has("heading", "Results")
		s.Until(focused("By keys"))
		s.Has("button", "Duplicate")
		s.Accessible()
		s.does("history.back()")
		s.at("/broadcasts")
		s.Content()
	}
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	if all := stored[[]storedBroadcast](s, "/broadcasts"); len(all) != 2 {
		t.Errorf("there are %d broadcasts, want one of each screen", len(all))
	}
}

// Dialogs give the focus back, also while the page changes under them; a button that goes leaves the focus on the page's
// name; a deleted draft is gone for the back button too; and the list is shown again with the focus where it was.
func TestBroadcastFocusAndBack(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	srv.Sim()
	key := demoKey(t, srv)
	slowBroadcast(t, srv, key)
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/broadcasts?status=sending")
	s.Has("list", "Broadcasts")
	s.does(`document.querySelector("#content li a").focus()`)
	s.enter()
	s.Has("button", "Pause")
	s.does("history.back()")
	s.at("?status=sending")
	s.Until(`document.activeElement.matches("#content li a")`)
	s.enter()
	s.Has("button", "Pause")
	s.keyOn("Stop")
	s.Says("A stopped broadcast cannot be resumed.")
	s.does(`window.counted = document.querySelector("#content").innerText`)
	s.tabTo("Cancel")
	s.Until(`document.querySelector("#content").innerText !== window.counted`)
	s.Holds(focused("Cancel"))
	s.Browser.Press(kb.Escape)
	s.Until(focused("Stop"))
	s.Press("button", "Pause")
	s.Has("button", "Resume")
	s.Until(focused("Long sale"))
	s.keyOn("Duplicate")
	s.at("?step=1")
	s.Has("textbox", "Name")
	draft := s.where()
	s.Press("button", "Delete")
	s.pressInDialog("Delete")
	s.at("/broadcasts?status=sending")
	s.does("history.back()")
	s.Has("button", "Resume")
	s.Open(draft)
	s.Says("Broadcast not found")

	made := srv.Post(key, "/v1/"+demoNumber+"/broadcasts", `{"name":"Gone soon","template":{"name":"hello_world","language":"en_US"},"audience":{"filter":{}}}`)
	expect(t, made, http.StatusCreated, "")
	s.Open(srv.URL() + "/broadcasts/" + made.ID())
	s.Press("button", "Send")
	s.at("?step=4")
	s.Press("button", "Delete")
	s.pressInDialog("Delete")
	s.at("/broadcasts")
	s.does("history.back()")
	s.Says("Broadcast not found")
	s.Lacks("button", "Delete")
	s.Content()
}
