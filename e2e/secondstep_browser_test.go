//go:build browser

package e2e

import (
	"encoding/json"
	"testing"
	"time"
)

// An owner turns two-step sign-in on, signs in with it, requires it of everybody, and after turning it off is led
// through the set-up again.
func TestDashboardTwoSteps(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	s := OpenScreen(t, 1280, 900)
	signIn(t, s, srv)
	email, password := demoLogin(t, srv)
	s.Open(srv.URL() + "/settings/me")
	s.Press("button", "Turn on")
	s.Has("image", "QR code for the authenticator app")
	key := s.value("Or type this key into the app")
	s.comesBack("/me")
	s.Picture("set-up")
	s.Accessible()
	s.Write("Code that the app shows", "000000x")
	s.Press("button", "Confirm")
	s.Says("This is not the code that the app shows now.")
	s.Write("Code that the app shows", codeFrom(t, key, 0))
	s.Press("button", "Confirm")
	s.Has("list", "Your recovery codes")
	var recovery []string
	text, err := s.run(`return [...document.querySelectorAll("[aria-label='Your recovery codes'] li")].map((code) => code.textContent)`)
	if err == nil {
		err = json.Unmarshal(text, &recovery)
	}
	if err != nil || len(recovery) != 10 {
		t.Fatalf("recovery codes are %q, %v", recovery, err)
	}
	s.Picture("recovery")
	s.Accessible()
	s.Press("button", "I have saved them")
	s.Says("10 recovery codes left")
	s.Picture("on")

	s.Open(srv.URL() + "/settings/org")
	s.Press("switch", "Require two-step sign-in from everyone")
	s.Accessible()

	s.does(`await fetch("/app/api/session", { method: "DELETE" }); location.assign("/login")`)
	s.Write("E-mail", email)
	s.Write("Password", password)
	s.Press("button", "Sign in")
	s.Write("Code", "12345x")
	s.Press("button", "Continue")
	s.Says("This code is wrong or was used.")
	s.Picture("code")
	s.Accessible()
	s.Write("Code", codeFrom(t, key, 30*time.Second))
	s.Press("button", "Continue")
	s.Has("link", "Settings")

	s.Open(srv.URL() + "/settings/me")
	s.Press("button", "Turn off")
	s.Write("Password", password)
	s.Write("Code", recovery[0])
	s.Accessible()
	s.pressInDialog("Turn off")
	s.Says("Set up two-step sign-in") // it is required of everybody
	s.Has("image", "QR code for the authenticator app")
	s.Accessible()
	s.Write("Code that the app shows", codeFrom(t, s.value("Or type this key into the app"), 0))
	s.Press("button", "Confirm")
	s.Press("button", "I have saved them")
	s.Has("link", "Settings")
	s.Content()
}
