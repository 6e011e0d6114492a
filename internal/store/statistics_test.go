package store_test

import (
	"fmt"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Refreshing finds the tables it is meant for, and has nothing to do the second time.
func TestRefreshStatistics(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range 300 {
				label := chat.Label{ID: tx.NewID(chat.KindLabel), OrgID: org.ID, TeamID: org.TeamID, Name: fmt.Sprint("label ", i), Color: "gray", CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
				if err := tx.InsertLabel(label); err != nil {
					return err
				}
			}
			return nil
		})
		for range 2 {
			if err := st.RefreshStatistics(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
