package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// sqliteSettings are the settings of each connection. With synchronous=NORMAL the journal syncs a commit (see
// sqlite_journal.go), before anyone hears of it. No commit copies the journal into the database; the copier
// does (see sqlite_copier.go).
var sqliteSettings = []string{
	"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON",
	"PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -8000", "PRAGMA wal_autocheckpoint = 0",
}

// busyTimeout is how long a connection waits for a writer in another process.
const busyTimeout = 10 * time.Second

// sqliteConn is one connection with its prepared statements. There are few texts: they are written in this
// package, and filters add a bounded number of variants.
type sqliteConn struct {
	conn       *sqlite.Conn
	statements map[string]sqliteStatement
	wrote      bool          // since the writer last looked
	unsteady   bool          // a steady table may have changed since then
	memory     *sqliteMemory // of the writer

	transaction bool  // the writer has begun a transaction
	lostBy      error // why SQLite gave it up
}

// sqliteStatement is a prepared statement. To SQLite $2 is a name, and it numbers parameters in order of
// appearance; args maps each parameter to its argument.
type sqliteStatement struct {
	*sqlite.Stmt
	args   []int
	writes bool
	steady bool // it writes to a steady table
}

func openSQLiteConn(path string) (*sqliteConn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, fmt.Errorf("open the embedded store: %w", sqliteError(err))
	}
	conn.SetBusyTimeout(busyTimeout)
	c := &sqliteConn{conn: conn, statements: map[string]sqliteStatement{}}
	for _, setting := range sqliteSettings {
		if _, err := c.exec(context.Background(), setting, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("open the embedded store: %w", err), c.close())
		}
	}
	return c, nil
}

func (c *sqliteConn) prepare(text string) (sqliteStatement, error) {
	if s, ok := c.statements[text]; ok {
		return s, nil
	}
	stmt, rest, err := c.conn.PrepareTransient(text)
	if err == nil && rest > 0 && strings.TrimSpace(text[len(text)-rest:]) != "" {
		err = errors.Join(errors.New("more than one statement"), stmt.Finalize())
	}
	if err != nil {
		return sqliteStatement{}, fmt.Errorf("%w in %q", err, text)
	}
	s := sqliteStatement{Stmt: stmt, writes: !strings.HasPrefix(text, "SELECT")}
	s.steady = s.writes && changesSteady(text)
	for i := range stmt.BindParamCount() {
		number, err := strconv.Atoi(strings.TrimPrefix(stmt.BindParamName(i+1), "$"))
		if err != nil {
			return sqliteStatement{}, errors.Join(fmt.Errorf("parameter %d has no number in %q", i+1, text), stmt.Finalize())
		}
		s.args = append(s.args, number-1)
	}
	c.statements[text] = s
	return s, nil
}

