package housekeeping_test

import (
	"errors"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// All conversations whose snooze has ended are open again, however many, and no others.
func TestWakeOpensWhatIsDue(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const due, later = 45, 3
		h.InTx(func(tx *store.Tx) error {
			for i := range due + later {
				until := tx.Now().Add(time.Minute)
				if i >= due {
					until = until.Add(time.Millisecond)
				}
				c := chat.Conversation{
					ID: tx.NewID(chat.KindConversation), OrgID: h.Org.ID, AccountID: h.Account.ID, ContactID: tx.NewID(chat.KindContact),
					Status: chat.ConversationPending, SnoozedUntil: &until, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
				}
				if err := tx.InsertConversation(c); err != nil {
					return err
				}
			}
			return nil
		})
		h.Clock.Advance(time.Minute)
		h.Must(h.keeper.WakeSnoozed(t.Context()))
		u := chat.User{OrgID: h.Org.ID, ID: "usr_x", Sees: chat.SeesAll}
		for view, want := range map[chat.InboxView]int{chat.ViewAll: due, chat.ViewSnoozed: later} {
			n, err := h.Read().InboxCount(u, store.InboxQuery{InboxFilter: chat.InboxFilter{View: view}})
			if err != nil || n.Open != want {
				t.Errorf("%s has %d, %v, want %d", view, n.Open, err, want)
			}
		}
	})
}

// Notes and happenings are kept as long as messages.
func TestRemarksAreKeptAsLongAsMessages(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		a := h.archive(new(int64(30)))
		u := chat.User{ID: "usr_x", OrgID: a.account.OrgID, Sees: chat.SeesAll}
		remark := func() {
			h.InTx(func(tx *store.Tx) error {
				_, err := core.AddNote(tx, u, a.conversation.ID, "x", nil)
				return errors.Join(err, tx.InsertHappening(chat.Happening{
					ID: tx.NewID(chat.KindHappening), OrgID: u.OrgID, ConversationID: a.conversation.ID, What: chat.Resolved,
				}))
			})
		}
		remark()
		h.Clock.Advance(time.Millisecond)
		remark()
		h.Clock.Advance(30 * day)
		h.sweep()
		timeline, err := core.ConversationTimeline(h.Read(), u, a.conversation.ID, core.TimelinePlace{}, store.Page{Limit: 10})
		if err != nil || len(timeline.Items) != 2 {
			t.Errorf("left are %d, %v", len(timeline.Items), err)
		}
	})
}
