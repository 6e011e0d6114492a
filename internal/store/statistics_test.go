package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A table that has just filled is analyzed once, and not again.
func TestRefreshStatistics(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range 300 {
				label := chat.Label{
					ID: tx.NewID(chat.KindLabel), OrgID: org.ID, TeamID: org.TeamID, Name: fmt.Sprint("label ", i), Color: "gray",
					CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
				}
				if err := tx.InsertLabel(label); err != nil {
					return err
				}
			}
			return tx.FlushStatistics()
		})
		requireGrown(t, st, true)
		requireNoError(t, st.RefreshStatistics(t.Context()))
		requireGrown(t, st, false)
	})
}

func requireGrown(t *testing.T, st *store.Store, want bool) {
	t.Helper()
	tables, known, err := store.GrownTables(t.Context(), st)
	requireNoError(t, err)
	if got := slices.Contains(tables, "labels"); known && got != want {
		t.Errorf("grown are %v", tables)
	}
}
