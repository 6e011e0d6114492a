package storetest

import (
	"bytes"
	"database/sql"
	"os"
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

// BreakIndex changes a text in the indexes of a database file that no store is open on, as a fault of the disk would. The
// tables stay as they are.
func BreakIndex(t testing.TB, path, text string) {
	t.Helper()
	const page, indexLeaf = 4096, 0x0A // pages of the schema's own table begin otherwise
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for at := 0; ; at++ {
		next := bytes.Index(content[at:], []byte(text))
		if next < 0 {
			break
		}
		if at += next; content[at/page*page] == indexLeaf {
			content[at] ^= 1
			broken++
		}
	}
	if broken == 0 {
		t.Fatalf("no index has %q", text)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
