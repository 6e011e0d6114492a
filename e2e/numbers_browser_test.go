//go:build browser

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
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

// moreNumbers gives the demo's organization more numbers than a page knows from the start. Warung Tua is the oldest of them.
func moreNumbers(t *testing.T, srv *Server, s *Screen, count int) {
	t.Helper()
	org := stored[struct{ Organization struct{ ID string } }](s, "/me").Organization.ID
	st := srv.stored()
	must(t, st.InTx(t.Context(), func(tx *store.Tx) error {
		like, err := tx.AccountByNumber(org, demoNumber)
		for i := 0; i < count && err == nil; i++ {
			like.ID, like.CreatedAt = tx.NewID(chat.KindAccount), tx.Now().Add(time.Duration(i-count)*time.Second)
			like.PhoneNumberID, like.PhoneNumber = new(fmt.Sprint(770_000_000_000+i)), new(fmt.Sprintf("+62811%07d", i))
			like.Name, like.CustomerID = new(fmt.Sprintf("Outlet %d", i)), nil
			if i == 0 {
				like.Name = new("Warung Tua")
			}
			err = tx.InsertAccount(like)
		}
		return err
	}))
}

// Among more numbers than the page knows, the oldest is found on the list and in pickers, and keeps its name.
func TestManyNumbers(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	moreNumbers(t, srv, s, 600)
	s.Open(srv.URL() + "/numbers")
	s.SaysIn("Business numbers", "Outlet 599")
	s.Lacks("link", "Warung Tua")
	s.Press("button", "Show more")
	s.SaysIn("Business numbers", "Outlet 450")
	s.writeInto("searchbox", "Search by name, phone number or ID", "+62 811 0000 000")
	s.Has("link", "Warung Tua")
	s.Lacks("link", "Outlet 599")
	s.Until(`location.search.includes("q=")`)
	s.Accessible()
	s.Press("button", "In trouble")
	s.Has("heading", "No numbers match")
	s.Press("button", "Clear filters")
	s.Has("link", "Outlet 599")

	s.Open(srv.URL() + "/broadcasts")
	s.searchOption("Number", "WARUNG t", "Warung Tua")
	s.Until(`location.search.includes("number=%22770000000000%22")`)
	s.Reload()
	s.Until(`document.querySelector('input[value="Warung Tua"]') !== null`)
	s.Accessible()
	s.writeInto("combobox", "Number", "nobody")
	s.Says("Nothing found")

	s.Open(srv.URL() + "/templates?number=%22770000000000%22")
	s.Has("heading", "Templates")
	s.Until(`document.querySelector('input[value="Warung Tua"]') !== null`)
	s.Open(srv.URL() + "/templates?number=%22999999999999%22")
	s.Says("Number not found")
}

// searchOption types into a field that searches, and chooses what it finds.
func (s *Screen) searchOption(field, words, option string) {
	s.t.Helper()
	s.writeInto("combobox", field, words)
	s.Until(`[...document.querySelectorAll("[role=option]")].filter(e => e.checkVisibility()).length === 1`)
	s.pressOptionStarting(option)
}
