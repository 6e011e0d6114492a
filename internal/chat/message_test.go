package chat_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
)

func TestAdvance(t *testing.T) {
	t.Parallel()
	for i, from := range chat.MessageStatuses {
		for j, to := range chat.MessageStatuses {
			got, changed := from.Advance(to)
			if want := chat.MessageStatuses[max(i, j)]; got != want || changed != (j > i) {
				t.Errorf("%s, then %s: got %s, changed: %v", from, to, got, changed)
			}
		}
		if got, changed := from.Advance("unheard of"); got != from || changed {
			t.Errorf("%s, then an unknown status: got %s, changed: %v", from, got, changed)
		}
	}
}

// The final status does not depend on the order of the callbacks.
func TestHearDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.SampledFrom([]string{"sent", "delivered", "read", "played", "failed", "unheard of"})).Draw(t, "callbacks")
		begin := rapid.SampledFrom([]chat.MessageStatus{chat.StatusQueued, chat.StatusPending, chat.StatusSent, chat.StatusFailed}).Draw(t, "begin")
		a, b := hearAll(begin, names), hearAll(begin, rapid.Permutation(names).Draw(t, "in another order"))
		if a.Status != b.Status || a.Reports != b.Reports {
			t.Fatalf("%s in one order, %s in the other", a.Status, b.Status)
		}
	})
}

func hearAll(begin chat.MessageStatus, names []string) chat.Message {
	m := chat.Message{Status: begin}
	for _, name := range names {
		m.Hear(name)
	}
	return m
}

func TestHear(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		begin chat.MessageStatus
		heard []string
		want  chat.MessageStatus
	}{
		"the way":                        {chat.StatusSent, []string{"sent", "delivered", "read"}, chat.StatusRead},
		"late":                           {chat.StatusSent, []string{"read", "delivered", "sent"}, chat.StatusRead},
		"failed after it was read":       {chat.StatusSent, []string{"read", "failed"}, chat.StatusFailed},
		"read after it failed":           {chat.StatusSent, []string{"failed", "read"}, chat.StatusFailed},
		"our guess was wrong":            {chat.StatusFailed, []string{"sent"}, chat.StatusSent},
		"our guess was very wrong":       {chat.StatusFailed, []string{"read", "sent"}, chat.StatusRead},
		"our guess was right":            {chat.StatusFailed, []string{"failed", "delivered"}, chat.StatusFailed},
		"played says that it went out":   {chat.StatusFailed, []string{"played"}, chat.StatusSent},
		"played is no step on the way":   {chat.StatusRead, []string{"played"}, chat.StatusRead},
		"what nobody knows says nothing": {chat.StatusQueued, []string{"warning", ""}, chat.StatusQueued},
	} {
		if got := hearAll(test.begin, test.heard).Status; got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestVoiceNote(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		m    chat.Message
		want bool
	}{
		"a recording": {chat.Message{Type: chat.TypeAudio, Content: []byte(`{"voice":true}`)}, true},
		"music":       {chat.Message{Type: chat.TypeAudio, Content: []byte(`{"link":"https://a.b/c.mp3"}`)}, false},
		"a picture":   {chat.Message{Type: chat.TypeImage, Content: []byte(`{"voice":true}`)}, false},
	} {
		if got := test.m.VoiceNote(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestHasMedia(t *testing.T) {
	t.Parallel()
	for kind, want := range map[chat.MessageType]bool{
		chat.TypeImage: true, chat.TypeDocument: true, chat.TypeVideo: true, chat.TypeAudio: true,
		chat.TypeText: false, chat.TypeTemplate: false, chat.TypeInteractive: false, chat.TypeReaction: false,
		chat.TypeLocation: false, chat.TypeContacts: false, chat.TypeButton: false, chat.TypeUnsupported: false,
	} {
		if kind.HasMedia() != want {
			t.Errorf("%s: %v", kind, kind.HasMedia())
		}
	}
}

func TestEditedAt(t *testing.T) {
	t.Parallel()
	for edits, want := range map[string]string{
		"": "", "[]": "", "broken": "",
		`[{"edited_at":"2026-03-01T10:00:00.000Z"},{"edited_at":"2026-03-01T11:00:00.000Z"}]`: "2026-03-01T11:00:00.000Z",
	} {
		m := chat.Message{}
		if edits != "" {
			m.Edits = []byte(edits)
		}
		if got := m.EditedAt(); got != want {
			t.Errorf("%s: %q", edits, got)
		}
	}
}
