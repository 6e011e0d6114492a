package e2e

import (
	"regexp"
	"testing"
)

// signIn opens the dashboard and signs in with the demo's login.
func signIn(t *testing.T, s *Screen, srv *Server) {
	t.Helper()
	signInAt(t, s, srv, srv)
}

// atDesk starts the demo and signs in on a wide screen.
func atDesk(t *testing.T, flags ...string) (*Server, *Screen) {
	t.Helper()
	srv, s := Start(t, WithFlags(append([]string{"--demo"}, flags...)...)), OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	return srv, s
}

// signInAt signs in on one node with the login that another has printed.
func signInAt(t *testing.T, s *Screen, demo, srv *Server) {
	t.Helper()
	email, password := demoLogin(t, demo)
	s.Open(srv.URL() + "/")
	s.Write("E-mail", email)
	s.Write("Password", password)
	s.Press("button", "Sign in")
	s.Has("link", "Inbox")
}

var demoLoginLine = regexp.MustCompile(`Login +(\S+) / (\S+)`)

func demoLogin(t *testing.T, srv *Server) (email, password string) {
	t.Helper()
	if !eventually(func() bool { return demoLoginLine.MatchString(srv.Printed()) }) {
		t.Fatalf("no login was printed:\n%s", srv.Printed())
	}
	match := demoLoginLine.FindStringSubmatch(srv.Printed())
	return match[1], match[2]
}

var setupLine = regexp.MustCompile(`"url":"http://[^"/]*/setup#([0-9a-f]+)"`)

func TestDashboardSetUp(t *testing.T) {
	t.Parallel()
	srv := Start(t)
	if !eventually(func() bool { return setupLine.MatchString(srv.Log()) }) {
		t.Fatalf("no way to set up was logged:\n%s", srv.Log())
	}
	s := OpenScreen(t, 1280, 800)
	s.Open(srv.URL() + "/setup#" + setupLine.FindStringSubmatch(srv.Log())[1])
	s.Accessible()
	s.Write("Organization", "Kopi Kita")
	s.Write("Your name", "Ayu")
	s.Write("E-mail", "ayu@example.com")
	s.Write("Password", "correct horse battery")
	s.Press("button", "Create the owner")
	s.Has("link", "Inbox")
	s.Content()
}
