package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"

	"github.com/parleyhq/parley/internal/durable"
)

const movedFile = sqliteFile + ".moved"

// MovedPath is where the embedded store of a folder is kept after it was moved to PostgreSQL.
func MovedPath(dir string) string { return filepath.Join(dir, movedFile) }

// Moved counts rows that were moved, by table.
type Moved map[string]int64

// MoveToPostgres moves the embedded store of a folder to a PostgreSQL database that has nothing but its schema, if even
// that. All rows arrive, or none. No server may run on either. The file stays in the folder under another name, so that no
// server goes on with it by mistake: what waits to be sent would be sent twice. told hears of each table that is done.
func MoveToPostgres(ctx context.Context, dir, url string, told func(table string, rows int64)) (Moved, error) {
	from, err := Open(ctx, Config{Dir: dir, Exclusive: true, MustExist: true})
	if err != nil {
		return nil, err
	}
	moved, err := moveFrom(ctx, from.engine.(*sqliteEngine), url, told)
	if err = errors.Join(err, from.Close()); err != nil {
		return nil, err
	}
	return moved, setAside(dir)
}

// setAside renames the database of a folder, with its journal if there is one. The database goes first: without it no
// server starts, and without the journal one would start on less than was stored.
func setAside(dir string) error {
	for _, suffix := range []string{"", "-wal"} {
		err := durable.Rename(filepath.Join(dir, sqliteFile)+suffix, MovedPath(dir)+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the store was moved, but the old one is still in its place: %w", err)
		}
	}
	return nil
}

// requireNotMoved refuses a folder whose store was moved, in which an empty one would be made.
func requireNotMoved(dir string) error {
	_, missing := os.Stat(filepath.Join(dir, sqliteFile))
	_, never := os.Stat(MovedPath(dir))
	if missing == nil || never != nil {
		return nil
	}
	return fmt.Errorf("the store of the data folder %s was moved to PostgreSQL: name the database with --database-url (PARLEY_DATABASE_URL), or, to go back to what was there before, rename %s to %s", dir, MovedPath(dir), sqliteFile)
}

func moveFrom(ctx context.Context, from *sqliteEngine, url string, told func(string, int64)) (moved Moved, err error) {
	to, err := Open(ctx, Config{URL: url})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	source, err := openSQLiteConn(from.path())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	if _, err := source.exec(ctx, "BEGIN IMMEDIATE", nil); err != nil { // commands beside the server could write
		return nil, err
	}
	conn, err := to.engine.(*postgresEngine).acquire(ctx) // Open takes no other address
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		moved, err = mover{ctx, source, tx, told}.moveAll()
		return err
	})
	return moved, err
}

// mover copies the rows of an embedded store to PostgreSQL, in one transaction on each side.
type mover struct {
	ctx  context.Context
	from *sqliteConn
	to   pgx.Tx
	told func(table string, rows int64)
}

func (m mover) moveAll() (Moved, error) {
	_, err := m.to.Exec(m.ctx, "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'")
	if err != nil {
		return nil, err
	}
	names, err := m.tables()
	if err == nil {
		err = m.makeRoom(names)
	}
	if err != nil {
		return nil, err
	}
	moved := Moved{}
	for _, name := range names {
		if moved[name], err = m.move(name); err != nil {
			return nil, fmt.Errorf("move the table %s: %w", name, err)
		}
		m.told(name, moved[name])
	}
	_, err = m.to.Exec(m.ctx, "ANALYZE "+strings.Join(names, ", ")) // plans for empty tables would be bad ones
	return moved, err
}

// stayBehind are tables whose rows belong to one engine: the version of its schema, and the processes that work on it. What
// these had claimed is free without them.
var stayBehind = []string{goose.DefaultTablename, "nodes"}

