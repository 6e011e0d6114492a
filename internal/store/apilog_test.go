package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestAPILog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		calls := newCalls(st, "org_1", 150) // more than two statements hold
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.AppendAPILog(calls) })
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.AppendAPILog(newCalls(st, "org_2", 1)) })
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.AppendAPILog(nil) })

		slices.Reverse(calls)
		r := st.Read(t.Context())
		got, err := r.APICalls("org_1", store.CallFilter{}, store.Page{Limit: 1000})
		requireEqual(t, got.Rows, err, calls)
		got, err = r.APICalls("org_1", store.CallFilter{}, store.Page{Limit: 2})
		requireEqual(t, got.Rows, err, calls[:2])
		got, err = r.APICalls("org_3", store.CallFilter{}, store.Page{Limit: 2})
		requireEqual(t, got.Rows, err, nil)
	})
}

func newCalls(st *store.Store, orgID string, n int) []store.APICall {
	calls := make([]store.APICall, n)
	for i := range calls {
		calls[i] = store.APICall{
			OrgID: orgID, RequestID: st.NewID(chat.KindRequest), KeyID: "key_1", Method: "GET", Path: fmt.Sprint("/v1/labels/", i),
			Status: 200 + i, Latency: time.Duration(i) * time.Microsecond, IP: "192.0.2.1",
		}
	}
	return calls
}

func TestPurgeAPILogTakesOnlyTheOldInBatches(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		old := append(newCalls(st, "org_1", 5), newCalls(st, "org_2", 1)...)
		clock.Advance(time.Millisecond)
		young := newCalls(st, "org_1", 2)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.AppendAPILog(append(old, young...)) })

		for _, want := range []int64{3, 2, 0} {
			var n int64
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				n, err = tx.PurgeAPILog("org_1", clock.Now(), 3)
				return err
			})
			requireEqual(t, n, nil, want)
		}
		slices.Reverse(young)
		left, err := st.Read(t.Context()).APICalls("org_1", store.CallFilter{}, store.Page{Limit: 10})
		requireEqual(t, left.Rows, err, young)
		others, err := st.Read(t.Context()).APICalls("org_2", store.CallFilter{}, store.Page{Limit: 10})
		requireEqual(t, len(others.Rows), err, 1)
	})
}
