package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Only wrong content is damage: whoever may not read the file, or interrupts the check, has no need of a back-up.
func TestWhatIsNoDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	requireNoError(t, os.WriteFile(path, []byte(strings.Repeat("not written by SQLite", 1000)), 0o600))
	if err := store.CheckFile(t.Context(), path); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("another file: %v", err)
	}
	if err := store.CheckFile(t.Context(), t.TempDir()); err == nil || errors.Is(err, store.ErrDamaged) {
		t.Errorf("a folder: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	if err := store.CheckFile(stopped, filepath.Join(cfg.Dir, "parley.db")); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrDamaged) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	requireNoError(t, os.WriteFile(file, nil, 0o600))
	for _, test := range []struct {
		name string
		cfg  store.Config
		hint string
	}{
		{"no place", store.Config{}, "needs a data folder"},
		{"folder that is a file", store.Config{Dir: file}, "make the data folder"},
		{"another database", store.Config{URL: "mysql://u:hush@host/db"}, "must start with postgres://"},
		{"broken URL", store.Config{URL: "postgres://u:hush@host:port/db"}, "the database URL is not valid"},
	} {
		st, err := store.Open(t.Context(), test.cfg)
		if err == nil {
			t.Errorf("%s: opened %s", test.name, st.Engine())
			continue
		}
		if !strings.Contains(err.Error(), test.hint) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestSQLiteTakesAnyFolderName(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b?mode=memory#c%20d&é", "new")
	st := storetest.OpenAt(t, store.Config{Dir: dir})
	storetest.InTx(t, st, putSetting("a", "1"))
	if _, err := os.Stat(filepath.Join(dir, "parley.db")); err != nil {
		t.Error(err)
	}
	requireEqual(t, setting(t, storetest.OpenAt(t, store.Config{Dir: dir}), "a"), nil, "1")
}

func TestOneServerPerDataFolder(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	exclusive := cfg
	exclusive.Exclusive = true
	first, err := store.Open(t.Context(), exclusive)
	requireNoError(t, err)

	_, err = store.Open(t.Context(), exclusive)
	if err == nil || !strings.Contains(err.Error(), "another server runs on the data folder "+cfg.Dir) {
		t.Fatalf("a second server: %v", err)
	}
	command := storetest.OpenAt(t, cfg) // works beside the server
	storetest.InTx(t, command, putSetting("a", "1"))
	requireEqual(t, setting(t, first, "a"), nil, "1")

	requireNoError(t, first.Close())
	storetest.OpenAt(t, exclusive)
}

// A supervisor starts a server again whose database was deleted: that must not begin anew.
func TestLostDatabaseIsNotReplaced(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	index, err := st.OpenSearch(t.Context())
	requireNoError(t, err)
	requireNoError(t, errors.Join(index.Close(), st.Close()))

	path := filepath.Join(cfg.Dir, "parley.db")
	for _, lose := range []func(string) error{func(path string) error { return os.Truncate(path, 0) }, os.Remove} {
		requireNoError(t, lose(path))
		_, err = store.Open(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), path+" is gone or empty") || !strings.Contains(err.Error(), "parley restore") {
			t.Fatalf("got %v", err)
		}
	}
	requireNoError(t, os.Remove(filepath.Join(cfg.Dir, "search.db")))
	storetest.OpenAt(t, cfg)
}

// What is left beside a lost database tells that there was one: stored files, or a journal, which SQLite would delete.
func TestWhatOutlivesTheDatabaseIsSeen(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"media/AB/med_some-file", "parley.db-wal", "search.db"} {
		for _, lose := range []func(string) error{func(path string) error { return os.WriteFile(path, nil, 0o600) }, func(string) error { return nil }} {
			dir := t.TempDir()
			path := filepath.Join(dir, left)
			requireNoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			requireNoError(t, os.WriteFile(path, []byte("something"), 0o600))
			requireNoError(t, lose(filepath.Join(dir, "parley.db")))
			for _, must := range []bool{true, false} {
				_, err := store.Open(t.Context(), store.Config{Dir: dir, MustExist: must})
				beside, _, _ := strings.Cut(left, "/")
				if err == nil || !strings.Contains(err.Error(), "parley.db is gone or empty") || !strings.Contains(err.Error(), "move "+filepath.Join(dir, beside)+" out of the way") {
					t.Errorf("%s is left: %v", left, err)
				}
			}
		}
	}
	fresh := t.TempDir()
	requireNoError(t, os.MkdirAll(filepath.Join(fresh, "media", ".arriving"), 0o700)) // as a server leaves it that has stored nothing
	storetest.OpenAt(t, store.Config{Dir: fresh})
}

// Another program's database is no store of an old version: its advice would be to fill it with Parley's tables.
func TestOpenRefusesAnotherProgramsDatabase(t *testing.T) {
	t.Parallel()
	for _, versions := range []string{"CREATE TABLE versions (n INTEGER)", "CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER, is_applied INTEGER, tstamp TEXT)"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "parley.db")
		storetest.Execute(t, path, "CREATE TABLE places (name TEXT)", versions)
		before, err := os.ReadFile(path)
		requireNoError(t, err)
		for _, cfg := range []store.Config{{Dir: dir}, {Dir: dir, Exclusive: true}, {Dir: dir, MustExist: true}} {
			_, err := store.Open(t.Context(), cfg)
			if !errors.Is(err, store.ErrNoStore) || !strings.Contains(err.Error(), path+" has other tables") || strings.Contains(err.Error(), "migrate") {
				t.Errorf("%+v: %v", cfg, err)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
			t.Errorf("the file was changed (%v)", err)
		}
	}
}

// The log names the store and says whether it is new, without the password.
func TestPlaceOfAStore(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewEmptyConfig(t, engine)
		for _, made := range []bool{true, false} {
			st, err := store.Open(t.Context(), cfg)
			requireNoError(t, err)
			place := st.Place()
			requireEqual(t, st.Made(), st.Close(), made)
			if engine == storetest.SQLite {
				requireEqual(t, place, nil, cfg.Dir)
				continue
			}
			at, err := url.Parse(cfg.URL)
			requireNoError(t, err)
			requireEqual(t, place, nil, at.Host+at.Path)
		}
	})
}

