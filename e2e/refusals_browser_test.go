//go:build browser

package e2e

import (
	"net/http"
	"strconv"
	"testing"
)

// TestDashboardRefusals: each page for admins tells an agent that it is one, and its operations are refused. On pages
// that agents may read, the admins' buttons are missing.
func TestDashboardRefusals(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 800)
	signInAs(t, s, srv, "ana@example.com")
	for _, page := range []string{
		"/contacts/import", "/templates/new", "/broadcasts", "/broadcasts/new", "/customers",
		"/settings/org", "/settings/users", "/settings/teams", "/settings/usage", "/settings/audit", "/settings/words",
	} {
		s.Open(srv.URL() + page)
		s.Says("This page is for admins")
		s.Until(`document.title.includes("This page is for admins")`)
	}
	s.Accessible()
	for _, page := range []string{"/dev/keys", "/dev/logs", "/dev/events", "/dev/webhooks", "/dev/deliveries"} {
		s.Open(srv.URL() + page)
		s.Says("This is for owners and admins")
		s.Until(`document.title.includes("This is for owners and admins")`)
	}
	s.Open(srv.URL() + "/operator")
	s.Says("This page is for the operator of the service")
	number := "/100200300400500"
	for page, sign := range map[string][3]string{ // an element that is there, and one that is not
		"/contacts":        {"heading", "Contacts", "Import"},
		"/templates":       {"heading", "Templates", "New template"},
		"/media":           {"heading", "Media", "Delete"},
		"/numbers":         {"heading", "Numbers", "Connect a number"},
		"/settings/labels": {"heading", "Labels", "New label"},
		"/":                {"heading", "Messages per day", "Failing endpoints"},
	} {
		s.Open(srv.URL() + page)
		s.Has(sign[0], sign[1])
		for _, role := range []string{"button", "link"} {
			s.Lacks(role, sign[2])
		}
	}
	for _, request := range [][2]string{
		{"POST", "/contacts/imports"}, {"GET", "/contacts/export"}, {"POST", number + "/templates"}, {"POST", number + "/templates/sync"},
		{"POST", number + "/broadcasts"}, {"GET", "/broadcasts"}, {"POST", "/customers"}, {"GET", "/customers"}, {"GET", "/keys"}, {"POST", "/keys"}, {"GET", "/api_log"},
		{"GET", "/webhook_subscriptions"}, {"POST", "/webhook_subscriptions"}, {"GET", "/webhook_deliveries"}, {"GET", "/organization"}, {"PATCH", "/organization"},
		{"PUT", "/organization/logo"}, {"GET", "/users"}, {"POST", "/users"}, {"POST", "/teams"}, {"GET", "/usage"}, {"PUT", "/usage/retention"}, {"GET", "/audit"},
		{"GET", "/audit/export"}, {"PATCH", "/opt_out_words/fr"}, {"PATCH", number + "/number"}, {"PATCH", number + "/number/profile"}, {"DELETE", number + "/number"},
		{"POST", number + "/register"}, {"POST", "/number_links"}, {"POST", "/labels"},
	} {
		var body any
		if request[0] != "GET" {
			body = map[string]any{"name": "Mine"}
		}
		if a := s.ask(request[0], request[1], body); a.Status != http.StatusForbidden {
			t.Errorf("an agent's %s %s is answered %d %s", request[0], request[1], a.Status, a.Body.Error.Code)
		}
	}
}

// TestBroadcastToASavedView: the people of a saved view of the inbox become recipients.
func TestBroadcastToASavedView(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	const number = "100200300400500"
	if a := s.ask("POST", "/views", map[string]any{"name": "Open at Demo", "filter": map[string]any{"status": "open", "number": number}}); a.Status != http.StatusCreated {
		t.Fatalf("the view: %+v", a)
	}
	open := stored[[]struct{ ID string }](s, "/conversations?status=open&limit=100&number="+number)
	s.Open(srv.URL() + "/broadcasts/new")
	s.Write("Name", "To those who wait")
	s.pick("Send from", "Demo")
	s.pick("Template", "hello_world · en_US")
	s.Press("button", "Next")
	s.Has("button", "Choose a CSV file")
	s.pick("From a saved view of the inbox", "Open at Demo")
	s.Press("button", "Add "+strconv.Itoa(len(open))+" people")
	s.Says(strconv.Itoa(len(open)) + " in the list")
	s.Accessible()
	s.Press("button", "Next")
	s.Says(strconv.Itoa(len(open)) + " will get a message")
	s.Content()
}
