//go:build browser

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// picture is a PNG of the given size.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// handFiles gives files to the page in an event: "paste" at the field, "drop" at the page.
func (s *Screen) handFiles(event string, files map[string]int) {
	s.t.Helper()
	made := ""
	for name, size := range files {
		made += fmt.Sprintf("d.items.add(new File([new Uint8Array(%d)], %q, {type: 'application/pdf'}));", size, name)
	}
	s.Has("textbox", "Message")
	s.does(`const d = new DataTransfer(); ` + made + `
		const field = document.querySelector('[aria-label=Message]')
		field.focus()
		field.dispatchEvent('` + event + `' === 'paste' ? new ClipboardEvent('paste', {clipboardData: d, bubbles: true, cancelable: true})
			: new DragEvent('drop', {dataTransfer: d, bubbles: true, cancelable: true}))`)
}

// TestDashboardMedia: files from the phone are shown and played, and an agent's attachments arrive.
func TestDashboardMedia(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.phoneWrites(dewi, map[string]any{"type": "image", "text": "The lamp", "file": map[string]any{
		"mime_type": "image/png", "filename": "lamp.png", "data": base64.StdEncoding.EncodeToString(picture(t, 640, 480))}})
	s.phoneWrites(dewi, map[string]any{"type": "audio"})
	s.phoneWrites(dewi, map[string]any{"type": "document", "file": map[string]any{
		"mime_type": "application/pdf", "filename": "order.pdf", "data": base64.StdEncoding.EncodeToString([]byte("%PDF-1.4 order"))}})
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.Has("image", "The lamp")
	s.Until(`document.querySelector('img[alt="The lamp"]')?.naturalWidth === 640`)
	s.Says("order.pdf")
	s.Has("button", "Play")
	s.Until(inside("Messages") + `.querySelector('audio').duration > 0`)
	s.Press("button", "Play")
	s.Has("button", "Pause")

	s.chooseFiles("Attach a file", writeFile(t, "receipt.png", picture(t, 20, 10)))
	s.handFiles("paste", map[string]int{"terms.pdf": 3000})
	s.handFiles("drop", map[string]int{"prices.pdf": 4000})
	s.Has("button", "Remove receipt.png")
	s.Has("button", "Remove terms.pdf")
	s.Press("button", "Remove prices.pdf")
	s.Lacks("button", "Remove prices.pdf")
	s.Write("Message", "Your receipt")
	s.Press("button", "Send")
	got := s.onPhone(dewi, wrote("business", "Your receipt"))
	if got.Type != "image" || got.File == nil || got.File.MimeType != "image/png" {
		t.Errorf("the phone got %+v", got)
	}
	got = s.onPhone(dewi, func(l phoneLine) bool { return l.From == "business" && l.Type == "document" })
	if got.File.Filename != "terms.pdf" || got.File.Size != 3000 {
		t.Errorf("the phone got %+v", got.File)
	}
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Type == "document" && i.Message.Status == "delivered" && i.Message.Media.Size == 3000
	})
	s.Lacks("progressbar", "Uploading")

	s.handFiles("paste", map[string]int{"film.pdf": 100<<20 + 1})
	s.Says("100 MB")
	s.Lacks("button", "Remove film.pdf")
	s.Accessible()
	s.Open(srv.URL() + "/media") // it has the files that were added to the library, and not those that were sent
	s.Says("The library is empty")
	s.Content()
}

// TestDashboardUploadBreaksOff: the connection is lost during an upload. The file is sent once when the connection is
// back.
func TestDashboardUploadBreaksOff(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo", "--demo-empty"))
	line := newLine(t, srv)
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "The plan, please"})
	id := s.conversationOf("Dewi Pratiwi")
	s.Open(line.url() + "/inbox/all/" + id)
	s.Has("textbox", "Message")
	s.handFiles("paste", map[string]int{"plan.pdf": 4 << 20})
	s.Has("button", "Remove plan.pdf")
	line.cutAfter(1 << 20)
	s.Press("button", "Send")
	s.Says("Offline")
	s.Has("progressbar", "Uploading")
	line.mend()
	is := func(i storedItem) bool { return i.Message != nil && i.Message.Type == "document" }
	s.Lacks("progressbar", "Uploading")
	if sent := s.timeline(id, is); sent.Message.Media.Size != 4<<20 {
		t.Errorf("the server has %+v", sent.Message.Media)
	}
	s.onPhone(dewi, func(l phoneLine) bool { return l.Type == "document" && l.File.Size == 4<<20 })
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Thanks"})
	s.SaysIn("Messages", "Thanks")
	if n := s.countOnPhone(dewi, func(l phoneLine) bool { return l.Type == "document" }); n != 1 {
		t.Errorf("the plan came %d times", n)
	}
	s.Content()
}
