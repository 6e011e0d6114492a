package storetest

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parleyhq/parley/internal/store"
)

// TakeNoWrites makes a store answer reads alone from now on, like one on a full disk, or in a database that is a standby.
func TakeNoWrites(t testing.TB, cfg store.Config) {
	t.Helper()
	if cfg.URL == "" {
		DiskOf(t, cfg.Dir).Fail(Write, "parley.db-wal", syscall.ENOSPC)
		return
	}
	onPostgres(t, cfg, refuseWrites)
}

// refuseWrites has every table refuse what a standby refuses, with the same code.
const refuseWrites = `
	CREATE FUNCTION standby() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE EXCEPTION 'the database takes no writes' USING ERRCODE = 'read_only_sql_transaction'; END $$;
	DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
			EXECUTE format('CREATE TRIGGER standby BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION standby()', name);
		END LOOP;
	END $$`

// LoseCommits has the store lose the outcome of the next commit that writes to the table, and take no other: its file is
// gone from its place, or its connection is.
func LoseCommits(t testing.TB, cfg store.Config, table string) {
	t.Helper()
	if cfg.URL == "" {
		path := filepath.Join(cfg.Dir, databaseFile)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		return
	}
	onPostgres(t, cfg, `
		CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
		CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON `+table+` DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()`)
}

func onPostgres(t testing.TB, cfg store.Config, statements string) {
	t.Helper()
	settings, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.ConnectConfig(t.Context(), settings.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}
