package core_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A failure that comes late does not count against a token that the account got since.
func TestDemoteAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		then := storetest.Account(t, st, storetest.Org(t, st), "100000000001")
		demote := func() chat.AccountStatus {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				_, err := core.DemoteAccount(tx, then, chat.AccountDegraded, "gone")
				return err
			})
			account, err := st.Read(t.Context()).Account(then.OrgID, then.ID)
			requireNoError(t, err)
			return account.Status
		}
		renewed := then
		renewed.Token = "another"
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateAccount(renewed) })
		if got := demote(); got != chat.AccountConnected {
			t.Errorf("with another token it is %s", got)
		}
		then = renewed
		if got := demote(); got != chat.AccountDegraded {
			t.Errorf("with the same token it is %s", got)
		}
	})
}
