package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// damages are damages to the folder of an open store.
var damages = []struct {
	name   string
	damage func(dir string) error
	cause  string
}{
	{"folder deleted", os.RemoveAll, "parley.db was deleted"},
	{"folder moved", func(dir string) error { return os.Rename(dir, dir+".old") }, "parley.db was deleted"},
	{"folder is a file", func(dir string) error {
		return errors.Join(os.Rename(dir, dir+".old"), os.WriteFile(dir, nil, 0o600))
	}, "parley.db was deleted"},
	{"database deleted", remove(databaseFile), "parley.db was deleted while it was in use: put it back"},
	{"database replaced", replace(databaseFile), "parley.db was replaced"},
	{"journal deleted", remove(journalFile), "parley.db-wal was deleted while it was in use: do not put it back"},
	{"journal replaced", replace(journalFile), "parley.db-wal was replaced"},
	{"shared memory deleted", remove("parley.db-shm"), "parley.db-shm was deleted while it was in use: do not put it back"},
}

func remove(file string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, file)) }
}

func replace(file string) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, file)
		return errors.Join(os.WriteFile(path+".new", nil, 0o600), os.Rename(path+".new", path))
	}
}

// A write into a file that was moved away fails, and so does every later one.
func TestWritesIntoNowhereAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // its clock stands still, so only the write can notice
				cfg := storetest.NewConfig(t, storetest.SQLite)
				st := storetest.OpenAt(t, cfg)
				storetest.InTx(t, st, putSetting("a", "1"))
				requireNoError(t, test.damage(cfg.Dir))
				for range 2 {
					requireBroken(t, st.InTx(t.Context(), putSetting("a", "2")), test.cause)
				}
				requireBroken(t, st.Writable(t.Context()), test.cause)
				requireBroken(t, <-st.Broken(), test.cause)
			})
		})
	}
}

// A store whose files are gone reports it within a second, even without writes.
func TestFilesThatAreGoneAreNoticed(t *testing.T) {
	t.Parallel()
	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := storetest.NewConfig(t, storetest.SQLite)
				st := storetest.OpenAt(t, cfg)
				requireNoError(t, test.damage(cfg.Dir))
				select {
				case err := <-st.Broken():
					requireBroken(t, err, test.cause)
				case <-time.After(time.Second):
					t.Fatal("nobody has noticed")
				}
				requireTxError(t, st, store.ErrUnavailable, func(*store.Tx) error { return errors.New("the closure ran") })
			})
		})
	}
}

func requireBroken(t *testing.T, err error, cause string) {
	t.Helper()
	requireError(t, err, store.ErrUnavailable)
	if !strings.Contains(err.Error(), cause) || !strings.Contains(err.Error(), "start the program again") {
		t.Fatalf("the error is %q, want %q in it", err, cause)
	}
}

// The journal of another database must not be copied into the database that replaced it.
func TestJournalOfAReplacedDatabaseIsSetAside(t *testing.T) {
	t.Parallel()
	cfg, backup := storetest.NewConfig(t, storetest.SQLite), storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	storetest.InTx(t, st, putSetting("of the old", "1"))
	requireNoError(t, os.Rename(filepath.Join(backup.Dir, databaseFile), filepath.Join(cfg.Dir, databaseFile)))
	requireBroken(t, <-st.Broken(), "was replaced")
	requireNoError(t, st.Close())
	if old, err := filepath.Glob(filepath.Join(cfg.Dir, journalFile+".of-replaced-database-*")); err != nil || len(old) != 1 {
		t.Errorf("the old journal is not there: %v, %v", old, err)
	}
	st = storetest.OpenAt(t, cfg)
	requireEqual(t, setting(t, st, "of the old"), nil, "")
	storetest.InTx(t, st, putSetting("of the new", "1"))
}

