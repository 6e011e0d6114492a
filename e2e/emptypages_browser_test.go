//go:build browser

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDashboardMissing: an address that names something that is not there says so in words, and leads back.
func TestDashboardMissing(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	const none = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, page := range []struct{ path, says, role, back string }{
		{"/contacts/ctc_" + none, "Contact not found", "link", "Back to contacts"},
		{"/contacts/nonsense", "Contact not found", "link", "Back to contacts"},
		{"/customers/cus_" + none, "Customer not found", "link", "All customers"},
		{"/numbers/999", "Number not found", "link", "All numbers"},
		{"/broadcasts/brd_" + none, "Broadcast not found", "link", "All broadcasts"},
		{"/templates/none_of_them", "Template not found", "link", "All templates"},
		{"/templates/new?edit=none_of_them", "Template not found", "link", "All templates"},
		{"/templates/new?draft=tpd_" + none, "Draft not found", "link", "All templates"},
		{"/dev/webhooks/wbs_" + none, "Endpoint not found", "link", "All endpoints"},
		{"/dev/logs?id=req_" + none, "Request not found", "button", "Close"},
		{"/dev/events?id=evt_" + none, "Event not found", "button", "Close"},
		{"/dev/deliveries?id=wbd_" + none, "Delivery not found", "button", "Close"},
		{"/media?file=med_" + none, "File not found", "button", "Close"},
		{"/inbox/all/cnv_" + none, "Conversation not found", "button", "Back to the list"},
		{"/settings/nothing", "Page not found", "link", "Go to the inbox"},
		{"/nothing", "Page not found", "link", "Go to the inbox"},
	} {
		s.Open(srv.URL() + page.path)
		s.Has("heading", page.says)
		s.Has("navigation", "Main") // one can go on to any other page
		s.Accessible()
		if page.role == "link" {
			s.Holds(fmt.Sprintf(`[...document.querySelectorAll("main a")].filter(one => one.textContent === %q).length === 1`, page.back))
		}
		s.Press(page.role, page.back)
		s.Lacks("heading", page.says)
	}

	// Little is asked about a conversation that is not there. On a phone, too, the page has a name.
	s.do(chromedp.EmulateViewport(390, 844))
	s.Open(srv.URL() + "/inbox/all/cnv_" + none)
	s.Has("button", "Back to the list")
	s.Until(`[...document.querySelectorAll("h1")].filter(one => one.checkVisibility()).length === 1`)
	s.Holds(`performance.getEntriesByType("resource").filter(one => one.name.includes("/cnv_")).length <= 3`)
}

// TestDashboardEmptyPages: a list without anything says what it is for, and has a button for the first thing to do.
func TestDashboardEmptyPages(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	for path, first := range map[string][2]string{
		"/inbox/all":                {"button", "Write from the simulated phone"},
		"/contacts":                 {"button", "Add contact"},
		"/contacts?q=nobody":        {"button", "Clear filters"},
		"/templates?q=nothing":      {"button", "Clear filters"},
		"/templates?state=draft":    {"link", "New template"},
		"/media":                    {"button", "Upload files"},
		"/media?q=nothing":          {"button", "Clear filters"},
		"/broadcasts":               {"link", "New broadcast"},
		"/broadcasts?status=failed": {"button", "Clear filters"},
		"/customers?search=nobody":  {"button", "Clear filters"},
		"/dev/webhooks":             {"button", "Add endpoint"},
		"/dev/logs?path=nothing":    {"button", "Clear filters"},
		"/dev/deliveries":           {"link", "To the endpoints"},
		"/settings/replies":         {"button", "New reply"},
	} {
		s.Open(srv.URL() + path)
		s.Has(first[0], first[1])
		s.Accessible()
		if first[1] == "Clear filters" {
			s.Press("button", first[1])
			s.Lacks("button", first[1])
			s.Holds(`[...document.querySelectorAll("input[type=search]")].every(field => field.value === "")`)
		}
	}
}
