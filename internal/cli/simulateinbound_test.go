package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/client"
)

// writes has a simulated person write to the demo.
func (d demoSite) writes(t *testing.T, args ...string) outcome {
	t.Helper()
	return parley(t, append([]string{"simulate", "inbound", "--simulator", d.simulator}, args...)...)
}

// Everything that a person writes with the command arrives as their message.
func TestSimulateInbound(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	api, err := client.New(d.url, d.key)
	if err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(t.TempDir(), "bird.png")
	if err := os.WriteFile(picture, []byte("\x89PNG\r\n\x1a\nbird"), 0o600); err != nil {
		t.Fatal(err)
	}
	start, err := api.FollowEvents(t.Context(), client.EventFeedFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		want string // text in the event
	}{
		{[]string{"--text", "Hello?", "--name", "Bea"}, `"body":"Hello?"`},
		{[]string{"--image", picture, "--caption", "Look"}, `"caption":"Look"`},
		{[]string{"--document", sampleFile}, `"type":"document"`},
		{[]string{"--react", "👍"}, "👍"},
		{[]string{"--tap", "Yes"}, `"title":"Yes"`},
	} {
		if step.args[0] == "--react" { // by now there is a message to react to, and a button
			d.asks(t, api)
		}
		o := d.writes(t, append(step.args, "--from", "+4915510000001")...)
		if o.code != 0 || !strings.Contains(o.stdout, "wamid.") || !strings.Contains(o.stdout, demoNumber) {
			t.Fatalf("%v: %+v", step.args, o)
		}
		start.Cursor = awaitEvent(t, api, start.Cursor, client.EventMessageReceived, step.want)
	}
	if o := d.writes(t, "--text", "No number", "--from", "DE.123abc", "--name", "Cleo"); o.code != 0 {
		t.Fatalf("a person without a number: %+v", o)
	}
	start.Cursor = awaitEvent(t, api, start.Cursor, client.EventMessageReceived, `"DE.123abc"`)
	d.writes(t, "--react", "x", "--from", "DE.123abc").refused(t, exitFailed, "DE.123abc has no message from that number")
	d.writes(t, "--text", "x", "--from", "12").refused(t, exitFailed, "7 to 15 digits", "DE.123abc")
	d.writes(t, "--tap", "Maybe", "--from", "+4915510000001").refused(t, exitFailed, `no message with the button "Maybe"`)
	d.writes(t, "--react", "x", "--from", "+4915510000099").refused(t, exitFailed, "no message from that number")
	d.writes(t, "--image", "nowhere.png").refused(t, exitFailed, `give a file, or the word "sample"`)
}

// asks sends a question with buttons.
func (d demoSite) asks(t *testing.T, api *client.Client) {
	t.Helper()
	m := client.Buttons("+4915510000001", "Sure?", client.Reply{ID: "y", Title: "Yes"}, client.Reply{ID: "n", Title: "No"})
	sent, err := api.SendMessage(t.Context(), demoNumber, m)
	if err != nil {
		t.Fatal(err)
	}
	for sent.Status == client.StatusQueued {
		if sent, err = api.GetMessage(t.Context(), demoNumber, sent.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitEvent waits for an event that contains the text, and returns the cursor after it.
func awaitEvent(t *testing.T, api *client.Client, cursor string, kind client.EventType, want string) string {
	t.Helper()
	for {
		feed, err := api.FollowEvents(t.Context(), client.EventFeedFilter{
			Types: []client.EventType{kind}, Wait: listenWait, PageOptions: client.PageOptions{Cursor: cursor},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range feed.Events {
			if strings.Contains(string(e.Payload), want) {
				return feed.Cursor
			}
		}
		cursor = feed.Cursor
	}
}

func TestSimulateInboundToNobody(t *testing.T) {
	t.Parallel()
	at := "http://" + deadAddress(t) + "/simulator"
	parley(t, "simulate", "inbound", "--simulator", at, "--text", "x").refused(t, exitFailed, "connection refused", "no simulator answers at "+at)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	parley(t, "simulate", "inbound", "--simulator", other.URL, "--text", "x").refused(t, exitFailed, "there is no simulator at "+other.URL)
	parley(t, "simulate", "inbound").refused(t, exitUsage, "give one of --text, --image")
	parley(t, "simulate", "inbound", "--text", "a", "--caption", "b").refused(t, exitUsage, "--caption goes with")
}
