package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// One of several nodes has a job; the others cannot change it.
func TestAccountJobsHaveOneHolder(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		storetest.Alive(t, st, "node")
		claim := func() (jobs []store.AccountJob) {
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				jobs, err = tx.ClaimAccountJobs(store.JobConnected, "node", tx.Now().Add(time.Minute), time.Hour, 10)
				return err
			})
			return jobs
		}
		put := func() {
			storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutAccountJob(org.ID, "acc_1", store.JobConnected) })
		}
		put()
		first := claim()
		if len(first) != 1 || first[0].Kind != store.JobConnected || len(claim()) != 0 {
			t.Fatalf("claimed %+v", first)
		}
		clock.Advance(time.Minute)
		second := claim()
		if len(second) != 1 {
			t.Fatal("a claim that has run out is not taken over")
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if ours, err := tx.HoldAccountJob(first[0], tx.Now().Add(time.Hour), 1); err != nil || ours {
				t.Errorf("the first holder holds it still: %v, %v", ours, err)
			}
			if ours, err := tx.FinishAccountJob(first[0]); err != nil || ours {
				t.Errorf("the first holder ends it: %v, %v", ours, err)
			}
			return nil
		})
		put() // anew: the holder's result does not count
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if ours, err := tx.FinishAccountJob(second[0]); err != nil || ours {
				t.Errorf("a job that was put anew is ended: %v, %v", ours, err)
			}
			return nil
		})
		third := claim()
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if ours, err := tx.FinishAccountJob(third[0]); err != nil || !ours {
				t.Errorf("the holder cannot end it: %v, %v", ours, err)
			}
			return nil
		})
		if left, err := st.Read(t.Context()).AccountJobs(org.ID); err != nil || len(left) != 0 {
			t.Errorf("left are %v, %v", left, err)
		}
	})
}

// A purge deletes the rows of one account, and rows that refer to them, in batches of the given size.
func TestPurgeIsBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		gone, kept := storetest.Account(t, st, org, "111111"), storetest.Account(t, st, org, "222222")
		for i, account := range []chat.Account{gone, kept, gone, kept, gone} {
			contact := storetest.Contact(t, st, account, "+491511234567"+string(rune('0'+i)))
			storetest.Conversation(t, st, contact, nil)
		}
		var batches []int64
		for {
			var n int64
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				n, err = tx.PurgeAccount(org.ID, gone.ID, 4)
				return err
			})
			if batches = append(batches, n); n == 0 {
				break
			}
		}
		if len(batches) != 3 || batches[0] != 4 || batches[1] != 2 {
			t.Errorf("the batches are %v", batches)
		}
		left, err := st.Read(t.Context()).Contacts(org.ID, kept.ID, store.ContactFilter{}, store.Page{Limit: 10})
		if err != nil || len(left.Rows) != 2 {
			t.Errorf("the other account has %d contacts, %v", len(left.Rows), err)
		}
	})
}

// A table with rows of an account must be purged with it, or be listed here with a reason.
func TestEveryTableOfAnAccountIsPurged(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	kept := []string{
		"account_jobs", // the purge itself
		"setup_links",  // the customer's
		"message_days", // counted again when the messages are deleted
		"outcomes",     // durations without persons
		"packed_durations",
	}
	tables, err := store.TablesWith(t.Context(), st, "account_id")
	if err != nil || len(tables) < 8 {
		t.Fatalf("found %v, %v", tables, err)
	}
	purged := append(store.PurgedTables(), kept...)
	for _, table := range tables {
		if !slices.Contains(purged, table) {
			t.Errorf("%s is not purged: add it to purgeables", table)
		}
	}
}
