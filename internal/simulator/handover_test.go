package simulator

import (
	"testing"
	"time"
)

// TestHandOver shows that past chats come with the names of their people, then their files, and appear on handsets.
func TestHandOver(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	at0 := r.clock.now().Add(-48 * time.Hour)
	body := map[string]string{"body": "Halo"}
	ids, err := r.sim.HandOver(testNumber, []Past{{Phone: "+" + dewi, Name: "Dewi P.", Lines: []PastLine{
		{At: at0, Type: "text", Content: body},
		{At: at0.Add(time.Minute), Outbound: true, Type: "image", File: &InboundFile{MimeType: "image/png", Data: []byte("png")}, Quotes: 1, Status: "DELIVERED"},
		{At: at0.Add(time.Hour), Type: "reaction", Content: "👍", Reacts: 2},
	}}})
	if err != nil || len(ids) != 1 || len(ids[0]) != 3 {
		t.Fatalf("%v %v", ids, err)
	}
	r.settle(0)
	all := r.recv.all()
	if len(all) != 3 || dig(all[0].value, "state_sync", 0, "contact", "full_name") != "Dewi P." {
		t.Fatalf("callbacks: %v", all)
	}
	thread := at[[]any](t, all[1].value, "history", 0, "threads", 0, "messages")
	for i, want := range []string{"text", "media_placeholder", "reaction"} {
		if dig(thread[i], "type") != want || dig(thread[i], "id") != ids[0][i] {
			t.Errorf("line %d: %v", i, thread[i])
		}
	}
	if dig(thread[1], "history_context", "status") != "DELIVERED" || dig(thread[2], "reaction", "message_id") != ids[0][1] {
		t.Errorf("thread: %v", thread)
	}
	if file := dig(all[2].value, "message_echoes", 0); dig(file, "image", "mime_type") != "image/png" || dig(file, "context", "id") != ids[0][0] {
		t.Errorf("file: %v", all[2].value)
	}
	if chat := r.chat(); len(chat) != 2 || chat[1].Mark != "👍" || chat[1].Quoted.Text != "Halo" || chat[1].Unread {
		t.Errorf("the handset: %+v", chat)
	}
	if _, err := r.sim.HandOver(testNumber, []Past{{Phone: "12"}}); err == nil {
		t.Error("a phone of two digits")
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	must(t, r.sim.Unreachable(testPerson[1:], 131026))
	id := r.send(text(testPerson, "x"))
	r.settle(time.Minute)
	if got := r.recv.failureOf(t, id); got != 131026 {
		t.Errorf("failed with %d", got)
	}
}
