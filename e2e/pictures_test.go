//go:build pictures

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var picturesTo = flag.String("pictures", "", "the folder for the pictures")

// sight is a page of the dashboard, with the role and the name of an element that is there once it has loaded.
type sight struct{ path, role, name string }

var pages = []sight{
	{"/", "heading", "Messages per day"},
	{"/inbox/mine", "list", "Conversations"},
	{"/inbox/all", "list", "Conversations"},
	{"/inbox/all?q=friday", "list", "Conversations"},
	{"/phone", "textbox", "Message to the business"},
	{"/contacts", "heading", "Contacts"},
	{"/contacts/import", "heading", "Import contacts"},
	{"/templates", "heading", "Templates"},
	{"/templates/new", "textbox", "Name"},
	{"/broadcasts", "heading", "Broadcasts"},
	{"/broadcasts/new", "button", "Next"},
	{"/media", "heading", "Media"},
	{"/numbers", "heading", "Numbers"},
	{"/numbers/100200300400500", "heading", "Demo"},
	{"/customers", "heading", "Customers"},
	{"/dev/keys", "button", "Create key"},
	{"/dev/logs", "tab", "API log"},
	{"/dev/events", "tab", "Events"},
	{"/dev/webhooks", "button", "Add endpoint"},
	{"/dev/deliveries", "tab", "Deliveries"},
	{"/dev/reference", "tab", "Reference"},
	{"/settings/me", "heading", "Your profile"},
	{"/settings/org", "heading", "Organization"},
	{"/settings/users", "heading", "Users"},
	{"/settings/teams", "heading", "Teams"},
	{"/settings/labels", "heading", "Labels"},
	{"/settings/replies", "heading", "Canned replies"},
	{"/settings/usage", "heading", "Usage"},
	{"/settings/audit", "heading", "Audit"},
}

// TestPictures takes pictures of every page, in light and in dark, on a desktop and on a phone.
func TestPictures(t *testing.T) {
	srv, empty := Start(t, WithFlags("--demo", "--allow-network=127.0.0.0/8")), Start(t)
	doors := doorsOf(t, srv, empty)
	sizes := map[string][2]int64{"wide": {1440, 900}, "phone": {360, 740}}
	for size, window := range sizes {
		s := OpenScreen(t, window[0], window[1])
		for name, address := range doors {
			s.Open(address)
			s.settle("heading", "")
			s.take(name + "-" + size)
		}
		signIn(t, s, srv)
		for _, page := range pages {
			s.picture(srv, page, size)
		}
		s.Open(srv.URL() + "/inbox/all")
		s.settle("list", "Conversations")
		s.openFirst()
		s.take("conversation-" + size)
	}
	made := furnish(t, srv)
	for size, window := range sizes {
		s := OpenScreen(t, window[0], window[1])
		signIn(t, s, srv)
		for _, page := range made {
			s.picture(srv, page, size)
		}
	}
}

func (s *Screen) picture(srv *Server, p sight, size string) {
	s.t.Helper()
	s.Open(srv.URL() + p.path)
	s.settle(p.role, p.name)
	if p.path == "/phone" && size == "wide" {
		s.settle("list", "Conversations") // the inbox beside it
	}
	s.take(pictureName(p.path) + "-" + size)
}

