package backup_test

import (
	"archive/tar"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/backup"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// notOurs makes a sound database of another program.
func notOurs(t *testing.T, path string) {
	t.Helper()
	storetest.Execute(t, path, "CREATE TABLE places (name TEXT)")
}

// The file of a store that was emptied, or another program's in its place, does not replace the last good copy.
func TestNoStoreIsCopied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		beside string
		lose   func(path string)
		want   string
	}{
		"emptied":           {"search.db", func(path string) { must(t, os.WriteFile(path, nil, 0o600)) }, "is gone or empty"},
		"gone":              {"search.db", func(string) {}, "is gone or empty"},
		"moved":             {"parley.db.moved", func(string) {}, "was moved to PostgreSQL"},
		"empty from begin":  {"secret.key", func(path string) { must(t, os.WriteFile(path, nil, 0o600)) }, "there is no store in the data folder"},
		"another program's": {"search.db", func(path string) { notOurs(t, path) }, "no store of Parley"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy.tar")
			must(t, os.WriteFile(filepath.Join(dir, c.beside), []byte("something"), 0o600))
			must(t, os.WriteFile(copied, []byte("the last good copy"), 0o600))
			c.lose(filepath.Join(dir, "parley.db"))
			for use, err := range map[string]error{
				"copied": second(backup.Write(t.Context(), dir, copied, backup.Options{})), "checked": store.CheckEmbedded(t.Context(), dir),
			} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("it is %s with %v, want %q", use, err, c.want)
				}
			}
			if left, err := os.ReadFile(copied); err != nil || string(left) != "the last good copy" {
				t.Errorf("the copy became %.20q (%v)", left, err)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// An archive may be of an earlier version that copied anything. What has nothing of Parley is no back-up.
func TestArchiveOfNoStore(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "parley.db")
	notOurs(t, database)
	content, err := os.ReadFile(database)
	must(t, err)
	copied, dir := archiveOf(t, content), filepath.Join(t.TempDir(), "data")
	_, err = backup.Restore(t.Context(), copied, dir)
	if err == nil || !strings.HasPrefix(err.Error(), copied+" is not a back-up: its parley.db has none of Parley's tables") {
		t.Errorf("it is restored with %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it leaves the folder (%v)", err)
	}
}

// A store of an earlier version is copied and restored.
func TestStoreOfAnEarlierVersionIsCopied(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	must(t, o.st.Close())
	storetest.Execute(t, filepath.Join(o.dir, "parley.db"),
		"DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
	must(t, store.CheckEmbedded(t.Context(), o.dir))
	o.copy(backup.Options{})
}

// archiveOf is an archive with that database.
func archiveOf(t *testing.T, database []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.tar")
	f, err := os.Create(path)
	must(t, err)
	w := tar.NewWriter(f)
	for _, entry := range []struct {
		name    string
		content []byte
	}{{"manifest.json", []byte(`{"format":1}`)}, {"parley.db", database}} {
		must(t, w.WriteHeader(&tar.Header{Name: entry.name, Typeflag: tar.TypeReg, Size: int64(len(entry.content))}))
		must(t, second(w.Write(entry.content)))
	}
	must(t, errors.Join(w.Close(), f.Close()))
	return path
}
