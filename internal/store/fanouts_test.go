package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// left postpones fan-outs that nobody finishes.
func left(t *testing.T, st *store.Store, all ...store.FanOut) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for _, f := range all {
			if err := tx.Postpone(f, func(context.Context, *store.Store, []store.FanOut) {}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Fan-outs are numbered by subject. The first of a subject goes first, and one that is finished calls for nothing, even if
// another has got its number.
func TestFanOutsOfASubject(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		first := store.FanOut{OrgID: "org_1", Subject: "a", Seq: 1, Event: "evt_1", Last: "wbs_9"}
		second := store.FanOut{OrgID: "org_1", Subject: "a", Seq: 2, Event: "evt_2", Done: "wbs_1", Last: "wbs_9"}
		other := store.FanOut{OrgID: "org_1", Subject: "b", Seq: 1, Event: "evt_3", Last: "wbs_9"}
		foreign := store.FanOut{OrgID: "org_2", Subject: "a", Seq: 7, Event: "evt_4", Last: "wbs_9"}
		left(t, st, second, foreign, first, other)
		all, err := st.Read(t.Context()).FanOutsAfter(store.FanOut{}, 10)
		requireEqual(t, all, err, []store.FanOut{first, second, other, foreign})
		rest, err := st.Read(t.Context()).FanOutsAfter(second, 1)
		requireEqual(t, rest, err, []store.FanOut{other})
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for subject, want := range map[string]int64{"a": 2, "b": 1, "c": 0} {
				n, err := tx.LastFanOut("org_1", subject)
				requireEqual(t, n, err, want)
			}
			got, err := tx.FirstFanOutUntil(second)
			requireEqual(t, got, err, first)
			first.Done = "wbs_5"
			requireNoError(t, tx.AdvanceFanOut(first))
			got, err = tx.FirstFanOutUntil(first)
			requireEqual(t, got, err, first)
			requireNoError(t, tx.EndFanOut(first))
			got, err = tx.FirstFanOutUntil(second)
			requireEqual(t, got, err, second)
			again := first
			again.Event = "evt_5"
			requireNoError(t, tx.Postpone(again, func(context.Context, *store.Store, []store.FanOut) {}))
			_, err = tx.FirstFanOutUntil(first)
			requireError(t, err, store.ErrNotFound)
			return nil
		})
	})
}

// Fan-outs are finished after the work was handed over, together, in the turn of their organization, and not if they were
// undone or if the transaction failed.
func TestPostponedIsFinishedAfterTheCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var order []string
		st.HandTo(func(h *store.Hands) {
			h.Deliver, h.Changed = func([]store.DeliveryJob) {}, func([]store.Change) { order = append(order, "handed over") }
		})
		finish := func(ctx context.Context, _ *store.Store, all []store.FanOut) {
			for _, f := range all {
				order = append(order, f.Event)
			}
			order = append(order, "for "+all[0].OrgID)
			if ctx.Err() != nil {
				t.Error("a client that leaves ends it")
			}
		}
		postpone := func(tx *store.Tx, orgID, event string) error {
			return tx.Postpone(store.FanOut{OrgID: orgID, Subject: event, Seq: 1, Event: event}, finish)
		}
		ctx, cancel := context.WithCancel(t.Context())
		requireNoError(t, st.InTx(ctx, func(tx *store.Tx) error {
			order = nil
			tx.AfterCommit(cancel)
			tx.SubscriptionChanged("org_1", "wbs_1")
			requireNoError(t, postpone(tx, "org_1", "evt_1"))
			requireNoError(t, postpone(tx, "org_2", "evt_2"))
			requireError(t, tx.Savepoint(func() error {
				requireNoError(t, postpone(tx, "org_1", "evt_undone"))
				return store.ErrDuplicate
			}), store.ErrDuplicate)
			return postpone(tx, "org_1", "evt_3")
		}))
		requireEqual(t, order, nil, []string{"handed over", "evt_1", "evt_3", "for org_1", "evt_2", "for org_2"})
		order = nil
		requireError(t, st.InTx(t.Context(), func(tx *store.Tx) error {
			requireNoError(t, postpone(tx, "org_1", "evt_failed"))
			return store.ErrDuplicate
		}), store.ErrDuplicate)
		requireEqual(t, order, nil, nil)
	})
}

