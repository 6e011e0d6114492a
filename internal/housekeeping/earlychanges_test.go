package housekeeping_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A change that missed its message is applied by the next sweep; one whose message never comes is deleted.
func TestChangesCatchUp(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		h := start(t, st, slog.New(slog.DiscardHandler))
		applier := core.Applier{Log: slog.New(slog.DiscardHandler)}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for _, original := range []string{"wamid.known", "wamid.never"} {
				revoke := provider.Revoke{Origin: provider.Origin{PhoneNumberID: "123456"}, ProviderID: "revoke of " + original, OriginalID: original, ByBusiness: true}
				if err := applier.Apply(tx, revoke); err != nil {
					return err
				}
			}
			return nil
		})
		storetest.InTx(t, st, func(tx *store.Tx) error { // as another node would, at the same instant
			return tx.InsertMessage(chat.Message{ID: tx.NewID(chat.KindMessage), OrgID: org.ID, AccountID: account.ID, ProviderID: "wamid.known", CreatedAt: tx.Now(), UpdatedAt: tx.Now()})
		})
		h.Sweep(t.Context())
		if m, err := st.Read(t.Context()).MessageByProviderID(org.ID, account.ID, "wamid.known"); err != nil || !m.Revoked {
			t.Errorf("the message is %+v, %v", m, err)
		}
		kept := func(original string) bool {
			_, changed, err := st.Read(t.Context()).Arriving(org.ID, account.ID, original)
			if err != nil {
				t.Fatal(err)
			}
			return changed
		}
		clock.Advance(core.EarlyChangeLife - time.Minute)
		h.Sweep(t.Context())
		if kept("wamid.known") || !kept("wamid.never") {
			t.Error("the change that was applied is kept, or the other one is gone")
		}
		clock.Advance(2 * time.Minute)
		h.Sweep(t.Context())
		if kept("wamid.never") {
			t.Error("a change without a message is kept for ever")
		}
	})
}
