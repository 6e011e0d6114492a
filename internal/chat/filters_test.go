package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

// A filter comes back as it was given; fields that were left out stay absent.
func TestFiltersLeaveOut(t *testing.T) {
	t.Parallel()
	for want, filter := range map[string]any{
		`{}`:                        chat.ContactFilter{},
		`{"never_seen":true}`:       chat.ContactFilter{NeverSeen: true},
		`{"status":"any"}`:          chat.InboxFilter{Status: "any"},
		`{"unread":true}`:           chat.InboxFilter{Unread: true},
		`{"label_ids":["lbl_a"]}`:   chat.ContactFilter{LabelIDs: []string{"lbl_a"}},
		`{"filter":{"search":"x"}}`: chat.Audience{Filter: &chat.ContactFilter{Search: "x"}},
		`{"consent":"opted_in"}`:    chat.ContactFilter{Consent: chat.ConsentOptedIn},
	} {
		if got, err := json.Marshal(filter); err != nil || string(got) != want {
			t.Errorf("%+v is written as %s, not %s (%v)", filter, got, want, err)
		}
	}
}