// Whoever has fan-outs finished goes on before a connection would be gone, however long that takes.
func TestFinishingEnds(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.SQLite)
	synctest.Test(t, func(t *testing.T) {
		st := storetest.OpenAt(t, place)
		st.HandTo(func(h *store.Hands) { h.Deliver = func([]store.DeliveryJob) {} })
		begin, ended := time.Now(), 0
		finish := func(ctx context.Context, _ *store.Store, _ []store.FanOut) {
			select {
			case <-ctx.Done():
				ended++
			case <-time.After(time.Hour):
			}
		}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireNoError(t, tx.Postpone(store.FanOut{OrgID: "org_1", Subject: "a", Seq: 1, Event: "evt_1"}, finish))
			return tx.Postpone(store.FanOut{OrgID: "org_2", Subject: "a", Seq: 1, Event: "evt_2"}, finish)
		})
		if took := time.Since(begin); ended != 2 || took > 30*time.Second {
			t.Errorf("%d of two ended, after %v", ended, took)
		}
	})
}

// Steps of one organization run one at a time, until their work was handed over. Others do not wait for them.
func TestStepsOfAnOrganizationRunOneAtATime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var mu sync.Mutex
		inside, most := 0, 0
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			inside += by
			most = max(most, inside)
		}
		held, release := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			requireNoError(t, st.InStep(t.Context(), "org_1", func(tx *store.Tx) error {
				tx.AfterCommit(func() { count(1); close(held); <-release; count(-1) })
				return nil
			}))
		})
		<-held
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		requireError(t, st.InStep(ended, "org_1", func(*store.Tx) error { return nil }), context.Canceled)
		for range 4 {
			wg.Go(func() {
				requireNoError(t, st.InStep(t.Context(), "org_1", func(tx *store.Tx) error {
					tx.AfterCommit(func() { count(1); count(-1) })
					return nil
				}))
			})
		}
		requireNoError(t, st.InStep(t.Context(), "org_2", func(*store.Tx) error { return nil }))
		close(release)
		wg.Wait()
		requireEqual(t, most, nil, 1)
	})
}

func TestKeptFanOuts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		f := store.FanOut{OrgID: "org_1", Subject: "a", Seq: 1, Event: "evt_1"}
		release := st.KeepFanOuts([]store.FanOut{f})
		requireEqual(t, st.Kept(f), nil, true)
		requireEqual(t, st.Kept(store.FanOut{OrgID: "org_1", Subject: "a", Seq: 1, Event: "evt_2"}), nil, false)
		release()
		requireEqual(t, st.Kept(f), nil, false)
	})
}

// The embedded store is crowded while requests of several organizations come.
func TestCrowded(t *testing.T) {
	place := storetest.NewConfig(t, storetest.SQLite)
	synctest.Test(t, func(t *testing.T) {
		st := storetest.OpenAt(t, place)
		request := func(org string) {
			ctx := store.WithTurn(t.Context(), store.Turn{OrgID: org})
			requireNoError(t, st.InGroup(ctx, store.Foresight{}, func(*store.Tx) error { return nil }))
		}
		request("org_1")
		requireEqual(t, st.Crowded(), nil, false)
		request("org_2")
		request("org_1")
		requireEqual(t, st.Crowded(), nil, true)
		<-time.After(3 * time.Second)
		requireEqual(t, st.Crowded(), nil, false)
		request("org_1")
		requireEqual(t, st.Crowded(), nil, false)
	})
}

// A fan-out without its event is a fault that a check mends.
func TestFanOutWithoutEvent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return tx.InsertEvent(chat.Event{ID: "evt_1", OrgID: "org_1", EventID: "evt_1", Payload: []byte("{}")})
		})
		left(t, st, store.FanOut{OrgID: "org_1", Subject: "a", Seq: 1, Event: "evt_1"}, store.FanOut{OrgID: "org_1", Subject: "a", Seq: 2, Event: "evt_2"})
		i := slices.IndexFunc(store.Invariants, func(i store.Invariant) bool { return i.Fault == "events are still to be delivered that are gone" })
		broken, err := st.Read(t.Context()).Broken(store.Invariants[i], 10)
		requireEqual(t, broken, err, []string{"evt_2"})
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := tx.Mend(store.Invariants[i])
			return err
		})
		rest, err := st.Read(t.Context()).FanOutsAfter(store.FanOut{}, 10)
		requireEqual(t, rest, err, []store.FanOut{{OrgID: "org_1", Subject: "a", Seq: 1, Event: "evt_1"}})
	})
}
