package storetest_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestEachRunsOnEveryEngine(t *testing.T) {
	var (
		mu  sync.Mutex
		got []string
	)
	t.Cleanup(func() {
		slices.Sort(got)
		if want := []string{"postgres", "sqlite"}; !slices.Equal(got, want) {
			t.Errorf("ran on %v", got)
		}
	})
	clock := storetest.NewClock()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		orgs, err := st.Read(t.Context()).Organizations()
		if err != nil || len(orgs) != 0 {
			t.Errorf("a fresh store has organizations %v (%v)", orgs, err)
		}
		if !st.Now().Equal(clock.Now()) {
			t.Errorf("the store shows %v", st.Now())
		}
		storetest.Org(t, st)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, st.Engine())
	}, storetest.WithClock(clock))
}

func TestClock(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	start := clock.Now()
	if got := clock.Advance(time.Hour); !got.Equal(start.Add(time.Hour)) || !clock.Now().Equal(got) {
		t.Errorf("advanced to %v", got)
	}
	if clock.Set(start); !clock.Now().Equal(start) {
		t.Errorf("set to %v", clock.Now())
	}
}
