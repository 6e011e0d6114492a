package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"zombiezen.com/go/sqlite"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// SQLite says neither which folder has failed nor why. Whoever reads the error must find out.
func TestFailuresOfTheDiskNameTheFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code   sqlite.ResultCode
		system error
		want   string
	}{
		{sqlite.ResultIOErrSHMSize, syscall.ENOSPC, "there is no room left for the folder /srv/parley"},
		{sqlite.ResultFull, syscall.EDQUOT, "there is no room left for the folder /srv/parley"},
		{sqlite.ResultReadOnly, syscall.EROFS, "the folder /srv/parley takes no files: read-only file system"},
		{sqlite.ResultIOErrRead, nil, "in the folder /srv/parley"},
	} {
		err := store.ExplainDisk(c.code.ToError(), "/srv/parley", c.system)
		if !strings.Contains(err.Error(), c.want) || sqlite.ErrCode(err) != c.code {
			t.Errorf("%v and %v are explained as %v", c.code, c.system, err)
		}
	}
	if err := store.ExplainDisk(store.ErrNotFound, "/srv/parley", syscall.ENOSPC); !errors.Is(err, store.ErrNotFound) || strings.Contains(err.Error(), "/srv") {
		t.Errorf("what is not of the disk becomes %v", err)
	}
}

// A store whose disk fails is opened, checked and copied with an error that names its folder.
func TestFailingDiskIsNamed(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st, err := store.Open(t.Context(), cfg)
	requireNoError(t, err)
	requireNoError(t, st.Close())
	storetest.DiskOf(t, cfg.Dir).Fail(storetest.Read, databaseFile, syscall.EIO)
	for name, use := range map[string]func(context.Context) error{
		"check": func(ctx context.Context) error { return store.CheckEmbedded(ctx, cfg.Dir) },
		"copy":  func(ctx context.Context) error { return store.CopyEmbedded(ctx, cfg.Dir, t.TempDir()+"/copy") },
		"open": func(ctx context.Context) error {
			_, err := store.Open(ctx, cfg)
			return err
		},
	} {
		if err := use(t.Context()); err == nil || !strings.Contains(err.Error(), "in the folder "+cfg.Dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A journal that a command of another user has left cannot be opened, and SQLite does not say that it is the journal. Root
// may open all files, so that this one leads in a circle.
func TestFileThatCannotBeOpenedIsNamed(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	journal := filepath.Join(cfg.Dir, "parley.db-wal")
	requireNoError(t, os.Symlink(journal, journal))
	for name, use := range map[string]func() error{
		"check": func() error { return store.CheckEmbedded(t.Context(), cfg.Dir) },
		"open":  func() error { return second(store.Open(t.Context(), cfg)) },
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), "open "+journal+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