// The content of a deleted journal is copied into the database when the store is closed.
func TestJournalThatWasDeletedIsNotLost(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	storetest.InTx(t, st, putSetting("a", "1"))
	requireNoError(t, remove(journalFile)(cfg.Dir))
	requireBroken(t, <-st.Broken(), "was deleted")
	requireNoError(t, st.Close())
	requireEqual(t, setting(t, storetest.OpenAt(t, cfg), "a"), nil, "1")
}

// A database that was moved away can be put back: the content of its journal is copied into it when the store is closed.
func TestDatabaseThatWasMovedIsWhole(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	storetest.InTx(t, st, putSetting("a", "1"))
	place, elsewhere := filepath.Join(cfg.Dir, databaseFile), filepath.Join(t.TempDir(), databaseFile)
	requireNoError(t, os.Rename(place, elsewhere))
	requireBroken(t, <-st.Broken(), "was deleted")
	requireNoError(t, st.Close())
	requireNoError(t, os.Rename(elsewhere, place))
	requireEqual(t, setting(t, storetest.OpenAt(t, cfg), "a"), nil, "1")
}

func TestFullDiskIsNotWritable(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	disk := storetest.DiskOf(t, cfg.Dir)
	st := storetest.OpenAt(t, cfg)
	for range 2 {
		requireNoError(t, st.InTx(t.Context(), putSetting("a", "1")))
		disk.Fail(storetest.Write, journalFile, syscall.ENOSPC)
		requireTxError(t, st, store.ErrUnavailable, putSetting("a", "2"))
		if err := st.Writable(t.Context()); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "the disk is full") {
			t.Fatalf("with a full disk: %v", err)
		}
		disk.Mend()
		requireNoError(t, st.Writable(t.Context()))
	}
	requireEqual(t, setting(t, st, "a"), nil, "1")
	select {
	case err := <-st.Broken():
		t.Errorf("a full disk ends the program: %v", err)
	default:
	}
}

// On a full disk a small write may still fit into the journal. That proves nothing after another has failed.
func TestSmallWriteDoesNotMakeAFullDiskWritable(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	disk := storetest.DiskOf(t, cfg.Dir)
	st := storetest.OpenAt(t, cfg)
	storetest.InTx(t, st, putSetting("small", "1"))
	disk.FillUp(journalFile, 100<<10)
	requireNoError(t, st.Writable(t.Context()))
	requireTxError(t, st, store.ErrUnavailable, putSetting("large", strings.Repeat("x", 200<<10)))
	storetest.InTx(t, st, putSetting("small", "2"))
	requireError(t, st.Writable(t.Context()), store.ErrUnavailable)
	disk.Mend()
	requireNoError(t, st.Writable(t.Context()))
}

// A disk that hangs does not block a caller that only asks.
func TestDiskThatHangsIsNotWritable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := storetest.Open(t, storetest.SQLite)
		goOn := make(chan struct{})
		store.OnSync(st, func(sync func() error) error { <-goOn; return sync() })
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			requireError(t, st.Writable(ctx), store.ErrUnavailable)
			cancel()
		}
		close(goOn)
		requireNoError(t, st.Writable(t.Context()))
	})
}

// Frequent checks cost little.
func TestOneWriteASecondTellsAllWhoAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := storetest.Open(t, storetest.SQLite)
		syncs := 0
		store.OnSync(st, func(sync func() error) error { syncs++; return sync() })
		for second := range 3 {
			requireAllNil(t, together(20, func(int) error { return st.Writable(context.Background()) }))
			requireEqual(t, syncs, nil, second+1)
			<-time.After(time.Second)
		}
	})
}

// A read-only PostgreSQL, such as a standby, is not writable, and a write there is not our error.
func TestReadOnlyPostgresIsNotWritable(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	requireNoError(t, storetest.OpenAt(t, cfg).Writable(t.Context()))
	cfg.URL += "&default_transaction_read_only=on"
	st := storetest.OpenAt(t, cfg)
	for _, err := range []error{st.Writable(t.Context()), st.InTx(t.Context(), putSetting("a", "1"))} {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "read-only transaction") {
			t.Errorf("a write is answered %v", err)
		}
	}
}
