package apitest

import (
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/parleyhq/parley/internal/store"
)

// tables looks into a store past the store's own code, so that a scenario can tell what a
// request changed in any table, also in those that did not exist when it was written.
type tables struct {
	db    *sql.DB
	names []string // of those that belong to an organization
}

// unwatched change with every request.
var unwatched = []string{"api_log", "rate_buckets"}

const (
	sqliteTables = `SELECT DISTINCT t.name FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND c.name = 'org_id'`
	postgresTables = `SELECT table_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'org_id'`
)

func openTables(t testing.TB, place store.Config) *tables {
	t.Helper()
	driver, name, query := "sqlite", "file:"+(&url.URL{Path: filepath.Join(place.Dir, "parley.db")}).EscapedPath()+"?_pragma=busy_timeout(10000)", sqliteTables
	if place.URL != "" {
		driver, name, query = "pgx", withoutPool(t, place.URL), postgresTables
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(2)
	t.Cleanup(func() { db.Close() })
	found := &tables{db: db}
	for _, row := range found.rows(t, query) {
		found.names = append(found.names, fmt.Sprint(slices.Collect(maps.Values(row))[0]))
	}
	found.names = slices.DeleteFunc(found.names, func(n string) bool { return slices.Contains(unwatched, n) })
	return found
}

// withoutPool leaves out what only the store's own pool understands.
func withoutPool(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("pool_max_conns")
	u.RawQuery = query.Encode()
	return u.String()
}

// row is a table's row by column.
type row map[string]string

// identity tells rows of a table apart; a table without an id has only rows that do not change.
func (r row) identity() string {
	for _, column := range []string{"id", "key"} {
		if value, ok := r[column]; ok {
			return r["org_id"] + " " + value
		}
	}
	return fmt.Sprint(r)
}

// snapshot is what organizations have in each table, by identity.
type snapshot map[string]map[string]row

func (tb *tables) snapshot(t testing.TB, orgIDs []string) snapshot {
	t.Helper()
	all := snapshot{"organizations": tb.read(t, "organizations", "id", orgIDs)}
	for _, name := range tb.names {
		all[name] = tb.read(t, name, "org_id", orgIDs)
	}
	return all
}

func (tb *tables) read(t testing.TB, table, column string, orgIDs []string) map[string]row {
	t.Helper()
	args := make([]any, len(orgIDs))
	places := make([]string, len(orgIDs))
	for i, id := range orgIDs {
		args[i], places[i] = id, fmt.Sprintf("$%d", i+1)
	}
	found := map[string]row{}
	for _, r := range tb.rows(t, fmt.Sprintf("SELECT * FROM %s WHERE %s IN (%s)", table, column, strings.Join(places, ", ")), args...) {
		found[r.identity()] = r
	}
	return found
}

func (tb *tables) rows(t testing.TB, query string, args ...any) []row {
	t.Helper()
	found, err := tb.db.Query(query, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, query)
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	for found.Next() {
		all = append(all, scanRow(t, found, columns))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func scanRow(t testing.TB, from *sql.Rows, columns []string) row {
	t.Helper()
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := from.Scan(into...); err != nil {
		t.Fatal(err)
	}
	r := row{}
	for i, column := range columns {
		r[column] = fmt.Sprint(values[i])
	}
	return r
}

// Changes says what happened to the rows of each table: "+1" for a new one, "~1" for a changed
// one, "-1" for one that is gone, and such together with a blank between.
type Changes map[string]string

func (before snapshot) changes(after snapshot) Changes {
	all := Changes{}
	for name := range after {
		if summary := compareRows(before[name], after[name]); summary != "" {
			all[name] = summary
		}
	}
	return all
}

func compareRows(before, after map[string]row) string {
	var added, changed, gone int
	for id, r := range after {
		if old, ok := before[id]; !ok {
			added++
		} else if !maps.Equal(old, r) {
			changed++
		}
	}
	for id := range before {
		if _, ok := after[id]; !ok {
			gone++
		}
	}
	var parts []string
	for _, part := range []struct {
		sign string
		n    int
	}{{"+", added}, {"~", changed}, {"-", gone}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprint(part.sign, part.n))
		}
	}
	return strings.Join(parts, " ")
}

// Unchanged runs fn and fails the test if an organization has anything else than before.
func (s *Server) Unchanged(t testing.TB, orgID string, fn func()) {
	t.Helper()
	before := s.tables.snapshot(t, []string{orgID})
	fn()
	if changes := before.changes(s.tables.snapshot(t, []string{orgID})); len(changes) > 0 {
		t.Errorf("the store has changed: %v", changes)
	}
}

// Count is how many rows an organization has in a table.
func (s *Server) Count(t testing.TB, table, orgID string) int {
	t.Helper()
	return len(s.tables.read(t, table, "org_id", []string{orgID}))
}

// Exec changes a table past the store's own code, for rows that nothing makes yet.
func (s *Server) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := s.tables.db.Exec(statement, args...); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
}
