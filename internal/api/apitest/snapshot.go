package apitest

import (
	"database/sql"
	"encoding/json"
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

// Tables reads a store without the store's own code. A scenario can thus see changes in any table, even in
// tables added later.
type Tables struct {
	db  *sql.DB
	all *sql.Stmt // every row of some organizations: table, identity, content
}

// unwatched tables change with every request, or are watched by tests of their own: notes for the search index
// and for administrators, and what tells nodes on PostgreSQL that they remember something old.
var unwatched = []string{"api_log", "audit_log", "key_uses", "outcomes", "rate_buckets", "search_changes", "steady_editions"}

// engineSQL is the SQL that differs between the engines.
type engineSQL struct {
	columns string // the columns of every table, in order
	orgIDs  string // the organizations, from a JSON list
	content func(columns []string) string
}

var (
	sqliteSQL = engineSQL{
		columns: `SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid`,
		orgIDs:  `SELECT value FROM json_each($1)`,
		content: func(columns []string) string { return "quote(" + strings.Join(columns, ") || ',' || quote(") + ")" },
	}
	postgresSQL = engineSQL{
		columns: `SELECT table_name, column_name FROM information_schema.columns
			WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
		orgIDs:  `SELECT jsonb_array_elements_text($1::jsonb)`,
		content: func([]string) string { return "t::text" },
	}
)

// OpenTables opens the tables of a store. They are closed with the test.
func OpenTables(t testing.TB, place store.Config) *Tables {
	t.Helper()
	file := url.URL{Path: filepath.Join(place.Dir, "parley.db")}
	driver, name, engine := "sqlite", "file:"+file.EscapedPath()+"?_pragma=busy_timeout(10000)", sqliteSQL
	if place.URL != "" {
		driver, name, engine = "pgx", withoutPool(t, place.URL), postgresSQL
	}
	db, err := sql.Open(driver, name)
	must(t, err)
	db.SetMaxOpenConns(1) // the statement is prepared on this connection only
	t.Cleanup(func() { db.Close() })
	statement, err := db.Prepare(engine.everything(t, db))
	must(t, err)
	return &Tables{db: db, all: statement}
}

// withoutPool removes the settings that only the store's own pool understands.
func withoutPool(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	query := u.Query()
	query.Del("pool_max_conns")
	u.RawQuery = query.Encode()
	return u.String()
}

// everything is one query over all tables of an organization, because thousands of scenarios run it twice.
func (e engineSQL) everything(t testing.TB, db *sql.DB) string {
	t.Helper()
	var parts []string
	for table, columns := range e.tables(t, db) {
		owner := "org_id"
		if table == "organizations" {
			owner = "id"
		}
		if !slices.Contains(columns, owner) || slices.Contains(unwatched, table) {
			continue
		}
		content := e.content(columns)
		parts = append(parts, fmt.Sprintf("SELECT '%s', %s || ' ' || %s, %s FROM %s t WHERE %s IN (%s)",
			table, owner, identity(columns, content), content, table, owner, e.orgIDs))
	}
	return strings.Join(parts, " UNION ALL ")
}

// identity is the expression that identifies a row. Rows of a table without an id never change, so their
// content serves.
func identity(columns []string, content string) string {
	for _, column := range []string{"id", "key"} {
		if slices.Contains(columns, column) {
			return column
		}
	}
	return content
}

func (e engineSQL) tables(t testing.TB, db *sql.DB) map[string][]string {
	t.Helper()
	rows, err := db.Query(e.columns)
	must(t, err)
	defer rows.Close()
	found := map[string][]string{}
	for rows.Next() {
		var table, column string
		must(t, rows.Scan(&table, &column))
		found[table] = append(found[table], column)
	}
	must(t, rows.Err())
	return found
}

// snapshot is the content of the rows in each table, by identity.
type snapshot map[string]map[string]string

func (tb *Tables) snapshot(t testing.TB, orgIDs []string) snapshot {
	t.Helper()
	list, err := json.Marshal(orgIDs)
	must(t, err)
	rows, err := tb.all.Query(string(list))
	must(t, err)
	defer rows.Close()
	found := snapshot{}
	for rows.Next() {
		var table, id, content string
		must(t, rows.Scan(&table, &id, &content))
		if found[table] == nil {
			found[table] = map[string]string{}
		}
		found[table][id] = content
	}
	must(t, rows.Err())
	return found
}

// Changes counts the changes of each table's rows: "+1" for a new one, "~1" for a changed one, "-1" for a
// deleted one, separated by blanks.
type Changes map[string]string

func (before snapshot) changes(after snapshot) Changes {
	all := Changes{}
	names := maps.Clone(after)
	maps.Copy(names, before)
	for name := range names {
		if summary := compareRows(before[name], after[name]); summary != "" {
			all[name] = summary
		}
	}
	return all
}

func compareRows(before, after map[string]string) string {
	var added, changed, gone int
	for id, row := range after {
		if old, ok := before[id]; !ok {
			added++
		} else if old != row {
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

// Unchanged runs fn and fails the test if it changed any row of the organization.
func (s *Server) Unchanged(t testing.TB, orgID string, fn func()) {
	t.Helper()
	s.tables.Unchanged(t, orgID, fn)
}

// Unchanged runs fn and fails the test if it changed any row of the organization.
func (tb *Tables) Unchanged(t testing.TB, orgID string, fn func()) {
	t.Helper()
	before := tb.snapshot(t, []string{orgID})
	if len(before) == 0 {
		t.Fatalf("%s has no rows", orgID)
	}
	fn()
	if changes := before.changes(tb.snapshot(t, []string{orgID})); len(changes) > 0 {
		t.Errorf("the store has changed: %v", changes)
	}
}

// Count is the number of an organization's rows in a table.
func (s *Server) Count(t testing.TB, table, orgID string) int {
	t.Helper()
	return len(s.tables.snapshot(t, []string{orgID})[table])
}

// Find returns a table in which an organization's rows contain the text, or "".
func (s *Server) Find(t testing.TB, orgID, text string) string {
	t.Helper()
	for table, rows := range s.tables.snapshot(t, []string{orgID}) {
		for _, row := range rows {
			if strings.Contains(row, text) {
				return table
			}
		}
	}
	return ""
}

// Exec runs a statement without the store's own code, for rows that no code makes yet.
func (s *Server) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := s.tables.db.Exec(statement, args...); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
}