// tables are those of the embedded store, each behind those that it refers to.
func (m mover) tables() (sorted []string, err error) {
	var left []string
	err = m.from.query(m.ctx, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name", nil, func(row scanner) error {
		name, err := scanText(row)
		if !slices.Contains(stayBehind, name) {
			left = append(left, name)
		}
		return err
	})
	refersTo := map[string][]string{}
	if err == nil {
		err = m.from.query(m.ctx, `SELECT t.name, f."table" FROM sqlite_master t, pragma_foreign_key_list(t.name) f`, nil, func(row scanner) error {
			var table, other string
			err := row.Scan(&table, &other)
			refersTo[table] = append(refersTo[table], other)
			return err
		})
	}
	for err == nil && len(left) > 0 {
		i := slices.IndexFunc(left, func(name string) bool {
			return !slices.ContainsFunc(refersTo[name], func(other string) bool { return slices.Contains(left, other) })
		})
		if i < 0 {
			return nil, fmt.Errorf("these tables refer to each other: %s", strings.Join(left, ", "))
		}
		sorted, left = append(sorted, left[i]), slices.Delete(left, i, i+1)
	}
	return sorted, err
}

// makeRoom empties the tables that have rows from the start, and refuses a database with more than that, or with a server
// on it. Until the end of the transaction nobody else can use the tables.
func (m mover) makeRoom(tables []string) error {
	if _, err := m.to.Exec(m.ctx, "LOCK TABLE nodes, "+strings.Join(tables, ", ")+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	for _, name := range tables {
		if name == "plans" || name == "settings" {
			continue
		}
		used := false
		if err := m.to.QueryRow(m.ctx, "SELECT EXISTS (SELECT FROM "+name+")").Scan(&used); err != nil {
			return err
		}
		if used {
			return fmt.Errorf("the database has a store in use (there are rows in %s): move into an empty database", name)
		}
	}
	served := false
	if err := m.to.QueryRow(m.ctx, "SELECT EXISTS (SELECT FROM nodes WHERE expires_at > $1)", time.Now().UnixMilli()).Scan(&served); err != nil {
		return err
	}
	if served {
		return errors.New("a server runs on the database, or was killed within the last minute: stop it, and try again")
	}
	_, err := m.to.Exec(m.ctx, "DELETE FROM plans; DELETE FROM settings")
	return err
}

// move copies the rows of a table.
func (m mover) move(name string) (int64, error) {
	var columns, types []string
	err := m.from.query(m.ctx, "SELECT name, type FROM pragma_table_info($1)", []any{name}, func(row scanner) error {
		var column, kind string
		err := row.Scan(&column, &kind)
		columns, types = append(columns, column), append(types, kind)
		return err
	})
	if err != nil {
		return 0, err
	}
	stmt, _, err := m.from.conn.PrepareTransient("SELECT " + strings.Join(columns, ", ") + " FROM " + name)
	if err != nil {
		return 0, err
	}
	rows := &movedRows{stmt: stmt, types: types}
	n, err := m.to.CopyFrom(m.ctx, pgx.Identifier{name}, columns, rows)
	return n, errors.Join(err, stmt.Finalize())
}

// movedRows are the rows of a statement, for PostgreSQL.
type movedRows struct {
	stmt  *sqlite.Stmt
	types []string // as declared
	err   error
}

// Next goes to the next row.
func (r *movedRows) Next() bool {
	more, err := r.stmt.Step()
	r.err = err
	return more && err == nil
}

// Err is the error that has ended the rows.
func (r *movedRows) Err() error { return r.err }

// Values are those of the present row. To SQLite a boolean is a number.
func (r *movedRows) Values() ([]any, error) {
	values := make([]any, len(r.types))
	for i, kind := range r.types {
		switch r.stmt.ColumnType(i) {
		case sqlite.TypeNull:
		case sqlite.TypeInteger:
			values[i] = r.stmt.ColumnInt64(i)
			if kind == "BOOLEAN" {
				values[i] = r.stmt.ColumnBool(i)
			}
		case sqlite.TypeFloat:
			values[i] = r.stmt.ColumnFloat(i)
		case sqlite.TypeText:
			values[i] = r.stmt.ColumnText(i)
		default:
			return nil, fmt.Errorf("column %s has bytes, which no column of the schema is for", r.stmt.ColumnName(i))
		}
	}
	return values, nil
}
