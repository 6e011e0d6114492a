package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// withDefaults is a store in a database whose administrator has chosen other defaults.
func withDefaults(t *testing.T, defaults map[string]string) store.Config {
	t.Helper()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	conn := admin(t, cfg)
	for name, value := range defaults {
		_, err := conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET "+name+" = "+value+"', current_database()); END $$")
		requireNoError(t, err)
	}
	return cfg
}

// Defaults of the database neither change what is stored nor let transactions fail that would wait for each other.
func TestDefaultsOfTheDatabase(t *testing.T) {
	t.Parallel()
	cfg := withDefaults(t, map[string]string{
		"default_transaction_isolation": "serializable", "client_encoding": "LATIN1", "standard_conforming_strings": "off",
		"timezone": `"Asia/Kolkata"`, "datestyle": "German", "bytea_output": "escape",
	})
	st := storetest.OpenAt(t, cfg)
	const text = `Zoë 😀 \' naïve`
	storetest.InTx(t, st, putSetting("text", text))
	requireEqual(t, setting(t, st, "text"), nil, text)
	var stored string
	conn := admin(t, cfg)
	_, err := conn.Exec(t.Context(), "SET client_encoding = 'UTF8'")
	requireNoError(t, err)
	requireNoError(t, conn.QueryRow(t.Context(), "SELECT value FROM settings WHERE name = 'text'").Scan(&stored))
	requireEqual(t, stored, nil, text)
	storetest.InTx(t, st, func(tx *store.Tx) error {
		level, err := tx.Isolation()
		requireEqual(t, level, err, "read committed")
		return nil
	})
}

// An encoding that becomes the default while a node runs, whose connections are then cut, does not change what is stored.
func TestEncodingThatChangesUnderANode(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, conn := storetest.OpenAt(t, cfg), admin(t, cfg)
	for _, statement := range []string{
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET client_encoding = LATIN1', current_database()); END $$",
		"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
	} {
		_, err := conn.Exec(t.Context(), statement)
		requireNoError(t, err)
	}
	const text = "Zoë 😀"
	for err := error(store.ErrUnavailable); errors.Is(err, store.ErrUnavailable); { // until the cut connections are noticed
		err = st.InTx(t.Context(), putSetting("text", text))
		if !errors.Is(err, store.ErrUnavailable) {
			requireNoError(t, err)
		}
	}
	var stored string
	requireNoError(t, conn.QueryRow(t.Context(), "SELECT value FROM settings WHERE name = 'text'").Scan(&stored))
	requireEqual(t, stored, nil, text)
}

// A lock for which the administrator lets nobody wait long is a reason to try again, and no fault of the program.
func TestLockTimeoutOfTheDatabase(t *testing.T) {
	t.Parallel()
	st := storetest.OpenAt(t, withDefaults(t, map[string]string{"lock_timeout": "5"}))
	storetest.InTx(t, st, putSetting("a", ""))
	first := hold(t, st, putSetting("a", "1"))
	err := st.InTx(t.Context(), putSetting("a", "2"))
	requireNoError(t, first.release()) // before anything can fail: the store waits for it at its end
	requireError(t, err, store.ErrUnavailable)
	requireEqual(t, setting(t, st, "a"), nil, "1")
}

// A database that cannot store every character is refused in plain words, before anything is stored.
func TestDatabaseWithoutUTF8(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewEmptyConfig(t, storetest.Postgres)
	conn := admin(t, cfg)
	_, err := conn.Exec(t.Context(), "CREATE DATABASE latin_of_parley ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
	requireNoError(t, err)
	t.Cleanup(func() {
		_, err := conn.Exec(context.Background(), "DROP DATABASE latin_of_parley WITH (FORCE)")
		requireNoError(t, err)
	})
	before, after, _ := strings.Cut(cfg.URL, "?")
	cfg.URL = before[:strings.LastIndex(before, "/")] + "/latin_of_parley?" + after
	_, err = store.Open(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "encoding is LATIN1") || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
		t.Errorf("got %v", err)
	}
}
