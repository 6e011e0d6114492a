package masterkey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

func TestChange(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		first, second := vaultOf(t, 1), vaultOf(t, 2)
		if err := masterkey.Check(t.Context(), st, first); err != nil {
			t.Fatal(err)
		}
		org := storetest.Org(t, st)
		var step chat.SecondStep
		storetest.InTx(t, st, func(tx *store.Tx) error {
			user := chat.User{ID: "usr_1", OrgID: org.ID, Email: "a@b.example", Name: "A", Role: chat.RoleAdmin}
			if err := tx.InsertUser(user); err != nil {
				return err
			}
			if err := tx.PutSetting("sealed", first.Seal("a setting", "sealed")); err != nil {
				return err
			}
			_, err := core.BeginSecondStep(tx, first, user)
			return err
		})
		before := pinKey(t, st, first)
		if _, err := masterkey.Change(t.Context(), st, first, vaultOf(t, 1)); err == nil || !strings.Contains(err.Error(), "has already") {
			t.Errorf("to the same key: %v", err)
		}
		if n, err := masterkey.Change(t.Context(), st, first, second); n != 3 || err != nil { // and the key of PINs
			t.Fatalf("%d values were sealed anew, %v", n, err)
		}
		storetest.InTx(t, st, func(tx *store.Tx) (err error) {
			step, err = tx.SecondStep(org.ID, "usr_1")
			return err
		})
		if _, err := second.Open(step.Sealed, core.SecondStepContext("usr_1")); err != nil {
			t.Error(err)
		}
		sealed, err := st.Read(t.Context()).Setting("sealed")
		if text, _ := second.Open(sealed, "sealed"); err != nil || text != "a setting" {
			t.Errorf("the setting is %q, %v", text, err)
		}
		if after := pinKey(t, st, second); after != before {
			t.Error("PINs have changed")
		}
		if err := masterkey.Check(t.Context(), st, second); err != nil {
			t.Error(err)
		}
	})
}

func pinKey(t *testing.T, st *store.Store, v *vault.Vault) string {
	t.Helper()
	key, err := masterkey.PINKey(st.Read(t.Context()), v)
	if err != nil {
		t.Fatal(err)
	}
	return string(key)
}

// A value that does not open, or a server that runs, leaves everything as it was.
func TestChangeThatIsRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		first := vaultOf(t, 1)
		if err := masterkey.Check(t.Context(), st, first); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			want    string
			prepare func(*store.Tx) error
		}{
			{"moved: ", func(tx *store.Tx) error { return tx.PutSetting("moved", first.Seal("of another", "elsewhere")) }},
			{"a server runs on", func(tx *store.Tx) error { return tx.PutNode("other", time.Now().Add(time.Hour)) }},
		} {
			storetest.InTx(t, st, test.prepare)
			if _, err := masterkey.Change(t.Context(), st, first, vaultOf(t, 2)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if id, err := masterkey.ID(st.Read(t.Context())); id != first.ID() || err != nil {
				t.Errorf("after %q the key is %s, %v", test.want, id, err)
			}
		}
	})
}
