package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// keepPrivate opens a store with an empty umask, and checks its files while it is in use.
func keepPrivate() error {
	syscall.Umask(0)
	st, err := openInChild()
	if err != nil {
		return err
	}
	defer st.Close()
	err = st.InTx(context.Background(), putSetting("a", "1"))
	files, listErr := os.ReadDir(os.Getenv(envDir))
	if err := errors.Join(err, listErr); err != nil {
		return err
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return err
		}
		fmt.Println(f.Name(), info.Mode().Perm())
	}
	return nil
}

func TestEmbeddedFilesAreTheirOwnersAlone(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]store.Config{
		"new": storetest.NewEmptyConfig(t, storetest.SQLite), "of an earlier version": earlierStore(t),
	} {
		t.Run(name, func(t *testing.T) {
			out, err := child("private", cfg).Output()
			requireNoError(t, err)
			for _, file := range []string{"parley.db", "parley.db-wal", "parley.db-shm", "migrate.lock"} {
				if !strings.Contains("\n"+string(out), "\n"+file+" -rw-------\n") {
					t.Errorf("%s is open to others, or missing:\n%s", file, out)
				}
			}
		})
	}
}

// earlierStore is a store whose files anyone may read, as after a kill.
func earlierStore(t *testing.T) store.Config {
	t.Helper()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	for _, file := range []string{"parley.db-wal", "parley.db-shm", "migrate.lock"} {
		requireNoError(t, os.WriteFile(filepath.Join(cfg.Dir, file), nil, 0o644))
	}
	requireNoError(t, os.Chmod(filepath.Join(cfg.Dir, "parley.db"), 0o644))
	return cfg
}

func TestStoreThatMustExist(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "missing")} {
		_, err := store.Open(t.Context(), store.Config{Dir: dir, MustExist: true})
		for _, hint := range []string{"there is no store in the data folder " + dir, "--data", "`parley serve`"} {
			if err == nil || !strings.Contains(err.Error(), hint) {
				t.Errorf("%v does not say %s", err, hint)
			}
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
	cfg := storetest.NewConfig(t, storetest.SQLite)
	cfg.MustExist = true
	storetest.OpenAt(t, cfg)
	if _, err := os.Stat(filepath.Join(empty, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

// A lock file that cannot be opened does not mean that another server runs.
func TestLockThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	cfg.Exclusive = true
	path := filepath.Join(cfg.Dir, "serve.lock")
	requireNoError(t, os.Mkdir(path, 0o700)) // refused to root, too
	_, err := store.Open(t.Context(), cfg)
	if err == nil || strings.Contains(err.Error(), "another server") || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

// Whatever root makes in the folder of a server that is not root, the server can use. Who runs the test cannot give a folder
// away unless it is root; then all belongs to the one who runs it.
func TestFilesBelongToTheOwnerOfTheFolder(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewEmptyConfig(t, storetest.SQLite)
	const stranger = 12345
	if err := os.Chown(cfg.Dir, stranger, stranger); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	st := storetest.OpenAt(t, cfg)
	_, err := st.OpenSearch(t.Context())
	requireNoError(t, err)
	files, err := os.ReadDir(cfg.Dir)
	requireNoError(t, err)
	if len(files) < 4 {
		t.Errorf("only %v are there", files)
	}
	for _, file := range files {
		if path := filepath.Join(cfg.Dir, file.Name()); ownerOf(t, path) != ownerOf(t, cfg.Dir) {
			t.Errorf("%s belongs to %v", path, ownerOf(t, path))
		}
	}
}

// ownerOf is the user and the group that a file belongs to.
func ownerOf(t *testing.T, path string) [2]uint32 {
	t.Helper()
	info, err := os.Stat(path)
	requireNoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	return [2]uint32{owner.Uid, owner.Gid}
}
