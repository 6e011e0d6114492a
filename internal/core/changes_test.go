package core_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// An edit by the business with withheld content leaves the message as it is, and is stored as its own row.
func TestWithheldEdit(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.echo())
		w.Events()
		edit := w.edit("wamid.2", "wamid.1", "", w.Clock.Now())
		edit.Content, edit.ByBusiness = nil, true
		w.Clock.Advance(time.Second)
		w.Apply(edit, edit)
		w.Expect()
		messages := w.Messages()
		if len(messages) != 2 {
			t.Fatalf("there are %d messages", len(messages))
		}
		row, original := messages[0], messages[1]
		if row.Type != chat.TypeUnsupported || string(row.Content) != `{"type":"edit"}` || row.Context != "wamid.1" || row.ProviderID != "wamid.2" || row.Direction != chat.Outbound {
			t.Errorf("the row is %+v", row)
		}
		if string(original.Content) != `{"body":"from the app"}` || original.Edits != nil {
			t.Errorf("the original is %+v", original)
		}
		if c := w.Conversations()[0]; c.UnreadCount != 0 || !c.LastMessageAt.Equal(w.Clock.Now()) {
			t.Errorf("the conversation is %+v", c.Conversation)
		}
	})
}

// Edits and revocations by the business in the phone app change its messages without an event.
func TestBusinessEditsAndRevokes(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.echo())
		w.Events()
		edit := w.edit("wamid.2", "wamid.1", "better", w.Clock.Now())
		edit.ByBusiness = true
		revoke := provider.Revoke{Origin: w.Origin(), ProviderID: "wamid.3", OriginalID: "wamid.1", ByBusiness: true}
		w.Apply(edit, revoke, revoke)
		w.Expect()
		m := w.Messages()[0]
		if string(m.Content) != `{"body":"better"}` || !m.Revoked || m.Edits == nil {
			t.Errorf("the message is %+v", m)
		}
	})
}

// A revoked message keeps its row and its content, and emits one event.
func TestRevoke(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.Text("wamid.1", "hi"))
		w.Events()
		revoke := provider.Revoke{Origin: w.Origin(), ProviderID: "wamid.2", OriginalID: "wamid.1"}
		w.Apply(revoke)
		w.Apply(revoke)
		event := w.Expect(chat.EventMessageRevoked)[0]
		m := w.Messages()[0]
		if !m.Revoked || string(m.Content) != `{"body":"hi"}` || m.Status != chat.StatusDelivered {
			t.Errorf("the message is %+v", m)
		}
		var payload struct {
			Data struct {
				RevokedAt string `json:"revoked_at"`
			}
		}
		if err := json.Unmarshal(event.Payload, &payload); err != nil || payload.Data.RevokedAt != chat.FormatTime(w.Clock.Now()) {
			t.Errorf("a revocation without a time is told as %s", event.Payload) // it should have our own time then
		}
	})
}

// Edits come in any order. The message shows the latest, and each edit emits an event with what is known then.
func TestEditsInAnyOrder(t *testing.T) {
	type told struct {
		New      string                               `json:"new_content"`
		Original string                               `json:"original_content"`
		At       string                               `json:"edited_at"`
		History  []struct{ Content, EditedAt string } `json:"edit_history"`
	}
	eachCase(t, map[string][]int{
		"in order": {1, 2, 3}, "backwards": {3, 2, 1}, "the last first": {3, 1, 2}, "again and again": {2, 2, 1, 3, 1, 2, 3, 3},
	}, func(t *testing.T, w *world, order []int) {
		begin := w.Clock.Now()
		bodies := []string{"zero", "one", "two", "three"}
		w.Apply(w.Text("wamid.0", bodies[0]))
		w.Events()
		for _, i := range order {
			w.Apply(w.edit("wamid."+bodies[i], "wamid.0", bodies[i], begin.Add(time.Duration(i)*time.Minute)))
		}
		events := w.Expect(chat.EventMessageEdited, chat.EventMessageEdited, chat.EventMessageEdited)
		var last struct{ Data told }
		requireNoError(t, json.Unmarshal(events[2].Payload, &last))
		if last.Data.New != "three" || last.Data.Original != "zero" || last.Data.At != chat.FormatTime(begin.Add(3*time.Minute)) || len(last.Data.History) != 3 {
			t.Errorf("at the end it is told as %s", events[2].Payload)
		}
		for i, e := range last.Data.History {
			if e.Content != bodies[i] {
				t.Errorf("version %d is %q", i, e.Content)
			}
		}
		if m := w.Messages()[0]; string(m.Content) != `{"body":"three"}` {
			t.Errorf("the message says %s", m.Content)
		}
	})
}
