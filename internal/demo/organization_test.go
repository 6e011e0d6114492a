package demo_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/demo"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// Nodes that start together make one demo organization and all show it.
func TestDemoIsSeededOnce(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg, v := storetest.NewConfig(t, engine), vaultOf(t, 1)
		nodes := []*store.Store{storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)}
		demos := make([]demo.Organization, len(nodes))
		var group sync.WaitGroup
		for i, st := range nodes {
			group.Go(func() {
				var err error
				if demos[i], err = demo.Seed(t.Context(), st, v); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		again, err := demo.Seed(t.Context(), nodes[0], v)
		if err != nil || demos[0] != again || demos[1] != again {
			t.Fatalf("got %+v, then %+v, %v", demos, again, err)
		}
		requireDemo(t, nodes[0], again)
	})
}

func requireDemo(t *testing.T, st *store.Store, org demo.Organization) {
	t.Helper()
	orgs, err := st.Read(t.Context()).Organizations()
	if err != nil {
		t.Fatal(err)
	}
	if len(orgs) != 1 || orgs[0].ID != org.OrganizationID {
		t.Fatalf("the organizations are %v", orgs)
	}
	key, err := st.Read(t.Context()).KeyContext(chat.HashToken(org.APIKey))
	if err != nil || key.Key.OrgID != org.OrganizationID {
		t.Errorf("got %s, %v, want %s", key.Key.OrgID, err, org.OrganizationID)
	}
	user, err := st.Read(t.Context()).UserByEmail(org.Email)
	if err != nil || user.OrgID != org.OrganizationID {
		t.Errorf("got %s, %v, want %s", user.OrgID, err, org.OrganizationID)
	}
	if len(org.Password) < chat.MinPasswordLength || !strings.HasPrefix(user.PasswordHash, "$argon2id$") {
		t.Errorf("the password is %q, its hash %q", org.Password, user.PasswordHash)
	}
	labels, err := st.Read(t.Context()).Labels(org.OrganizationID, store.LabelFilter{}, store.Page{Limit: 100})
	if err != nil || len(labels.Rows) != 3 {
		t.Errorf("the labels are %v, %v", labels.Rows, err)
	}
	sealed, err := st.Read(t.Context()).Setting("demo")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(sealed, org.Password) || strings.Contains(sealed, org.APIKey) {
		t.Errorf("the demo is kept open: %s", sealed)
	}
}

func TestDeletedDemo(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	made, err := demo.Seed(t.Context(), st, vaultOf(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	storetest.InTx(t, st, func(tx *store.Tx) error {
		_, err := core.DeleteOrganization(tx, made.OrganizationID, "Demo")
		return err
	})
	if got, err := demo.Seed(t.Context(), st, vaultOf(t, 1)); err == nil || !strings.Contains(err.Error(), "start without --demo") {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestDemoNeedsItsMasterKey(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	_, err := demo.Seed(t.Context(), st, vaultOf(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if demo, err := demo.Seed(t.Context(), st, vaultOf(t, 2)); err == nil || !strings.Contains(err.Error(), "PARLEY_SECRET_KEY") {
		t.Errorf("got %v, %v", demo, err)
	}
}

func vaultOf(t *testing.T, seed byte) *vault.Vault {
	t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
