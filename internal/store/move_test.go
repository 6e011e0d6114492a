package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Every table of the schema arrives as it was, also one that a later version adds.
func TestMoveToPostgres(t *testing.T) {
	t.Parallel()
	from, to := storetest.NewEmptyConfig(t, storetest.SQLite), storetest.NewEmptyConfig(t, storetest.Postgres)
	requireNoError(t, storetest.OpenAt(t, from).Close())
	source := embedded(t, from.Dir)
	tables := fill(t, source)
	want := contents(t, tables, sqlRows(t, source))
	requireNoError(t, source.Close())

	told := map[string]int64{}
	moved, err := store.MoveToPostgres(t.Context(), from.Dir, to.URL, func(table string, rows int64) { told[table] = rows })
	requireEqual(t, told, err, map[string]int64(moved))
	requireEqual(t, moved["messages"], nil, 2)
	target := admin(t, to)
	requireEqual(t, contents(t, tables, pgRows(t, target)), nil, want)
	if len(want) < 100 {
		t.Errorf("only %d rows were compared", len(want))
	}

	_, err = store.Open(t.Context(), from)
	requireRefusal(t, err, "was moved to PostgreSQL", store.MovedPath(from.Dir))
	_, err = store.MoveToPostgres(t.Context(), from.Dir, to.URL, func(string, int64) {})
	requireRefusal(t, err, "was moved to PostgreSQL")
	requireNoError(t, os.Rename(store.MovedPath(from.Dir), filepath.Join(from.Dir, "parley.db")))
	_, err = store.MoveToPostgres(t.Context(), from.Dir, to.URL, func(string, int64) {})
	requireRefusal(t, err, "the database has a store in use")
	requireNoError(t, storetest.OpenAt(t, from).Close()) // the old store is still one
}

func TestMoveThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(t *testing.T, from, to store.Config)
		want    string
	}{
		"a server runs on the folder": {func(t *testing.T, from, _ store.Config) {
			from.Exclusive = true
			storetest.OpenAt(t, from)
		}, "a server runs on the data folder"},
		"a server runs on the database": {func(t *testing.T, _, to store.Config) {
			storetest.InTx(t, storetest.OpenAt(t, to), func(tx *store.Tx) error { return tx.PutNode("other", time.Now().Add(time.Hour)) })
		}, "a server runs on the database"},
		"a text that PostgreSQL does not take": {func(t *testing.T, from, _ store.Config) {
			_, err := embedded(t, from.Dir).Exec("INSERT INTO settings (name, value) VALUES ('zero', CAST(x'00' AS TEXT))")
			requireNoError(t, err)
		}, "move the table settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := storetest.NewEmptyConfig(t, storetest.SQLite), storetest.NewEmptyConfig(t, storetest.Postgres)
			requireNoError(t, storetest.OpenAt(t, from).Close())
			storetest.InTx(t, storetest.OpenAt(t, to), putSetting("a", "of the target"))
			test.prepare(t, from, to)
			_, err := store.MoveToPostgres(t.Context(), from.Dir, to.URL, func(string, int64) {})
			requireRefusal(t, err, test.want)
			if _, err := os.Stat(store.MovedPath(from.Dir)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old store was set aside (%v)", err)
			}
			requireEqual(t, setting(t, storetest.OpenAt(t, to), "a"), nil, "of the target")
		})
	}
}

func requireRefusal(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, part := range want {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatalf("got %v, want %q", err, part)
		}
	}
}

func embedded(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "parley.db"))
	requireNoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// column is a column of a table; one that may be NULL is, in one row of the two.
type column struct {
	name, kind string
	required   bool
}

// fill puts two rows into every table of an embedded store but the version of its schema. It returns the tables with the
// expressions that show their columns the same way on both engines.
func fill(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	_, err := db.Exec("DELETE FROM plans")
	requireNoError(t, err)
	tables := map[string][]string{}
	for _, row := range sqlRows(t, db)("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('goose_db_version', 'nodes') AND name NOT LIKE 'sqlite%'") {
		var columns []column
		for _, c := range sqlRows(t, db)("SELECT name || ' ' || \"notnull\" || ' ' || type FROM pragma_table_info('" + row + "') ORDER BY cid") {
			parts := strings.SplitN(c, " ", 3)
			columns = append(columns, column{parts[0], parts[2], parts[1] == "1"})
			tables[row] = append(tables[row], columnText(parts[0], parts[2]))
		}
		for n := range 2 {
			insertFilled(t, db, row, columns, n)
		}
	}
	return tables
}

func insertFilled(t *testing.T, db *sql.DB, table string, columns []column, n int) {
	t.Helper()
	var places []string
	var values []any
	for _, c := range columns {
		values = append(values, filling(table, c, n))
		places = append(places, "?")
	}
	_, err := db.Exec(fmt.Sprintf("INSERT INTO %s VALUES (%s)", table, strings.Join(places, ", ")), values...)
	if err != nil {
		t.Fatalf("fill %s: %v", table, err)
	}
}

// filling is a value for a column in one of its table's rows. Columns that refer to others have the values of these.
func filling(table string, c column, n int) any {
	key := map[string]string{
		"plan": "plan", "org_id": "organization", "team_id": "team", "user_id": "user",
		"plans.name": "plan", "organizations.id": "organization", "teams.id": "team", "users.id": "user",
	}
	of, isKey := key[c.name]
	if !isKey {
		of, isKey = key[table+"."+c.name]
	}
	switch {
	case isKey:
		return fmt.Sprint(of, " ", n)
	case n == 1 && !c.required:
		return nil
	case c.kind == "BOOLEAN":
		return n == 0
	case c.kind == "BIGINT":
		return []int64{1 << 62, -1}[n]
	case c.kind == "DOUBLE PRECISION":
		return []float64{2, 0.1}[n]
	default:
		return fmt.Sprintf("%s ☃\t\\N \"%d\"\r\n", c.name, n)
	}
}

// columnText is an expression for the text of a column, on both engines.
func columnText(name, kind string) string {
	text := "CAST(" + name + " AS TEXT)"
	switch kind {
	case "BOOLEAN":
		text = "CASE WHEN " + name + " THEN 'yes' WHEN NOT " + name + " THEN 'no' END"
	case "DOUBLE PRECISION":
		text = "CAST(ROUND(CAST(" + name + " * 1000 AS NUMERIC)) AS BIGINT) || ''"
	}
	return "COALESCE(" + text + ", 'NULL')"
}

func contents(t *testing.T, tables map[string][]string, rows func(query string) []string) (all []string) {
	t.Helper()
	for table, columns := range tables {
		for _, row := range rows("SELECT " + strings.Join(columns, " || '|' || ") + " FROM " + table) {
			all = append(all, table+": "+row)
		}
	}
	slices.Sort(all)
	return all
}

func sqlRows(t *testing.T, db *sql.DB) func(query string) []string {
	return func(query string) (all []string) {
		t.Helper()
		rows, err := db.QueryContext(context.Background(), query)
		requireNoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var text string
			requireNoError(t, rows.Scan(&text))
			all = append(all, text)
		}
		requireNoError(t, rows.Err())
		return all
	}
}

func pgRows(t *testing.T, conn *pgx.Conn) func(query string) []string {
	return func(query string) []string {
		t.Helper()
		rows, err := conn.Query(context.Background(), query)
		requireNoError(t, err)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		requireNoError(t, err)
		return all
	}
}
