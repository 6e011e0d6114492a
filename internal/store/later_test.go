package store_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A callback is written by a statement without a result: on PostgreSQL it is sent with the next one, or with
// the COMMIT.
func insertCallback(tx *store.Tx, id string) error {
	return tx.InsertCallback(store.Callback{ID: id, Body: []byte("{}"), DueAt: tx.Now(), Owner: "node"})
}

func callbacks(t *testing.T, st *store.Store) (ids []string) {
	t.Helper()
	ids, err := st.Read(t.Context()).DueCallbacks("node", st.Now().Add(time.Hour), 10)
	requireNoError(t, err)
	return ids
}

func TestStatementsNobodyWaitsForAreCommitted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error { return insertCallback(tx, "alone") })
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := insertCallback(tx, "before"); err != nil {
				return err
			}
			due, err := tx.DueCallbacks("node", tx.Now(), 10) // sees what was written before it
			requireEqual(t, len(due), err, 2)
			return insertCallback(tx, "last")
		})
		requireEqual(t, callbacks(t, st), nil, []string{"alone", "before", "last"})
	})
}

func TestStatementsNobodyWaitsForAreRolledBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		requireTxError(t, st, errRefused, func(tx *store.Tx) error {
			requireNoError(t, insertCallback(tx, "a"))
			return errRefused
		})
		storetest.InTx(t, st, func(tx *store.Tx) error {
			requireNoError(t, insertCallback(tx, "kept"))
			err := tx.Savepoint(func() error {
				requireNoError(t, insertCallback(tx, "undone"))
				return errRefused
			})
			requireError(t, err, errRefused)
			return tx.Savepoint(func() error { return insertCallback(tx, "kept too") })
		})
		requireEqual(t, callbacks(t, st), nil, []string{"kept", "kept too"})
	})
}

// The error of such a statement comes late, but before anybody is told of success.
func TestStatementNobodyWaitsForFails(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error { return insertCallback(tx, "a") })
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			requireNoError(t, tx.PutSetting("a", "1"))
			return insertCallback(tx, "a")
		})
		requireTxError(t, st, store.ErrDuplicate, func(tx *store.Tx) error {
			requireNoError(t, tx.PutSetting("a", "1"))
			return tx.Savepoint(func() error { return insertCallback(tx, "a") })
		})
		requireEqual(t, setting(t, st, "a"), nil, "")
	})
}

// A failing savepoint also undoes its late failures.
func TestStatementNobodyWaitsForFailsInASavepoint(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error { return insertCallback(tx, "a") })
		storetest.InTx(t, st, func(tx *store.Tx) error {
			err := tx.Savepoint(func() error {
				_ = insertCallback(tx, "a") // SQLite tells at once
				return errRefused
			})
			requireError(t, err, errRefused)
			requireNoError(t, tx.Savepoint(func() error { return insertCallback(tx, "b") }))
			return tx.PutSetting("a", "1")
		})
		requireEqual(t, setting(t, st, "a"), nil, "1")
		requireEqual(t, callbacks(t, st), nil, []string{"a", "b"})
	})
}

func TestSavepointThatFailsLateIsUndone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error { return insertCallback(tx, "a") })
		storetest.InTx(t, st, func(tx *store.Tx) error {
			err := tx.Savepoint(func() error {
				tx.AfterCommit(func() { t.Error("the hook ran") })
				return insertCallback(tx, "a")
			})
			requireError(t, err, store.ErrDuplicate)
			return tx.PutSetting("a", "1")
		})
		requireEqual(t, setting(t, st, "a"), nil, "1")
	})
}
