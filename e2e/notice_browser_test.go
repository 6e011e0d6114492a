//go:build browser

package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestDashboardVoiceNote: a recording that the browser makes as WebM arrives as OGG, which phones play.
func TestDashboardVoiceNote(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	s := OpenScreen(t, 1440, 900, chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true))
	signIn(t, s, srv)
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Tell me"})
	s.openConversation(srv, "Dewi Pratiwi")
	s.Press("button", "Voice message")
	s.Says("0:02")
	s.clickBeside() // which does not throw the recording away
	s.Accessible()
	s.Press("button", "Stop")
	s.Until(`!!document.querySelector("[role=dialog] audio")`)
	s.pressInDialog("Send")
	got := s.onPhone(dewi, func(l phoneLine) bool { return l.From == "business" && l.Type == "audio" })
	if got.File == nil || !strings.HasPrefix(got.File.MimeType, "audio/ogg") || got.File.Size < 1000 {
		t.Errorf("the phone got %+v", got.File)
	}
	s.Until(inside("Messages") + `.querySelector("audio")?.duration > 1`)
	s.Content()
}

// notices keeps the desktop notifications.
const notices = `window.notices = []
window.Notification = class { static permission = "granted"; static requestPermission = async () => "granted"; close() {}
	constructor(title, { body }) { window.notices.push(title + ": " + body); window.lastNotice = this } }`

// TestDashboardNotices: the title counts unread messages, and a desktop notification is shown, but not for the open
// thread.
func TestDashboardNotices(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	s := OpenScreen(t, 1440, 900)
	call(s.Browser, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: notices +
		`; localStorage.setItem("parley-notifications", JSON.stringify({about: "unassigned", desktop: true, sound: true}))`})
	signIn(t, s, srv)
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Is anybody there?"})
	s.Until(`document.title === "(1) Inbox · Parley"`)
	s.Until(`document.querySelector("link[rel~=icon]").href !== new URL("/favicon.svg", location).href`)
	s.Until(`window.notices.includes("New message from Dewi Pratiwi: Is anybody there?")`)
	s.does(`window.lastNotice.onclick()`) // the notification leads there
	s.SaysIn("Messages", "Is anybody there?")
	s.Until(`document.title === "Dewi Pratiwi · Parley"`) // the message has been seen
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Hello?"})
	s.SaysIn("Messages", "Hello?")
	s.phoneWrites(jonas, map[string]any{"type": "text", "text": "Guten Tag"})
	s.Until(`window.notices.includes("New message from Jonas Meyer: Guten Tag")`)
	s.Holds(`!window.notices.some(n => n.endsWith("Hello?"))`)
	s.Content()
}

// TestDashboardNewConversation: a template starts a conversation with a new person, and goes to the existing thread if
// there is one.
func TestDashboardNewConversation(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	existing := s.conversationOf("Thandi Mokoena") // with the number that is selected at first
	s.Open(srv.URL() + "/inbox/all")
	for _, to := range []string{"+49 151 555 00 177", "+27 825 5501 42"} {
		s.Press("button", "New conversation")
		s.Write("Phone number", to)
		s.Write("Search templates", "hello_world")
		s.pressTemplate("hello_world")
		s.Accessible()
		s.Press("button", "Send template")
		s.Lacks("dialog", "New conversation")
		s.SaysIn("Messages", "Welcome")
	}
	s.Until(`location.pathname.endsWith(` + quote(existing) + `)`)
	s.timeline(existing, func(i storedItem) bool {
		return i.Message != nil && i.Message.Type == "template" && (i.Message.Status == "delivered" || i.Message.Status == "read")
	})
	s.Content()
}
