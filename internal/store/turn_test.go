package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// TestWriterTakesTurns has one organization queue a hundred transactions before another comes with three, and
// its own bulk work with two: they take turns, although the later ones came last.
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
