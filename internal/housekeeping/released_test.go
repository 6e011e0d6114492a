package housekeeping_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// The conversations of a user who has left go back to the queue, however many there are.
func TestWhatTheGoneHaveIsReleased(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const many = 120
		gone := chat.User{OrgID: h.Org.ID, ID: "usr_gone", Email: "gone", Role: chat.RoleAgent, Sees: chat.SeesAll, DisabledAt: new(time.Now())}
		h.InTx(func(tx *store.Tx) error {
			for range many {
				c := chat.Conversation{
					ID: tx.NewID(chat.KindConversation), OrgID: h.Org.ID, AccountID: h.Account.ID, ContactID: tx.NewID(chat.KindContact),
					Status: chat.ConversationOpen, AssignedTo: &gone.ID, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
				}
				if err := tx.InsertConversation(c); err != nil {
					return err
				}
			}
			return tx.InsertUser(gone)
		})
		h.sweep()
		n, err := h.Read().InboxCount(gone, store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewUnassigned}})
		if err != nil || n.Open != many {
			t.Errorf("%d are free again, %v", n.Open, err)
		}
	})
}
