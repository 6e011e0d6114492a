package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// TestTurns drives the writer's queue with any arrivals and costs: nothing is lost or doubled, each turn's jobs keep
// their order, somebody is served whenever somebody waits, and of two that wait all the time neither gets more than one
// job's time ahead of the other.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const longest = 20 * time.Millisecond
		q := store.NewTurns()
		waiting := map[store.Turn][]int{}
		used := map[store.Turn]time.Duration{} // since a turn began to wait; one that waits for nothing is not in it
		ahead := map[[2]store.Turn]time.Duration{}
		n, left := 0, 0
		turn := rapid.Custom(func(t *rapid.T) store.Turn {
			return store.Turn{OrgID: fmt.Sprintf("org%d", rapid.IntRange(0, 3).Draw(t, "org")), Bulk: rapid.Bool().Draw(t, "bulk")}
		})
		arrive := func(t *rapid.T) {
			who := turn.Draw(t, "turn")
			for range rapid.IntRange(1, 20).Draw(t, "jobs") {
				q.Add(who, n)
				waiting[who] = append(waiting[who], n)
				n, left = n+1, left+1
			}
			if _, ok := used[who]; !ok {
				used[who] = 0
				for other := range used { // they are compared from here on
					ahead[[2]store.Turn{who, other}], ahead[[2]store.Turn{other, who}] = used[who], used[other]
				}
			}
		}
		serve := func(t *rapid.T) {
			who, job, ok := q.Take()
			if ok != (left > 0) {
				t.Fatalf("served: %v, with %d waiting", ok, left)
			}
			if !ok {
				return
			}
			if waiting[who][0] != job {
				t.Fatalf("job %d of %v before %d", job, who, waiting[who][0])
			}
			waiting[who], left = waiting[who][1:], left-1
			cost := time.Duration(rapid.IntRange(0, int(longest)).Draw(t, "cost"))
			q.Charge(who, cost)
			used[who] += cost
			for other := range used {
				mine := used[who] - ahead[[2]store.Turn{who, other}]
				theirs := used[other] - ahead[[2]store.Turn{other, who}]
				if other != who && mine-theirs > 2*longest {
					t.Fatalf("%v is %v ahead of %v, which waits", who, mine-theirs, other)
				}
			}
			if len(waiting[who]) == 0 {
				delete(used, who)
			}
		}
		t.Repeat(map[string]func(*rapid.T){"arrive": arrive, "serve": serve})
		if q.Len() != left {
			t.Fatalf("%d wait, not %d", q.Len(), left)
		}
	})
}

// TestTurnsAreForgotten holds the queue to those who wait: organizations come and go for as long as the process lives.
func TestTurnsAreForgotten(t *testing.T) {
	q := store.NewTurns()
	for i := range 10_000 {
		q.Add(store.Turn{OrgID: fmt.Sprint(i)}, i)
		who, _, _ := q.Take()
		q.Charge(who, time.Millisecond)
	}
	if n := q.Lines(); n > 200 {
		t.Fatalf("%d turns are remembered, and none of them waits", n)
	}
}

// TestWriterTakesTurns has one organization queue up a hundred transactions before another comes with three, and its own
// bulk work with two: they take turns, although all came later.
func TestWriterTakesTurns(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	store.CountTime(st, 100*time.Microsecond)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var order []string
	ends, sent := make(chan error), 0
	write := func(turn store.Turn, fn func()) {
		sent++
		go func() {
			ends <- st.InTx(store.WithTurn(context.Background(), turn), func(*store.Tx) error {
				fn()
				return nil
			})
		}()
	}
	busy := store.Turn{OrgID: "busy"}
	write(busy, func() { close(begun); <-goOn })
	<-begun
	for _, who := range []struct {
		turn store.Turn
		name string
		jobs int
	}{{busy, "busy", 100}, {store.Turn{OrgID: "quiet"}, "quiet", 3}, {store.Turn{OrgID: "busy", Bulk: true}, "bulk", 2}} {
		before := store.Waiting(st)
		for range who.jobs {
			write(who.turn, func() { order = append(order, who.name) }) // the writer runs one at a time
		}
		waitForQueue(st, before+who.jobs)
	}
	close(goOn)
	for range sent {
		requireNoError(t, <-ends)
	}
	want := []string{"quiet", "bulk", "busy", "quiet", "bulk", "busy", "quiet", "busy", "busy"}
	if got := order[:len(want)]; !slices.Equal(got, want) {
		t.Fatalf("the order was %v, want %v", got, want)
	}
}
