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

// pages are the dashboard's, each with what is on it once it has loaded: a role and a name.
var pages = []struct{ path, role, name string }{
	{"/inbox/mine", "list", "Conversations"},
	{"/inbox/all", "list", "Conversations"},
	{"/phone", "textbox", "Message to the business"},
	{"/settings/me", "heading", "My account"},
	{"/settings/users", "heading", "Users"},
	{"/settings/teams", "heading", "Teams"},
	{"/settings/labels", "heading", "Labels"},
	{"/settings/replies", "heading", "Canned replies"},
}

// TestPictures takes pictures of every page, in light and in dark, on a desk and on a phone.
func TestPictures(t *testing.T) {
	srv := Start(t, WithFlags("--demo"))
	for name, size := range map[string][2]int64{"wide": {1440, 900}, "phone": {360, 740}} {
		s := OpenScreen(t, size[0], size[1])
		s.Open(srv.URL() + "/login")
		s.Has("button", "Sign in")
		s.take("login-" + name)
		signIn(t, s, srv)
		for _, page := range pages {
			s.Open(srv.URL() + page.path)
			s.settle(page.role, page.name)
			if page.path == "/phone" && name == "wide" {
				s.settle("list", "Conversations") // the inbox beside it
			}
			s.take(strings.ReplaceAll(strings.Trim(page.path, "/"), "/", "-") + "-" + name)
		}
		s.Open(srv.URL() + "/inbox/all")
		s.settle("list", "Conversations")
		s.openFirst()
		s.take("conversation-" + name)
	}
}

// settle waits for what a page has, if it comes at all, and for what is still loading.
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

// take keeps a picture of the window in each scheme.
func (s *Screen) take(name string) {
	s.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		s.Scheme(scheme)
		picture, err := chromedp.Run(s.ctx, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(*picturesTo, name+"-"+scheme+".png"), picture, 0o644)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.Scheme("light")
}
