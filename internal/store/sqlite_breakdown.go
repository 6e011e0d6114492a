package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// filesEvery is how often the files are looked after while nobody writes.
const filesEvery = 500 * time.Millisecond

// openFiles are the files of an open store, the database first, as they were when it was opened.
type openFiles []openFile

type openFile struct {
	path string
	info os.FileInfo
}

// filesOf returns the files of the database at path, which must be open. They are only looked at by
// their names: to open and close one would drop the locks that SQLite has on it.
func filesOf(path string) (files openFiles, err error) {
	for _, name := range []string{path, journalPath(path), path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("look at the embedded store: %w", err)
		}
		files = append(files, openFile{name, info})
	}
	return files, nil
}

func journalPath(path string) string { return path + "-wal" }

// check tells whether the files are still in their places. What is written to one that was deleted or
// replaced is found by nobody.
func (files openFiles) check() error {
	for _, f := range files {
		if err := f.check(); err != nil {
			return err
		}
	}
	return nil
}

func (f openFile) check() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the file %s was deleted while it was in use: put it back, or a backup, and start the program again", f.path)
	case err == nil && !os.SameFile(info, f.info):
		return fmt.Errorf("the file %s was replaced by another while it was in use: if that is meant, start the program again", f.path)
	}
	return nil // a look that fails says nothing about the file
}

// setAside renames the journal when the database is not the one that it belongs to any more: SQLite would
// copy it into whatever stands there at the next start.
func (files openFiles) setAside() error {
	database, journal := files[0], files[1]
	if database.check() == nil || journal.check() != nil {
		return nil
	}
	return os.Rename(journal.path, fmt.Sprintf("%s.of-replaced-database-%d", journal.path, time.Now().Unix()))
}

// breakdown is what makes an embedded store of no use until the program is started again. The first
// cause counts.
type breakdown struct {
	cause atomic.Pointer[error]
	told  chan error // has the cause once there is one
}

func newBreakdown() *breakdown { return &breakdown{told: make(chan error, 1)} }

func (b *breakdown) set(cause error) {
	err := fmt.Errorf("%w: %w", ErrUnavailable, cause)
	if b.cause.CompareAndSwap(nil, &err) {
		b.told <- err
	}
}

// err returns the cause, or nil while the store is well.
func (b *breakdown) err() error {
	if cause := b.cause.Load(); cause != nil {
		return *cause
	}
	return nil
}
