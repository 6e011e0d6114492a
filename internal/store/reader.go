package store

import (
	"context"
	"slices"
)

// Reader reads rows. Its methods are in the files of the tables they read.
type Reader struct {
	ctx      context.Context
	db       session
	dialect  dialect
	locking  bool
	foreseen *foreseen // nil: nothing
}

// session runs statements: on the pool, or on the connection of a transaction.
type session interface {
	query(ctx context.Context, sql string, args []any, each func(scanner) error) error
	exec(ctx context.Context, sql string, args []any) (int64, error)
	// later runs a statement whose result nobody waits for, at the latest with the commit. On PostgreSQL such
	// statements are sent together with the COMMIT, and their errors come then.
	later(ctx context.Context, sql string, args []any) error
	// forget drops the statements of later that have not run yet.
	forget()
}

// scanner is a row of either driver.
type scanner interface{ Scan(dest ...any) error }

// columnsAround is a row whose first and last columns other code reads.
type columnsAround struct {
	row         scanner
	first, last []any
}

func (c columnsAround) Scan(dest ...any) error {
	return c.row.Scan(slices.Concat(c.first, dest, c.last)...)
}

// scannerFunc is a row that is read by a function.
type scannerFunc func(dest ...any) error

func (f scannerFunc) Scan(dest ...any) error { return f(dest...) }

func scanText(row scanner) (s string, err error) {
	err = row.Scan(&s)
	return s, err
}

func scanPair(row scanner) (pair [2]string, err error) {
	err = row.Scan(&pair[0], &pair[1])
	return pair, err
}

func scanInt(row scanner) (n int, err error) {
	err = row.Scan(&n)
	return n, err
}

// forUpdate is the clause at the end of a look-up by key. Inside a transaction it locks the row.
func (r Reader) forUpdate() string {
	if r.locking {
		return r.dialect.forUpdate
	}
	return ""
}

// forUpdateOf is forUpdate for one table of a join.
func (r Reader) forUpdateOf(alias string) string {
	if clause := r.forUpdate(); clause != "" {
		return clause + " OF " + alias
	}
	return ""
}

// many collects every row of a query.
func many[T any](r Reader, scan func(scanner) (T, error), sql string, args ...any) ([]T, error) {
	var rows []T
	err := r.db.query(r.ctx, sql, args, func(row scanner) error {
		v, err := scan(row)
		if err == nil {
			rows = append(rows, v)
		}
		return err
	})
	return rows, err
}

// set returns the texts that a query finds.
func set(r Reader, sql string, args ...any) (map[string]bool, error) {
	found := map[string]bool{}
	err := each(r, func(row scanner) error {
		text, err := scanText(row)
		found[text] = true
		return err
	}, sql, args...)
	return found, err
}

// each calls read for every row of a query.
func each(r Reader, read func(scanner) error, sql string, args ...any) error {
	return r.db.query(r.ctx, sql, args, read)
}

// one returns the first row of a query, or ErrNotFound.
func one[T any](r Reader, scan func(scanner) (T, error), sql string, args ...any) (T, error) {
	var (
		value T
		found bool
	)
	err := r.db.query(r.ctx, sql, args, func(row scanner) (err error) {
		if !found {
			found = true
			value, err = scan(row)
		}
		return err
	})
	if err == nil && !found {
		err = ErrNotFound
	}
	return value, err
}
