package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/durable"
)

// unfinished begins the name of a file that is being received.
const unfinished = ".new-"

// Folder stores files in a folder.
type Folder struct {
	dir    string
	tidied atomic.Int64 // when tidy last looked, in nanoseconds
}

// OpenFolder uses the folder, and creates it if it is missing.
func OpenFolder(dir string) (*Folder, error) {
	if err := durable.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("make the media folder: %w", err)
	}
	return &Folder{dir: dir}, nil
}

// Try stores nothing, and says whether a file could be: it makes one in each of the folders that Put writes to, and removes
// it.
func (f *Folder) Try() error {
	place := filepath.Join(f.dir, arriving)
	if err := os.MkdirAll(place, 0o700); err != nil {
		return err
	}
	for _, dir := range []string{f.dir, place} {
		file, err := os.CreateTemp(dir, unfinished+"*")
		if err != nil {
			return err
		}
		if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
			return err
		}
	}
	return nil
}

// arriving is where files are until they are whole. They are together, so that those which a killed process has left are
// found without a look at all the others.
const arriving = ".arriving"

// leftAfter is how long nothing was added to a file that a killed process has left. No transfer stands still for as long,
// on any of the nodes that share the folder.
const leftAfter = time.Hour

// Put writes to a temporary name first.
func (f *Folder) Put(_ context.Context, key string, r io.Reader, limit int64) (info Info, err error) {
	path, place := f.path(key), filepath.Join(f.dir, arriving)
	if err := errors.Join(durable.MakeFolder(filepath.Dir(path)), os.MkdirAll(place, 0o700)); err != nil {
		return Info{}, err
	}
	f.tidy(place)
	tmp, err := os.CreateTemp(place, unfinished+"*")
	if err != nil {
		return Info{}, err
	}
	defer os.Remove(tmp.Name())
	info, err = receive(tmp, r, limit)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return Info{}, err
	}
	return info, durable.Rename(tmp.Name(), path)
}

// tidy removes what killed processes have left, once in a while. What cannot be removed is tried again.
func (f *Folder) tidy(place string) {
	now := time.Now()
	if last := f.tidied.Load(); now.UnixNano()-last < int64(leftAfter) || !f.tidied.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	entries, _ := os.ReadDir(place)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) >= leftAfter {
			os.Remove(filepath.Join(place, entry.Name()))
		}
	}
}

// Get opens a file.
func (f *Folder) Get(_ context.Context, key string) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.path(key))
	if err != nil {
		return nil, err // not an interface that holds a nil file
	}
	return file, nil
}

// Delete removes a file.
func (f *Folder) Delete(_ context.Context, key string) error {
	err := os.Remove(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// CopyTo copies all files to another store, and returns how many.
func (f *Folder) CopyTo(ctx context.Context, to Store) (files int, err error) {
	err = filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), unfinished) {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		files++
		_, err = to.Put(ctx, entry.Name(), file, math.MaxInt64-1)
		return err
	})
	return files, err
}

func (f *Folder) path(key string) string {
	folder, name := spread(key)
	return filepath.Join(f.dir, folder, name)
}
