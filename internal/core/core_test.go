package core_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// run runs a use case in its own transaction.
func run[T any](st *store.Store, fn func(*store.Tx) (T, error)) (result T, err error) {
	err = st.InTx(context.Background(), func(tx *store.Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

func requireEqual[T any](t *testing.T, got T, err error, want T) {
	t.Helper()
	requireNoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("unexpected (-want +got):\n%s", diff)
	}
}

func requireNoError(t storetest.Tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// requireCode checks the error that a caller gets for its mistake; param is "" for none.
func requireCode(t *testing.T, err error, code chat.Code, param string) {
	t.Helper()
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || e.Code != code || e.Param != param || e.Message == "" {
		t.Fatalf("got %#v, want %s for %q", err, code, param)
	}
}

func newVault(t *testing.T, seed byte) *vault.Vault {
	t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{seed}, 32))
	requireNoError(t, err)
	return v
}

// labelsOf returns all labels of an organization, newest first.
func labelsOf(t *testing.T, st *store.Store, orgID string) []chat.Label {
	t.Helper()
	page, err := st.Read(t.Context()).Labels(orgID, store.LabelFilter{}, store.Page{Limit: 100})
	requireNoError(t, err)
	return page.Rows
}
