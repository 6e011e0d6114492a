package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

var errRefused = errors.New("refused by the closure")

// requireEqual also tells a missing row, whose fields are all zero, from the wanted one.
func requireEqual[T any](t *testing.T, got T, err error, want T) {
	t.Helper()
	requireNoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("unexpected (-want +got):\n%s", diff)
	}
}

func requireError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

func requireNoError(t storetest.Tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// requireTxError runs fn in a transaction that must fail with want.
func requireTxError(t *testing.T, st *store.Store, want error, fn func(*store.Tx) error) {
	t.Helper()
	requireError(t, st.InTx(context.Background(), fn), want)
}

// setting returns the stored value, or "" when there is none.
func setting(t *testing.T, st *store.Store, name string) string {
	t.Helper()
	value, err := st.Read(context.Background()).Setting(name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return value
}

func putSetting(name, value string) func(*store.Tx) error {
	return func(tx *store.Tx) error { return tx.PutSetting(name, value) }
}

// together runs n functions at once and returns their errors.
func together(n int, run func(i int) error) []error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = run(i) })
	}
	group.Wait()
	return errs
}

func requireAllNil(t *testing.T, errs []error) {
	t.Helper()
	for i, err := range errs {
		if err != nil {
			t.Errorf("number %d: %v", i, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}
