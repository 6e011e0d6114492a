package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parleyhq/parley/internal/backup"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A damaged database is refused at the start, and by a copy. What is wrong is the store, and not the copy.
func TestDamage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 50 {
		o.send(fmt.Sprint(i, strings.Repeat(" long", 100)))
	}
	must(t, o.st.Close())
	path := filepath.Join(o.dir, "parley.db")
	whole, err := os.ReadFile(path)
	must(t, err)
	for name, content := range map[string][]byte{
		"overwritten": append(append(bytes.Clone(whole[:20*4096]), bytes.Repeat([]byte{0xA5}, 40*4096)...), whole[60*4096:]...),
		"truncated":   whole[:len(whole)/2/4096*4096],
	} {
		must(t, os.WriteFile(path, content, 0o600))
		for use, err := range map[string]error{
			"serve":  second(open(t, store.Config{Dir: o.dir, Exclusive: true})),
			"backup": second(backup.Write(t.Context(), o.dir, filepath.Join(t.TempDir(), "copy"), backup.Options{})),
			"check":  store.CheckEmbedded(t.Context(), o.dir), "check --repair": store.MendEmbedded(t.Context(), o.dir),
		} {
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "the store is damaged: "+path) || !strings.Contains(err.Error(), "`parley restore`") {
				t.Errorf("%s of what is %s: %v", use, name, err)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
			t.Errorf("what is %s was changed (%v)", name, err)
		}
		copied := archiveOf(t, content)
		_, err := backup.Restore(t.Context(), copied, filepath.Join(t.TempDir(), "data"))
		if want := copied + " is damaged: take another back-up (parley.db: "; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), ".restore-") {
			t.Errorf("restore of what is %s: %v", name, err)
		}
	}
}

// A command looks for no damage, and says so if it comes by some.
func TestCommandOnADamagedStore(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	must(t, o.st.Close())
	path := filepath.Join(o.dir, "parley.db")
	must(t, os.Truncate(path, 5*4096))
	if _, err := open(t, store.Config{Dir: o.dir, MustExist: true}); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "the store is damaged: "+path) {
		t.Errorf("got %v", err)
	}
}

// A full disk is told by the folder that the user has named, with what to do.
func TestRestoreOnAFullDisk(t *testing.T) {
	t.Parallel()
	full := &fs.PathError{Op: "write", Path: "/srv/new/.restore-1/parley.db", Err: syscall.ENOSPC}
	err := backup.ExplainRoom(fmt.Errorf("unpack: %w", full), "/srv/new")
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no room left for the folder /srv/new: make some (df -h") || strings.Contains(err.Error(), ".restore-1") {
		t.Errorf("got %v", err)
	}
	if other := errors.New("another"); backup.ExplainRoom(other, "/srv/new") != other || backup.ExplainRoom(nil, "/srv/new") != nil {
		t.Error("another error is explained")
	}
}

// open opens a store, and closes it again.
func open(t *testing.T, cfg store.Config) (*store.Store, error) {
	t.Helper()
	st, err := store.Open(t.Context(), cfg)
	if err == nil {
		must(t, st.Close())
	}
	return st, err
}

// An index that does not fit its table answers wrongly, and SQLite's quick check does not see it. It is found, not copied,
// and can be made anew.
func TestBrokenIndex(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	storetest.InTx(t, o.st, func(tx *store.Tx) error { return tx.PutSetting("needle", "1") })
	must(t, o.st.Close())
	path := filepath.Join(o.dir, "parley.db")
	storetest.BreakIndex(t, path, "needle")
	broken, err := os.ReadFile(path)
	must(t, err)

	copied := filepath.Join(t.TempDir(), "copy")
	for use, err := range map[string]error{
		"check": store.CheckEmbedded(t.Context(), o.dir), "backup": second(backup.Write(t.Context(), o.dir, copied, backup.Options{})),
	} {
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "the store is damaged: "+path) || !strings.Contains(err.Error(), "`parley check --repair`") {
			t.Errorf("%s: %v", use, err)
		}
	}
	if _, err := os.Stat(copied); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a copy (%v)", err)
	}
	_, restored := restore(t, archiveOf(t, broken)) // by a version that copied it
	must(t, store.MendEmbedded(t.Context(), o.dir))
	must(t, store.CheckEmbedded(t.Context(), o.dir))
	for name, st := range map[string]*store.Store{"restored": restored, "mended": storetest.OpenAt(t, store.Config{Dir: o.dir})} {
		if got, err := st.Read(t.Context()).Setting("needle"); got != "1" || err != nil {
			t.Errorf("%s: the setting is %q, %v", name, got, err)
		}
	}
}

// A server has pages of its store in memory, so its store is mended without it.
func TestIndexesAreNotMadeAnewUnderAServer(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	storetest.OpenAt(t, cfg, storetest.Exclusive)
	if err := store.MendEmbedded(t.Context(), cfg.Dir); err == nil || !strings.Contains(err.Error(), "a server runs on the data folder "+cfg.Dir+": stop it first") {
		t.Errorf("got %v", err)
	}
}