// A first start that was cut off is finished by the next, and not by a command.
func TestFirstStartThatWasCutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	storetest.Execute(t, filepath.Join(dir, "parley.db"), "CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP)",
		"INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (0, 1, CURRENT_TIMESTAMP)")
	if _, err := store.Open(t.Context(), store.Config{Dir: dir, MustExist: true}); err == nil || !strings.Contains(err.Error(), "there is no store in the data folder "+dir) {
		t.Errorf("a command: %v", err)
	}
	storetest.OpenAt(t, store.Config{Dir: dir, Exclusive: true})
}

func TestServersShareAPostgres(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	for range 2 {
		storetest.OpenAt(t, cfg, storetest.Exclusive)
	}
}

func TestNodesAreWarnedOfWrongClocks(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	cfg.Exclusive = true
	for _, test := range []struct {
		off  time.Duration
		warn bool
	}{{0, false}, {time.Minute, true}, {-time.Minute, true}} {
		var log strings.Builder
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		cfg.Now = func() time.Time { return time.Now().Add(test.off) }
		st, err := store.Open(t.Context(), cfg)
		requireNoError(t, err)
		requireNoError(t, st.Close())
		if got := strings.Contains(log.String(), "the clock of this machine"); got != test.warn {
			t.Errorf("a clock that is off by %s: %q", test.off, log.String())
		}
	}
}

func TestClosedStore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		requireNoError(t, st.Writable(t.Context()))
		for range 2 {
			requireNoError(t, st.Close())
		}
		requireTxError(t, st, store.ErrClosed, func(*store.Tx) error { return errors.New("the closure ran") })
		_, err := st.Read(t.Context()).Setting("a")
		requireError(t, err, store.ErrClosed)
		requireError(t, st.Writable(t.Context()), store.ErrClosed)
	})
}

func TestCloseWaitsForTheWorkUnderWay(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		st := storetest.OpenAt(t, cfg)
		work := hold(t, st, putSetting("a", "1"))
		closed := make(chan error, 1)
		go func() { closed <- st.Close() }()
		for !store.Closing(st) {
			runtime.Gosched()
		}
		requireNoError(t, work.release())
		requireNoError(t, <-closed)
		requireEqual(t, setting(t, storetest.OpenAt(t, cfg), "a"), nil, "1")
	})
}

func TestCloseDuringReads(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, putSetting("a", "1"))
		const readers = 8
		reading := make(chan struct{}, readers)
		outcomes := make(chan error, readers)
		for range readers {
			go func() {
				r := st.Read(context.Background())
				for first := true; ; first = false {
					if _, err := r.Setting("a"); err != nil {
						outcomes <- err
						return
					}
					if first {
						reading <- struct{}{}
					}
				}
			}()
		}
		for range readers {
			<-reading
		}
		requireNoError(t, st.Close())
		for range readers {
			requireError(t, <-outcomes, store.ErrClosed)
		}
	})
}
