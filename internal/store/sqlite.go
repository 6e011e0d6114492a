package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteEngine is the embedded store: any number of readers and one writer, which commits the
// work of many requests at once (see sqlite_writer.go).
type sqliteEngine struct {
	dir     string
	db      *sql.DB
	readers chan *sqliteConn
	opened  int // readers
	writer  *sqliteWriter
	release func() // of the serving process's lock
	closing sync.Once
	closed  chan struct{}
}

func openSQLite(dir string, exclusive bool) (engine, error) {
	if dir == "" {
		return nil, errors.New("the embedded store needs a data folder")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	release := func() {}
	if exclusive {
		var err error
		if release, err = lockFile(filepath.Join(dir, "serve.lock"), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			return nil, fmt.Errorf("another server runs on the data folder %s: stop it, or give this one a folder of its own with --data (%w)", dir, err)
		}
	}
	db, err := sql.Open("sqlite", sqliteDSN(filepath.Join(dir, "parley.db")))
	if err != nil {
		release()
		return nil, err
	}
	db.SetMaxOpenConns(0)
	db.SetMaxIdleConns(64)
	return &sqliteEngine{dir: dir, db: db, release: release, closed: make(chan struct{})}, nil
}

// sqliteDSN sets up each connection. synchronous=FULL makes a commit durable against a power
// cut; the group commit pays for it once per batch.
func sqliteDSN(path string) string {
	pragmas := url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)",
		"foreign_keys(ON)", "temp_store(MEMORY)", "cache_size(-8000)",
	}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + pragmas.Encode()
}

func (e *sqliteEngine) dialect() dialect { return sqliteDialect }

// migrate also starts the connections: they prepare statements against the finished schema.
func (e *sqliteEngine) migrate(ctx context.Context) error {
	unlock, err := lockFile(filepath.Join(e.dir, "migrate.lock"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock()
	if err := migrateUp(ctx, goose.DialectSQLite3, e.db); err != nil {
		return err
	}
	return e.start(ctx)
}

func (e *sqliteEngine) start(ctx context.Context) error {
	conn, err := e.connect(ctx)
	if err != nil {
		return err
	}
	e.writer = startSQLiteWriter(conn)
	n := max(4, 2*runtime.GOMAXPROCS(0))
	e.readers = make(chan *sqliteConn, n)
	for range n {
		conn, err := e.connect(ctx)
		if err != nil {
			return err
		}
		if _, err := conn.exec(ctx, "PRAGMA query_only = ON", nil); err != nil {
			return err
		}
		e.opened++
		e.readers <- conn
	}
	return nil
}

func (e *sqliteEngine) connect(ctx context.Context) (*sqliteConn, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the embedded store: %w", err)
	}
	return &sqliteConn{conn: conn, statements: map[string]*sql.Stmt{}}, nil
}

// query borrows a reader. A statement that the caller gives up on still runs to its end: reads
// are short by design, and interrupting costs more than finishing.
func (e *sqliteEngine) query(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	select {
	case conn := <-e.readers:
		defer func() { e.readers <- conn }()
		return conn.query(ctx, sql, args, each)
	case <-e.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *sqliteEngine) exec(context.Context, string, []any) (int64, error) {
	return 0, errors.New("store: a write outside a transaction")
}

func (e *sqliteEngine) later(context.Context, string, []any) error {
	return errors.New("store: a write outside a transaction")
}

func (e *sqliteEngine) forget() {}

func (e *sqliteEngine) inTx(ctx context.Context, body func(session) error) error {
	return e.writer.do(ctx, body)
}

func (e *sqliteEngine) close() (err error) {
	e.closing.Do(func() { err = e.shutDown() })
	return err
}

func (e *sqliteEngine) shutDown() error {
	defer e.release()
	if e.writer != nil {
		e.writer.stop()
	}
	close(e.closed)
	for range e.opened { // each comes back when its read is done
		conn := <-e.readers
		conn.close()
	}
	return e.db.Close()
}

// sqliteConn is one connection with its prepared statements. The texts are few: they are
// written in this package, and filters add a bounded number of variants.
type sqliteConn struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

func (c *sqliteConn) prepare(text string) (*sql.Stmt, error) {
	if stmt := c.statements[text]; stmt != nil {
		return stmt, nil
	}
	stmt, err := c.conn.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, fmt.Errorf("%w in %q", err, text)
	}
	c.statements[text] = stmt
	return stmt, nil
}

// query ignores the context's end on purpose, like exec: an interrupted statement makes SQLite
// roll back the whole transaction, and with it the work of every other request in the batch.
func (c *sqliteConn) query(ctx context.Context, text string, args []any, each func(scanner) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stmt, err := c.prepare(text)
	if err != nil {
		return sqliteError(err)
	}
	rows, err := stmt.QueryContext(context.Background(), args...)
	if err != nil {
		return sqliteError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return sqliteError(rows.Err())
}

func (c *sqliteConn) exec(ctx context.Context, text string, args []any) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	stmt, err := c.prepare(text)
	if err != nil {
		return 0, sqliteError(err)
	}
	result, err := stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, sqliteError(err)
	}
	return result.RowsAffected()
}

func (c *sqliteConn) later(ctx context.Context, text string, args []any) error {
	_, err := c.exec(ctx, text, args)
	return err
}

func (c *sqliteConn) forget() {} // later has run it all

func (c *sqliteConn) close() {
	for _, stmt := range c.statements {
		stmt.Close()
	}
	c.conn.Close()
}

// sqliteError translates what the callers of this package tell apart.
func sqliteError(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", ErrDuplicate, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// lockFile locks the file at path as flock does; the kernel drops the lock with the process.
func lockFile(path string, how int) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
