// Package store keeps Parley's state, in an embedded SQLite file or in PostgreSQL. It is the only package with
// SQL. One SQL text runs on both engines; the differences are in sqlite.go, postgres.go and dialect.go.
//
// Store.InTx changes rows, Store.Read reads them. A Tx reads like a Reader, but every row it gets by key stays
// locked until the transaction ends: a row that a closure reads and then writes back cannot have changed in
// between.
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

// Errors that callers distinguish. No driver's error leaves this package unwrapped.
var (
	// ErrNotFound means that the organization has no such row.
	ErrNotFound = errors.New("store: not found")
	// ErrDuplicate means that a unique rule forbids the row.
	ErrDuplicate = errors.New("store: duplicate")
	// ErrUnavailable means that the store cannot take the work now. Nothing was done, or, if the connection or
	// the disk broke during a commit, the outcome is unknown: see Unsure.
	ErrUnavailable = errors.New("store: unavailable")
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("store: closed")
)

// Config says where the store is.
type Config struct {
	// Dir is the folder of the embedded store. It is used when URL is empty.
	Dir string
	// URL is a postgres:// address.
	URL string
	// DirectURL is PostgreSQL's own address if URL leads to a pooler. Notifications arrive there.
	DirectURL string
	// Exclusive claims the embedded store for this process as the server. Commands beside it open the store
	// without.
	Exclusive bool
	// MustExist refuses a place without a store, and a store with an older schema, instead of creating or
	// upgrading it. A look at a store must not shut out the program that serves on it.
	MustExist bool
	// Now is the wall clock; nil means time.Now.
	Now func() time.Time
	// Elapsed is the clock that never steps: the time since some beginning; nil means the monotonic clock.
	Elapsed func() time.Duration
	// Log gets errors that no caller is told of, and Metrics count them; both may be nil.
	Log     *slog.Logger
	Metrics prometheus.Registerer

	journal journalLimits   // of the embedded store; zero means the default
	tracer  pgx.QueryTracer // of PostgreSQL's statements; nil: none
}

// Store is an open store. It is safe for concurrent use.
type Store struct {
	engine  engine
	alone   bool
	now     func() time.Time
	elapsed func() time.Duration
	ids     *idSource
	check   writeCheck
	aside   aside
	fanning *fanning
	commits atomic.Int64 // transactions that this process has committed

	handsMu sync.Mutex // held while hands change
	hands   atomic.Pointer[Hands]
}

// engine is the interface of an SQL engine.
type engine interface {
	session // for reads, one statement at a time
	inTx(ctx context.Context, body func(session) error) error
	// inGroup is inTx for a closure whose reads are known. It may run in one transaction with others.
	inGroup(ctx context.Context, want Foresight, body func(session, *foreseen) error) error
	migrate(ctx context.Context) error
	tell(Topic)
	listen(ctx context.Context, wake func(Topic))
	dialect() dialect
	place() string
	isNew() bool
	openSearch(ctx context.Context, s *Store) (searchEngine, error)
	// trouble says why nothing can be written now, as far as that is known without trying.
	trouble() error
	// breaks gets an error when only a restart helps; nil if that cannot happen.
	breaks() <-chan error
	close() error
}

// Open connects to the store and brings its schema up to date, unless the configuration says that it must be.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	eng, err := openEngine(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := eng.migrate(ctx); err != nil {
		return nil, errors.Join(err, eng.close())
	}
	s := &Store{engine: eng, alone: cfg.Exclusive && cfg.URL == "", now: cfg.Now, elapsed: cfg.Elapsed, ids: newIDSource(), aside: newAside(), fanning: newFanning()}
	s.hands.Store(&Hands{})
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

// Close waits for running work and closes the store.
func (s *Store) Close() error { return s.engine.close() }

// Engine names the engine, for logs and reports.
func (s *Store) Engine() string { return s.engine.dialect().name }

// Place is the folder of the store, or the host and the name of its database.
func (s *Store) Place() string { return s.engine.place() }

// Made reports whether opening it has made the store: there was none in the place.
func (s *Store) Made() bool { return s.engine.isNew() }

// Alone reports whether no other process can be serving on this store.
func (s *Store) Alone() bool { return s.alone }

// NewID makes an id outside a transaction. Inside one, use Tx.NewID.
func (s *Store) NewID(k kind) string { return s.ids.next(k, s.Now()) }

// NewIDAt is NewID for an id with another time.
func (s *Store) NewIDAt(k kind, at time.Time) string { return s.ids.next(k, at) }

// Read returns a reader. Each statement sees the rows that are committed when it runs.
func (s *Store) Read(ctx context.Context) Reader {
	return Reader{ctx: ctx, db: s.engine, dialect: s.engine.dialect()}
}

