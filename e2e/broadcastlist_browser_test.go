//go:build browser

package e2e

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// newBroadcast makes a draft of the demo's number.
func newBroadcast(t *testing.T, srv *Server, key, body string) string {
	t.Helper()
	made := srv.Post(key, "/v1/"+demoNumber+"/broadcasts", body)
	expect(t, made, http.StatusCreated, "")
	return made.ID()
}

// promo is a message with a column of the list in it, which has no fallback.
const promo = `"template":{"name":"promo","language":"en_US","components":[{"type":"body","parameters":[{"type":"text","text":"{{recipient.percent}}"}]},
	{"type":"button","sub_type":"url","index":"1","parameters":[{"type":"text","text":"x"}]}]}`

// The list of a broadcast by the keyboard: wherever a button goes, Tab goes on inside the list. It is not thrown away
// without a question, and what was chosen but not added is not forgotten.
func TestBroadcastListByKeyboard(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	srv.Sim()
	id := newBroadcast(t, srv, demoKey(t, srv), `{"name":"By list",`+promo+`}`)
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	if a := s.ask("POST", "/views", map[string]any{"name": "Open ones", "filter": map[string]any{"status": "open"}}); a.Status != http.StatusCreated {
		t.Fatalf("the view: %+v", a)
	}
	s.Open(srv.URL() + "/broadcasts/" + id + "?step=2")
	s.Has("button", "Choose a CSV file")
	s.tabTo("Choose a CSV file")
	s.chooseFiles("Choose a CSV file", writeCSV(t, "book.xlsx", "PK\x03\x04\x00\x00"))
	s.Says("This is not a CSV file")
	s.chooseFiles("Choose a CSV file", writeCSV(t, "people.csv", "\ufeffTelepon;Diskon\r\n+62 812-5550-0142;25\r\n+4915155500123;30\r\n+4915155500123;1\r\n"))
	s.Says("Without it everyone in the file is left out")
	s.Until(focused("List"))
	s.Browser.Press(kb.Tab)
	s.Until(focused("Column with the phone numbers"))
	s.keyOn("Cancel")
	s.Until(focused("List"))
	s.chooseFiles("Choose a CSV file", writeCSV(t, "people.csv", "Telepon;Percent\r\n+62 812-5550-0142;25\r\n+4915155500123;30\r\n+4915155500123;1\r\n"))
	s.Has("button", "Add 3 recipients")
	s.Holds(`!document.body.innerText.includes("Without it everyone")`)
	s.keyOn("Add 3 recipients")
	s.Says("2 added, 1 duplicate")
	s.Until(focused("List"))
	s.keyOn("Clear the list")
	s.Says("3 recipients are removed from this broadcast.")
	s.Accessible()
	s.Browser.Press(kb.Escape)
	s.Until(focused("Clear the list"))
	s.Says("3 in the list")
	s.enter()
	s.pressInDialog("Clear the list")
	s.Says("The list was cleared")
	s.Until(focused("List"))
	s.tabTo("Or paste numbers")
	s.do(chromedp.KeyEvent("+12025550100"))
	s.keyOn("Add numbers")
	s.Says("1 in the list")
	s.pick("From a saved view of the inbox", "Open ones")
	s.Says("Add the chosen numbers to the list first")
	s.Holds(`[...document.querySelectorAll("button")].find(b => b.innerText === "Next").disabled`)
	s.Content()
}

// A label of an audience that was deleted is called that, and has to go before the next step. Nobody to write to is said
// as such.
func TestBroadcastToADeletedLabel(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	srv.Sim()
	s := OpenScreen(t, 390, 800)
	signIn(t, s, srv)
	labels := stored[[]struct{ ID, Name string }](s, "/labels")
	ids := map[string]string{}
	for _, l := range labels {
		ids[l.Name] = l.ID
	}
	id := newBroadcast(t, srv, demoKey(t, srv), `{"name":"By label","template":{"name":"hello_world","language":"en_US"},"audience":{"label_ids":["`+ids["Refund"]+`","`+ids["Shipping"]+`"]}}`)
	s.Open(srv.URL() + "/broadcasts/" + id + "?step=2")
	s.Says("Shipping")
	s.Has("checkbox", "With all of these labels")
	s.Holds("document.documentElement.scrollWidth <= innerWidth")
	if a := s.ask("DELETE", "/labels/"+ids["Shipping"], nil); a.Status != http.StatusOK {
		t.Fatalf("the label: %+v", a)
	}
	s.Press("button", "Next")
	s.Says("A label was deleted. Remove it here to go on.")
	s.Says("Deleted label")
	s.Lacks("button", "Delete Shipping")
	s.Accessible()
	s.tabTo("Labels")
	s.Browser.Press(kb.Backspace)
	s.Until(`!document.body.innerText.includes("Deleted label")`)
	s.Press("button", "Next")
	s.at("?step=3")
	s.Says("No contact matches, and nobody is in the list.")
	s.Accessible()
	s.Content()
}
