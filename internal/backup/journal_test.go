package backup_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/parleyhq/parley/internal/backup"
	"github.com/parleyhq/parley/internal/store"
)

// crashed is a folder as a crash leaves it: the last work is in the journal alone.
func crashed(t *testing.T) (dir, path string) {
	t.Helper()
	o := newOffice(t)
	o.send("in the journal")
	dir = t.TempDir()
	path = filepath.Join(dir, "parley.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Join(o.dir, "parley.db"+suffix))
		must(t, errors.Join(err, os.WriteFile(path+suffix, content, 0o600)))
	}
	return dir, path
}

// Whoever looks at what a crash has left changes nothing of it.
func TestJournalIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir, path := crashed(t)
	before := contents(t, path)
	must(t, store.CheckEmbedded(t.Context(), dir))
	copied := filepath.Join(t.TempDir(), "copy")
	must(t, second(backup.Write(t.Context(), dir, copied, backup.Options{})))
	release, err := store.KeepJournal(t.Context(), dir)
	must(t, err)
	must(t, second(open(t, store.Config{Dir: dir, MustExist: true})))
	must(t, release())
	if after := contents(t, path); !bytes.Equal(after, before) {
		t.Error("the database or its journal was changed")
	}
	r, _ := restore(t, copied)
	if r.Held.Messages != 1 {
		t.Errorf("the copy has not what is in the journal: %+v", r)
	}
	must(t, second(open(t, store.Config{Dir: dir, MustExist: true})))
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a command does not copy the journal: %v", err)
	}
}

// contents are those of a database and its journal.
func contents(t *testing.T, path string) (both []byte) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		must(t, err)
		both = append(both, content...)
	}
	return both
}
