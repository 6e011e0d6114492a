package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/parleyhq/parley/internal/store/migrations"
)

const (
	// migrationLock is the advisory lock that lets one node migrate at a time.
	migrationLock = 7_203_114_907
	// migrationAgain is how often a node checks whether another's migration is over.
	migrationAgain = 100 * time.Millisecond
	// migrationTold is the number of failed checks after which the log mentions it. Nodes without migrations
	// finish sooner.
	migrationTold = 10
)

func (e *postgresEngine) migrate(ctx context.Context) error {
	unlock, err := e.lockMigrations(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	db := stdlib.OpenDBFromPool(e.pool)
	defer db.Close()
	if err := requireOwnTables(ctx, db, e.must); err != nil {
		return err
	}
	if e.made, err = migrateUp(ctx, goose.DialectPostgres, db, e.must); err != nil || e.must {
		return err // commands leave a store as it is
	}
	if err := e.keepEditions(ctx, db); err != nil {
		return err
	}
	return e.compareBytes(ctx, db)
}

// linguistic finds the tables of the store that have texts which are compared by a language's rules, and the statement that
// changes them.
const linguistic = `SELECT c.relname, format('ALTER TABLE %I ', c.relname) || string_agg(format('ALTER %I TYPE text COLLATE "C"', a.attname), ', ' ORDER BY a.attnum)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname = ANY($1::text[])
		AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'text'::regtype AND a.attcollation <> '"C"'::regcollation
	GROUP BY c.relname ORDER BY c.relname`

// compareBytes has the store's texts compared byte by byte, as SQLite does, whatever the database's default is: that takes a
// fraction of the time, and no new version of the system's rules for a language makes indexes wrong. Nothing but indexes
// is written anew, a table at a time, so that who waits for a table does not wait for all of them. While other nodes serve, a
// node leaves it to `parley migrate` or to another start: nobody expects their requests to wait then.
func (e *postgresEngine) compareBytes(ctx context.Context, db *sql.DB) error {
	own, err := migrations.Tables()
	if err != nil {
		return err
	}
	tables, err := linguisticTables(ctx, db, own)
	if err != nil || len(tables) == 0 {
		return err
	}
	others, err := e.othersServe(ctx, db)
	switch {
	case err != nil:
		return err
	case others:
		e.log.Info("the database still compares ids by a language's rules, which makes it slower: run `parley migrate` in a quiet hour, or start a node while no other runs", "tables", len(tables))
		return nil
	case !e.made:
		e.log.Info("writing the indexes of texts anew, once: some ten seconds for a million messages, in which requests to other nodes wait", "tables", len(tables))
	}
	for _, t := range tables {
		if _, err := db.ExecContext(ctx, t.change); err != nil {
			return fmt.Errorf("have the texts of %s compared byte by byte: %w", t.name, err)
		}
	}
	return nil
}

// othersServe reports whether this process is a node beside others.
func (e *postgresEngine) othersServe(ctx context.Context, db *sql.DB) (others bool, err error) {
	if !e.serves || e.made {
		return false, nil
	}
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM nodes WHERE expires_at > $1)", e.now().UnixMilli()).Scan(&others)
	if err != nil {
		err = fmt.Errorf("look for other nodes: %w", err)
	}
	return others, err
}

type linguisticTable struct{ name, change string }

func linguisticTables(ctx context.Context, db *sql.DB, own []string) (found []linguisticTable, err error) {
	rows, err := db.QueryContext(ctx, linguistic, own)
	if err != nil {
		return nil, fmt.Errorf("look at how texts are compared: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var t linguisticTable
		if err := rows.Scan(&t.name, &t.change); err != nil {
			return nil, err
		}
		found = append(found, t)
	}
	return found, rows.Err()
}

// requireOwnTables refuses a database without a store if there must be one: it is probably a mistake. It refuses one in which
// tables of another program have names that the migrations need: they would fail half-way, with tables of Parley's beside the
// others'.
func requireOwnTables(ctx context.Context, db *sql.DB, must bool) error {
	there := false
	err := db.QueryRowContext(ctx, "SELECT to_regclass($1) IS NOT NULL AND to_regclass('organizations') IS NOT NULL", goose.DefaultTablename).Scan(&there)
	switch {
	case err != nil:
		return fmt.Errorf("look for the store: %w", err)
	case there:
		return nil
	case must:
		return errors.New("there is no store in the database: name the server's with --database-url (PARLEY_DATABASE_URL), or make a store by starting the server once, with `parley serve`")
	}
	taken, err := takenNames(ctx, db)
	if err != nil {
		return fmt.Errorf("look for other tables: %w", err)
	}
	if len(taken) > 0 {
		return fmt.Errorf("the database has tables of another program whose names Parley needs (%s): name another database with --database-url (PARLEY_DATABASE_URL), best one of its own",
			strings.Join(taken[:min(len(taken), mostComplaints)], ", "))
	}
	return nil
}

// takenNames returns the names of the migrations' tables that a database without a store has. A table of versions without
// any is what a first start leaves that was cut off.
func takenNames(ctx context.Context, db *sql.DB) (taken []string, err error) {
	names, err := texts(ctx, db, "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace ORDER BY relname")
	if err != nil {
		return nil, err
	}
	own, err := migrations.Tables()
	if err != nil {
		return nil, err
	}
	own = append(own, editionsTable)
	for _, name := range names {
		if slices.Contains(own, name) {
			taken = append(taken, name)
		}
	}
	if !slices.Contains(names, goose.DefaultTablename) {
		return taken, nil
	}
	versions, err := texts(ctx, db, "SELECT version_id FROM "+goose.DefaultTablename+" WHERE version_id > 0 LIMIT 1")
	if len(versions) > 0 {
		taken = append(taken, goose.DefaultTablename)
	}
	return taken, err
}

// lockMigrations waits until no other node migrates. The lock belongs to a transaction that stays open until
// unlock, because behind a pooler a session's lock would belong to anyone. A waiting node holds no connection:
// otherwise all connections of a pooler could wait for the node that needs one more to finish.
func (e *postgresEngine) lockMigrations(ctx context.Context) (unlock func(), err error) {
	for tries := 1; ; tries++ {
		unlock, err := e.tryLockMigrations(ctx)
		if unlock != nil || err != nil {
			return unlock, err
		}
		if tries == migrationTold {
			e.log.Info("another node migrates the store: waiting for it")
		}
		select {
		case <-time.After(migrationAgain):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tryLockMigrations returns a nil unlock and no error while another node has the lock.
func (e *postgresEngine) tryLockMigrations(ctx context.Context) (unlock func(), err error) {
	conn, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	tx := &postgresTx{conn: conn}
	end := func() {
		tx.rollback(ctx)
		conn.Release()
	}
	locked := false
	err = tx.later(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0", nil) // a migration may take long
	if err == nil {
		err = tx.query(ctx, "SELECT pg_try_advisory_xact_lock($1)", []any{int64(migrationLock)}, func(row scanner) error { return row.Scan(&locked) })
	}
	if err != nil || !locked {
		end()
		return nil, err
	}
	return end, nil
}
