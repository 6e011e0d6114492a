package onboard_test

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// inOrder checks that a page contains the parts one after the other.
func (s seen) inOrder(t *testing.T, parts ...string) {
	t.Helper()
	rest := s.body[strings.Index(s.body, "<main"):]
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("%q is missing, or too early: %s", part, s.body)
		}
		rest = after
	}
}

// TestWelcomeIsReadFromTheTop checks the order: who asks comes first, and the warning before its button.
func TestWelcomeIsReadFromTheTop(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	_, address := r.link(chat.NewSetupLink{})
	b := newBrowser(t)
	b.get(address).inOrder(t, `class="brand"`, "Acme &amp; Söhne", "<h1", "Toko Maju", "<time", "in 7 days", "Go on only if you know", `class="button"`, "<ol")
	b.accept = "id"
	b.get(address).inOrder(t, `class="brand"`, "Acme &amp; Söhne", "<h1", "Toko Maju", "<time", "7 hari lagi", "Lanjutkan hanya jika", `class="button"`, "<ol")
}

// TestCancellingIsNoFailure tells a visitor who cancelled that nothing happened, and offers to go on.
func TestCancellingIsNoFailure(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		link, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		page := b.get(b.decide(b.begin(address), "cancel", nil))
		page.says(t, http.StatusOK, "Nothing was connected", "Acme &amp; Söhne was given no access. You can go on whenever you like.")
		page.inOrder(t, `class="rest"`, "in 7 days", "Go on only if you know", `href="`+address[len(r.url):]+`/start"`)
		for _, alarm := range []string{"signup_cancelled", "Reason", "Try again", `class="stop"`} {
			if strings.Contains(page.body, alarm) {
				t.Errorf("the page says %q: %s", alarm, page.body)
			}
		}
		r.untouched(link)
	})
}

// TestDates formats dates as people write them, in UTC where the zone is unknown.
func TestDates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 3, 23, 5, 0, 0, time.FixedZone("", -2*3600))
	for accept, want := range map[string]string{"en": "Monday, 4 May, 01:05 UTC", "id": "Senin, 4 Mei, 01.05 UTC"} {
		if got := onboard.Date(accept, at); got != want {
			t.Errorf("%s: got %q, want %q", accept, got, want)
		}
	}
	for left, want := range map[time.Duration][2]string{
		720 * time.Hour:                 {"in 30 days", "30 hari lagi"},
		7*24*time.Hour - time.Minute:    {"in 7 days", "7 hari lagi"},
		36 * time.Hour:                  {"in 2 days", "2 hari lagi"},
		36*time.Hour - time.Nanosecond:  {"in 36 hours", "36 jam lagi"},
		90 * time.Minute:                {"in 2 hours", "2 jam lagi"},
		59*time.Minute + 50*time.Second: {"in 60 minutes", "60 menit lagi"},
		90 * time.Second:                {"in 2 minutes", "2 menit lagi"},
		time.Second:                     {"in a minute", "semenit lagi"},
	} {
		if got := [2]string{onboard.Remaining("en", left), onboard.Remaining("id", left)}; got != want {
			t.Errorf("%s: got %q, want %q", left, got, want)
		}
	}
}

// TestNumbersAreReadable groups the digits after the country's code.
func TestNumbersAreReadable(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"+628125550100": "+62 812 555 0100", "+6281255501001": "+62 812 5550 1001", "+12125550100": "+1 212 555 0100", "+79161234567": "+7 916 123 4567",
		"+4930555000": "+49 3055 5000", "+35312345678": "+353 1234 5678", "+12345": "+1 2345", "": "", "+62": "+62", "628125550100": "628125550100",
	} {
		if got := onboard.Readable(number); got != want {
			t.Errorf("%s is written %q, want %q", number, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		number := "+" + rapid.StringMatching(`[1-9][0-9]{4,14}`).Draw(t, "number")
		got := onboard.Readable(number)
		if strings.ReplaceAll(got, " ", "") != number {
			t.Errorf("%s became %s", number, got)
		}
		for _, group := range strings.Fields(got)[1:] {
			if len(number) >= 10 && (len(group) < 3 || len(group) > 5) {
				t.Errorf("%s became %s", number, got)
			}
		}
	})
}

// TestColoursCanBeRead wants a contrast of 4.5 to 1 between text and background, in light and in dark.
func TestColoursCanBeRead(t *testing.T) {
	t.Parallel()
	light, dark, _ := strings.Cut(onboard.PageCSS, "prefers-color-scheme: dark")
	for name, css := range map[string]string{"light": light, "dark": dark} {
		for _, pair := range []string{
			"ink card", "soft card", "on-accent accent", "accent tint", "stop stop-tint", "wait wait-tint",
		} {
			text, ground, _ := strings.Cut(pair, " ")
			if got := contrast(luminance(t, css, text), luminance(t, css, ground)); got < 4.5 {
				t.Errorf("%s: %s on %s has %.2f", name, text, ground, got)
			}
		}
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// luminance is the brightness of a colour of the style, by the formula of WCAG.
func luminance(t *testing.T, css, name string) float64 {
	t.Helper()
	found := regexp.MustCompile(`--` + name + `: #([0-9a-f]{3,6})[;\s]`).FindStringSubmatch(css)
	if found == nil {
		t.Fatalf("there is no colour %s", name)
	}
	hex := found[1]
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	var parts [3]uint8
	if _, err := fmt.Sscanf(hex, "%02x%02x%02x", &parts[0], &parts[1], &parts[2]); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part := float64(parts[i]) / 255
		if part <= 0.04045 {
			sum += weight * part / 12.92
		} else {
			sum += weight * math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return sum
}