// furnish makes what the demo's week does not have: an endpoint that gets events, a broadcast that went out, and a
// customer. It returns their pages.
func furnish(t *testing.T, srv *Server) []sight {
	t.Helper()
	key, receiver := demoKey(t, srv), newHookReceiver(t, http.StatusOK)
	post := func(path string, body map[string]any) Reply {
		text, err := json.Marshal(body)
		must(t, err)
		made := srv.Post(key, path, string(text))
		if made.Status >= http.StatusMultipleChoices {
			t.Fatalf("%s: %d %s", path, made.Status, made.Body)
		}
		return made
	}
	hook := post("/v1/webhook_subscriptions", map[string]any{"url": receiver.URL, "events": []string{"message.received", "message.status"}}).ID()
	percent := []any{map[string]any{"type": "text", "text": "{{recipient.percent|10}}"}}
	var recipients []any
	for i := range 240 {
		recipients = append(recipients, map[string]any{"to": fmt.Sprintf("+49155200%05d", i), "variables": map[string]string{"percent": "20"}})
	}
	broadcasts := "/v1/100200300400500/broadcasts"
	sale := post(broadcasts, map[string]any{
		"name": "Winter sale", "audience": map[string]any{"recipients": recipients},
		"template": map[string]any{"name": "promo", "language": "en_US", "components": []any{
			map[string]any{"type": "body", "parameters": percent},
			map[string]any{"type": "button", "sub_type": "url", "index": "1", "parameters": percent},
		}},
	}).ID()
	expect(t, srv.Post(key, broadcasts+"/"+sale+"/start", ""), http.StatusOK, "")
	read := func() bool {
		b := parseObject(t, []byte(srv.Get(key, broadcasts+"/"+sale).Body))
		return b.str("data", "status") == "completed" && b.at("data", "counts", "read") == b.at("data", "counts", "sent")
	}
	if !eventually(read) {
		t.Fatal("the broadcast does not end")
	}
	team := parseObject(t, []byte(srv.Get(key, "/v1/me").Body)).str("data", "teams", 0, "id")
	customer := post("/v1/customers", map[string]any{"name": "Kopi Senja", "email": "halo@kopisenja.example", "team_id": team}).ID()
	post("/v1/customers/"+customer+"/setup_links", map[string]any{})
	return []sight{
		{"/broadcasts/" + sale, "heading", "Results"}, {"/dev/webhooks/" + hook, "button", "Send test"}, {"/customers/" + customer, "button", "Create setup link"},
	}
}

// doorsOf are the pages for people who are not signed in, on a server in use and on an empty one.
func doorsOf(t *testing.T, srv, empty *Server) map[string]string {
	t.Helper()
	if !eventually(func() bool { return setupLine.MatchString(empty.Log()) }) {
		t.Fatalf("no way to set up was logged:\n%s", empty.Log())
	}
	org := srv.CLIObject("org", "create", "--name", "Kopi Kita")["id"].(string)
	link := func(email string, flags ...string) string {
		srv.CLIObject(append([]string{"user", "create", "--org", org, "--name", "Ayu Lestari", "--email", email}, flags...)...)
		return srv.CLIObject("user", "link", email, "--public-url", srv.URL())["url"].(string)
	}
	return map[string]string{
		"login":     srv.URL() + "/login",
		"setup":     empty.URL() + "/setup#" + setupLine.FindStringSubmatch(empty.Log())[1],
		"invite":    link("ayu@example.com"),
		"reset":     link("ayu.lestari@example.com", "--password", "correct horse battery"),
		"link-gone": srv.URL() + "/invite/none",
	}
}

var madeID = regexp.MustCompile(`[a-z]+_[0-9A-Z]{26}`)

// pictureName is the name of a page's pictures.
func pictureName(path string) string {
	if path == "/" {
		return "home"
	}
	path = madeID.ReplaceAllString(path, "one")
	return strings.NewReplacer("/", "-", "?q=", "-search-").Replace(strings.Trim(path, "/"))
}

// settle waits for an element, which may never come, and until nothing is loading any more.
func (s *Screen) settle(role, name string) {
	s.t.Helper()
	found := within(patience/8, func() bool { _, ok := s.find(role, name); return ok })
	if !found {
		s.t.Logf("%s has no %s named %q", s.where(), role, name)
	}
	within(patience/8, func() bool {
		idle, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](`!document.querySelector('[aria-busy=true]') && [...document.images].every(i => i.complete)`))
		return err == nil && idle
	})
}

// openFirst opens the first conversation of the list.
func (s *Screen) openFirst() {
	s.t.Helper()
	s.holds(inside("Conversations") + "?.querySelector('a')?.click() === undefined")
	s.settle("log", "Messages")
}

// take saves a picture of the window in each scheme.
func (s *Screen) take(name string) {
	s.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		s.Scheme(scheme)
		picture, err := chromedp.Run(s.ctx, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(*picturesTo, name+"-"+scheme+".png"), picture, 0o644)
		}
		must(s.t, err)
	}
	s.Scheme("light")
}
