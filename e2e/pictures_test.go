//go:build pictures

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var picturesTo = flag.String("pictures", "", "the folder for the pictures")

// pages are the dashboard's pages, each with the role and the name of an element that is there once it has loaded.
var pages = []struct{ path, role, name string }{
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
	srv, empty := Start(t, WithFlags("--demo")), Start(t)
	doors := doorsOf(t, srv, empty)
	for size, window := range map[string][2]int64{"wide": {1440, 900}, "phone": {360, 740}} {
		s := OpenScreen(t, window[0], window[1])
		for name, address := range doors {
			s.Open(address)
			s.settle("heading", "")
			s.take(name + "-" + size)
		}
		signIn(t, s, srv)
		for _, page := range pages {
			s.Open(srv.URL() + page.path)
			s.settle(page.role, page.name)
			if page.path == "/phone" && size == "wide" {
				s.settle("list", "Conversations") // the inbox beside it
			}
			s.take(pictureName(page.path) + "-" + size)
		}
		s.Open(srv.URL() + "/inbox/all")
		s.settle("list", "Conversations")
		s.openFirst()
		s.take("conversation-" + size)
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

// pictureName is the name of a page's pictures.
func pictureName(path string) string {
	if path == "/" {
		return "home"
	}
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
