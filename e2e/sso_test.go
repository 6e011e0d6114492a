package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

// identity runs the identity provider in the folder of that name, which is third-party software.
type identity struct {
	t     *testing.T
	URL   string
	input io.Writer
}

// startIdentity builds and runs the provider. The provider prints its address, and waits to be told its users.
func startIdentity(t *testing.T) *identity {
	t.Helper()
	program := filepath.Join(t.TempDir(), "identity")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "identity"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the identity provider: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	var log loggingtest.Book
	cmd.Stderr = &log
	input, err := cmd.StdinPipe()
	must(t, err)
	printed, err := cmd.StdoutPipe()
	must(t, err)
	cmd.SysProcAttr = dieWithParent()
	must(t, cmd.Start())
	t.Cleanup(func() {
		input.Close()
		cmd.Wait()
		if t.Failed() {
			t.Logf("the identity provider said:\n%s", log.String())
		}
	})
	address, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	return &identity{t, strings.TrimSpace(address), input}
}

// identityPerson is a person who can sign in there.
type identityPerson struct {
	ID, Username, Password, Email, FirstName, LastName string
	EmailVerified                                      bool
}

// knows tells the provider the address to send people back to, and its users.
func (p *identity) knows(redirect string, people ...identityPerson) {
	p.t.Helper()
	err := json.NewEncoder(p.input).Encode(map[string]any{"ClientID": "parley", "ClientSecret": "not a secret", "RedirectURL": redirect, "People": people})
	must(p.t, err)
}

// TestDashboardSSO: a user signs in at a third-party identity provider, and comes back to the requested page. A person
// who is not a user, or whose address the provider has not verified, is refused.
func TestDashboardSSO(t *testing.T) {
	t.Parallel()
	provider := startIdentity(t)
	srv := Start(t, WithFlags("--demo", "--demo-empty", "--oidc-issuer="+provider.URL, "--oidc-client-id=parley", "--oidc-client-secret=not a secret", "--oidc-name=Acme"))
	email, _ := demoLogin(t, srv)
	// The provider sends people back to the public address, so the cookie must belong to it.
	address := strings.Replace(srv.URL(), "127.0.0.1", "localhost", 1)
	provider.knows(address+"/login/sso",
		identityPerson{ID: "1", Username: "stranger", Password: "a", Email: "stranger@example.com", EmailVerified: true},
		identityPerson{ID: "2", Username: "pretender", Password: "b", Email: email},
		identityPerson{ID: "3", Username: "ana", Password: "c", Email: email, FirstName: "Ana", EmailVerified: true})
	s := OpenScreen(t, 1280, 900)
	at := func(page, username, password string) {
		t.Helper()
		s.Open(address + page)
		s.Press("button", "Sign in with Acme")
		s.Has("textbox", "Username:")
		if !strings.HasPrefix(s.where(), provider.URL) {
			t.Fatalf("the password is asked at %s", s.where())
		}
		s.Write("Username:", username)
		s.Write("Password:", password)
		s.Press("button", "Login")
	}

	s.Open(address + "/login")
	s.Has("button", "Sign in with Acme")
	s.Accessible()
	at("/login", "stranger", "a")
	s.Says("You are not signed in")
	s.Says("Nobody signs in here as stranger@example.com.")
	s.Accessible()
	s.Press("link", "Back to sign-in")

	at("/login", "pretender", "b")
	s.Says("You are not signed in")
	at("/settings/labels", "ana", "c")
	s.Has("link", "Canned replies") // the requested page is among the settings
	s.Content()
}
