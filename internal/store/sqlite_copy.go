package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"syscall"
)

const readAndWrite = 0o6 // for access(2)

// CopyEmbedded writes the embedded store of a folder to a new file, as of one instant, even while a server
// works on it. It checks the copy. The copy is in a folder that is removed after a failure, so that an error names the one
// above it.
func CopyEmbedded(ctx context.Context, dir, to string) error {
	path := filepath.Join(dir, sqliteFile)
	if err := requireUsed(dir, path); err != nil {
		return err
	}
	if err := createPrivate(to); err != nil {
		return err
	}
	db, err := openDatabase(path)
	if err != nil {
		return err
	}
	if err = requireSchema(ctx, db, path); err != nil {
		return errors.Join(err, db.Close())
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	switch err = errors.Join(err, db.Close()); {
	case isCorrupt(err):
		return damaged(path, err)
	case err != nil:
		return fmt.Errorf("copy the store of %s: %w", dir, explainDisk(err, tryDisk, dir, filepath.Dir(filepath.Dir(to))))
	}
	return checkCopy(ctx, path, to)
}

// checkCopy blames the store for what is wrong in its copy, unless the store has nothing of it: a copy takes over what is
// wrong in an index.
func checkCopy(ctx context.Context, path, to string) error {
	err := CheckFile(ctx, to)
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	if whose := CheckFile(ctx, path); whose != nil {
		return whose
	}
	return fmt.Errorf("the store is sound, and its copy is not: look after the disk, and try again: %w", err)
}

// openDatabase opens an existing database. SQLite would not say why it cannot. A journal that a crash has left stays: who
// could write would copy it into the database when closing it, and whoever only looks should not change what is looked at.
func openDatabase(path string) (*sql.DB, error) {
	if fileSize(journalPath(path)) > 0 {
		return openAs(path, "ro")
	}
	return openAs(path, "rw") // closing it removes the empty journal that SQLite makes
}

func openAs(path, mode string) (*sql.DB, error) {
	if err := syscall.Access(path, readAndWrite); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode="+mode+"&_pragma=busy_timeout(10000)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}
