package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Programs that start together on an empty store all find the complete schema, created once.
func TestConcurrentFirstOpens(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewEmptyConfig(t, engine)
		requireAllNil(t, together(8, func(i int) error {
			st, err := store.Open(context.Background(), cfg)
			if err != nil {
				return err
			}
			if err := st.InTx(context.Background(), putSetting(string(rune('a'+i)), "1")); err != nil {
				return err
			}
			return st.Close()
		}))
		st := storetest.OpenAt(t, cfg)
		for i := range 8 {
			requireEqual(t, setting(t, st, string(rune('a'+i))), nil, "1")
		}
		plans, err := st.Read(t.Context()).Plans()
		requireEqual(t, len(plans), err, 4)
	})
}

// Open waits while another node migrates.
func TestOpenWaitsForAMigration(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewEmptyConfig(t, storetest.Postgres)
	other := admin(t, cfg)
	_, err := other.Exec(t.Context(), "SELECT pg_advisory_lock($1)", int64(store.MigrationLock))
	requireNoError(t, err)

	lines := newLines()
	cfg.Log = lines.log()
	opened := make(chan error, 1)
	go func() {
		st, err := store.Open(context.Background(), cfg)
		if err == nil {
			err = st.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("the store was opened during the migration (%v)", err)
	case line := <-lines.written:
		if !strings.Contains(line, "another node migrates the store") {
			t.Errorf("logged %s", line)
		}
	}
	requireNoError(t, other.Close(t.Context()))
	requireNoError(t, <-opened)
}

func TestReopenKeepsWhatIsStored(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewEmptyConfig(t, engine)
		for _, want := range []string{"", "1"} {
			st := storetest.OpenAt(t, cfg)
			requireEqual(t, setting(t, st, "a"), nil, want)
			storetest.InTx(t, st, putSetting("a", "1"))
			requireNoError(t, st.Close())
		}
	})
}

func TestNewerSchemaIsRefused(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		execute(t, cfg, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)")
		_, err := store.Open(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), "schema version 9999, newer than this program knows") {
			t.Fatalf("got %v", err)
		}
		execute(t, cfg, "DELETE FROM goose_db_version WHERE version_id = 9999")
		storetest.OpenAt(t, cfg) // the refusal left nothing locked
	})
}

// What only looks at a store neither makes one nor upgrades it, because the program that serves on it would be
// shut out.
func TestStoreThatMustExistIsNotMigrated(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		empty := storetest.NewEmptyConfig(t, engine)
		empty.MustExist = true
		for range 2 { // the first has made nothing
			_, err := store.Open(t.Context(), empty)
			requireErrorWith(t, err, "there is no store in the da", "`parley serve`")
		}

		cfg := storetest.NewConfig(t, engine)
		execute(t, cfg, "DELETE FROM goose_db_version WHERE version_id > 0")
		cfg.MustExist = true
		for range 2 {
			_, err := store.Open(t.Context(), cfg)
			requireErrorWith(t, err, "the store has schema version 0, and this program needs", "`parley migrate`")
		}
	})
}

func requireErrorWith(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatalf("%v does not say %s", err, part)
		}
	}
}

// execute runs a statement beside the store.
func execute(t *testing.T, cfg store.Config, statement string) {
	t.Helper()
	if cfg.URL != "" {
		_, err := admin(t, cfg).Exec(t.Context(), statement)
		requireNoError(t, err)
		return
	}
	db, err := sql.Open("sqlite", filepath.Join(cfg.Dir, "parley.db"))
	requireNoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	requireNoError(t, err)
	requireNoError(t, db.Close())
}
