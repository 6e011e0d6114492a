//go:build browser

package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestDashboardNewRowsWait: while somebody points at the list its rows stay where they are, and a button offers those that
// came. Pointing at the button moves nothing either: a press would open whatever came to lie below it.
func TestDashboardNewRowsWait(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/inbox/all")
	s.Has("list", "Conversations")
	const first = `document.querySelector("[data-row]")`
	s.mouse(first, input.DispatchMouseEventTypeMouseMoved)
	srv.Sim().do(http.MethodPost, "inbound", map[string]any{
		"phone_number_id": demoNumber, "from": map[string]any{"phone": "+4915510000077", "name": "Zora Newcomer"}, "text": "Hello?",
	})
	s.Has("button", "1 new")
	const pill = `[...document.querySelectorAll("button")].find((b) => b.innerText === "1 new")`
	for _, kind := range []input.DispatchMouseEventType{
		input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased,
	} {
		s.mouse(pill, kind)
	}
	s.Until(first + `.innerText.includes("Zora Newcomer")`)
	s.Lacks("button", "1 new")
	if at := s.where(); !strings.HasSuffix(at, "/inbox/all") {
		t.Errorf("the press led to %s", at)
	}
	s.Content()
}

// mouse lets the mouse do something in the middle of an element, which is there already.
func (s *Screen) mouse(element string, kind input.DispatchMouseEventType) {
	s.t.Helper()
	var middle struct{ X, Y float64 }
	answer, err := s.run("const r = " + element + ".getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}")
	must(s.t, err)
	must(s.t, json.Unmarshal(answer, &middle))
	event := input.DispatchMouseEventParams{Type: kind, X: middle.X, Y: middle.Y}
	if kind != input.DispatchMouseEventTypeMouseMoved {
		event.Button, event.ClickCount = input.MouseButtonLeft, 1
	}
	call(s.Browser, input.DispatchMouseEvent, event)
}
