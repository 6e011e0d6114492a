package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/parleyhq/parley/internal/durable"
)

func TestRename(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, content := range []string{"first", "second"} {
		if err := os.WriteFile(from, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := durable.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(to); string(got) != content {
			t.Errorf("the file has %q (%v), not %q", got, err, content)
		}
	}
	if err := durable.Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestMakeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := durable.MakeFolder(deep); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if info, err := os.Stat(deep); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v (%v)", info, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(file, "below")} {
		if err := durable.MakeFolder(bad); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
