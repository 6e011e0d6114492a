//go:build browser

package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"testing"
)

// storedTemplate is a template as the server returns it.
type storedTemplate struct {
	Name, Language, Status string
	ProviderStatus         string  `json:"provider_status"`
	RejectedReason         *string `json:"rejected_reason"`
	Content                string
	Variables              []string
	Components             []struct {
		Type, Format, Text string
		Example            map[string]any
		Buttons            []struct{ Type, Text, URL string }
	}
}

// numberID is the demo's number.
func (s *Screen) numberID() string {
	s.t.Helper()
	return stored[struct {
		Numbers []struct {
			ID string `json:"phone_number_id"`
		}
	}](s, "/me").Numbers[0].ID
}

// sunset is a picture that can be distinguished from a grey one.
func sunset(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 640, 360))
	for y := range 360 {
		for x := range 640 {
			img.Set(x, y, color.RGBA{uint8(250 - y/4), uint8(120 + y/4), uint8(90 + x/8), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDashboardTemplateBuilder: a template with a picture, variables and buttons is written, errors are shown beside
// their fields, it is submitted and approved, and the list shows it without a reload.
func TestDashboardTemplateBuilder(t *testing.T) {
	t.Parallel()
	_, s := atDesk(t)
	number := s.numberID()
	s.Press("link", "Templates")
	s.Has("list", "Templates")
	s.Accessible()
	s.Picture("templates")
	s.Press("link", "New template")
	s.Has("heading", "New template")
	s.Write("Name", "Harvest Sale")
	s.Press("button", "Image")
	s.Press("button", "Choose a file: Sample file")
	s.Has("button", "Upload files")
	s.chooseFiles("Upload files", writeFile(t, "harvest.png", sunset(t)))
	s.Has("button", "Choose another: Sample file")
	s.Until(`document.querySelector('[role=img][aria-label="Preview"] img')?.naturalWidth === 640`)
	s.Write("Body text", "Hello ")
	s.Press("button", "Add variable: Body text")
	s.Until(`document.activeElement?.value === "Hello {{1}}"`)
	s.Press("button", "Submit for review")
	s.Until(`document.activeElement === [...document.querySelectorAll("label")].find(l => l.innerText === "Sample for {{1}}").control`)
	s.Write("Sample for {{1}}", "Dewi")
	s.Press("button", "Submit for review")
	s.Says("A placeholder cannot be at the start or at the end of the text.")
	s.Until(`document.activeElement === [...document.querySelectorAll("label")].find(l => l.innerText === "Body text").control`)
	s.Write("Body text", "Hello {{1}}, our *harvest sale* begins on {{2}} and you are invited.")
	s.Write("Sample for {{2}}", "Friday")
	s.SaysIn("Preview", "Hello Dewi, our harvest sale begins on Friday")
	s.Press("button", "Add button")
	s.Press("menuitem", "Open a website")
	s.Write("Text of button 1", "See the offers of this week")
	s.Says("2 characters too many")
	s.Write("Text of button 1", "See the offers")
	s.Write("Address of button 1", "https://shop.example/{{1}}")
	s.Press("button", "Add button")
	s.Press("menuitem", "Quick reply")
	s.Write("Text of button 2", "Not interested")
	s.Press("button", "Submit for review")
	s.Until(`document.activeElement === [...document.querySelectorAll("label")].find(l => l.innerText === "Sample address of button 1")?.control`)
	s.Write("Sample address of button 1", "https://shop.example/harvest")
	s.Write("Footer", "Toko Demo")
	s.Accessible()
	s.Picture("builder")
	s.Press("button", "Submit for review")
	s.Has("heading", "harvest_sale")
	s.SaysIn("English", "Approved")
	s.SaysIn("English", "Submitted")
	s.Until(`document.querySelector('[role=img][aria-label^="Preview"] img')?.naturalWidth === 640`)
	s.Accessible()
	s.Picture("template")

	made := stored[storedTemplate](s, "/"+number+"/templates/harvest_sale")
	if made.Status != "approved" || len(made.Variables) != 2 || len(made.Components) != 4 || made.Components[0].Format != "IMAGE" {
		t.Errorf("the server has %+v", made)
	}
	s.Press("link", "All templates")
	s.PressIn("Templates", "harvest_sale")
	s.Has("heading", "harvest_sale")
	s.Content()
}

// TestDashboardRejectedTemplate: the page explains why a template was rejected, and what to change. After an edit it is
// submitted again.
func TestDashboardRejectedTemplate(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	number := s.numberID()
	body := map[string]any{"name": "reject_promotional_news", "language": "en", "category": "UTILITY",
		"components": []any{map[string]any{"type": "BODY", "text": "Everything is half the price today."}}}
	if a := s.ask("POST", "/"+number+"/templates", body); a.Status != http.StatusCreated {
		t.Fatalf("the template: %+v", a)
	}
	s.Open(srv.URL() + "/templates?state=rejected")
	s.PressIn("Templates", "reject_promotional_news")
	s.SaysIn("English", "It advertises, and the category does not allow that.")
	s.SaysIn("English", "Change the category to Marketing, or remove the offer.")
	s.SaysIn("English", "The simulator rejects templates with this name.")
	s.Accessible()
	s.Picture("rejected")
	s.Press("link", "Edit and submit again")
	s.Has("heading", "Edit reject_promotional_news")
	s.Write("Body text", "Your order has been sent.")
	s.Press("button", "Submit for review")
	s.Has("heading", "reject_promotional_news")
	s.SaysIn("English", "Your order has been sent.")
	s.Press("button", "Delete English")
	s.pressInDialog("Delete")
	s.Has("heading", "Templates")
	s.Until(`!document.querySelector('ul[aria-label=Templates]')?.innerText.includes("reject_promotional_news")`)
	s.Content()
}

// TestDashboardTemplateDraft: an unfinished template is kept, continued, and written in another language.
func TestDashboardTemplateDraft(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.Open(srv.URL() + "/templates/new")
	s.Write("Name", "instant_hello")
	s.Write("Body text", "Hello and welcome")
	other := s.numberID()
	s.Press("combobox", "Number")
	s.Until(`(() => { const e = [...document.querySelectorAll("[role=option]")].find(e => e.ariaSelected !== "true"); e?.click(); return !!e })()`)
	s.Until(`!location.search.includes(` + quote(other) + `)`)
	s.Press("button", "Save draft")
	s.Has("heading", "Draft of a template")
	s.Until(`document.activeElement.innerText === "Save draft"`)
	s.Write("Footer", "See you")
	s.Press("link", "All templates")
	s.Has("dialog", "Leave without saving?")
	s.pressInDialog("Cancel")
	s.Press("button", "Save draft")
	s.Lacks("dialog", "Leave without saving?")
	s.Open(srv.URL() + "/templates?state=draft")
	s.PressIn("Drafts", "instant_hello")
	s.Until(`[...document.querySelectorAll("textarea")].some(f => f.value === "Hello and welcome")`)
	s.Press("button", "Submit for review")
	s.Has("heading", "instant_hello")
	s.Press("link", "Add a language")
	s.Has("heading", "instant_hello in another language")
	s.Write("Body text", "Halo dan selamat datang")
	s.Press("button", "Submit for review")
	s.SaysIn("Indonesian", "Halo dan selamat datang")
	s.SaysIn("English", "Hello and welcome")
	s.Picture("languages")
	s.Open(srv.URL() + "/templates?state=draft")
	s.Says("No drafts")
	s.Content()
}

// TestDashboardTemplatesOfAgents: agents can read templates and change nothing, not even by address.
func TestDashboardTemplatesOfAgents(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1440, 900)
	signInAs(t, s, srv, "ana@example.com")
	s.Open(srv.URL() + "/templates")
	s.Has("list", "Templates")
	for _, name := range []string{"Sync now", "Drafts"} {
		s.Lacks("button", name)
	}
	s.Lacks("link", "New template")
	s.PressIn("Templates", "appointment_reminder")
	s.Has("heading", "appointment_reminder")
	s.Lacks("link", "Add a language")
	s.Open(srv.URL() + "/templates/new")
	s.Says("This page is for admins")
	number := s.numberID()
	for path, method := range map[string]string{"/templates": "POST", "/templates/appointment_reminder": "DELETE", "/template-drafts": "GET", "/templates/sync": "POST"} {
		if a := s.ask(method, "/"+number+path, named(method)); a.Status != http.StatusForbidden {
			t.Errorf("an agent's %s %s: %+v", method, path, a)
		}
	}
	s.Content()
}

// TestDashboardLibrary: files are dropped, found, viewed, and deleted after the page says where they are used.
func TestDashboardLibrary(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.Press("link", "Media")
	s.Says("The library is empty")
	s.chooseFiles("Upload files", writeFile(t, "harvest.png", sunset(t)), writeFile(t, "prices.pdf", []byte("%PDF-1.4 prices")))
	s.Has("button", "harvest.png")
	s.does(`const d = new DataTransfer(); d.items.add(new File([new Uint8Array(900)], "notes.txt", {type: "text/plain"}))
		d.items.add(new File([new Uint8Array(900)], "tool.exe", {type: "application/x-msdownload"}))
		document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true}))`)
	s.Has("button", "notes.txt")
	s.Has("button", "Dismiss tool.exe")
	s.Press("button", "Dismiss tool.exe")
	s.Accessible()
	s.Picture("library")
	s.Press("button", "Images")
	s.Lacks("button", "prices.pdf")
	s.Press("button", "All")
	s.Until(`!!document.querySelector('input[aria-label="Search by name"]')`)
	s.writeInto("searchbox", "Search by name", "PRICES")
	s.Lacks("button", "harvest.png")
	s.Press("button", "prices.pdf")
	s.Says("Nothing uses it.")
	s.Press("button", "Close")

	s.Open(srv.URL() + "/settings/replies")
	s.Press("button", "New reply")
	s.Write("Name", "prices")
	s.Write("Text", "Our prices, {{contact.first_name}}.")
	s.Press("button", "Attach a file")
	s.Press("button", "prices.pdf")
	s.Says("prices.pdf")
	s.Accessible()
	s.pressInDialog("Save")
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "How much?"})
	s.openConversation(srv, "Dewi Pratiwi")
	s.Write("Message", "/pric")
	s.Has("listbox", "Suggestions")
	s.enter()
	s.Has("button", "Remove prices.pdf")
	s.Until(`document.querySelector('[aria-label=Message]').value === "Our prices, Dewi."`)
	s.Press("button", "Send")
	got := s.onPhone(dewi, wrote("business", "Our prices, Dewi."))
	if got.Type != "document" || got.File == nil || got.File.Filename != "prices.pdf" {
		t.Errorf("the phone got %+v", got)
	}

	s.Open(srv.URL() + "/media")
	s.Press("button", "prices.pdf")
	s.Says("Canned replies: prices")
	s.Says("1 message")
	s.Accessible()
	s.Picture("file")
	s.Press("button", "Delete")
	s.Says("Canned replies lose the file and keep their text.")
	s.does(`[...document.querySelectorAll("[role=dialog] button[type=submit]")].find(b => b.innerText === "Delete").click()`)
	s.Lacks("button", "prices.pdf")
	s.Content()
}
