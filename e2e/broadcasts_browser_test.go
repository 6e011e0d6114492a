//go:build browser

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// storedBroadcast is a broadcast as the API shows it.
type storedBroadcast struct {
	ID, Status   string
	StatusReason *string `json:"status_reason"`
	Counts       struct{ Total, Sent, Replied, Skipped, Failed, Waiting int }
}

const shoppers = `Phone,Name,Percent
+62 812-5550-0142,Dewi,25
+4915155500123,Jonas,30
+12025550177,Nobody yet,
+12025550177,The same,5
no number,Nobody,5
`

// A broadcast from the file to the report: a message with a column in it, who is skipped and why, a test message, the
// start, and an answer.
func TestBroadcastFromFileToReport(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	srv.Sim()
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Press("link", "Broadcasts")
	s.Says("No broadcasts yet")
	s.Accessible()
	s.Press("link", "New broadcast")
	s.Write("Name", "Winter sale")
	s.pick("Send from", "Demo")
	s.pick("Template", "promo · en_US")
	s.pick("Text {{1}}: comes from", "A column of your list")
	s.Write("Text {{1}}: Column", "percent")
	s.Write("Text {{1}}: fallback", "10")
	s.Write("Button “Shop now”: Text", "winter")
	s.Says("[percent] percent off")
	s.Accessible()
	s.Press("button", "Next")

	s.Has("button", "Choose a CSV file")
	s.chooseFiles("Choose a CSV file", writeCSV(t, "people.csv", shoppers))
	s.Says("5 rows")
	s.Says("Add the chosen numbers to the list first")
	s.Accessible()
	s.Press("button", "Add 5 recipients")
	s.Says("5 in the list")
	s.Press("button", "Next")
	s.Says("3 will get a message")
	s.SaysIn("Left out", "Duplicate in the list")
	s.SaysIn("Left out", "Not a phone number")
	s.SaysIn("Examples", "25 percent off")
	s.SaysIn("Examples", "10 percent off") // a recipient without a value in the column
	s.Write("Your number", "+1 202 555 0100")
	s.Press("button", "Send test")
	s.Says("The test is on its way")
	s.onPhone(adaPhone, func(l phoneLine) bool { return strings.Contains(fmt.Sprint(l), "25 percent off") })
	s.Accessible()
	s.Press("button", "Next")
	s.Says("3 messages")
	s.Accessible()
	s.Press("button", "Start")

	s.Says("Completed")
	s.onPhone(dewi, func(l phoneLine) bool { return strings.Contains(fmt.Sprint(l), "25 percent off") })
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Still today?"})
	s.Open(s.where() + "?show=replied")
	s.SaysIn("Recipients", "Dewi Pratiwi")
	s.SaysIn("Results", "Replied")
	s.SaysIn("Why people were left out", "Duplicate in the list")
	s.Accessible()
	if all := stored[[]storedBroadcast](s, "/"+demoNumber+"/broadcasts"); len(all) != 1 || all[0].Counts.Sent != 3 || all[0].Counts.Skipped != 2 || all[0].Counts.Replied != 1 {
		t.Errorf("the broadcasts are %+v", all)
	}
	s.PressIn("Recipients", "Conversation")
	s.SaysIn("Messages", "25 percent off")
	s.Content()
}