// query ignores the context's end on purpose, like exec: an interrupted statement makes SQLite roll back the
// whole transaction, with the work of every other request in the batch.
func (c *sqliteConn) query(ctx context.Context, text string, args []any, each func(scanner) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.lost() {
		return c.lossError()
	}
	stmt, err := c.prepare(text)
	if err != nil {
		return sqliteError(err)
	}
	defer stmt.Reset()
	c.wrote, c.unsteady = c.wrote || stmt.writes, c.unsteady || stmt.steady
	if err := stmt.bindAll(args); err != nil {
		return err
	}
	row := sqliteRow{stmt.Stmt}
	for {
		more, err := stmt.Step()
		if err != nil {
			return c.failed(sqliteError(err))
		}
		if !more {
			return nil
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// lost reports that SQLite has given up the writer's transaction by itself. That happens when a statement, even
// one that only reads, meets an I/O error, a full disk or a lack of memory, or is interrupted. The earlier
// statements are then undone, and later ones would be committed one by one. So nothing runs on the connection
// until the writer has ended the transaction.
func (c *sqliteConn) lost() bool { return c.transaction && c.conn.AutocommitEnabled() }

func (c *sqliteConn) lossError() error {
	return fmt.Errorf("%w: SQLite gave up the transaction: %w", ErrUnavailable, cmp.Or(c.lostBy, errors.New("cause unknown")))
}

// failed checks what a failed statement has done to the transaction.
func (c *sqliteConn) failed(err error) error {
	if c.lost() {
		c.lostBy = err
	}
	return err
}

func (c *sqliteConn) exec(ctx context.Context, text string, args []any) (int64, error) {
	err := c.query(ctx, text, args, func(scanner) error { return nil })
	return int64(c.conn.Changes()), err
}

func (c *sqliteConn) later(ctx context.Context, text string, args []any) error {
	_, err := c.exec(ctx, text, args)
	return err
}

func (c *sqliteConn) forget() {} // later has run everything

func (c *sqliteConn) close() error {
	for _, stmt := range c.statements {
		stmt.Finalize()
	}
	return c.conn.Close()
}

// bindAll binds all arguments and replaces those bound before.
func (s sqliteStatement) bindAll(args []any) error {
	for i, arg := range s.args {
		if arg >= len(args) {
			return fmt.Errorf("store: %d arguments for a statement that takes more", len(args))
		}
		if err := bind(s.Stmt, i+1, args[arg]); err != nil {
			return err
		}
	}
	return nil
}

func bind(stmt *sqlite.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		stmt.BindNull(i)
	case string:
		stmt.BindText(i, v)
	case int64:
		stmt.BindInt64(i, v)
	case int:
		stmt.BindInt64(i, int64(v))
	case bool:
		stmt.BindBool(i, v)
	case float64:
		stmt.BindFloat(i, v)
	case []byte:
		stmt.BindBytes(i, v)
	default:
		return bindOther(stmt, i, reflect.ValueOf(arg))
	}
	return nil
}

// bindOther binds pointers, where nil is NULL, and named types.
func bindOther(stmt *sqlite.Stmt, i int, v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		stmt.BindNull(i)
	case v.Kind() == reflect.Pointer:
		return bind(stmt, i, v.Elem().Interface())
	case v.Kind() == reflect.String:
		stmt.BindText(i, v.String())
	case v.CanInt():
		stmt.BindInt64(i, v.Int())
	case v.Kind() == reflect.Bool:
		stmt.BindBool(i, v.Bool())
	default:
		return fmt.Errorf("store: cannot bind a %s", v.Type())
	}
	return nil
}

// sqliteRow is the current row of a statement.
type sqliteRow struct{ stmt *sqlite.Stmt }

// Scan copies the columns into dest.
func (r sqliteRow) Scan(dest ...any) error {
	if have := r.stmt.ColumnCount(); have != len(dest) {
		return fmt.Errorf("store: %d destinations for %d columns", len(dest), have)
	}
	for i, d := range dest {
		if err := r.column(i, d); err != nil {
			return fmt.Errorf("store: column %s: %w", r.stmt.ColumnName(i), err)
		}
	}
	return nil
}

func (r sqliteRow) column(i int, dest any) error {
	null := r.stmt.ColumnIsNull(i)
	switch d := dest.(type) {
	case **string:
		if *d = nil; !null {
			*d = new(r.stmt.ColumnText(i))
		}
		return nil
	case **int64:
		if *d = nil; !null {
			*d = new(r.stmt.ColumnInt64(i))
		}
		return nil
	}
	if null {
		return r.null(dest)
	}
	switch d := dest.(type) {
	case *string:
		*d = r.stmt.ColumnText(i)
	case *int64:
		*d = r.stmt.ColumnInt64(i)
	case *int:
		*d = r.stmt.ColumnInt(i)
	case *bool:
		*d = r.stmt.ColumnBool(i)
	case *float64:
		*d = r.stmt.ColumnFloat(i)
	case *[]byte:
		*d = []byte(r.stmt.ColumnText(i))
	default:
		return r.other(i, reflect.ValueOf(dest).Elem())
	}
	return nil
}

// null sets a pointer to nil. No other type can hold a NULL.
func (r sqliteRow) null(dest any) error {
	v := reflect.ValueOf(dest).Elem()
	if v.Kind() != reflect.Pointer && v.Kind() != reflect.Slice {
		return errors.New("is NULL")
	}
	v.SetZero()
	return nil
}

// other scans pointers and named types.
func (r sqliteRow) other(i int, v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return r.column(i, v.Interface())
	case v.Kind() == reflect.String:
		v.SetString(r.stmt.ColumnText(i))
	case v.CanInt():
		v.SetInt(r.stmt.ColumnInt64(i))
	case v.Kind() == reflect.Bool:
		v.SetBool(r.stmt.ColumnBool(i))
	default:
		return fmt.Errorf("cannot be read into a %s", v.Type())
	}
	return nil
}

// sqliteError translates the errors that callers of this package distinguish.
func sqliteError(err error) error {
	if err == nil {
		return nil
	}
	code := sqlite.ErrCode(err)
	switch code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey:
		return fmt.Errorf("%w: %w", ErrDuplicate, err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultFull:
		return fmt.Errorf("%w: the disk is full: %w", ErrUnavailable, err)
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultIOErr,
		sqlite.ResultCantOpen, sqlite.ResultReadOnly, sqlite.ResultNoMem:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
