//go:build browser

package e2e

import (
	"net/http"
	"testing"
)

// TestDashboardRoles: each role sees its pages and its functions there. The rest is refused, by address too.
func TestDashboardRoles(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	owner, s := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, owner, srv)
	signInAs(t, s, srv, "ana@example.com")
	s.Open(srv.URL() + "/settings/labels")
	s.Has("link", "Labels")
	s.Says("Urgent")
	for _, name := range []string{"Users", "Teams"} {
		s.Lacks("link", name)
	}
	s.Lacks("button", "New label")
	s.Lacks("button", "Delete Urgent")
	for _, page := range []string{"/settings/users", "/settings/teams"} {
		s.Open(srv.URL() + page)
		s.Says("This page is for admins")
		s.Lacks("button", "Invite")
		s.Lacks("button", "New team")
	}
	s.Accessible()
	for path, method := range map[string]string{"/users": "GET", "/teams": "POST", "/labels": "POST"} {
		if a := s.ask(method, path, named(method)); a.Status != http.StatusForbidden {
			t.Errorf("an agent's %s %s: %+v", method, path, a)
		}
	}

	ana := owner.idOf("/users", "Ana Wijaya")
	if a := owner.ask("PATCH", "/users/"+ana, map[string]any{"role": "admin"}); a.Status != http.StatusOK {
		t.Fatalf("make an admin: %+v", a)
	}
	s.Has("button", "Sign in") // a change of role ends the sessions
	signInAs(t, s, srv, "ana@example.com")
	s.Open(srv.URL() + "/settings/users")
	s.Has("button", "Invite")
	s.Has("button", "More for Budi Hartono")
	s.Lacks("button", "More for Demo") // this is an owner, whom only owners may change
	me := owner.idOf("/users", "Demo")
	if a := s.ask("PATCH", "/users/"+me, map[string]any{"role": "agent"}); a.Status != http.StatusForbidden {
		t.Errorf("an admin changes an owner: %+v", a)
	}
	owner.Open(srv.URL() + "/settings/users")
	owner.Has("button", "More for Demo")
	owner.Content()
}

// TestDashboardMaskedNumbers: once the organization wants it, an agent sees a part of people's numbers, wherever they
// are shown, and an owner all of them.
func TestDashboardMaskedNumbers(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	owner, agent := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, owner, srv)
	signInAs(t, agent, srv, "ana@example.com")
	shows := func(number string) string {
		return `document.body.innerText.replace(/\D/g, "").includes("` + number + `")`
	}
	for _, s := range []*Screen{owner, agent} {
		s.openConversation(srv, "Dewi Pratiwi")
		s.Until(shows(dewi))
	}
	if a := owner.ask("PATCH", "/organization", map[string]any{"mask_numbers": true}); a.Status != http.StatusOK {
		t.Fatalf("mask: %+v", a)
	}
	end := dewi[len(dewi)-2:]
	agent.Until("!(" + shows(dewi) + ") && !(" + shows(dewi[:8]) + ") && " + shows(end)) // the open page changes too
	agent.SaysIn("Conversations", "Dewi Pratiwi")
	agent.Open(srv.URL() + "/inbox/all?q=" + dewi[2:])
	agent.Says("No results") // a search by the number would tell it
	agent.Open(srv.URL() + "/contacts")
	agent.Says("Dewi Pratiwi")
	agent.Holds("!(" + shows(dewi) + ")")
	agent.PressIn("Contacts", "Dewi Pratiwi")
	agent.Press("button", "Send a template")
	agent.pressTemplate("hello_world")
	agent.Press("button", "Send template")
	agent.SaysIn("Messages", "Welcome")
	owner.Reload()
	owner.Has("log", "Messages")
	owner.Until(shows(dewi))
	agent.Content()
}

// named is a body for creating something.
func named(method string) any {
	if method == "GET" {
		return nil
	}
	return map[string]any{"name": "Mine"}
}

// idOf is the id of what has the name in a list, such as /users.
func (s *Screen) idOf(list, name string) string {
	s.t.Helper()
	for _, one := range stored[[]storedName](s, list) {
		if one.Name == name {
			return one.ID
		}
	}
	s.t.Fatalf("%s has no %s", list, name)
	return ""
}

// TestDashboardThrownOut: a disabled user is signed out of all tabs at once.
func TestDashboardThrownOut(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	owner, first := OpenScreen(t, 1440, 900), OpenScreen(t, 1440, 900)
	signIn(t, owner, srv)
	signInAs(t, first, srv, "budi@example.com")
	second := first.Tab()
	first.openConversation(srv, "Dewi Pratiwi")
	second.Open(srv.URL() + "/inbox/all")
	second.Has("list", "Conversations")
	owner.phoneWrites(dewi, map[string]any{"type": "text", "text": "In both tabs"})
	first.SaysIn("Messages", "In both tabs")
	second.SaysIn("Conversations", "In both tabs")
	if a := owner.ask("PATCH", "/users/"+owner.idOf("/users", "Budi Hartono"), map[string]any{"disabled": true}); a.Status != http.StatusOK {
		t.Fatalf("disable: %+v", a)
	}
	first.Has("button", "Sign in")
	second.Has("button", "Sign in")
	if a := first.ask("GET", "/me", nil); a.Status != http.StatusUnauthorized {
		t.Errorf("the session still works: %+v", a)
	}
}
