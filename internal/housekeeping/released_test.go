package housekeeping_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The conversations of a user who has left go back to the queue, however many there are.
func TestWhatTheGoneHaveIsReleased(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := storetest.Open(t, engine)
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		h := start(t, st, slog.New(slog.DiscardHandler))
		const many = 120
		gone := chat.User{OrgID: org.ID, ID: "usr_gone", Email: "gone", Role: chat.RoleAgent, Sees: chat.SeesAll, DisabledAt: new(time.Now())}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for range many {
				c := chat.Conversation{
					ID: tx.NewID(chat.KindConversation), OrgID: org.ID, AccountID: account.ID, ContactID: tx.NewID(chat.KindContact),
					Status: chat.ConversationOpen, AssignedTo: &gone.ID, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
				}
				if err := tx.InsertConversation(c); err != nil {
					return err
				}
			}
			return tx.InsertUser(gone)
		})
		h.Sweep(t.Context())
		n, err := st.Read(t.Context()).InboxCount(gone, store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewUnassigned}})
		if err != nil || n.Open != many {
			t.Errorf("%d are free again, %v", n.Open, err)
		}
	})
}
