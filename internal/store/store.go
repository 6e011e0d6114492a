// Package store keeps Parley's state, in an embedded SQLite file or in PostgreSQL. It is the
// only package with SQL. One SQL text runs on both engines; what differs is in sqlite.go,
// postgres.go and dialect.go.
//
// Store.InTx changes things, Store.Read looks at them. A Tx reads as a Reader does, except that
// every row it gets by key stays locked until the transaction ends: what a closure read and then
// wrote back cannot have changed in between.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/tracing"
)

// Errors that callers tell apart. No driver's error leaves this package unwrapped.
var (
	// ErrNotFound: no such row in that organization.
	ErrNotFound = errors.New("store: not found")
	// ErrDuplicate: a unique rule forbids the row.
	ErrDuplicate = errors.New("store: duplicate")
	// ErrUnavailable: the store cannot take the work now; nothing of it was done, or, when the
	// connection or the disk broke during a commit, its outcome is unknown.
	ErrUnavailable = errors.New("store: unavailable")
	// ErrClosed: the store has been closed.
	ErrClosed = errors.New("store: closed")
)

// Config says where the store is.
type Config struct {
	// Dir is the folder of the embedded store. It is used when URL is empty.
	Dir string
	// URL is a postgres:// address.
	URL string
	// DirectURL is PostgreSQL's own address where URL leads to a pooler. Notifications are heard there.
	DirectURL string
	// Exclusive claims the embedded store for this process as the one that serves. Commands beside
	// it open the store without.
	Exclusive bool
	// MustExist refuses a folder without an embedded store, instead of making one.
	MustExist bool
	// Now is the wall clock; nil means time.Now.
	Now func() time.Time
	// Elapsed is the clock that never steps: the time since some beginning; nil means the monotonic one.
	Elapsed func() time.Duration
	// Log hears of trouble that no caller is told of, and Metrics show it; nil: nobody does.
	Log     *slog.Logger
	Metrics prometheus.Registerer

	journal journalLimits   // of the embedded store; zero means the default
	tracer  pgx.QueryTracer // of PostgreSQL's statements; nil: nobody looks
}

// Store is an open store. It is safe for concurrent use.
type Store struct {
	engine  engine
	alone   bool
	now     func() time.Time
	elapsed func() time.Duration
	ids     *idSource
	check   writeCheck

	handsMu sync.Mutex // of those who change them
	hands   atomic.Pointer[Hands]
}

// engine is what an SQL engine must offer.
type engine interface {
	session // for reads, one statement at a time
	inTx(ctx context.Context, body func(session) error) error
	// inGroup is inTx for a closure whose reads are known: it may run in one transaction with others.
	inGroup(ctx context.Context, want Foresight, body func(session, *foreseen) error) error
	migrate(ctx context.Context) error
	tell(Topic)
	listen(ctx context.Context, wake func(Topic))
	dialect() dialect
	openSearch(ctx context.Context, s *Store) (searchEngine, error)
	// trouble tells why nothing can be written now, as far as that is known without trying.
	trouble() error
	// breaks has an error once only another start helps; nil where that cannot be.
	breaks() <-chan error
	close() error
}

// Open connects to the store and brings its schema up to date.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	eng, err := openEngine(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := eng.migrate(ctx); err != nil {
		return nil, errors.Join(err, eng.close())
	}
	s := &Store{engine: eng, alone: cfg.Exclusive && cfg.URL == "", now: cfg.Now, elapsed: cfg.Elapsed, ids: newIDSource()}
	s.hands.Store(&Hands{})
	if s.now == nil {
		s.now = time.Now
	}
	if s.elapsed == nil {
		s.elapsed = sinceNow()
	}
	return s, nil
}

func openEngine(ctx context.Context, cfg Config) (engine, error) {
	switch {
	case cfg.URL == "":
		return openSQLite(cfg)
	case strings.HasPrefix(cfg.URL, "postgres://"), strings.HasPrefix(cfg.URL, "postgresql://"):
		return openPostgres(ctx, cfg)
	default:
		return nil, errors.New("the database URL must start with postgres:// (leave it empty for the embedded store)")
	}
}

// Close waits for the work under way and closes the store.
func (s *Store) Close() error { return s.engine.close() }

// Engine names the engine, for logs and reports.
func (s *Store) Engine() string { return s.engine.dialect().name }

// Alone tells that no other process can be serving on this store.
func (s *Store) Alone() bool { return s.alone }

// NewID makes an id outside a transaction. Inside one, use Tx.NewID.
func (s *Store) NewID(k kind) string { return s.ids.next(k, s.Now()) }

// NewIDAt is NewID for an id that carries another instant.
func (s *Store) NewIDAt(k kind, at time.Time) string { return s.ids.next(k, at) }

// Read returns a view for reading. Each statement sees what is committed when it runs.
func (s *Store) Read(ctx context.Context) Reader {
	return Reader{ctx: ctx, db: s.engine, dialect: s.engine.dialect()}
}

