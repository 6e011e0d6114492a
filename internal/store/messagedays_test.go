package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/migrations"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The step that packs days keeps what was counted before it, also of messages that are gone.
func TestPackingKeepsWhatWasCounted(t *testing.T) {
	step, err := migrations.Files.ReadFile("0041_packed_figures.sql")
	requireNoError(t, err)
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		execute(t, cfg, `DROP TABLE message_days; DROP TABLE packed_durations;
			CREATE TABLE message_counts (org_id TEXT, slot BIGINT, account_id TEXT, direction TEXT, status TEXT, error_code TEXT, count BIGINT);
			INSERT INTO message_counts VALUES
				('org', 86400000, 'one', 'inbound', 'delivered', '', 3),
				('org', 86400000, 'two', 'inbound', 'read', '', 4),
				('org', 87300000, 'one', 'outbound', 'pending', '', 1),
				('org', 87300000, 'one', 'outbound', 'queued', '', 1),
				('org', 87300000, 'one', 'outbound', 'failed', 'undeliverable', 5),
				('org', 87300000, 'two', 'outbound', 'failed', 'auth_expired', 6),
				('org', 172800000, 'two', 'outbound', 'read', '', 7)`)
		execute(t, cfg, string(step))
		r := storetest.OpenAt(t, cfg).Read(t.Context())
		from, until := time.UnixMilli(0), time.UnixMilli(200_000_000)
		counts, err := r.MessageCounts("org", nil, from, until)
		requireNoError(t, err)
		want := []store.SlotCount{{Slot: 86_400_000, Inbound: 7}, {Slot: 87_300_000, Unsent: 2, Failed: 11}, {Slot: 172_800_000, Read: 7}}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("the counts of all numbers:\n%s", diff)
		}
		counts, err = r.MessageCounts("org", []string{"two"}, from, until)
		requireNoError(t, err)
		want = []store.SlotCount{{Slot: 86_400_000, Inbound: 4}, {Slot: 87_300_000, Failed: 6}, {Slot: 172_800_000, Read: 7}}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("the counts of one number:\n%s", diff)
		}
		failures, err := r.FailureCounts("org", nil, from, until)
		requireNoError(t, err)
		if diff := cmp.Diff([]store.FailureCount{{Code: "auth_expired", Count: 6}, {Code: "undeliverable", Count: 5}}, failures); diff != "" {
			t.Errorf("the failures:\n%s", diff)
		}
	})
}

// Nodes that count different quarters of the same day at the same time lose nothing of each other.
func TestQuartersOfADayAreCountedTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
		requireAllNil(t, together(8, func(i int) error {
			slot := store.SlotOf(org.ID, noon.Add(time.Duration(i)*store.SlotLength))
			return st.InTx(context.Background(), func(tx *store.Tx) error {
				_, err := tx.PutMessageCounts(slot, 0, []store.MessageCount{{AccountID: "acc", Direction: chat.Inbound, Count: 1}})
				return err
			})
		}))
		for _, accounts := range [][]string{nil, {"acc"}} {
			counts, err := st.Read(t.Context()).MessageCounts(org.ID, accounts, noon, noon.Add(24*time.Hour))
			requireEqual(t, len(counts), err, 8)
		}
	})
}
