package housekeeping_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// A change that missed its message is applied by the next sweep; one whose message never comes is deleted.
func TestChangesCatchUp(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for _, original := range []string{"wamid.known", "wamid.never"} {
			h.Receive(provider.Revoke{Origin: h.Origin(), ProviderID: "revoke of " + original, OriginalID: original, ByBusiness: true})
		}
		h.InTx(func(tx *store.Tx) error { // as another node would, at the same instant
			return tx.InsertMessage(chat.Message{ID: tx.NewID(chat.KindMessage), OrgID: h.Org.ID, AccountID: h.Account.ID, ProviderID: "wamid.known", CreatedAt: tx.Now(), UpdatedAt: tx.Now()})
		})
		h.sweep()
		if m, err := h.Read().MessageByProviderID(h.Org.ID, h.Account.ID, "wamid.known"); err != nil || !m.Revoked {
			t.Errorf("the message is %+v, %v", m, err)
		}
		kept := func(original string) bool {
			_, changed, err := h.Read().Arriving(h.Org.ID, h.Account.ID, original)
			h.Must(err)
			return changed
		}
		h.Clock.Advance(core.EarlyChangeLife - time.Minute)
		h.sweep()
		if kept("wamid.known") || !kept("wamid.never") {
			t.Error("the change that was applied is kept, or the other one is gone")
		}
		h.Clock.Advance(2 * time.Minute)
		h.sweep()
		if kept("wamid.never") {
			t.Error("a change without a message is kept for ever")
		}
	})
}
