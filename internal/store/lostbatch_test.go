package store_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	databaseFile = "parley.db"
	journalFile  = "parley.db-wal"
)

// failures make SQLite give up their transaction, at once or with the next statement.
var failures = map[string]func(*store.Tx, *storetest.Disk) error{
	"read":      func(tx *store.Tx, disk *storetest.Disk) error { return readFrom(tx, disk, syscall.ESTALE) },
	"damage":    func(tx *store.Tx, disk *storetest.Disk) error { return readFrom(tx, disk, syscall.EIO) },
	"full":      func(tx *store.Tx, _ *storetest.Disk) error { return tx.FillUp() },
	"interrupt": func(tx *store.Tx, _ *storetest.Disk) error { return tx.Interrupt() },
}

// readFrom reads from a failing disk.
func readFrom(tx *store.Tx, disk *storetest.Disk, errno syscall.Errno) error {
	tx.DropCache()
	for _, file := range []string{databaseFile, journalFile} {
		disk.Fail(storetest.Read, file, errno)
	}
	defer disk.Mend()
	_, err := tx.Organizations()
	return err
}

// A failed read in a batch loses the transaction: nothing of it may remain, and nothing may be stored beside
// it.
func TestReadThatFailsEndsTheBatch(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"read", "full", "interrupt"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := storetest.NewConfig(t, storetest.SQLite)
			disk := storetest.DiskOf(t, cfg.Dir)
			st := storetest.OpenAt(t, cfg)
			store.BatchWithoutLimit(st)
			first := hold(t, st, putSetting("before", "1"))
			outcomes := make([]chan error, 4)
			for i, body := range []func(*store.Tx) error{
				putSetting("a", "1"),
				func(*store.Tx) error { return errRefused },
				func(tx *store.Tx) error { return failures[name](tx, disk) },
				putSetting("b", "1"),
			} {
				outcomes[i] = make(chan error, 1)
				go func() { outcomes[i] <- st.InTx(context.Background(), body) }()
				waitForQueue(st, i+1)
			}
			requireNoError(t, first.release())
			for i := range 3 {
				requireError(t, <-outcomes[i], store.ErrUnavailable)
			}
			requireEqual(t, setting(t, st, "before"), nil, "1") // was committed before
			requireEqual(t, setting(t, st, "a"), nil, "")
			requireNoError(t, <-outcomes[3]) // ran in a transaction of its own
			requireEqual(t, setting(t, st, "b"), nil, "1")
		})
	}
}

// step is a part of a closure: its write, and how it goes on.
type step struct {
	Writes  bool   // a row
	Fails   string // one of failures, or nothing
	Ignored bool   // the closure goes on after the failure
	Guarded bool   // it is under a savepoint
	Refuses bool   // the closure returns an error of its own
}

func drawStep(rt *rapid.T) step {
	kinds := []string{"", "", "", "read", "damage", "full", "interrupt"}
	return step{
		Writes:  rapid.IntRange(0, 3).Draw(rt, "writes") > 0,
		Fails:   rapid.SampledFrom(kinds).Draw(rt, "fails"),
		Ignored: rapid.Bool().Draw(rt, "ignored"),
		Guarded: rapid.IntRange(0, 3).Draw(rt, "guarded") == 0,
		Refuses: rapid.IntRange(0, 9).Draw(rt, "refuses") == 0,
	}
}

// run does what the step says.
func (s step) run(tx *store.Tx, disk *storetest.Disk, name string) error {
	do := func() (err error) {
		if s.Writes {
			err = tx.PutSetting(name, name)
		}
		if err == nil && s.Fails != "" {
			err = failures[s.Fails](tx, disk)
		}
		if s.Ignored {
			err = nil
		}
		if err == nil && s.Refuses {
			err = errRefused
		}
		return err
	}
	if s.Guarded {
		return tx.Savepoint(do)
	}
	return do()
}

// Whatever fails in a batch: a caller that is told of success finds all of its work, and one that is told an
// error finds nothing.
func TestOutcomesAreTrueWhateverFails(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	disk := storetest.DiskOf(t, cfg.Dir)
	st := storetest.OpenAt(t, cfg)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		closures := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(drawStep), 0, 4), 1, 8).Draw(rt, "closures")
		full := rapid.IntRange(0, 4).Draw(rt, "the disk is full") == 0
		first := hold(t, st, doNothing)
		outcomes := make([]chan error, len(closures))
		for i, steps := range closures {
			outcomes[i] = make(chan error, 1)
			go func() {
				outcomes[i] <- st.InTx(context.Background(), func(tx *store.Tx) error {
					for j, s := range steps {
						if err := s.run(tx, disk, fmt.Sprintf("%d/%d/%d", run, i, j)); err != nil {
							return err
						}
					}
					if full && i == 0 {
						disk.Fail(storetest.Write, journalFile, syscall.ENOSPC)
					}
					return nil
				})
			}()
			waitForQueue(st, i+1)
		}
		requireNoError(t, first.release())
		told := make([]error, len(closures))
		for i := range closures {
			told[i] = <-outcomes[i]
		}
		disk.Mend()
		for i, steps := range closures {
			for j, s := range steps {
				stored := setting(t, st, fmt.Sprintf("%d/%d/%d", run, i, j)) != ""
				if want := s.Writes && told[i] == nil; stored != want {
					rt.Fatalf("closure %d was told %v, and its row %d is stored: %v", i, told[i], j, stored)
				}
			}
		}
	})
}
