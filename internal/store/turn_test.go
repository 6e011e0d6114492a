package store_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// A batch ends when those who had little to do are served, so that they do not wait for the rest of one who has much. Who
// uses most of the time is not in one with others at all.
func TestWhenABatchEnds(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	busy, quiet, third := store.Turn{OrgID: "busy"}, store.Turn{OrgID: "quiet"}, store.Turn{OrgID: "third"}
	bulk, own := store.Turn{OrgID: "quiet", Bulk: true}, store.Turn{}
	turns := func(t ...store.Turn) []store.Turn { return t }
	for _, c := range []struct {
		name  string
		batch store.Batch
		wants bool
	}{
		{"one organization alone", store.Batch{Ran: turns(busy, busy), Waiting: turns(busy), Took: 19 * ms, Synced: true}, false},
		{"one organization for long", store.Batch{Ran: turns(busy, busy), Waiting: turns(busy), Took: 21 * ms}, true},
		{"the others are served", store.Batch{Ran: turns(busy, quiet), Waiting: turns(busy, busy), Took: 2 * ms}, true},
		{"the others are served at once", store.Batch{Ran: turns(busy, quiet), Waiting: turns(busy, busy), Took: ms}, false},
		{"another waits", store.Batch{Ran: turns(busy, quiet), Waiting: turns(busy, third), Took: 3 * ms, Synced: true}, false},
		{"two are busy", store.Batch{Ran: turns(busy, quiet), Waiting: turns(busy, quiet), Took: 5 * ms, Synced: true}, true},
		{"two are busy and the disk too", store.Batch{Ran: turns(busy, quiet), Waiting: turns(busy, quiet), Took: 5 * ms}, false},
		{"nobody waits for bulk work", store.Batch{Ran: turns(busy, bulk), Waiting: turns(busy), Took: 3 * ms, Synced: true}, false},
		{"nobody waits for the program's own", store.Batch{Ran: turns(own, busy), Waiting: turns(busy), Took: 3 * ms, Synced: true}, false},
		{"it shares all the same", store.Batch{Ran: turns(own, busy), Waiting: turns(busy), Took: 5 * ms, Synced: true}, true},
		{"the busiest alone", store.Batch{Ran: turns(busy), Waiting: turns(busy), Busiest: busy}, false},
		{"another comes beside the busiest", store.Batch{Ran: turns(busy), Waiting: turns(quiet, busy), Busiest: busy}, true},
		{"bulk work comes beside the busiest", store.Batch{Ran: turns(busy), Waiting: turns(bulk, busy), Busiest: busy}, false},
		{"others without the busiest", store.Batch{Ran: turns(quiet), Waiting: turns(third, busy), Busiest: busy}, false},
		{"the busiest comes after others", store.Batch{Ran: turns(quiet), Waiting: turns(busy), Busiest: busy}, true},
		{"the busiest comes after the program's own", store.Batch{Ran: turns(own), Waiting: turns(busy), Busiest: busy}, false},
		{"another comes beside the busiest bulk work", store.Batch{Ran: turns(bulk), Waiting: turns(quiet), Busiest: bulk}, true},
	} {
		if ends := c.batch.Ends(); ends != c.wants {
			t.Errorf("%s: it ends is %t", c.name, ends)
		}
	}
}

// While another organization comes too, eight requests of one are with the writer at a time, and the others follow. Alone
// it has no limit.
func TestFewRequestsBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := storetest.Open(t, storetest.SQLite)
		goOn := make(chan struct{})
		store.OnSync(st, func(sync func() error) error { <-goOn; return sync() })
		var ran, answered atomic.Int32
		come := func(org string, requests int) int32 {
			ran.Store(0)
			for range requests {
				go func() {
					err := st.InGroup(store.WithTurn(t.Context(), store.Turn{OrgID: org}), store.Foresight{}, func(tx *store.Tx) error {
						ran.Add(1)
						return tx.PutSetting(org, "1")
					})
					if err != nil {
						t.Error(err)
					}
					answered.Add(1)
				}()
			}
			synctest.Wait()
			return ran.Load()
		}
		got := []int32{come("quiet", 1), come("busy", 30), come("quiet", 1)}
		close(goOn)
		synctest.Wait()
		got = append(got, answered.Load())
		<-time.After(3 * time.Second)
		goOn = make(chan struct{})
		got = append(got, come("busy", 30))
		close(goOn)
		synctest.Wait()
		if want := []int32{1, 8, 1, 32, 30}; !slices.Equal(got, want) {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}

// However many long reads one organization has, those of another pass, and so do the look-ups of keys and sessions, which have
// no turn.
func TestLongReadsHoldUpNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := storetest.Open(t, storetest.SQLite)
		quiet := storetest.Org(t, st)
		released := make(chan struct{})
		var ended atomic.Int32
		const long = 60
		for range long {
			go func() {
				if err := store.ReadUntil(store.WithTurn(t.Context(), store.Turn{OrgID: "busy"}), st, released); err != nil {
					t.Error(err)
				}
				ended.Add(1)
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // it ends once everybody waits
		defer cancel()
		for who, turn := range map[string]store.Turn{"another organization": {OrgID: quiet.ID}, "the program": {}} {
			for range 3 {
				if _, err := st.Read(store.WithTurn(ctx, turn)).Organization(quiet.ID); err != nil {
					t.Errorf("%s cannot read: %v", who, err)
				}
			}
		}
		close(released)
		synctest.Wait()
		if n := ended.Load(); n != long {
			t.Errorf("%d of the long reads have ended", n)
		}
	})
}

// On PostgreSQL, too, however many connections a node may have.
func TestLongReadsLeaveConnections(t *testing.T) {
	t.Parallel()
	for _, conns := range []int{4, 16} {
		cfg := storetest.NewConfig(t, storetest.Postgres)
		cfg.URL = strings.Replace(cfg.URL, "pool_max_conns=8", "pool_max_conns="+strconv.Itoa(conns), 1)
		st := storetest.OpenAt(t, cfg)
		quiet := storetest.Org(t, st)
		released := make(chan struct{})
		var ended sync.WaitGroup
		const long = 60
		for range long {
			ended.Go(func() {
				err := store.ReadUntil(store.WithTurn(t.Context(), store.Turn{OrgID: "busy"}), st, released)
				if err != nil && !errors.Is(err, store.ErrUnavailable) { // it waited for too long
					t.Error(err)
				}
			})
		}
		for seated, waiting := 0, 0; seated+waiting < long; seated, waiting = store.Readers(st) {
			runtime.Gosched()
		}
		for who, turn := range map[string]store.Turn{"another organization": {OrgID: quiet.ID}, "the program": {}} {
			ctx := store.WithTurn(t.Context(), turn)
			if _, err := st.Read(ctx).Organization(quiet.ID); err != nil {
				t.Errorf("%s cannot read with %d connections: %v", who, conns, err)
			}
			if err := st.InTx(ctx, putSetting("by", who)); err != nil {
				t.Errorf("%s cannot write with %d connections: %v", who, conns, err)
			}
		}
		close(released)
		ended.Wait()
	}
}
