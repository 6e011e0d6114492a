package storetest

import (
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/store"
)

// Beside runs fn, which has a transaction on a store in PostgreSQL, beside the transaction of the caller. It returns once
// fn has ended or waits for a lock of the caller; the result waits for the end of fn.
func Beside(t testing.TB, cfg store.Config, fn func() error) (end func() error) {
	t.Helper()
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = fn()
	}()
	pgtest.UntilWaits(t, cfg.URL, done)
	return func() error { <-done; return err }
}
