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

// filesEvery is how often the files are checked while nobody writes.
const filesEvery = 500 * time.Millisecond

// openFiles are the files of an open store, database first, as they were when it was opened.
type openFiles []openFile

type openFile struct {
	path string
	info os.FileInfo
	// remedy is what to do when it is gone.
	remedy string
}

// filesOf returns the files of the database at path, which must be open. It only looks at their names, because
// opening and closing a file would drop SQLite's locks on it.
func filesOf(path string) (files openFiles, err error) {
	for _, name := range []string{path, journalPath(path), path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("look at the embedded store: %w", err)
		}
		// What was in the journal is copied into the database when that is closed, and does not belong into it a second
		// time, after what is written later.
		files = append(files, openFile{name, info, "do not put it back, and start the program again"})
	}
	files[0].remedy = "put it back, or a backup, and start the program again"
	return files, nil
}

func journalPath(path string) string { return path + "-wal" }

// check reports whether the files are still in place. Writes to a deleted or replaced file would be lost.
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
		return fmt.Errorf("the file %s was deleted while it was in use: %s", f.path, f.remedy)
	case err == nil && !os.SameFile(info, f.info):
		return fmt.Errorf("the file %s was replaced by another while it was in use: if that is meant, start the program again", f.path)
	}
	return nil // a failed look says nothing about the file
}

// moved reports whether the database is not in its place any more.
func (files openFiles) moved() bool { return files[0].check() != nil }

// setAside renames the journal if its database was replaced, because SQLite would otherwise copy it into the
// new database at the next start.
func (files openFiles) setAside() error {
	journal := files[1]
	if !files.moved() || journal.check() != nil {
		return nil
	}
	return os.Rename(journal.path, fmt.Sprintf("%s.of-replaced-database-%d", journal.path, time.Now().Unix()))
}

// breakdown is an error after which an embedded store is unusable until the program is restarted. The first
// cause counts.
type breakdown struct {
	cause atomic.Pointer[error]
	told  chan error // gets the cause
}

func newBreakdown() *breakdown { return &breakdown{told: make(chan error, 1)} }

func (b *breakdown) set(cause error) {
	err := unsure(fmt.Errorf("%w: %w", ErrUnavailable, cause)) // commits that wait for their sync get it
	if b.cause.CompareAndSwap(nil, &err) {
		b.told <- err
	}
}

// err returns the cause, or nil.
func (b *breakdown) err() error {
	if cause := b.cause.Load(); cause != nil {
		return *cause
	}
	return nil
}
