package store_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A deleted organization leaves nothing in any table, also of those that a later version adds, but the files to remove
// and what the search index is to forget. Others lose nothing.
func TestPurgeOrganization(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		const deleted = "organization 0" // as fill makes it
		st, tables, rows := filled(t, engine)
		purgeable := func() []string {
			orgs, err := st.Read(t.Context()).OrganizationsToPurge(time.UnixMilli(math.MaxInt64))
			requireNoError(t, err)
			return orgs
		}
		want := slices.DeleteFunc(contents(t, tables, rows), func(row string) bool {
			stays := strings.HasPrefix(row, "removed_files: ") || strings.HasPrefix(row, "search_changes: ")
			return strings.Contains(row, deleted) && !stays
		})
		requireEqual(t, purgeable(), nil, nil) // it has a number
		storetest.InTx(t, st, func(tx *store.Tx) error {
			file := rows("SELECT blob_key FROM removed_files WHERE org_id = '" + deleted + "'") // a row that is purged names it too
			requireNoError(t, tx.ForgetRemovedFiles(file))
			return tx.RemoveAccount(deleted, rows("SELECT id FROM accounts WHERE org_id = '" + deleted + "'")[0])
		})
		requireEqual(t, purgeable(), nil, []string{deleted})
		for more := true; more; {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				n, err := tx.PurgeOrganization(deleted, 7)
				more = n == 7
				return err
			})
		}
		requireEqual(t, purgeable(), nil, nil)
		requireEqual(t, contents(t, tables, rows), nil, want)
	})
}

// filled is a store with two rows in every table, with the expressions that show their columns, and a way to ask it.
func filled(t *testing.T, engine storetest.Engine) (*store.Store, map[string][]string, func(query string) []string) {
	t.Helper()
	from := storetest.NewEmptyConfig(t, storetest.SQLite)
	requireNoError(t, storetest.OpenAt(t, from).Close())
	source := embedded(t, from.Dir)
	tables := fill(t, source)
	if engine == storetest.SQLite {
		return storetest.OpenAt(t, from), tables, sqlRows(t, source)
	}
	requireNoError(t, source.Close())
	to := storetest.NewEmptyConfig(t, engine)
	_, err := store.MoveToPostgres(t.Context(), from.Dir, to.URL, func(string, int64) {})
	requireNoError(t, err)
	return storetest.OpenAt(t, to), tables, pgRows(t, admin(t, to))
}
