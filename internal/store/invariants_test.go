package store_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A check finds the rows of a store whose owner somebody has deleted by hand.
func TestRowsWithoutTheirOwner(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		st := storetest.OpenAt(t, cfg)
		account := storetest.Account(t, st, storetest.Org(t, st), "123456")
		contact := storetest.Contact(t, st, account, "+4915112345678")
		now := st.Now()
		conversation := storetest.Conversation(t, st, contact, &now)
		requireEqual(t, brokenRows(t, st), nil, map[string][]string{})
		requireNoError(t, st.Close())
		execute(t, cfg, "UPDATE accounts SET org_id = 'org_gone'")
		execute(t, cfg, "INSERT INTO broadcast_recipients (org_id, broadcast_id, id, address, listed, status) VALUES ('org_gone', 'brd_gone', 'rcp_1', '+1', FALSE, 'waiting')")
		requireEqual(t, brokenRows(t, storetest.OpenAt(t, cfg)), nil, map[string][]string{
			"conversations, contacts or broadcasts belong to numbers that are gone":          {conversation.ID, contact.ID},
			"numbers, customers, teams, users or keys belong to organizations that are gone": {account.ID},
			"recipients belong to broadcasts that are gone":                                  {"rcp_1"},
		})
	})
}

func brokenRows(t *testing.T, st *store.Store) map[string][]string {
	t.Helper()
	broken := map[string][]string{}
	for _, i := range store.Invariants {
		rows, err := st.Read(t.Context()).Broken(i, 10)
		requireNoError(t, err)
		if len(rows) > 0 {
			broken[i.Fault] = rows
		}
	}
	return broken
}
