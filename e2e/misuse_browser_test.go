//go:build browser

package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
)

// script must never run, whether it is a name, a message, a caption, a file's name or a template's value.
const script = `<img src=x onerror="window.ran=true"><script>window.ran=true</script>`

// TestDashboardScriptIsText: script in everything that people can name or write is shown, not run.
func TestDashboardScriptIsText(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	name := `<b onclick=alert(1)>Eve</b>`
	if a := s.ask("POST", "/phone/handsets", map[string]any{"name": name, "phone_number": "+4915155500199"}); a.Status != http.StatusCreated {
		t.Fatalf("the handset: %+v", a)
	}
	const eve = "4915155500199"
	s.phoneWrites(eve, map[string]any{"type": "text", "text": script})
	s.phoneWrites(eve, map[string]any{"type": "document", "text": script, "file": map[string]any{
		"mime_type": "text/plain", "filename": "<svg onload=alert(1)>.txt", "data": base64.StdEncoding.EncodeToString([]byte("x"))}})
	for path, body := range map[string]any{
		"/labels":  map[string]any{"name": "<i>" + name[:20], "color": "red"},
		"/replies": map[string]any{"name": script[:60], "body": script, "team_id": nil},
		"/views":   map[string]any{"name": script[:60], "filter": map[string]any{"view": "all"}, "shared": true},
	} {
		if a := s.ask("POST", path, body); a.Status/100 != 2 {
			t.Errorf("%s: %+v", path, a)
		}
	}
	s.openConversation(srv, name)
	s.SaysIn("Messages", `onerror=`)
	s.SaysIn("Messages", "<svg onload=alert(1)>.txt")
	s.SaysIn("Conversations", "Eve")
	s.Write("Message", script)
	s.Press("button", "Send")
	s.onPhone(eve, wrote("business", script))
	s.Press("button", "Saved views")
	s.Has("menuitem", script[:60])
	for _, path := range []string{"/phone", "/settings/labels", "/settings/replies", "/inbox/all?q=onerror"} {
		s.Holds("window.ran === undefined")
		s.Open(srv.URL() + path)
		s.Until(`!!document.querySelector("h1, h2")`)
	}
	s.Holds("window.ran === undefined && !document.querySelector('[onerror], [onclick], [onload]')")
	s.Content()
}

// TestDashboardActiveFiles: a file that contains script is served so that browsers save it and do not run it.
func TestDashboardActiveFiles(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	for mime, content := range map[string]string{
		"text/html":     "<script>document.title='ran'</script>",
		"image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title='ran'</script></svg>`,
	} {
		control := fmt.Sprintf(`{"phone_number_id":%q,"from":%q,"type":"document","file":{"mime_type":%q,"filename":"active","text":%q}}`, demoNumber, dewi, mime, content)
		response, err := http.Post(srv.Ops()+"/simulator/_sim/inbound", "application/json", strings.NewReader(control))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("the document: %v %v", response, err)
		}
		response.Body.Close()
	}
	id := s.openConversation(srv, "Dewi Pratiwi")
	files := 0
	for _, item := range becomes(s, "/conversations/"+id+"/timeline", func(items []storedItem) bool { return len(items) >= 2 }) {
		if item.Message == nil || item.Message.Type != "document" {
			continue
		}
		files++
		path := "/app/api/" + demoNumber + "/messages/" + item.Message.ID + "/media"
		var said struct{ Disposition, Type, Sniff string }
		got, err := s.run(`const { headers } = await fetch("` + path + `")
			return {Disposition: headers.get("Content-Disposition"), Type: headers.get("Content-Type"), Sniff: headers.get("X-Content-Type-Options")}`)
		if err == nil {
			err = json.Unmarshal(got, &said)
		}
		if err != nil || !strings.HasPrefix(said.Disposition, "attachment") || said.Sniff != "nosniff" {
			t.Errorf("%s would be shown by a browser: %s %v", path, got, err)
		}
	}
	if files != 2 {
		t.Errorf("%d files came", files)
	}
}

// TestDashboardWrongClock: a browser whose clock is a day off still shows correctly how long the window is open.
func TestDashboardWrongClock(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	for _, off := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		s := OpenScreen(t, 1440, 900)
		call(s.Browser, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(`{
			const True = Date, off = %d
			Date = class extends True { constructor(...a) { a.length ? super(...a) : super(True.now() + off) } static now() { return True.now() + off } }
		}`, off.Milliseconds())})
		signIn(t, s, srv)
		s.phoneWrites(dewi, map[string]any{"type": "text", "text": "What time is it?"})
		s.openConversation(srv, "Dewi Pratiwi")
		s.SaysIn("Conversation", "23 h left")
		s.SaysIn("Messages", "Today")
		s.Has("textbox", "Message")
		s.Content()
	}
}