// InTx runs fn in a transaction and returns after it is durable, and after what it has postponed is done. If fn returns
// an error or panics, or ctx ends before the commit, nothing of it remains; other closures are not affected. fn may run
// more than once, after a deadlock for example. So it must assign its results rather than add to them, and must have no
// effects outside of the transaction; Tx.AfterCommit is for those.
func (s *Store) InTx(ctx context.Context, fn func(*Tx) error) error {
	ctx, span := tracing.Child(ctx, "transaction")
	defer span.End()
	var tx *Tx
	return s.settle(ctx, &tx, s.engine.inTx(ctx, func(db session) error {
		tx = s.newTx(ctx, db, nil)
		return fn(tx)
	}))
}

// InGroup is InTx for a transaction that may share one with others that wait, each with its own outcome; so it must not
// keep them waiting. On PostgreSQL fn runs several times as a rule, unless want has a thread: what it asks for is read for
// all at once.
func (s *Store) InGroup(ctx context.Context, want Foresight, fn func(*Tx) error) error {
	ctx, span := tracing.Child(ctx, "transaction")
	defer span.End()
	var tx *Tx
	return s.settle(ctx, &tx, s.engine.inGroup(ctx, want, func(db session, known *foreseen) error {
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

// settle hands over the work of a transaction once it is durable, and then does what its caller has to wait for.
func (s *Store) settle(ctx context.Context, tx **Tx, err error) error {
	glanceOf(ctx).forget()
	if err != nil {
		if errors.Is(err, ErrUnavailable) {
			s.check.doubt()
		}
		return err
	}
	s.commits.Add(1)
	for _, hook := range (*tx).afterCommit {
		hook()
	}
	(*tx).handOver()
	(*tx).finishFanOuts()
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
	delivered   map[string]int // how many deliveries it has written, by organization
	begun       string         // a conversation that it has made, and for which nothing waits to be sent yet
}

// Now is the time of the transaction, which does not change.
func (tx *Tx) Now() time.Time { return tx.now }

// NewID makes an id with the transaction's time.
func (tx *Tx) NewID(k kind) string { return tx.store.ids.next(k, tx.now) }

// NewIDAt makes an id with another time, for an event that happened before it was known.
func (tx *Tx) NewIDAt(k kind, at time.Time) string { return tx.store.ids.next(k, at) }

// After is the time of the transaction, or just after last if the clock of the node that made last is a little
// ahead. Ids with this time follow those of last.
func (tx *Tx) After(last *time.Time) time.Time {
	if last == nil || !last.After(tx.now) || last.Sub(tx.now) > clockSkew {
		return tx.now
	}
	return last.Add(time.Millisecond)
}

// AfterUnsent is After for a message of a conversation. It also follows the messages of it that are still to be sent,
// however wrong the clock was by which they were accepted, because messages are sent in the order of their ids. Once
// they are sent, the time of the transaction is good enough: otherwise a clock that was wrong for a second would be
// followed until the true time has caught up.
func (tx *Tx) AfterUnsent(c chat.Conversation) (time.Time, error) {
	at := tx.After(c.LastMessageAt)
	if c.LastMessageAt == nil || !c.LastMessageAt.After(at) {
		return at, nil
	}
	last, err := tx.lastJob(SendJob{OrgID: c.OrgID, ConversationID: c.ID})
	if err != nil || last.messageID == "" {
		return at, err
	}
	if unsent := chat.TimeOf(last.messageID); !unsent.Before(at) {
		at = unsent.Add(time.Millisecond)
	}
	return at, nil
}

// AfterCommit runs fn once the transaction is durable, in the caller's goroutine.
func (tx *Tx) AfterCommit(fn func()) { tx.afterCommit = append(tx.afterCommit, fn) }

// Savepoint runs fn so that its failure undoes only what fn did.
func (tx *Tx) Savepoint(fn func() error) error {
	tx.savepoints++
	name := fmt.Sprintf("sp_%d", tx.savepoints)
	hooks, before := len(tx.afterCommit), tx.work
	if group, ok := tx.db.(interface{ try(func() error) error }); ok {
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
		_, err = tx.exec("RELEASE SAVEPOINT " + name) // reports errors of statements that fn did not wait for
	}
	if err == nil {
		return nil
	}
	tx.afterCommit, tx.work = tx.afterCommit[:hooks], before
	tx.foreseen = nil // it may hold rows that are undone
	tx.db.forget()
	if _, undoErr := tx.exec("ROLLBACK TO SAVEPOINT " + name); undoErr != nil {
		return errors.Join(err, undoErr)
	}
	return err
}

// TryLock takes a lock of that name until the transaction ends. It returns false if another transaction has it.
// SQLite runs one writing transaction at a time, so there the lock is always free.
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

// later is exec for a statement whose result the closure does not need.
func (tx *Tx) later(sql string, args ...any) error {
	return tx.db.later(tx.ctx, sql, args)
}

// execOne is exec for a statement that must change a row.
func (tx *Tx) execOne(sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// insert is exec for an INSERT … ON CONFLICT DO NOTHING. That way a duplicate is no error, which would abort
// the transaction on PostgreSQL.
func (tx *Tx) insert(sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	if err == nil && n == 0 {
		return ErrDuplicate
	}
	return err
}
