package masterkey_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// A start that is refused for want of its key leaves no new one behind.
func TestLoadMasterKeyMakesNoneForAStoreThatHasOne(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		dir := t.TempDir()
		first, err := masterkey.Load(t.Context(), st, "", dir)
		if err != nil {
			t.Fatal(err)
		}
		again, err := masterkey.Load(t.Context(), st, "", dir)
		if err != nil || again.ID() != first.ID() {
			t.Errorf("got %s, %v, want %s", again.ID(), err, first.ID())
		}
		empty := t.TempDir()
		_, err = masterkey.Load(t.Context(), st, "", empty)
		if err == nil || !strings.Contains(err.Error(), first.ID()) || !strings.Contains(err.Error(), "copy secret.key back into "+empty) {
			t.Errorf("got %v", err)
		}
		if left, err := os.ReadDir(empty); err != nil || len(left) != 0 {
			t.Errorf("the folder has %v, %v", left, err)
		}
	})
}

// A new key opens nothing of a store that has one, so nobody is told to make it.
func TestLoadAsksForTheStoresOwnKey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		_, err := masterkey.Load(t.Context(), st, "no key", t.TempDir())
		if err == nil || strings.Contains(err.Error(), "was set up") {
			t.Errorf("for a new store: %v", err)
		}
		first, err := masterkey.Load(t.Context(), st, "", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		_, err = masterkey.Load(t.Context(), st, "no key", t.TempDir())
		if err == nil || !strings.Contains(err.Error(), "was set up with master key "+first.ID()) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCheckMasterKey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for range 2 {
			if err := masterkey.Check(t.Context(), st, vaultOf(t, 1)); err != nil {
				t.Error(err)
			}
		}
		err := masterkey.Check(t.Context(), st, vaultOf(t, 2))
		if err == nil || !strings.Contains(err.Error(), vaultOf(t, 1).ID()) || !strings.Contains(err.Error(), "PARLEY_SECRET_KEY") {
			t.Errorf("got %v", err)
		}
		if err := masterkey.Check(t.Context(), st, vaultOf(t, 1)); err != nil {
			t.Error(err)
		}
	})
}

func vaultOf(t *testing.T, seed byte) *vault.Vault {
	t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