// InTx runs fn in a transaction and returns after it is durable. When fn returns an error or
// panics, or ctx is done before the commit, nothing of it remains; other closures are not
// affected. fn may run more than once, after a deadlock for example, so it must assign its
// results rather than add to them, and must not have effects outside the transaction: that is
// what Tx.AfterCommit is for.
func (s *Store) InTx(ctx context.Context, fn func(*Tx) error) error {
	ctx, span := tracing.Child(ctx, "transaction")
	defer span.End()
	var tx *Tx
	return s.settle(&tx, s.engine.inTx(ctx, func(db session) error {
		tx = s.newTx(ctx, db, nil)
		return fn(tx)
	}))
}

// InGroup is InTx for a transaction that tells what it is about to read. On PostgreSQL it may share one with
// others that wait, each with its own outcome; so it must not keep them waiting.
func (s *Store) InGroup(ctx context.Context, want Foresight, fn func(*Tx) error) error {
	ctx, span := tracing.Child(ctx, "transaction")
	defer span.End()
	var tx *Tx
	return s.settle(&tx, s.engine.inGroup(ctx, want, func(db session, known *foreseen) error {
		tx = s.newTx(ctx, db, known)
		return fn(tx)
	}))
}

func (s *Store) newTx(ctx context.Context, db session, known *foreseen) *Tx {
	tx := &Tx{
		Reader: Reader{ctx: ctx, db: db, dialect: s.engine.dialect(), locking: true, foreseen: known},
		store:  s,
		now:    s.Now(),
		hands:  s.hands.Load(),
	}
	if known != nil {
		tx.receivers = known.receivers
	}
	return tx
}

// settle hands over what a transaction has left for others, once it is durable.
func (s *Store) settle(tx **Tx, err error) error {
	if err != nil {
		if errors.Is(err, ErrUnavailable) {
			s.check.doubt()
		}
		return err
	}
	for _, hook := range (*tx).afterCommit {
		hook()
	}
	(*tx).handOver()
	return nil
}

// Tx is a transaction. It is used by one goroutine and only inside its closure.
type Tx struct {
	Reader
	store       *Store
	now         time.Time
	savepoints  int
	afterCommit []func()
	hands       *Hands
	work        work
	receivers   map[string][]chat.WebhookSubscription
}

// Now is the instant of the transaction, the same for all of it.
func (tx *Tx) Now() time.Time { return tx.now }

// NewID makes an id that carries the transaction's instant.
func (tx *Tx) NewID(k kind) string { return tx.store.ids.next(k, tx.now) }

// NewIDAt makes an id that carries another instant, for what happened before it was known.
func (tx *Tx) NewIDAt(k kind, at time.Time) string { return tx.store.ids.next(k, at) }

// After is the instant of the transaction, or one behind the given where the clock of the node that made that
// is a little ahead: ids made at it follow those made then.
func (tx *Tx) After(last *time.Time) time.Time {
	if last == nil || !last.After(tx.now) || last.Sub(tx.now) > clockSkew {
		return tx.now
	}
	return last.Add(time.Millisecond)
}

// AfterCommit runs fn once the transaction is durable, in the caller's goroutine.
func (tx *Tx) AfterCommit(fn func()) { tx.afterCommit = append(tx.afterCommit, fn) }

// Savepoint runs fn so that its failure undoes only what fn did.
func (tx *Tx) Savepoint(fn func() error) error {
	tx.savepoints++
	name := fmt.Sprintf("sp_%d", tx.savepoints)
	hooks, before := len(tx.afterCommit), tx.work
	if group, ok := tx.db.(*groupTx); ok {
		err := group.try(fn)
		if err != nil {
			tx.afterCommit, tx.work = tx.afterCommit[:hooks], before
		}
		return err
	}
	if _, err := tx.exec("SAVEPOINT " + name); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		_, err = tx.exec("RELEASE SAVEPOINT " + name) // may fail on what fn did not wait for
	}
	if err == nil {
		return nil
	}
	tx.afterCommit, tx.work = tx.afterCommit[:hooks], before
	tx.foreseen = nil // it may know what is undone
	tx.db.forget()
	if _, undoErr := tx.exec("ROLLBACK TO SAVEPOINT " + name); undoErr != nil {
		return errors.Join(err, undoErr)
	}
	return err
}

// TryLock takes a lock of that name until the transaction ends, or reports that another
// transaction has it. SQLite runs one writing transaction at a time, so there it is always free.
func (tx *Tx) TryLock(name string) (bool, error) {
	if tx.dialect.tryLock == "" {
		return true, nil
	}
	if free, known := tx.foreseen.lock(name); known {
		return free, nil
	}
	return one(tx.Reader, func(row scanner) (ok bool, err error) {
		err = row.Scan(&ok)
		return ok, err
	}, tx.dialect.tryLock, name)
}

func (tx *Tx) exec(sql string, args ...any) (int64, error) {
	return tx.db.exec(tx.ctx, sql, args)
}

// later is exec for a statement whose result does not matter to the closure.
func (tx *Tx) later(sql string, args ...any) error {
	return tx.db.later(tx.ctx, sql, args)
}

// execOne is exec for a statement that must touch a row.
func (tx *Tx) execOne(sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// insert is exec for an INSERT … ON CONFLICT DO NOTHING, which is how a duplicate is met
// without an error that would abort the transaction on PostgreSQL.
func (tx *Tx) insert(sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	if err == nil && n == 0 {
		return ErrDuplicate
	}
	return err
}
