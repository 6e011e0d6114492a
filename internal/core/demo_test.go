package core_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Nodes that start together make one demo organization and all show it.
func TestDemoIsSeededOnce(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg, v := storetest.NewConfig(t, engine), newVault(t, 1)
		nodes := []*store.Store{storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)}
		demos := make([]core.Demo, len(nodes))
		var group sync.WaitGroup
		for i, st := range nodes {
			group.Go(func() {
				var err error
				if demos[i], err = core.SeedDemo(t.Context(), st, v); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		again, err := core.SeedDemo(t.Context(), nodes[0], v)
		requireEqual(t, demos, err, []core.Demo{again, again})
		requireDemo(t, nodes[0], again)
	})
}

func requireDemo(t *testing.T, st *store.Store, demo core.Demo) {
	t.Helper()
	orgs, err := st.Read(t.Context()).Organizations()
	requireNoError(t, err)
	if len(orgs) != 1 || orgs[0].ID != demo.OrganizationID {
		t.Fatalf("the organizations are %v", orgs)
	}
	key, err := st.Read(t.Context()).KeyContext(chat.HashKey(demo.APIKey))
	requireEqual(t, key.Key.OrgID, err, demo.OrganizationID)
	user, err := st.Read(t.Context()).UserByEmail(demo.Email)
	requireEqual(t, user.OrgID, err, demo.OrganizationID)
	if len(demo.Password) < chat.MinPasswordLength || !strings.HasPrefix(user.PasswordHash, "$argon2id$") {
		t.Errorf("the password is %q, its hash %q", demo.Password, user.PasswordHash)
	}
	if labels := labelsOf(t, st, demo.OrganizationID); len(labels) != 3 {
		t.Errorf("the labels are %v", labels)
	}
	sealed, err := st.Read(t.Context()).Setting("demo")
	requireNoError(t, err)
	if strings.Contains(sealed, demo.Password) || strings.Contains(sealed, demo.APIKey) {
		t.Errorf("the demo is kept open: %s", sealed)
	}
}

func TestDemoNeedsItsMasterKey(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	_, err := core.SeedDemo(t.Context(), st, newVault(t, 1))
	requireNoError(t, err)
	if demo, err := core.SeedDemo(t.Context(), st, newVault(t, 2)); err == nil || !strings.Contains(err.Error(), "PARLEY_SECRET_KEY") {
		t.Errorf("got %v, %v", demo, err)
	}
}

// A start that is refused for want of its key leaves no new one behind.
func TestLoadMasterKeyMakesNoneForAStoreThatHasOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		dir := t.TempDir()
		first, err := core.LoadMasterKey(t.Context(), st, "", dir)
		requireNoError(t, err)
		again, err := core.LoadMasterKey(t.Context(), st, "", dir)
		requireEqual(t, again.ID(), err, first.ID())
		empty := t.TempDir()
		_, err = core.LoadMasterKey(t.Context(), st, "", empty)
		if err == nil || !strings.Contains(err.Error(), first.ID()) || !strings.Contains(err.Error(), "copy secret.key back into "+empty) {
			t.Errorf("got %v", err)
		}
		if left, err := os.ReadDir(empty); err != nil || len(left) != 0 {
			t.Errorf("the folder has %v, %v", left, err)
		}
	})
}

func TestCheckMasterKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for range 2 {
			requireNoError(t, core.CheckMasterKey(t.Context(), st, newVault(t, 1)))
		}
		err := core.CheckMasterKey(t.Context(), st, newVault(t, 2))
		if err == nil || !strings.Contains(err.Error(), newVault(t, 1).ID()) || !strings.Contains(err.Error(), "PARLEY_SECRET_KEY") {
			t.Errorf("got %v", err)
		}
		requireNoError(t, core.CheckMasterKey(t.Context(), st, newVault(t, 1)))
	})
}
