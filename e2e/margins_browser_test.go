//go:build browser

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestMargins: on a tablet the pages begin at the same place, the audit log's filters are in one line, none of Home's
// figures stands alone, fields are as high as buttons and nobody's contacts leave the names of the columns alone; on a
// phone buttons do not squeeze the words of a row.
func TestMargins(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 768, 900)
	signIn(t, s, srv)
	for _, page := range []string{"/", "/contacts", "/templates", "/media", "/broadcasts", "/numbers", "/customers"} {
		s.Open(srv.URL() + page)
		s.Until(`document.querySelector("main h1")?.getBoundingClientRect().x === 56 + 24`)
	}
	s.Open(srv.URL() + "/")
	s.Has("heading", "Messages per day")
	s.Until(`[...Map.groupBy(document.querySelectorAll("main dl > div"), (one) => one.getBoundingClientRect().top).values()].every((line, i, all) => line.length === all[0].length && line.length > 1)`)
	s.Open(srv.URL() + "/contacts?q=nobody+at+all")
	s.Has("button", "Clear filters")
	s.Until(`document.querySelector("main input[type=search], main input").getBoundingClientRect().height ===
		[...document.querySelectorAll("main button")].find((one) => one.textContent === "Filters").getBoundingClientRect().height`)
	s.Open(srv.URL() + "/settings/audit")
	s.Has("combobox", "When")
	s.Until(`new Set([...document.querySelectorAll("main [role=search] select")].map((one) => one.getBoundingClientRect().top)).size === 1`)

	s.does(fmt.Sprintf(`
		const file = await fetch("/app/api/contacts/imports?filename=people.csv", { method: "POST", headers: { "Content-Type": "text/csv" }, body: %q });
		const { data } = await file.json();
		const mapping = { header: true, columns: [{ column: 0, field: "phone_number" }], skip_existing: false, create_labels: true, label_ids: [] };
		const number = (await (await fetch("/app/api/me")).json()).data.numbers[0].phone_number_id;
		await fetch("/app/api/contacts/imports/" + data.job.id + "/start", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ number, mapping }) });`,
		"Phone\n+4915123456789\nnone\n"))
	s.do(chromedp.EmulateViewport(390, 844))
	s.Open(srv.URL() + "/contacts/import")
	s.Has("link", "Download errors")
	s.Until(`document.querySelector("main li a[download]").closest("li").firstElementChild.getBoundingClientRect().width >= 150`)
	s.Picture("import")
	s.Content()
}
