package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Screen is a browser that shows the dashboard. Tests use it like a person who cannot see it: every element that is
// pressed or filled in is found by its role and its name.
type Screen struct{ *Browser }

// OpenScreen starts a browser with a window of the given size.
func OpenScreen(t *testing.T, width, height int64, flags ...chromedp.ExecAllocatorOption) *Screen {
	t.Helper()
	s := &Screen{startBrowser(t, chromedp.EmulateViewport(width, height), flags...)}
	call(s.Browser, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Jakarta"})
	call(s.Browser, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // a person looks at it
	return s
}

// find looks for a visible element by its role and name.
func (s *Screen) find(role, name string) (id runtime.RemoteObjectID, found bool) {
	root, err := chromedp.Call(s.ctx, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return "", false
	}
	tree, err := chromedp.Call(s.ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{
		NodeID: root.Root.NodeID, Role: role, AccessibleName: name,
	})
	if err != nil {
		return "", false
	}
	for _, node := range tree.Nodes {
		if node.Ignored {
			continue
		}
		object, err := chromedp.Call(s.ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.BackendDOMNodeID})
		if err == nil {
			return object.Object.ObjectID, true
		}
	}
	return "", false
}

// await waits for an element by its role and name.
func (s *Screen) await(role, name string) (id runtime.RemoteObjectID) {
	s.t.Helper()
	found := eventually(func() (ok bool) {
		id, ok = s.find(role, name)
		return ok
	})
	if !found {
		s.fail("there is no %s named %q", role, name)
	}
	return id
}

// fail ends the test with a picture of the screen.
func (s *Screen) fail(format string, args ...any) {
	s.t.Helper()
	s.Picture("failed")
	s.t.Fatalf("%s, at %s, which says:\n%s", fmt.Sprintf(format, args...), s.where(), s.text())
}

// text is the whole text of the page.
func (s *Screen) text() string {
	text, err := chromedp.Run(s.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// on calls a JavaScript function on an element.
func (s *Screen) on(id runtime.RemoteObjectID, function string) {
	s.t.Helper()
	call(s.Browser, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: id, FunctionDeclaration: function, UserGesture: new(true)})
}

// Press presses an element by its role and name, such as a button, a link or a tab.
func (s *Screen) Press(role, name string) {
	s.t.Helper()
	s.on(s.await(role, name), "function () { this.scrollIntoView({block: 'nearest'}); this.focus(); this.click() }")
}

// Write replaces the content of a field.
func (s *Screen) Write(name, text string) { s.t.Helper(); s.writeInto("textbox", name, text) }

func (s *Screen) writeInto(role, name, text string) {
	s.t.Helper()
	s.on(s.await(role, name), "function () { this.focus(); this.select?.() }")
	call(s.Browser, input.InsertText, input.InsertTextParams{Text: text})
}

// Has waits until there is an element with a role and a name.
func (s *Screen) Has(role, name string) { s.t.Helper(); s.await(role, name) }

// Lacks waits until there is no such element.
func (s *Screen) Lacks(role, name string) {
	s.t.Helper()
	if !eventually(func() bool { _, found := s.find(role, name); return !found }) {
		s.fail("there is still a %s named %q", role, name)
	}
}

// Says waits until the page contains a text.
func (s *Screen) Says(text string) {
	s.t.Helper()
	if !eventually(func() bool { return strings.Contains(s.text(), text) }) {
		s.fail("the page does not say %q", text)
	}
}

// Picture saves a picture of the window.
func (s *Screen) Picture(name string) {
	s.t.Helper()
	picture, err := chromedp.Run(s.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(s.t.ArtifactDir(), name+".png"), picture, 0o644)
	}
	if err != nil {
		s.t.Logf("no picture: %v", err)
	}
}

// Scheme makes the browser prefer light or dark.
func (s *Screen) Scheme(scheme string) {
	s.t.Helper()
	call(s.Browser, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	eventually(func() bool { // until the transition of colours has ended
		return s.holds("document.documentElement.dataset.mantineColorScheme === '" + scheme + "' && document.getAnimations().every(a => a.playState !== 'running' || a.effect?.getTiming().iterations === Infinity)")
	})
}

// violation is a problem that axe finds on a page.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

// Accessible checks with axe that nothing serious is wrong with the page, in light and in dark.
func (s *Screen) Accessible() {
	s.t.Helper()
	axe, err := os.ReadFile("testdata/axe.min.js")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		s.Scheme(scheme)
		call(s.Browser, runtime.Evaluate, runtime.EvaluateParams{Expression: string(axe)})
		result, err := chromedp.Call(s.ctx, runtime.Evaluate, runtime.EvaluateParams{
			Expression:   "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations))",
			AwaitPromise: new(true), ReturnByValue: new(true),
		})
		if err != nil {
			s.t.Fatal(err)
		}
		var text string
		var violations []violation
		if err := json.Unmarshal(result.Result.Value, &text); err != nil {
			s.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &violations); err != nil {
			s.t.Fatal(err)
		}
		for _, v := range violations {
			if v.Impact != "serious" && v.Impact != "critical" {
				continue
			}
			for _, node := range v.Nodes {
				s.t.Errorf("%s, in %s: %s (%s)\n%s\n%s", s.where(), scheme, v.Help, v.ID, node.HTML, node.FailureSummary)
			}
		}
	}
	s.Scheme("light")
}

// holds tells whether a JavaScript condition holds.
func (s *Screen) holds(condition string) bool {
	holds, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](condition))
	return err == nil && holds
}
