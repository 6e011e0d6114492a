package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"
)

// SQLite's checks of a file. The quick one reads it from one end to the other. The whole one also compares each index with
// its table, and takes several times as long.
const (
	quickCheck = "quick_check"
	wholeCheck = "integrity_check"
)

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
	err = check(ctx, db, path, wholeCheck)
	if err == nil {
		err = requireSchema(ctx, db, path)
	}
	return errors.Join(err, db.Close())
}

// CheckSearch reads the search index of a folder from end to end, and reports faults. Without one there are none: the server
// makes it.
func CheckSearch(ctx context.Context, dir string) error {
	path := filepath.Join(dir, searchFile)
	if fileSize(path) == 0 {
		return nil
	}
	db, err := openDatabase(path)
	if err != nil {
		return err
	}
	return errors.Join(check(ctx, db, path, wholeCheck), db.Close())
}

// DropSearch removes the search index of a folder, on which no server may run. The next one makes it anew.
func DropSearch(dir string) error {
	release, err := lockServing(Config{Dir: dir, MustExist: true})
	if err != nil {
		return err
	}
	defer release()
	return removeSearch(filepath.Join(dir, searchFile))
}

// KeepJournal keeps the journal that a crash has left in a folder out of the database, until it is released. Otherwise SQLite
// copies it when the last connection is closed; this one is open meanwhile, and may not write.
func KeepJournal(ctx context.Context, dir string) (release func() error, err error) {
	path := filepath.Join(dir, sqliteFile)
	if fileSize(journalPath(path)) == 0 {
		return func() error { return nil }, nil
	}
	db, err := openAs(path, "ro")
	if err != nil {
		return nil, err
	}
	if _, err := texts(ctx, db, tableNames); err != nil { // opens it
		return nil, errors.Join(unread(path, err), db.Close())
	}
	return db.Close, nil
}

// MendEmbedded is MendIndexes for the embedded store of a folder, on which no server may run.
func MendEmbedded(ctx context.Context, dir string) error {
	release, err := lockServing(Config{Dir: dir, MustExist: true})
	if err != nil {
		return err
	}
	defer release()
	return MendIndexes(ctx, filepath.Join(dir, sqliteFile))
}

// MendIndexes makes the indexes of a database file anew. If the file is not sound with them, it stays as it was: then its
// tables are damaged too, and indexes that fit them would hide that.
func MendIndexes(ctx context.Context, path string) error {
	db, err := openAs(path, "rw")
	if err != nil {
		return err
	}
	err = mendIndexes(ctx, db, path)
	if damage, is := errors.AsType[*Damage](err); is {
		damage.next = restoreBackup
	}
	return errors.Join(err, db.Close())
}

func mendIndexes(ctx context.Context, db *sql.DB, path string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return unread(path, err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "REINDEX"); resultOf(err).ToPrimary() == sqlite.ResultConstraint {
		return damaged(path, err) // two rows of a table have the same key
	} else if err != nil {
		return unread(path, err)
	}
	if err := check(ctx, tx, path, wholeCheck); err != nil {
		return err
	}
	return tx.Commit()
}

// ErrNoStore is returned for a database that is empty, or another program's.
var ErrNoStore = errors.New("the file is no store of Parley")

// requireSchema refuses a database without Parley's tables. Their version may be any.
func requireSchema(ctx context.Context, db *sql.DB, path string) error {
	tables, err := texts(ctx, db, tableNames)
	if err != nil {
		return unread(path, err)
	}
	if !hasSchema(tables) {
		return fmt.Errorf("%w: %s has none of its tables", ErrNoStore, path)
	}
	return nil
}

const tableNames = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"

// hasSchema knows Parley's tables by the oldest: every version has them.
func hasSchema(tables []string) bool {
	return slices.Contains(tables, goose.DefaultTablename) && slices.Contains(tables, "organizations")
}

// asker is a database, or a transaction on it.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// texts are the rows of a query for one column.
func texts(ctx context.Context, db asker, query string, args ...any) (found []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		found = append(found, text)
	}
	return found, rows.Err()
}

// mostComplaints is how many faults of a file are listed.
const mostComplaints = 5

func check(ctx context.Context, db asker, path, how string) error {
	faults, err := texts(ctx, db, fmt.Sprintf("PRAGMA %s(%d)", how, mostComplaints))
	if err != nil {
		return unread(path, err)
	}
	if !slices.Equal(faults, []string{"ok"}) {
		return damaged(path, errors.New(strings.ReplaceAll(strings.Join(faults, "; "), "\n", "; ")))
	}
	return nil
}

// ErrDamaged is the kind of every Damage.
var ErrDamaged = errors.New("the store is damaged")

// Damage is an error about a file whose content SQLite did not write.
type Damage struct {
	Path string
	Why  error
	next string
}

const restoreBackup = "restore a back-up with `parley restore`"

func damaged(path string, why error) error {
	return &Damage{path, why, "stop the server: if only indexes are wrong, `parley check --repair` mends them; else " + restoreBackup}
}

// Error says what to do, too.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s: %s: %v (%s)", ErrDamaged, d.Path, d.Why, d.next)
}

// Unwrap makes it an ErrDamaged.
func (d *Damage) Unwrap() []error { return []error{ErrDamaged, d.Why} }

// unread is damaged only if SQLite says that the content is wrong. A file that this user may not read, or a check
// that was interrupted, is no reason to restore a back-up.
func unread(path string, why error) error {
	if isCorrupt(why) {
		return damaged(path, why)
	}
	return fmt.Errorf("read %s: %w", path, explainDisk(why, tryDisk, filepath.Dir(path)))
}

// startCheck is the time limit of the check at a server's start. `parley check` has none.
const startCheck = 2 * time.Second

// checkAtStart refuses a damaged file, on which SQLite would work until it fails, such as a copy made under
// load. Of a large file it checks only a part.
func checkAtStart(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return err
	}
	db, err := openDatabase(path)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, startCheck)
	defer cancel()
	err = errors.Join(check(limited, db, path, quickCheck), db.Close())
	if err == nil || limited.Err() != nil {
		return ctx.Err()
	}
	return err
}
