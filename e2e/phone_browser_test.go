//go:build browser

package e2e

import (
	"testing"
)

// TestPhoneDrawer: an empty inbox offers the phone, which opens beside the thread and belongs to the person in it.
func TestPhoneDrawer(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t, "--demo-empty")
	s.Open(srv.URL() + "/inbox/mine")
	s.Press("button", "Write from the simulated phone")
	s.Choose("Write as", dewi)
	s.writeFromPhone("Is this a shop?")
	s.PressIn("Views", "Unassigned")
	s.PressIn("Conversations", "Dewi Pratiwi")
	s.SaysIn("Messages", "Is this a shop?")
	s.Write("Message", "It is.")
	s.Press("button", "Send")
	s.SaysIn("Chat with Demo on the phone", "It is.")
	s.onPhone(dewi, wrote("business", "It is."))

	s.phoneWrites(jonas, map[string]any{"type": "text", "text": "Guten Tag"})
	s.PressIn("Views", "All")
	s.PressIn("Conversations", "Jonas Meyer")
	s.Until(`document.querySelector('aside[aria-label="Simulated phone"] select').value === "` + jonas + `"`)
	s.SaysIn("Chat with Demo on the phone", "Guten Tag")
	s.chooseFiles("Document…", writeFile(t, "offer.txt", []byte("an offer")))
	s.SaysIn("Messages", "offer.txt")
	s.Accessible()
	s.Press("button", "Simulated phone")
	s.Lacks("complementary", "Simulated phone")
	s.Content()
}

// TestPhoneAfterARestart: the chats, their files and the windows are as before.
func TestPhoneAfterARestart(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	s.phoneWrites(dewi, map[string]any{"type": "image", "text": "Before the restart"})
	path := "/phone/handsets/" + dewi + "/messages?number=" + demoNumber
	before := stored[[]phoneLine](s, path)
	listen := "--listen=" + srv.URL()[len("http://"):]
	srv.Stop()
	srv.flags = append(srv.flags, listen)
	srv.Restart()
	s.Open(srv.URL() + "/phone")
	s.Choose("Write as", dewi)
	s.SaysIn("Chat with Demo on the phone", "Before the restart")
	s.Until(inside("Chat with Demo on the phone") + `.querySelector("img")?.naturalWidth > 0`)
	after := stored[[]phoneLine](s, path)
	if len(after) != len(before) {
		t.Errorf("%d messages became %d", len(before), len(after))
	}
	for i := range min(len(before), len(after)) {
		if before[i].ID != after[i].ID || before[i].Text != after[i].Text {
			t.Errorf("%+v became %+v", before[i], after[i])
		}
	}
	id := s.openConversation(srv, "Dewi Pratiwi")
	s.Write("Message", "After the restart")
	s.Press("button", "Send")
	s.onPhone(dewi, wrote("business", "After the restart"))
	s.timeline(id, func(i storedItem) bool {
		return i.Message != nil && i.Message.Text.Body == "After the restart" && i.Message.Status == "delivered"
	})
	s.Content()
}
