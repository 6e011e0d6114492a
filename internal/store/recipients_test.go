package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The engine may know nothing yet of a broadcast that has just been filled.
func TestRecipientsOfANewBroadcastAreFoundByTheirStatus(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st, org := justFilled(t, engine)
		plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error {
			waiting, err := tx.FirstRecipients("bct_new", chat.RecipientWaiting, "", 10)
			if err != nil || len(waiting) != 10 {
				return fmt.Errorf("%d of 10 wait: %w", len(waiting), err)
			}
			if still, err := tx.StillWaiting("bct_new", waiting); err != nil || len(still) != 10 {
				return fmt.Errorf("%d of 10 still wait: %w", len(still), err)
			}
			if _, _, err := tx.QueuedFirst(org.ID, "bct_new", "", 10); err != nil {
				return err
			}
			if _, err := tx.LostMessages(org.ID, "bct_new", 10); err != nil {
				return err
			}
			skipped, err := tx.SkipWaiting(org.ID, "bct_new", "stopped", 10)
			if err == nil && skipped != 10 {
				err = fmt.Errorf("%d of 10 were skipped", skipped)
			}
			return err
		})
		requireNoError(t, err)
		for _, plan := range plans {
			if !strings.Contains(plan, "broadcast_recipients_by_status") || strings.Contains(plan, "broadcast_recipients_once") || strings.Contains(plan, "Sort") {
				t.Errorf("the recipients are not found by their status:\n%s", plan)
			}
		}
		want := map[storetest.Engine]int{storetest.SQLite: 4, storetest.Postgres: 5}[engine] // SQLite need not look who still waits
		if len(plans) != want {
			t.Errorf("there are %d plans, want %d", len(plans), want)
		}
	})
}

// Nor may it look at everybody to see whether some are recipients.
func TestRecipientsOfANewBroadcastAreFoundByTheirAddress(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st, _ := justFilled(t, engine)
		plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error {
			found, err := tx.RecipientsAmong("bct_new", []string{"+49170000001", "+49170000002", "DE.none"})
			if err == nil && (len(found) != 2 || !found["+49170000001"] || !found["+49170000002"]) {
				err = fmt.Errorf("found are %v", found)
			}
			return err
		})
		requireNoError(t, err)
		if len(plans) != 1 || !strings.Contains(plans[0], "broadcast_recipients_once") {
			t.Errorf("the recipients are not found by their address:\n%s", plans)
		}
	})
}

// justFilled is a store with an old broadcast, and with bct_new, which came after the engine's statistics.
func justFilled(t *testing.T, engine storetest.Engine) (*store.Store, storetest.Organization) {
	t.Helper()
	const people = 2_000
	st := storetest.Open(t, engine)
	org := storetest.Org(t, st)
	fillBroadcast(t, st, org.ID, "bct_old", 20*people)
	requireNoError(t, st.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, "ANALYZE")
		return err
	}))
	fillBroadcast(t, st, org.ID, "bct_new", people)
	return st, org
}

func fillBroadcast(t *testing.T, st *store.Store, orgID, broadcastID string, people int) {
	t.Helper()
	recipients := make([]chat.Recipient, people)
	for i := range recipients {
		recipients[i] = chat.Recipient{Address: fmt.Sprintf("+4917%07d", i), Status: chat.RecipientWaiting}
	}
	requireNoError(t, st.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertRecipients(orgID, broadcastID, true, recipients)
		return err
	}))
}
