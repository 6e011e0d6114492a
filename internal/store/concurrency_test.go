package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A counter is a row that a closure reads and then writes back.
type counter struct {
	name  string
	setUp func(*store.Tx) error
	get   func(*store.Tx) (int64, error)
	set   func(*store.Tx, int64) error
}

func counters(org storetest.Organization, label chat.Label) []counter {
	return []counter{
		{
			name:  "setting",
			setUp: putSetting("counter", "0"),
			get: func(tx *store.Tx) (int64, error) {
				text, err := tx.Setting("counter")
				return parse(text, err)
			},
			set: func(tx *store.Tx, n int64) error { return tx.PutSetting("counter", fmt.Sprint(n)) },
		},
		{
			name: "label",
			get: func(tx *store.Tx) (int64, error) {
				l, err := tx.Label(org.ID, label.ID)
				return parse(l.Name, err)
			},
			set: func(tx *store.Tx, n int64) error {
				label := label
				label.Name = fmt.Sprint(n)
				return tx.UpdateLabel(label)
			},
		},
		{
			name: "organization",
			setUp: func(tx *store.Tx) error {
				return tx.UpdateOrganization(chat.Organization{ID: org.ID, Name: "0", Plan: chat.DefaultPlan})
			},
			get: func(tx *store.Tx) (int64, error) {
				o, err := tx.Organization(org.ID)
				return parse(o.Name, err)
			},
			set: func(tx *store.Tx, n int64) error {
				return tx.UpdateOrganization(chat.Organization{ID: org.ID, Name: fmt.Sprint(n), Plan: chat.DefaultPlan})
			},
		},
		{
			name:  "plan",
			setUp: func(tx *store.Tx) error { return tx.PutPlan(chat.Plan{Name: "counter"}) },
			get: func(tx *store.Tx) (int64, error) {
				p, err := tx.Plan("counter")
				return p.WritePerMinute, err
			},
			set: func(tx *store.Tx, n int64) error {
				return tx.PutPlan(chat.Plan{Name: "counter", WritePerMinute: n})
			},
		},
	}
}

func parse(text string, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

func TestNoUpdateIsLost(t *testing.T) {
	const goroutines, each = 8, 10
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		nodes := []*store.Store{storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)}
		org := storetest.Org(t, nodes[0])
		label := storetest.Label(t, nodes[0], org, "0")
		for _, c := range counters(org, label) {
			if c.setUp != nil {
				storetest.InTx(t, nodes[0], c.setUp)
			}
			requireAllNil(t, together(goroutines, func(i int) error {
				for range each {
					if err := nodes[i%2].InTx(context.Background(), c.increment); err != nil {
						return err
					}
				}
				return nil
			}))
			storetest.InTx(t, nodes[0], func(tx *store.Tx) error {
				if total, err := c.get(tx); err != nil || total != goroutines*each {
					t.Errorf("%s: counted to %d of %d (%v)", c.name, total, goroutines*each, err)
				}
				return nil
			})
		}
	})
}

func (c counter) increment(tx *store.Tx) error {
	n, err := c.get(tx)
	if err != nil {
		return err
	}
	return c.set(tx, n+1)
}

// held is a transaction that waits in its closure.
type held struct {
	goOn    chan struct{}
	outcome chan error
}

// hold begins a transaction, runs fn in it and returns while it waits in its closure.
func hold(t *testing.T, st *store.Store, fn func(*store.Tx) error) *held {
	t.Helper()
	h := &held{goOn: make(chan struct{}), outcome: make(chan error, 1)}
	waiting := make(chan struct{})
	go func() {
		h.outcome <- st.InTx(context.Background(), func(tx *store.Tx) error {
			err := fn(tx)
			close(waiting)
			<-h.goOn
			return err
		})
	}()
	select {
	case <-waiting:
	case err := <-h.outcome:
		t.Fatalf("the transaction ended: %v", err)
	}
	return h
}

// release lets the closure return and gives its transaction's outcome.
func (h *held) release() error {
	close(h.goOn)
	return <-h.outcome
}

func doNothing(*store.Tx) error { return nil }

