package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

var errSync = errors.New("input/output error")

// answers collects the outcomes of transactions, by the setting that each stores.
type answers struct {
	mu   sync.Mutex
	told map[string]error
}

// put stores settings, each in a transaction of its own.
func (a *answers) put(st *store.Store, names ...string) {
	for _, name := range names {
		go func() {
			err := st.InTx(context.Background(), putSetting(name, "1"))
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.told == nil {
				a.told = map[string]error{}
			}
			a.told[name] = err
		}()
	}
}

// all waits until nothing moves, and returns the outcomes so far.
func (a *answers) all() map[string]error {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.told
}

func TestNobodyIsAnsweredBeforeTheSync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := storetest.Open(t, storetest.SQLite)
		goOn := make(chan struct{})
		store.OnSync(st, func(sync func() error) error { <-goOn; return sync() })
		var a answers
		for _, names := range [][]string{{"a", "b", "c"}, {"d", "e"}} { // the writer goes on meanwhile
			a.put(st, names...)
			if told := a.all(); len(told) > 0 {
				t.Fatalf("answered before the sync: %v", told)
			}
			<-time.After(time.Second) // as long as it waits for more
			for _, name := range names {
				requireEqual(t, setting(t, st, name), nil, "1") // is committed
			}
		}
		close(goOn)
		for name, err := range a.all() {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		requireEqual(t, len(a.all()), nil, 5)
	})
}

// After a failed sync nobody knows the content of the disk, whatever the next sync says.
func TestNobodyIsToldDoneAfterASyncThatFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := storetest.NewConfig(t, storetest.SQLite)
		st := storetest.OpenAt(t, cfg)
		storetest.InTx(t, st, putSetting("before", "1"))
		fails := true
		store.OnSync(st, func(sync func() error) error {
			if fails {
				fails = false
				return errSync
			}
			return sync()
		})
		var a answers
		for _, name := range []string{"a", "b"} {
			a.put(st, name)
			requireError(t, a.all()[name], store.ErrUnavailable)
		}
		requireError(t, st.Writable(t.Context()), store.ErrUnavailable)
		if err := <-st.Broken(); !errors.Is(err, errSync) || !strings.Contains(err.Error(), "start the program again") {
			t.Errorf("the store is broken by %v", err)
		}
		<-time.After(time.Minute) // time for a copy, which must not happen
		requireNoError(t, st.Close())
		if _, err := os.Stat(filepath.Join(cfg.Dir, journalFile)); err != nil {
			t.Errorf("the journal was copied into the database and removed: %v", err)
		}
		requireEqual(t, setting(t, storetest.OpenAt(t, cfg), "before"), nil, "1")
	})
}

// turn is what happens during a sync, and how the sync ends.
type turn struct {
	Batches []int // sizes of the batches committed meanwhile
	Fails   bool
}

func drawTurn(rt *rapid.T) turn {
	return turn{
		Batches: rapid.SliceOfN(rapid.IntRange(1, 3), 1, 4).Draw(rt, "batches"),
		Fails:   rapid.IntRange(0, 4).Draw(rt, "fails") == 0,
	}
}

// A caller is told of success only after a sync of its work, in any order of commits and failures.
func TestWhatIsDoneIsSynced(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(drawTurn), 1, 8).Draw(rt, "turns")
		var problem error
		synctest.Test(t, func(*testing.T) { problem = takeTurns(turns) })
		if problem != nil {
			rt.Fatal(problem)
		}
	})
}

// takeTurns drives a journal. The first batch starts a sync; every other waits for the next one.
func takeTurns(turns []turn) error {
	outcomes := make(chan error)
	journal := store.StartJournal(func() error { return <-outcomes })
	var syncing, waiting []func() []error
	defer func() {
		close(outcomes) // whatever is left may go
		journal.Stop()
	}()
	for i, turn := range turns {
		for j, size := range turn.Batches {
			told := journal.Commit(size)
			synctest.Wait()
			if i+j == 0 {
				syncing = append(syncing, told)
			} else {
				waiting = append(waiting, told)
			}
		}
		outcomes <- map[bool]error{true: errSync}[turn.Fails]
		synctest.Wait()
		if turn.Fails { // the waiting callers must not be told of success
			return checkTold(append(syncing, waiting...), store.ErrUnavailable)
		}
		if err := checkTold(syncing, nil); err != nil {
			return err
		}
		for _, told := range waiting {
			if n := len(told()); n > 0 {
				return fmt.Errorf("%d were answered before their sync", n)
			}
		}
		if syncing, waiting = waiting, nil; len(syncing) == 0 {
			return nil
		}
	}
	return nil
}

// checkTold wants all callers to be answered with the error, or none.
func checkTold(batches []func() []error, want error) error {
	for _, told := range batches {
		errs := told()
		for _, err := range errs {
			if !errors.Is(err, want) {
				return fmt.Errorf("told %v, want %v", err, want)
			}
		}
		if len(errs) == 0 {
			return errors.New("not answered")
		}
	}
	return nil
}

// Transactions that come while an earlier one is synced share a commit, however they are spread over that time.
func TestWhatComesDuringASyncSharesACommit(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	store.GatherWithoutLimit(st)
	syncing, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	store.OnSync(st, func(sync func() error) error {
		first.Do(func() { close(syncing); <-goOn })
		return sync()
	})
	ends := make(chan error)
	write := func(name string) (ran chan struct{}) {
		ran = make(chan struct{})
		go func() {
			ends <- st.InTx(context.Background(), func(tx *store.Tx) error {
				defer close(ran)
				return tx.PutSetting(name, "1")
			})
		}()
		return ran
	}
	<-write("a")
	<-syncing
	for _, name := range []string{"b", "c"} {
		<-write(name)
		requireEqual(t, setting(t, st, "a"), nil, "1")
		requireEqual(t, setting(t, st, "b"), nil, "") // not committed, so that c can be with it
	}
	close(goOn)
	for range 3 {
		requireNoError(t, <-ends)
	}
	requireEqual(t, setting(t, st, "b")+setting(t, st, "c"), nil, "11")
}
