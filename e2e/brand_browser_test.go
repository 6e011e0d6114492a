//go:build browser

package e2e

import (
	"strings"
	"testing"
)

// TestDashboardBrand: an admin chooses a colour and a logo, and the page on which a customer connects a number shows
// them.
func TestDashboardBrand(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	s := OpenScreen(t, 1280, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/settings/org")
	s.Has("button", "Choose a logo")
	s.chooseFiles("Logo", writeFile(t, "logo.png", picture(t, 64, 64)))
	s.Has("button", "Remove the logo")
	s.Until(`document.querySelector('[aria-label="How the page will look"] img')?.naturalWidth === 64`)
	s.Write("Colour", "#be185d")
	s.does(`[...document.querySelectorAll("button")].filter(b => b.innerText === "Save" && !b.disabled)[0].click()`)
	becomes(s, "/organization", func(o struct {
		Color string `json:"brand_color"`
	}) bool {
		return o.Color == "#be185d"
	})
	s.Accessible()
	s.Picture("brand")

	link, err := s.run(`
		const post = async (path, body) => (await (await fetch("/app/api" + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json()).data
		const customer = await post("/customers", { name: "Toko Maju" })
		return (await post("/customers/" + customer.id + "/setup_links", {})).setup_url`)
	if err != nil {
		t.Fatal(err)
	}
	s.Open(strings.Trim(string(link), `"`))
	s.Says("Toko Maju")
	s.Until(`document.querySelector(".brand img")?.naturalWidth === 64`)
	s.Until(`getComputedStyle(document.querySelector("a.button")).backgroundColor === "rgb(190, 24, 93)"`)
	s.Picture("hosted")
	s.Content()
}
