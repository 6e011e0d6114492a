package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/blob/blobtest"
	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestMove(t *testing.T) {
	for _, variable := range blobtest.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	dir, url, storage := storetest.NewConfig(t, storetest.SQLite).Dir, pgtest.NewDatabase(t), blobtest.Start(t)
	old := site{[]string{"--data", dir}}
	id := old.newOrg(t)
	files, err := blob.OpenFolder(filepath.Join(dir, "media"))
	if err == nil {
		_, err = files.Put(t.Context(), "file_one", strings.NewReader("content"), 100)
	}
	if err != nil {
		t.Fatal(err)
	}
	old.run(t, "move").refused(t, exitUsage, "--database-url (PARLEY_DATABASE_URL) is missing")

	o := parley(t, "move", "--data", dir, "--database-url", url, "--media-url", storage.Address("files"))
	for _, want := range []string{"media_files    1\n", "organizations  1\n", "messages       0\n", "rows "} {
		if o.code != exitOK || !strings.Contains(o.stdout, want) {
			t.Errorf("move: %+v, want %q", o, want)
		}
	}
	for _, want := range []string{"organizations: 1 rows\n", "parley.db.moved", "secret.key", "--media-url"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("move told %q, want %q", o.stderr, want)
		}
	}
	if rows := (site{[]string{"--database-url", url}}).rows(t, "org", "list"); len(rows) != 1 || rows[0]["id"] != id {
		t.Errorf("moved: %v", rows)
	}
	if keys := storage.Keys(); len(keys) != 1 {
		t.Errorf("the bucket has %v", keys)
	}
	old.run(t, "org", "list").refused(t, exitFailed, "was moved to PostgreSQL", "--database-url (PARLEY_DATABASE_URL)")
	parley(t, "serve", "--listen=127.0.0.1:0", "--ops-listen=127.0.0.1:0", "--data", dir).refused(t, exitFailed, "was moved to PostgreSQL")
}
