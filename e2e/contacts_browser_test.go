//go:build browser

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// storedContact is a contact as the dashboard's own operations return it.
type storedContact struct {
	ID               string
	Name             *string
	PhoneNumber      *string `json:"phone_number"`
	Email            *string
	MarketingConsent string `json:"marketing_consent"`
	Labels           []struct{ ID, Name string }
}

const fiveRows = `Phone;Full name;E-mail;Tags;Consent;City
+62 812 5550 0777;Sari Wulandari;sari@example.com;Loyal;yes;Bandung
0812-5550-0778;Agus;agus@example.com;;no;Jakarta
not a number;Nobody;;;;
+6281255500777;Sari again;;;;
`

// writeCSV writes a file for the browser to choose.
func writeCSV(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// importFile takes a file through the import, with Indonesian phone numbers.
func (s *Screen) importFile(srv *Server, path string) {
	s.t.Helper()
	s.Open(srv.URL() + "/contacts/import")
	s.Has("button", "Choose a file")
	s.chooseFiles("Choose a file", path)
	s.Has("heading", "Match the columns")
	s.Write("Country of numbers without a code", "ID")
}

// A file is imported as contacts: its columns are recognized, its rows can be checked before, refused rows are in a
// file, and everything can be undone.
func TestContactsImport(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.importFile(srv, writeCSV(t, "people.csv", fiveRows))
	s.SaysIn("First rows", "+6281255500778") // the country code was added
	s.SaysIn("First rows", "Opted in")
	s.SaysIn("First rows", "OK")
	s.pick("Field for City", "Custom field")
	s.Accessible()
	s.Press("button", "Start import")
	s.Says("2 new, 0 changed, 2 not imported")
	s.Accessible()
	var job string
	for _, one := range stored[[]struct{ ID, Kind string }](s, "/contacts/jobs") {
		if one.Kind == "import" {
			job = one.ID
		}
	}
	errors, err := s.run(`return await (await fetch("/app/api/contacts/imports/` + job + `/errors")).text()`)
	if err != nil || !strings.Contains(string(errors), "not a number") || !strings.Contains(string(errors), "Sari again") {
		t.Errorf("the file of errors is %s, %v", errors, err)
	}

	s.Open(srv.URL() + "/contacts?q=Sari+Wul")
	s.Says("1 contact")
	s.PressIn("Contacts", "Sari Wulandari")
	s.Has("heading", "Sari Wulandari")
	s.Says("Bandung")
	s.Says("by an import")
	s.Open(srv.URL() + "/contacts/import")
	s.Press("button", "Undo import")
	s.SaysIn("Earlier imports", "Undone")
	if left := stored[[]storedContact](s, "/contacts?search=Sari+Wul"); len(left) != 0 {
		t.Errorf("after the undo there is %+v", left)
	}
	s.Content()
}

// A file that is not CSV, and a file without phone numbers, are refused with an explanation.
func TestContactsImportRefuses(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/contacts/import")
	s.Has("button", "Choose a file")
	s.chooseFiles("Choose a file", writeCSV(t, "empty.csv", ""))
	s.Says("has no rows")
	s.Accessible()
	s.chooseFiles("Choose a file", writeCSV(t, "names.csv", "Name\nAda\n"))
	s.Says("Choose the column with the phone number.")
	s.Has("button", "Start import")
	s.Holds(`[...document.querySelectorAll("button")].find(b => b.innerText === "Start import").disabled`)
}

// A person's page: name and e-mail, labels, notes, and the consent with who changed it.
func TestContactsPage(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/contacts?q=Dewi")
	s.PressIn("Contacts", "Dewi Pratiwi")
	s.Has("heading", "Dewi Pratiwi")
	s.Write("Name", "Dewi P.")
	id := stored[[]storedContact](s, "/contacts?search=Dewi")[0].ID
	s.ask("PATCH", "/"+demoNumber+"/contacts/"+id, map[string]any{"email": "colleague@example.com"})
	s.comesBack("/contacts/" + id)
	if name, email := s.value("Name"), s.value("E-mail"); name != "Dewi P." || email != "colleague@example.com" {
		t.Errorf("while one edits the name, the fields say %q and %q", name, email)
	}
	s.Press("button", "Save")
	s.Has("heading", "Dewi P.")
	becomes(s, "/contacts?search=Dewi", func(all []storedContact) bool { return all[0].Email != nil && *all[0].Email == "colleague@example.com" })
	s.Write("E-mail", "not an address")
	s.Press("button", "Save")
	s.Holds(`document.querySelector("input[type=email]").matches(":invalid")`)
	s.Write("E-mail", "dewi@example.com")
	s.Press("button", "Save")
	s.Has("heading", "Dewi P.")
	s.pick("Consent", "Opted out")
	s.SaysIn("Consent history", "Opted out")
	s.SaysIn("Consent history", "by ")
	s.Write("Note", "likes batik")
	s.Press("button", "Add note")
	s.SaysIn("Notes", "likes batik")
	s.Accessible()
	contact := becomes(s, "/contacts?search=Dewi", func(all []storedContact) bool { return len(all) == 1 && all[0].MarketingConsent == "opted_out" })[0]
	if *contact.Name != "Dewi P." || contact.Email == nil || *contact.Email != "dewi@example.com" {
		t.Errorf("the contact is %+v", contact)
	}

	// What is refused stays in the form, and something else can be sent.
	s.Press("button", "Send a template")
	s.pressTemplate("promo")
	s.Write("Text {{1}}", "20")
	s.Write("Button “Shop now”", "sale")
	s.Press("button", "Send template")
	s.Says("The contact does not want marketing messages.")
	s.Until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Send template" && !b.disabled && !b.dataset.loading)`)
	s.pressTemplate("hello_world")
	s.Press("button", "Send template")
	s.SaysIn("Messages", "Welcome")
	s.Content()
}

// All matching contacts get a label, and another list shows it at once. The same list is exported.
func TestContactsInBulk(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/contacts?number=" + demoNumber)
	before := len(stored[[]storedContact](s, "/contacts?limit=100&number="+demoNumber))
	s.Press("checkbox", "Select Dewi Pratiwi")
	s.Press("checkbox", "Select Jonas Meyer")
	s.Says("2 selected")
	s.Accessible()
	s.Press("button", "Add label")
	s.Press("menuitem", "Urgent")
	s.Says("2 changed")
	becomes(s, "/contacts?label_ids="+s.idOf("/labels", "Urgent"), func(all []storedContact) bool { return len(all) >= 2 })

	s.Press("checkbox", "Select Dewi Pratiwi")
	s.pressStarting("Select all ")
	s.Press("button", "Add label")
	s.Press("menuitem", "Follow up")
	becomes(s, "/contacts?limit=100&label_ids="+s.idOf("/labels", "Follow up"), func(all []storedContact) bool { return len(all) == before })

	address, err := s.run(`return [...document.querySelectorAll("a")].find(a => a.innerText === "Export").href`)
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.run(`return await (await fetch(` + string(address) + `)).text()`)
	if err != nil || !strings.Contains(string(file), "Dewi Pratiwi") || strings.Count(string(file), `\n`) != before+1 {
		t.Errorf("the export of %d is %s, %v", before, file, err)
	}
	s.Content()
}

// Two contacts of one person are merged, and the stricter consent applies.
func TestContactsMerge(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	key := demoKey(t, srv)
	known := srv.Post(key, "/v1/"+demoNumber+"/contacts", `{"phone_number":"+15550100321","name":"Kim by number"}`)
	expect(t, known, http.StatusCreated, "")
	expect(t, srv.Do(Call{Method: http.MethodPatch, Key: key, Path: "/v1/" + demoNumber + "/contacts/" + known.ID(), Body: `{"marketing_consent":"opted_out"}`}), http.StatusOK, "")
	expect(t, srv.Post(key, "/v1/"+demoNumber+"/contacts", `{"bsuid":"US.13491208655302741918","name":"Kim by id"}`), http.StatusCreated, "")
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/contacts/" + known.ID())
	s.Press("button", "Merge")
	s.writeInto("combobox", "Find the other contact", "Kim by id")
	s.pressOptionStarting("Kim by id")
	s.SaysIn("After merging", "US.13491208655302741918")
	s.SaysIn("After merging", "The stricter of both is kept.")
	s.Accessible()
	s.pressInDialog("Merge")
	s.Says("The contacts were merged")
	all := stored[[]storedContact](s, "/contacts?search=Kim")
	if len(all) != 1 || all[0].MarketingConsent != "opted_out" || all[0].PhoneNumber == nil {
		t.Errorf("there are %+v", all)
	}
	s.Content()
}

// pick opens a field with options and chooses one.
func (s *Screen) pick(field, option string) {
	s.t.Helper()
	if !eventually(func() bool {
		if id, found := s.find("combobox", field); found {
			s.on(id, "function () { this.focus(); this.click() }")
		} else if id, found := s.find("textbox", field); found {
			s.on(id, "function () { this.focus(); this.click() }")
		}
		_, found := s.find("option", option)
		return found
	}) {
		s.fail("%q does not offer %q", field, option)
	}
	s.Press("option", option)
}

// pressOptionStarting presses the first option that begins with the text.
func (s *Screen) pressOptionStarting(text string) {
	s.t.Helper()
	s.Until(`(() => { const e = [...document.querySelectorAll("[role=option]")].find(e => e.innerText.startsWith(` + quote(text) + `)); e?.click(); return !!e })()`)
}

// Agents read and label. Admins' functions are not on their pages, and the server refuses them too.
func TestContactsForAgents(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 800)
	signInAs(t, s, srv, "ana@example.com")
	s.Press("link", "Contacts")
	s.Has("list", "Contacts")
	for _, name := range []string{"Export", "Import"} {
		s.Lacks("link", name)
	}
	s.Lacks("button", "Add contact")
	for _, path := range []string{"/contacts/export", "/contacts/imports/cjb_00000000000000000000000000/errors"} {
		if !s.holds(`(() => { const r = new XMLHttpRequest(); r.open("GET", "/app/api` + path + `", false); r.send(); return r.status === 403 })()`) {
			t.Errorf("an agent is not refused %s", path)
		}
	}
	s.Open(srv.URL() + "/contacts/import")
	s.Says("This page is for admins")
}

// Every page of contacts on a desktop and on a phone, opened by its address.
func TestContactsPages(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	for _, width := range []int64{1280, 360} {
		s := OpenScreen(t, width, 800)
		signIn(t, s, srv)
		one := stored[[]storedContact](s, "/contacts?limit=1")[0].ID
		for page, sign := range map[string][2]string{
			"/contacts": {"list", "Contacts"}, "/contacts/import": {"button", "Choose a file"}, "/contacts/" + one: {"heading", "Consent"},
			"/contacts?q=nobody": {"heading", "Nobody matches"},
		} {
			s.fits(srv, page, sign)
		}
	}
}
