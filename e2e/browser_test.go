package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

// chromium finds the browser. scripts/ensure-chromium does the same, and installs it if it may.
func chromium(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
	if _, err := os.Stat(mac); err == nil {
		return mac
	}
	t.Fatal("this test needs Chromium: run scripts/ensure-chromium, or set CHROMIUM to its path")
	return ""
}

// Browser is a tab of a small phone's browser, with its own profile.
type Browser struct {
	t          *testing.T
	ctx        context.Context
	complaints *loggingtest.Book
}

// OpenBrowser starts a browser that prefers a language. It runs no scripts of pages before RunScripts, because none is
// needed.
func OpenBrowser(t *testing.T, language string) *Browser {
	t.Helper()
	b := startBrowser(t, chromedp.EmulateViewport(360, 740, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.Ask(language)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return b
}

// startBrowser starts a browser with a window, and a tab in it.
func startBrowser(t *testing.T, window chromedp.Action[chromedp.Void], flags ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(options, flags...)...)
	t.Cleanup(cancel)
	return openTab(t, ctx, window)
}

// openTab opens the first tab of a browser, or another one.
func openTab(t *testing.T, in context.Context, window chromedp.Action[chromedp.Void]) *Browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(in)
	t.Cleanup(cancel)
	b := &Browser{t: t, ctx: ctx, complaints: &loggingtest.Book{}}
	b.do(window)
	b.listen()
	return b
}

// Ask makes the browser prefer another language.
func (b *Browser) Ask(language string) {
	b.t.Helper()
	name, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("navigator.userAgent"))
	if err != nil {
		b.t.Fatal(err)
	}
	call(b, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: name, AcceptLanguage: language})
}

// RunScripts lets pages run scripts from now on, in a time zone.
func (b *Browser) RunScripts(zone string) {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
}

// listen collects the browser's complaints, including breaches of a page's policy.
func (b *Browser) listen() {
	entries := chromedp.Events(b.ctx, cdplog.EntryAdded)
	go func() {
		for e, err := range entries {
			if err == nil && e.Entry.Source != cdplog.EntrySourceNetwork { // network entries are answers like 410
				b.complaints.Write([]byte(string(e.Entry.Source) + ": " + e.Entry.Text + "\n"))
			}
		}
	}()
	call(b, cdplog.Enable, cdp.Empty{})
}

func call[P, R any](b *Browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// do runs steps. Each must be possible soon.
func (b *Browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Steps()); err != nil { // this starts the browser
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v, at %s", err, b.where())
	}
}

func (b *Browser) where() string {
	url, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		return err.Error()
	}
	return url
}

// Open goes to an address.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// See waits for a heading and returns the whole text of the page.
func (b *Browser) See(heading string) (text string) {
	b.t.Helper()
	var title string
	found := eventually(func() bool {
		title, _ = chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.querySelector('h1')?.innerText ?? ''"))
		return title == heading
	})
	if !found {
		b.t.Fatalf("the page at %s says %q, want %q", b.where(), title, heading)
	}
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

// Click clicks the element that a selector names.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// Press presses a key.
func (b *Browser) Press(key string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
}

// Reload loads the page again.
func (b *Browser) Reload() {
	b.t.Helper()
	b.do(chromedp.Reload())
}

// Holds checks a JavaScript condition.
func (b *Browser) Holds(condition string) {
	b.t.Helper()
	if holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](condition)); err != nil || !holds {
		b.t.Errorf("at %s it does not hold that %s: %v", b.where(), condition, err)
	}
}

// ButtonOnScreen checks that the page's button is visible without scrolling.
func (b *Browser) ButtonOnScreen() {
	b.t.Helper()
	b.Holds("scrollY === 0 && innerWidth === 360 && innerHeight === 740 && document.querySelector('a.button').getBoundingClientRect().bottom <= innerHeight")
}

// Fill replaces the value of a field.
func (b *Browser) Fill(selector, value string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS(selector), value))
}

// Show takes a picture of the whole page in light and in dark, and checks that nothing is cut off at the sides.
func (b *Browser) Show(name string) {
	b.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
		if err != nil || wide {
			b.t.Errorf("%s is wider than the screen: %v, %v", name, wide, err)
		}
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+"-"+scheme+".png"), picture, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// Content checks that the browser had no complaints.
func (b *Browser) Content() {
	b.t.Helper()
	if said := b.complaints.String(); said != "" {
		b.t.Errorf("the browser complains: %s", said)
	}
}
