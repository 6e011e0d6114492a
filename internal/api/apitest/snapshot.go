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

// tables looks into a store past the store's own code, so that a scenario can tell what a
// request changed in any table, also in those that did not exist when it was written.
type tables struct {
	db  *sql.DB
	all *sql.Stmt // every row of some organizations: its table, its identity, its content
}

// unwatched change with every request, or are notes for the search index and for administrators, whose own tests
// watch them.
var unwatched = []string{"api_log", "audit_log", "key_uses", "outcomes", "rate_buckets", "search_changes"}

// engineSQL is what the two engines say differently.
type engineSQL struct {
	columns string // of every table, in order
	orgIDs  string // the organizations, given as a JSON list
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

func openTables(t testing.TB, place store.Config) *tables {
	t.Helper()
	file := url.URL{Path: filepath.Join(place.Dir, "parley.db")}
	driver, name, engine := "sqlite", "file:"+file.EscapedPath()+"?_pragma=busy_timeout(10000)", sqliteSQL
	if place.URL != "" {
		driver, name, engine = "pgx", withoutPool(t, place.URL), postgresSQL
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // which has the statement prepared once
	t.Cleanup(func() { db.Close() })
	statement, err := db.Prepare(engine.everything(t, db))
	if err != nil {
		t.Fatal(err)
	}
	return &tables{db: db, all: statement}
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

// everything is one query over all tables that belong to an organization: a scenario asks twice,
// and there are thousands of them.
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

// identity tells rows of a table apart; a table without an id has only rows that do not change.
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
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		found[table] = append(found[table], column)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// snapshot is the content of the rows in each table, by identity.
type snapshot map[string]map[string]string

func (tb *tables) snapshot(t testing.TB, orgIDs []string) snapshot {
	t.Helper()
	list, err := json.Marshal(orgIDs)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tb.all.Query(string(list))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := snapshot{}
	for rows.Next() {
		var table, id, content string
		if err := rows.Scan(&table, &id, &content); err != nil {
			t.Fatal(err)
		}
		if found[table] == nil {
			found[table] = map[string]string{}
		}
		found[table][id] = content
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// Changes says what happened to the rows of each table: "+1" for a new one, "~1" for a changed
// one, "-1" for one that is gone, and such together with a blank between.
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
	return len(s.tables.snapshot(t, []string{orgID})[table])
}

// Find names a table in which an organization's rows contain the text, or nothing.
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

// Exec changes a table past the store's own code, for rows that nothing makes yet.
func (s *Server) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := s.tables.db.Exec(statement, args...); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
}