// TestBatchNeighbours makes closures of every kind wait behind a held one, so that SQLite's writer takes them
// into one batch, and checks that each has its own outcome.
func TestBatchNeighbours(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		first := hold(t, st, putSetting("held", "1"))
		outcomes := make(map[string]chan string)
		kinds := []string{"good", "fails", "good too", "panics", "cancelled", "cancels itself", "exits", "good as well", "exits too", "good at last"}
		for i, kind := range kinds {
			outcomes[kind] = neighbour(st, kind)
			if st.Engine() == string(storetest.SQLite) {
				waitForQueue(st, i+1)
			}
		}
		requireNoError(t, first.release())
		for kind, want := range map[string]string{
			"good": "<nil>", "good too": "<nil>", "good as well": "<nil>", "good at last": "<nil>",
			"fails": errRefused.Error(), "panics": "panic: boom", "exits": "exited", "exits too": "exited",
			"cancelled": context.Canceled.Error(), "cancels itself": context.Canceled.Error(),
		} {
			if got := <-outcomes[kind]; got != want {
				t.Errorf("%s: got %q, want %q", kind, got, want)
			}
			wantStored := ""
			if want == "<nil>" {
				wantStored = kind
			}
			if got := setting(t, st, kind); got != wantStored {
				t.Errorf("%s: stored %q", kind, got)
			}
		}
		requireEqual(t, setting(t, st, "held"), nil, "1")
	})
}

// neighbour runs a transaction of the kind and sends how it ended.
func neighbour(st *store.Store, kind string) chan string {
	outcome := make(chan string, 1)
	go func() {
		text := "exited"
		defer func() {
			if value := recover(); value != nil {
				firstLine, _, _ := strings.Cut(fmt.Sprint(value), "\n")
				text = "panic: " + firstLine
			}
			outcome <- text
		}()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if kind == "cancelled" {
			cancel()
		}
		text = fmt.Sprint(st.InTx(ctx, func(tx *store.Tx) error {
			if err := tx.PutSetting(kind, kind); err != nil {
				return err
			}
			switch kind {
			case "fails":
				return errRefused
			case "panics":
				panic("boom")
			case "cancels itself":
				cancel()
			case "exits", "exits too":
				runtime.Goexit()
			}
			return nil
		}))
	}()
	return outcome
}

// waitForQueue returns when n transactions wait for the embedded store's writer.
func waitForQueue(st *store.Store, n int) {
	for store.Waiting(st) < n {
		runtime.Gosched()
	}
}

func TestWaitingTransactionThatIsCancelledDoesNotRun(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	first := hold(t, st, doNothing)
	ctx, cancel := context.WithCancel(t.Context())
	outcome := make(chan error)
	go func() {
		outcome <- st.InTx(ctx, func(*store.Tx) error { return errors.New("the closure ran") })
	}()
	waitForQueue(st, 1)
	cancel()
	requireNoError(t, first.release())
	requireError(t, <-outcome, context.Canceled)
}

func TestFullQueueRefuses(t *testing.T) {
	t.Parallel()
	const tooMany = 10
	st := storetest.Open(t, storetest.SQLite)
	first := hold(t, st, doNothing)
	ctx, cancel := context.WithCancel(t.Context())
	outcomes := make(chan error)
	for range store.WriterQueue + tooMany {
		go func() { outcomes <- st.InTx(ctx, doNothing) }()
	}
	for range tooMany {
		requireError(t, <-outcomes, store.ErrUnavailable)
	}
	if err := st.Writable(t.Context()); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "transactions are waiting") {
		t.Errorf("a full queue is not told: %v", err)
	}
	cancel() // the waiting transactions need not run
	requireNoError(t, first.release())
	for range store.WriterQueue {
		requireError(t, <-outcomes, context.Canceled)
	}
	storetest.InTx(t, st, doNothing)
}

func TestClosureSeesRowsOfItsBatch(t *testing.T) {
	t.Parallel()
	const n = 50
	st := storetest.Open(t, storetest.SQLite)
	first := hold(t, st, putSetting("counter", "0"))
	count := counters(storetest.Organization{}, chat.Label{})[0]
	outcomes := make(chan error)
	for range n {
		go func() { outcomes <- st.InTx(context.Background(), count.increment) }()
	}
	waitForQueue(st, n)
	requireNoError(t, first.release())
	for range n {
		requireNoError(t, <-outcomes)
	}
	requireEqual(t, setting(t, st, "counter"), nil, fmt.Sprint(n))
}
