package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestIdempotencyRecords(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		rec := store.IdempotencyRecord{
			OrgID: "org_1", Key: "key", Fingerprint: "print", RequestID: "req_1", Status: 201,
			Body: "{\"a\": \"☃\\u0000\"}\n", CreatedAt: clock.Now(),
		}
		since := clock.Now().Add(-time.Millisecond)
		_, err := st.Read(t.Context()).IdempotencyRecord("org_1", "key", since)
		requireError(t, err, store.ErrNotFound)

		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.PutIdempotencyRecord(rec) })
		got, err := st.Read(t.Context()).IdempotencyRecord("org_1", "key", since)
		requireEqual(t, got, err, rec)

		for _, absent := range []struct {
			name, org, key string
			since          time.Time
		}{
			{"another organization", "org_2", "key", since},
			{"another key", "org_1", "KEY", since},
			{"as old as the window", "org_1", "key", clock.Now()},
		} {
			if _, err := st.Read(t.Context()).IdempotencyRecord(absent.org, absent.key, absent.since); err == nil {
				t.Errorf("%s: found a record", absent.name)
			}
		}
	})
}

func TestIdempotencyRecordIsReplacedOnlyAfterTheWindow(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		put := func(fingerprint string) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				return tx.PutIdempotencyRecord(store.IdempotencyRecord{OrgID: "org", Key: "key", Fingerprint: fingerprint, Status: 200})
			}
		}
		storetest.InTx(t, st, put("first"))
		clock.Advance(store.IdempotencyWindow - time.Millisecond)
		requireTxError(t, st, store.ErrDuplicate, put("second"))
		requireFingerprint(t, st, "first")

		clock.Advance(time.Millisecond)
		_, err := st.Read(t.Context()).IdempotencyRecord("org", "key", st.Now().Add(-store.IdempotencyWindow))
		requireError(t, err, store.ErrNotFound)
		storetest.InTx(t, st, put("third"))
		requireFingerprint(t, st, "third")
	})
}

func requireFingerprint(t *testing.T, st *store.Store, want string) {
	t.Helper()
	rec, err := st.Read(t.Context()).IdempotencyRecord("org", "key", st.Now().Add(-store.IdempotencyWindow))
	requireEqual(t, rec.Fingerprint, err, want)
}

func TestPurgeIdempotencyTakesOnlyTheOldInBatches(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		putRecords(t, st, "old", 5)
		clock.Advance(time.Millisecond)
		putRecords(t, st, "young", 2)
		clock.Advance(store.IdempotencyWindow - time.Millisecond)

		for _, want := range []int64{3, 2, 0} {
			var n int64
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				n, err = tx.PurgeIdempotency(3)
				return err
			})
			requireEqual(t, n, nil, want)
		}
		for org := range 2 {
			_, err := st.Read(t.Context()).IdempotencyRecord(fmt.Sprint("org_", org), "young", time.UnixMilli(0))
			requireNoError(t, err)
		}
	})
}

// putRecords keeps one record under the key for each of n organizations.
func putRecords(t *testing.T, st *store.Store, key string, n int) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for org := range n {
			if err := tx.PutIdempotencyRecord(store.IdempotencyRecord{OrgID: fmt.Sprint("org_", org), Key: key, Status: 200}); err != nil {
				return err
			}
		}
		return nil
	})
}
