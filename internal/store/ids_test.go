package store_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Ids of one millisecond grow in the order in which they are made, even if ids of other milliseconds are made
// in between.
func TestIDsGrow(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	rapid.Check(t, func(t *rapid.T) {
		start := clock.Advance(time.Hour)
		last := map[int]string{}
		for _, ms := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 50).Draw(t, "milliseconds") {
			clock.Set(start.Add(time.Duration(ms) * time.Millisecond))
			id := st.NewID(chat.KindEvent)
			if !chat.KindEvent.Valid(id) {
				t.Fatalf("%s is not valid", id)
			}
			if id <= last[ms] {
				t.Fatalf("%s follows %s", id, last[ms])
			}
			last[ms] = id
		}
		for ms := range 3 {
			if later := last[ms+1]; later != "" && last[ms] >= later {
				t.Fatalf("%s of millisecond %d, %s of the next", last[ms], ms, later)
			}
		}
	})
}

func TestTransactionKeepsItsInstant(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		start := clock.Now()
		storetest.InTx(t, st, func(tx *store.Tx) error {
			first := tx.NewID(chat.KindEvent)
			clock.Advance(time.Hour)
			outside := st.NewID(chat.KindEvent)
			second := tx.NewID(chat.KindEvent)
			if first >= second || second >= outside {
				t.Errorf("the ids are %s, %s, and %s an hour later", first, second, outside)
			}
			if !tx.Now().Equal(start) {
				t.Errorf("the transaction is at %v", tx.Now())
			}
			return nil
		})
	})
}

func TestClockIsCutToMilliseconds(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	want := clock.Now()
	clock.Set(want.Add(999 * time.Microsecond).In(time.FixedZone("elsewhere", 3600)))
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	if got := st.Now(); got != want {
		t.Errorf("the store's clock shows %v", got)
	}
}
