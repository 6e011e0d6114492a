//go:build browser

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// An admin opens a number, changes its profile and its settings, and disconnects another.
func TestNumbersPage(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/")
	s.Press("link", "Numbers")
	s.Has("list", "Business numbers")
	s.Accessible()
	s.Press("link", "Demo")
	s.Has("heading", "Overview")
	s.Press("button", "Check now")
	s.Says("Up to date with the provider")
	s.Says("2,000 people in 24 hours") // nobody had requested it before
	s.Has("heading", "History")
	s.Has("list", "Changes")
	s.Write("About", "Open all day")
	s.Press("button", "Save")
	s.Says("The profile was changed")
	s.Press("switch", "Send marketing only to contacts who opted in")
	s.Says("Marketing now goes only to contacts who opted in")
	s.Accessible()
	s.Open(srv.URL() + "/numbers/" + demoNumber)
	s.Has("textbox", "About")
	s.Write("Description", "Fresh every day")
	s.comesBack("/number/profile")
	s.Holds(`[...document.querySelectorAll('textarea')].some(f => f.value === 'Fresh every day')`)
	s.holdsSoon(`[...document.querySelectorAll('input')].some(i => i.value === 'Open all day')`) // the provider has it now

	s.Press("button", "Register with PIN")
	s.Write("PIN", "12345")
	s.on(s.await("textbox", "PIN"), "function () { this.form.requestSubmit() }")
	s.Has("dialog", "Register with PIN") // five digits are refused
	s.Press("button", "Cancel")

	s.Press("button", "Disconnect")
	s.Says("conversations with their messages")
	s.Write("Type “Demo” to confirm", "Dem")
	s.on(s.await("textbox", "Type “Demo” to confirm"), "function () { this.form.requestSubmit() }")
	s.Says("This is not the name.")
	s.Accessible()
	s.Write("Type “Demo” to confirm", "Demo")
	s.on(s.await("textbox", "Type “Demo” to confirm"), "function () { this.form.requestSubmit() }")
	s.Says("Demo is disconnected")
	s.Lacks("link", "Demo")
}

// An agent sees the state of numbers and changes nothing. A user who is not the operator sees nothing of the service.
func TestNumbersByRole(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 360, 740)
	signInAs(t, s, srv, "ana@example.com")
	s.Open(srv.URL() + "/numbers/" + demoNumber)
	s.Has("heading", "Overview")
	s.Has("heading", "Sending now")
	for _, name := range []string{"Check now", "Save", "Disconnect", "Register with PIN"} {
		s.Lacks("button", name)
	}
	s.Accessible()
	s.Open(srv.URL() + "/customers")
	s.Says("This page is for admins")
	s.Open(srv.URL() + "/operator")
	s.Says("This page is for the operator of the service")
	s.Accessible()
	for path, method := range map[string]string{
		"/" + demoNumber + "/number/profile": "GET", "/" + demoNumber + "/number": "DELETE", "/customers": "GET", "/operator/system": "GET", "/operator/organizations": "GET",
	} {
		if a := s.ask(method, path, nil); a.Status != http.StatusForbidden {
			t.Errorf("an agent's %s %s: %+v", method, path, a)
		}
	}
}

// A customer is added, gets a link with a QR code, and is suspended, archived and restored.
func TestCustomersPage(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/customers")
	s.Says("No customers yet")
	s.Press("button", "Add customer")
	s.Write("Name", "Kopi Kita")
	s.on(s.await("textbox", "Name"), "function () { this.form.requestSubmit() }")
	s.Has("heading", "Kopi Kita")
	s.Press("button", "Create setup link")
	s.on(s.await("combobox", "Valid for"), "function () { this.form.requestSubmit() }")
	s.Has("image", "QR code of the setup link")
	s.holdsSoon(`document.querySelector('[role=dialog] input').value.includes('/onboard/csl_')`)
	s.Accessible()
	s.Browser.Press(kb.Escape)
	s.Press("button", "Done") // it is still there: the address is shown once
	s.Press("button", "Revoke")
	s.Has("dialog", "Revoke this setup link?")
	s.pressInDialog("Revoke")
	s.Says("The link was revoked")
	s.Press("button", "Archive")
	s.Says("What happens:")
	s.Accessible()
	s.holdsSoon(`document.querySelector('[role=dialog] form').requestSubmit() === undefined`)
	s.Says("Kopi Kita is archived")
	s.Press("button", "Restore")
	s.Says("Kopi Kita is restored")
	s.Open(srv.URL() + "/customers?search=kita&status=pending")
	s.Has("link", "Kopi Kita")
	s.Open(srv.URL() + "/customers?search=nobody")
	s.Says("No customers match")
	if !strings.Contains(s.where(), "search=nobody") {
		t.Errorf("the address is %s", s.where())
	}
}
