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

// Callbacks come in any order; where a message ends does not depend on it.
func TestAdvanceDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		reports := rapid.SliceOf(rapid.SampledFrom(chat.MessageStatuses)).Draw(t, "reports")
		shuffled := rapid.Permutation(reports).Draw(t, "shuffled")
		if a, b := last(reports), last(shuffled); a != b {
			t.Fatalf("%s in one order, %s in the other", a, b)
		}
	})
}

func last(reports []chat.MessageStatus) chat.MessageStatus {
	status := chat.StatusQueued
	for _, next := range reports {
		status, _ = status.Advance(next)
	}
	return status
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