// slowBroadcast starts a broadcast to many people that takes some time.
func slowBroadcast(t *testing.T, srv *Server, key string) string {
	t.Helper()
	var recipients []any
	for i := range 300 {
		recipients = append(recipients, map[string]any{"to": fmt.Sprintf("+49155200%05d", i)})
	}
	body, err := json.Marshal(map[string]any{
		"name": "Long sale", "template": map[string]any{"name": "hello_world", "language": "en_US", "components": []any{}},
		"audience": map[string]any{"recipients": recipients}, "per_second": 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	made := srv.Post(key, "/v1/"+demoNumber+"/broadcasts", string(body))
	expect(t, made, http.StatusCreated, "")
	expect(t, srv.Post(key, "/v1/"+demoNumber+"/broadcasts/"+made.ID()+"/start", ""), http.StatusOK, "")
	return made.ID()
}

// A broadcast that pauses because of the provider's decision about its template says so, and what to do. It is resumed,
// and stopped.
func TestBroadcastSaysWhyItPaused(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	sim, key := srv.Sim(), demoKey(t, srv)
	template := parseObject(t, []byte(srv.Get(key, "/v1/"+demoNumber+"/templates/hello_world").Body)).str("data", "provider_template_id")
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	id := slowBroadcast(t, srv, key)
	s.Open(srv.URL() + "/broadcasts/" + id)
	s.Has("button", "Pause")
	s.SaysIn("Results", "Waiting")
	sim.do(http.MethodPatch, "templates/"+template, map[string]any{"status": "PAUSED"})
	s.Says("The provider has paused the template")
	s.Press("button", "Resume")
	s.Says("Go on when it is approved again")
	s.Has("button", "Resume")
	s.Accessible()
	sim.do(http.MethodPatch, "templates/"+template, map[string]any{"status": "APPROVED", "event": "REINSTATED"})
	becomes(s, "/"+demoNumber+"/templates/hello_world", func(x struct{ Status string }) bool { return x.Status == "approved" })
	s.Press("button", "Resume")
	s.Has("button", "Pause")
	s.Press("button", "Pause")
	s.Says("You or a colleague did this.")
	s.Press("button", "Stop")
	s.Says("A stopped broadcast cannot be resumed.")
	s.Accessible()
	s.pressInDialog("Stop")
	s.SaysIn("Why people were left out", "The broadcast was stopped")
	path := "/" + demoNumber + "/broadcasts/" + id
	b := becomes(s, path, func(b storedBroadcast) bool { return b.Status == "stopped" && b.Counts.Waiting == 0 })
	if n := b.Counts; n.Total != 300 || n.Sent+n.Failed+n.Skipped != 300 || n.Sent == 300 {
		t.Errorf("it ends with %+v", n)
	}
	s.Press("button", "Duplicate")
	s.Says("A draft was created")
	s.Content()
}

// The pages on a desktop and on a phone; a scheduled broadcast; opt-out words; and none of it for agents.
func TestBroadcastPages(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	key := demoKey(t, srv)
	made := srv.Post(key, "/v1/"+demoNumber+"/broadcasts", `{"name":"Next year","template":{"name":"hello_world","language":"en_US"},
		"audience":{"filter":{}},"scheduled_at":"2099-01-01T02:00:00Z","time_zone":"Asia/Jakarta"}`)
	expect(t, made, http.StatusCreated, "")
	for _, width := range []int64{1280, 360} {
		s := OpenScreen(t, width, 800)
		signIn(t, s, srv)
		for page, sign := range map[string]string{
			"/broadcasts": "Next year", "/broadcasts/new": "Send from", "/broadcasts/" + made.ID(): "January 1, 2099 at 09:00",
			"/broadcasts/" + made.ID() + "?step=2": "All contacts of the number", "/broadcasts/" + made.ID() + "?step=3": "will get a message",
			"/broadcasts/" + made.ID() + "?step=4": "Asia/Jakarta", "/settings/words": "Stop words", "/broadcasts?status=failed": "No broadcasts match",
		} {
			s.Open(srv.URL() + page)
			if page == "/settings/words" {
				s.Press("button", "Edit English")
			}
			if page[len(page)-1] == '4' {
				s.Has("combobox", "Time zone")
			} else {
				s.Says(sign)
			}
			s.Holds("document.documentElement.scrollWidth <= innerWidth")
			s.Accessible()
		}
	}
	agent := OpenScreen(t, 1280, 800)
	signInAs(t, agent, srv, "ana@example.com")
	agent.Lacks("link", "Broadcasts")
	agent.Open(srv.URL() + "/broadcasts")
	agent.Says("This page is for admins")
	if a := agent.ask("GET", "/"+demoNumber+"/broadcasts", nil); a.Status != http.StatusForbidden {
		t.Errorf("an agent is answered with %d", a.Status)
	}
}
