package storetest

import (
	"database/sql"
	"testing"

	_ "modernc.org/sqlite" // as the store opens its files
)

// Execute runs statements on a database file that no store is open on, as SQLite's own shell would. A file that is missing
// is made.
func Execute(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
