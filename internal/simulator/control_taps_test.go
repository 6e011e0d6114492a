package simulator

import (
	"strings"
	"testing"
)

// A person presses a button by its title or id, or chooses a row of a list.
func TestTaps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	buttons := r.send(map[string]any{"messaging_product": "whatsapp", "to": testPerson, "type": "interactive", "interactive": map[string]any{
		"type": "button", "body": map[string]any{"text": "Sure?"}, "action": map[string]any{"buttons": []any{
			map[string]any{"type": "reply", "reply": map[string]any{"id": "y", "title": "Yes"}},
			map[string]any{"type": "reply", "reply": map[string]any{"id": "n", "title": "No"}},
		}},
	}})
	for _, test := range []struct{ button, id, title string }{
		{"", "y", "Yes"}, {"no", "n", "No"}, {"n", "n", "No"},
	} {
		r.recv.clear()
		r.control("POST", "taps", map[string]any{"phone_number_id": testNumber, "from": testPerson, "button": test.button})
		r.settle(0)
		m := at[map[string]any](t, r.recv.all()[0].value, "messages", 0)
		if at[string](t, m, "interactive", "button_reply", "id") != test.id || at[string](t, m, "interactive", "button_reply", "title") != test.title ||
			at[string](t, m, "context", "id") != buttons {
			t.Errorf("%q: got %v", test.button, m)
		}
	}
	for body, want := range map[string]string{
		`{"phone_number_id":"` + testNumber + `","from":"` + testPerson + `","button":"Maybe"}`: `no message with the button \"Maybe\"`,
		`{"phone_number_id":"` + testNumber + `","from":"+4915510000077"}`:                      "no message with buttons",
		`{"from":"+4915510000077"}`: "say to which number",
	} {
		if got := r.do("POST", "/_sim/taps", body); got.status != 400 || !strings.Contains(string(got.raw), want) {
			t.Errorf("%s: %d %s", body, got.status, got.raw)
		}
	}
}
