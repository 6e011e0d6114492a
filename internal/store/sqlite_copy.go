package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// CopyEmbedded writes the embedded store of a folder to a new file, as it is at one instant, also while a server
// works on it. The copy is checked.
func CopyEmbedded(ctx context.Context, dir, to string) error {
	path := filepath.Join(dir, sqliteFile)
	if err := requireStore(dir, path); err != nil {
		return err
	}
	if err := createPrivate(to); err != nil {
		return err
	}
	db, err := openDatabase(path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return CheckFile(ctx, to)
}

// CheckEmbedded reads the embedded store of a folder from end to end, and tells what is wrong with it.
func CheckEmbedded(ctx context.Context, dir string) error {
	path := filepath.Join(dir, sqliteFile)
	if err := requireStore(dir, path); err != nil {
		return err
	}
	return CheckFile(ctx, path)
}

// CheckFile reads a database file from end to end, and tells what is wrong with it.
func CheckFile(ctx context.Context, path string) error {
	db, err := openDatabase(path)
	if err != nil {
		return err
	}
	return errors.Join(quickCheck(ctx, db, path), db.Close())
}

// mostComplaints is how many faults of a file are named.
const mostComplaints = 5

func quickCheck(ctx context.Context, db *sql.DB, path string) error {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA quick_check(%d)", mostComplaints))
	if err != nil {
		return damaged(path, err)
	}
	defer rows.Close()
	var faults []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return damaged(path, err)
		}
		if line != "ok" {
			faults = append(faults, line)
		}
	}
	if err := rows.Err(); err != nil {
		return damaged(path, err)
	}
	if len(faults) > 0 {
		return damaged(path, errors.New(strings.Join(faults, "; ")))
	}
	return nil
}

// ErrDamaged is returned for a file that is not what SQLite has written.
var ErrDamaged = errors.New("the store is damaged")

func damaged(path string, why error) error {
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, why)
}

// openDatabase opens a database as it is, and makes none.
func openDatabase(path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw&_pragma=busy_timeout(10000)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// startCheck is how long the check at a server's start may take. `parley check` has no such limit.
const startCheck = 2 * time.Second

// checkAtStart refuses a file that SQLite would work on until it stumbles, as a copy made under load can be. Of a
// large one it sees only a part.
func checkAtStart(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, startCheck)
	defer cancel()
	err := CheckFile(limited, path)
	if err == nil || limited.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w (restore a back-up with `parley restore`)", err)
}
