//go:build browser

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// The home page says how many people wait, and leads to a list with that many.
func TestDashboardHome(t *testing.T) {
	t.Parallel()
	_, s := atDesk(t)
	s.Press("link", "Home")
	s.Has("heading", "When people write")
	s.Accessible()
	said, err := chromedp.Run(s.ctx, chromedp.Evaluate[int](`parseInt(document.querySelector("[aria-label='Needs attention'] strong").textContent)`))
	if err != nil || said == 0 {
		t.Fatalf("%d people wait, %v", said, err)
	}
	s.PressIn("Needs attention", "waiting for a reply")
	s.Has("list", "Conversations")
	s.Holds(fmt.Sprintf(`document.querySelectorAll("[aria-label=Conversations] a").length === %d`, said))
	s.Content()
}
