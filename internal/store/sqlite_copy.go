package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"
	sqlitedriver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
)

const readAndWrite = 0o6 // for access(2)

// CopyEmbedded writes the embedded store of a folder to a new file, as of one instant, even while a server
// works on it. It checks the copy.
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
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("copy the store to %s: %w", to, explainDisk(err, tryDisk, dir, filepath.Dir(to)))
	}
	return CheckFile(ctx, to)
}

// CheckEmbedded reads the embedded store of a folder from end to end, and reports faults.
func CheckEmbedded(ctx context.Context, dir string) error {
	path := filepath.Join(dir, sqliteFile)
	if err := requireUsed(dir, path); err != nil {
		return err
	}
	return CheckFile(ctx, path)
}

// CheckFile reads a database file from end to end, and reports faults. To SQLite an empty file, or another program's, is
// sound too.
func CheckFile(ctx context.Context, path string) error {
	db, err := openDatabase(path)
	if err != nil {
		return err
	}
	err = quickCheck(ctx, db, path)
	if err == nil {
		err = requireSchema(ctx, db, path)
	}
	return errors.Join(err, db.Close())
}

// ErrNoStore is returned for a database that is empty, or another program's.
var ErrNoStore = errors.New("the file is no store of Parley")

// requireSchema refuses a database without Parley's tables. Their version may be any.
func requireSchema(ctx context.Context, db *sql.DB, path string) error {
	tables, err := tablesOf(ctx, db)
	if err != nil {
		return unread(path, err)
	}
	if !hasSchema(tables) {
		return fmt.Errorf("%w: %s has none of its tables", ErrNoStore, path)
	}
	return nil
}

// hasSchema knows Parley's tables by the oldest: every version has them.
func hasSchema(tables []string) bool {
	return slices.Contains(tables, goose.DefaultTablename) && slices.Contains(tables, "organizations")
}

func tablesOf(ctx context.Context, db *sql.DB) (tables []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		tables = append(tables, name)
	}
	return tables, rows.Err()
}

// mostComplaints is how many faults of a file are listed.
const mostComplaints = 5

func quickCheck(ctx context.Context, db *sql.DB, path string) error {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA quick_check(%d)", mostComplaints))
	if err != nil {
		return unread(path, err)
	}
	defer rows.Close()
	var faults []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return unread(path, err)
		}
		if line != "ok" {
			faults = append(faults, line)
		}
	}
	if err := rows.Err(); err != nil {
		return unread(path, err)
	}
	if len(faults) > 0 {
		return damaged(path, errors.New(strings.Join(faults, "; ")))
	}
	return nil
}

// ErrDamaged is returned for a file whose content SQLite did not write.
var ErrDamaged = errors.New("the store is damaged")

func damaged(path string, why error) error {
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, why)
}

// unread is damaged only if SQLite says that the content is wrong. A file that this user may not read, or a check
// that was interrupted, is no reason to restore a back-up.
func unread(path string, why error) error {
	var failed *sqlitedriver.Error
	if errors.As(why, &failed) {
		switch sqlite.ResultCode(failed.Code()).ToPrimary() {
		case sqlite.ResultCorrupt, sqlite.ResultNotADB:
			return damaged(path, why)
		}
	}
	return fmt.Errorf("read %s: %w", path, explainDisk(why, tryDisk, filepath.Dir(path)))
}

// openDatabase opens an existing database. SQLite would not say why it cannot.
func openDatabase(path string) (*sql.DB, error) {
	if err := syscall.Access(path, readAndWrite); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw&_pragma=busy_timeout(10000)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// startCheck is the time limit of the check at a server's start. `parley check` has none.
const startCheck = 2 * time.Second

// checkAtStart refuses a damaged file, on which SQLite would work until it fails, such as a copy made under
// load. Of a large file it checks only a part.
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
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%w (restore a back-up with `parley restore`)", err)
	}
	return err
}
