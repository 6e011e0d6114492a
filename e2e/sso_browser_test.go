//go:build browser

package e2e

import (
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/sso/ssotest"
)

// Somebody signs in at an identity provider, and comes back to the page that was asked for. Nobody else gets in.
func TestDashboardSSO(t *testing.T) {
	t.Parallel()
	provider := ssotest.Start(t)
	srv := Start(t, WithFlags("--demo", "--demo-empty", "--oidc-issuer="+provider.URL, "--oidc-client-id="+ssotest.ClientID,
		"--oidc-client-secret="+ssotest.ClientSecret, "--oidc-name=Acme"))
	email, _ := demoLogin(t, srv)
	// The provider sends people back to the public address, where the cookie has to be from.
	address := strings.Replace(srv.URL(), "127.0.0.1", "localhost", 1)
	s := OpenScreen(t, 1280, 900)

	provider.SignsIn(map[string]any{"email": "stranger@example.com", "email_verified": true})
	s.Open(address + "/login")
	s.Has("button", "Sign in with Acme")
	s.Picture("login")
	s.Accessible()
	s.Press("button", "Sign in with Acme")
	s.Says("You are not signed in")
	s.Says("Nobody signs in here as stranger@example.com.")
	s.Picture("refused")
	s.Accessible()
	s.Press("link", "Back to sign-in")

	provider.SignsIn(map[string]any{"email": email, "email_verified": true})
	s.Open(address + "/settings/labels")
	s.Press("button", "Sign in with Acme")
	s.Has("link", "Canned replies") // the page that was asked for is among the settings
	s.Content()
}
