//go:build browser

package e2e

import (
	"testing"
)

// TestDashboardMissing: an address that names something that is not there says so in words, and leads back.
func TestDashboardMissing(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	const none = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, page := range []struct{ path, says, role, back string }{
		{"/contacts/ctc_" + none, "There is no such contact", "link", "Back to contacts"},
		{"/contacts/nonsense", "There is no such contact", "link", "Back to contacts"},
		{"/customers/cus_" + none, "There is no such customer", "link", "All customers"},
		{"/numbers/999", "There is no such number", "link", "All numbers"},
		{"/broadcasts/brd_" + none, "There is no such broadcast", "link", "All broadcasts"},
		{"/templates/none_of_them", "There is no such template", "link", "All templates"},
		{"/templates/new?edit=none_of_them", "There is no such template", "link", "All templates"},
		{"/templates/new?draft=tpd_" + none, "There is no such draft", "link", "All templates"},
		{"/dev/webhooks/wbs_" + none, "There is no such endpoint", "link", "All endpoints"},
		{"/dev/logs?id=req_" + none, "There is no such request", "button", "Close"},
		{"/dev/events?id=evt_" + none, "There is no such event", "button", "Close"},
		{"/dev/deliveries?id=wbd_" + none, "There is no such delivery", "button", "Close"},
		{"/media?file=med_" + none, "There is no such file", "button", "Close"},
		{"/inbox/all/cnv_" + none, "There is no such conversation", "button", "Back to the list"},
		{"/settings/nothing", "There is no such page", "link", "Go to the inbox"},
		{"/nothing", "There is no such page", "link", "Go to the inbox"},
	} {
		s.Open(srv.URL() + page.path)
		s.Has("heading", page.says)
		s.Accessible()
		s.Press(page.role, page.back)
		s.Lacks("heading", page.says)
	}
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
