package housekeeping_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// All conversations whose snooze has ended are open again, however many, and no others.
func TestWakeOpensWhatIsDue(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		h := start(t, st, slog.New(slog.DiscardHandler))
		const due, later = 45, 3
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range due + later {
				until := tx.Now().Add(time.Minute)
				if i >= due {
					until = until.Add(time.Millisecond)
				}
				c := chat.Conversation{
					ID: tx.NewID(chat.KindConversation), OrgID: org.ID, AccountID: account.ID, ContactID: tx.NewID(chat.KindContact),
					Status: chat.ConversationPending, SnoozedUntil: &until, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
				}
				if err := tx.InsertConversation(c); err != nil {
					return err
				}
			}
			return nil
		})
		clock.Advance(time.Minute)
		if err := h.WakeSnoozed(t.Context()); err != nil {
			t.Fatal(err)
		}
		u := chat.User{OrgID: org.ID, ID: "usr_x", Sees: chat.SeesAll}
		for view, want := range map[chat.InboxView]int{chat.ViewAll: due, chat.ViewSnoozed: later} {
			n, err := st.Read(t.Context()).InboxCount(u, store.InboxQuery{InboxFilter: chat.InboxFilter{View: view}})
			if err != nil || n.Open != want {
				t.Errorf("%s has %d, %v, want %d", view, n.Open, err, want)
			}
		}
	})
}

// Notes and happenings are kept as long as messages.
func TestRemarksAreKeptAsLongAsMessages(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		a := newArchive(t, st, files(t), "123456", new(int64(30)))
		u := chat.User{ID: "usr_x", OrgID: a.account.OrgID, Sees: chat.SeesAll}
		remark := func() {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				_, err := core.AddNote(tx, u, a.conversation.ID, "x", nil)
				return errors.Join(err, tx.InsertHappening(chat.Happening{
					ID: tx.NewID(chat.KindHappening), OrgID: u.OrgID, ConversationID: a.conversation.ID, What: chat.Resolved,
				}))
			})
		}
		remark()
		clock.Advance(time.Millisecond)
		remark()
		clock.Advance(30 * day)
		start(t, st, slog.New(slog.DiscardHandler)).Sweep(t.Context())
		timeline, err := core.ConversationTimeline(st.Read(t.Context()), u, a.conversation.ID, core.TimelinePlace{}, store.Page{Limit: 10})
		if err != nil || len(timeline.Items) != 2 {
			t.Errorf("left are %d, %v", len(timeline.Items), err)
		}
	})
}
