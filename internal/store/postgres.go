package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/logging"
)

const (
	// acquireTimeout is how long a request waits for a connection before the store counts as
	// overloaded.
	acquireTimeout = 5 * time.Second
	// commitTimeout bounds a commit whose caller has left.
	commitTimeout = 10 * time.Second
	// txAttempts is how often a closure runs if PostgreSQL picks it as a deadlock's victim.
	txAttempts = 5
	// renewPause is the least time from one renewal of all connections to the next: many find out at the same time that
	// their statements are outdated.
	renewPause = 10 * time.Millisecond
)

// postgresEngine is the shared store. Each closure is its own transaction at READ COMMITTED, and rows read by
// key are locked, so that concurrent closures wait for each other instead of failing.
type postgresEngine struct {
	pool    *pgxpool.Pool
	pooled  bool            // a pooler in front of the server lends connections by the transaction
	direct  *pgx.ConnConfig // the server's own address, if it was given
	must    bool            // the store must exist
	made    bool            // see Store.Made
	serves  bool            // the process is a node, and not a command
	now     func() time.Time
	log     *slog.Logger
	teller  teller
	closed  atomic.Bool
	renewed atomic.Int64 // when the connections were last let go of, in milliseconds
	groups  *groups
	sharing sharing
	memory  postgresMemory
	lookUps lookUps
	gate    *fair.Gate[Turn] // limits the connections of transactions
	seats   *seats           // limits those of reads

	telling   *logging.Episode
	listening *logging.Episode
}

func openPostgres(ctx context.Context, cfg Config) (engine, error) {
	settings, err := poolSettings(cfg.URL)
	if err != nil {
		return nil, err
	}
	e := &postgresEngine{
		must: cfg.MustExist, serves: cfg.Exclusive, now: cfg.Now,
		log: cfg.Log,
		telling: logging.NewEpisode(cfg.Log, cfg.Metrics, "wakeup_notifications",
			"other nodes cannot be told of work: they find it by looking", "other nodes are told of work again"),
		listening: logging.NewEpisode(cfg.Log, cfg.Metrics, "wakeup_listener",
			"this node cannot hear of others' work: it finds it by looking", "this node hears of others' work again"),
	}
	e.groups = newGroups(e, settings.MaxConns)
	e.gate = fair.NewGate[Turn](int(settings.MaxConns - max(1, settings.MaxConns/8))) // the others are for reads and groups
	e.seats = newSeats(max(4, int(settings.MaxConns)*3/4))                            // the others are for those who write
	if cfg.DirectURL != "" {
		direct, err := poolSettings(cfg.DirectURL)
		if err != nil {
			return nil, err
		}
		e.direct = direct.ConnConfig
	}
	if e.pool, err = pgxpool.NewWithConfig(ctx, settings.Copy()); err != nil {
		return nil, err
	}
	if err := e.meetPooler(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.pool.Close()
	if e.pooled {
		withoutStatements(settings.ConnConfig)
	} else {
		settings.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			e.memory.clear()
			return limitConnection(ctx, conn)
		}
	}
	settings.ConnConfig.Tracer = cfg.tracer
	e.pool, err = pgxpool.NewWithConfig(ctx, settings)
	if err == nil && cfg.Exclusive {
		e.warnOfClock(ctx, cfg.Now)
	}
	return e, err
}

// mostApart is how far the clocks of nodes may be from each other before messages lose their order. All are compared with
// the database's.
const mostApart = 5 * time.Second

// warnOfClock tells the operator if this machine's clock is not the database's: one of the two is wrong.
func (e *postgresEngine) warnOfClock(ctx context.Context, now func() time.Time) {
	asked := now()
	var theirs time.Time
	if err := e.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&theirs); err != nil {
		return // the next statement tells what is wrong
	}
	if got := now(); theirs.Before(asked.Add(-mostApart)) || theirs.After(got.Add(mostApart)) {
		e.log.Warn("the clock of this machine is not the database's: set both right (timedatectl), or messages lose their order and webhooks are refused",
			"here", got.UTC(), "database", theirs.UTC())
	}
}

// limitConnection sets the limits of a connection of the pool. Nothing is read with several processors, because what
// counts many messages in the background would leave none to those who wait for an answer. Behind a pooler the next
// transaction may use another connection: each sets the limit on idleness itself, and the server decides on the other.
func limitConnection(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SET "+idleLimit+"; SET max_parallel_workers_per_gather = 0; SET default_transaction_isolation = 'read committed'")
	return err
}

// beginTx begins a transaction at the level that the locks are made for, whatever the database's own default is. At a
// stricter one, transactions that wait for each other here would fail there.
const beginTx = "BEGIN ISOLATION LEVEL READ COMMITTED"

// ownParameters are those of every connection. All of them are known to poolers. The others decide what a text means: a
// database or role may have another default, under which letters beyond ASCII would be stored as something else.
var ownParameters = map[string]string{"application_name": "parley", "client_encoding": "UTF8", "standard_conforming_strings": "on"}

// poolSettings parses a database's address.
func poolSettings(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", err)
	}
	if cfg.ConnConfig.Config.ConnectTimeout == 0 {
		cfg.ConnConfig.Config.ConnectTimeout = acquireTimeout
	}
	cfg.ConnConfig.DialFunc = (&net.Dialer{Control: endSilence}).DialContext
	if !strings.Contains(url, "pool_max_conns=") {
		cfg.MaxConns = int32(max(16, 4*runtime.GOMAXPROCS(0)))
	}
	cfg.MaxConns = max(cfg.MaxConns, 4) // a migration holds one and uses another
	maps.Copy(cfg.ConnConfig.RuntimeParams, ownParameters)
	return cfg, nil
}

func (e *postgresEngine) dialect() dialect { return postgresDialect }

// place has neither the user nor the password.
func (e *postgresEngine) place() string {
	at := e.pool.Config().ConnConfig
	return net.JoinHostPort(at.Host, strconv.Itoa(int(at.Port))) + "/" + at.Database
}

func (e *postgresEngine) isNew() bool { return e.made }

func (e *postgresEngine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	waitCtx, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := e.pool.Acquire(waitCtx)
	switch {
	case err == nil:
		return conn, nil
	case e.closed.Load():
		return nil, ErrClosed
	case ctx.Err() != nil:
		return nil, err
	default:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
}

// admitted waits until enter lets the caller take a connection.
func admitted(ctx context.Context, enter func(context.Context) bool) error {
	waitCtx, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	switch {
	case enter(waitCtx):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fmt.Errorf("%w: no connection became free within %s", ErrUnavailable, acquireTimeout)
	}
}

// query runs a query outside of transactions. Look-ups are short and need no seat.
func (e *postgresEngine) query(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	if isLookUp(sql) {
		return e.lookUp(ctx, sql, args, each)
	}
	turn := turnOf(ctx)
	if err := admitted(ctx, func(ctx context.Context) bool { return e.seats.enter(ctx, turn) == nil }); err != nil {
		return err
	}
	begun := time.Now()
	defer func() { e.seats.leave(turn, time.Since(begun)) }()
	return e.ask(ctx, sql, args, each)
}

// ask runs a query on a connection of its own.
func (e *postgresEngine) ask(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	err := e.askOnce(ctx, sql, args, each)
	if outdatedPlan(err) {
		e.renew()
		err = e.askOnce(ctx, sql, args, each)
	}
	return err
}

func (e *postgresEngine) askOnce(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return queryRows(ctx, conn, sql, args, each)
}

func queryRows(ctx context.Context, conn *pgxpool.Conn, sql string, args []any, each func(scanner) error) error {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return postgresError(err)
	}
	return eachRow(rows, each)
}

func (e *postgresEngine) exec(context.Context, string, []any) (int64, error) {
	return 0, errors.New("store: a write outside a transaction")
}

func (e *postgresEngine) later(context.Context, string, []any) error {
	return errors.New("store: a write outside a transaction")
}

func (e *postgresEngine) forget() {}

func (e *postgresEngine) trouble() error {
	if e.closed.Load() {
		return ErrClosed
	}
	return nil
}

func (e *postgresEngine) breaks() <-chan error { return nil }

func (e *postgresEngine) close() error {
	e.teller.done.Wait()
	e.closed.Store(true)
	e.pool.Close()
	return nil
}

func (e *postgresEngine) inTx(ctx context.Context, body func(session) error) error {
	var err error
	for attempt := range txAttempts {
		if err = e.tryTx(ctx, body); !isRetryable(err) {
			return err
		}
		if outdatedPlan(err) {
			e.renew()
		}
		pause := time.Duration(rand.Int64N(int64(5*time.Millisecond) << attempt))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// renew lets go of all connections, whose prepared statements are outdated, unless that has just been done.
func (e *postgresEngine) renew() {
	now, last := time.Now().UnixMilli(), e.renewed.Load()
	if now-last > renewPause.Milliseconds() && e.renewed.CompareAndSwap(last, now) {
		e.pool.Reset()
	}
}

func (e *postgresEngine) tryTx(ctx context.Context, body func(session) error) error {
	// Waiting transactions take turns.
	if err := admitted(ctx, func(ctx context.Context) bool { return e.gate.Enter(ctx, turnOf(ctx)) }); err != nil {
		return err
	}
	defer e.gate.Leave()
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx := &postgresTx{conn: conn, pooled: e.pooled}
	committed := false
	defer func() {
		if !committed { // after an error, a cancelled request or a panic
			tx.rollback(ctx)
		}
	}()
	if err := body(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = tx.commit(ctx)
	committed = err == nil
	return err
}

// postgresTx sends statements in as few round trips as possible: BEGIN travels with the first statement, and
// statements without a result with the next one, or with COMMIT.
type postgresTx struct {
	conn    *pgxpool.Conn
	pooled  bool
	begun   bool
	byIndex bool // statements are planned as for large tables
	pending []statement
}

type statement struct {
	sql  string
	args []any
}

func (tx *postgresTx) query(ctx context.Context, sql string, args []any, each func(scanner) error) error {
	if tx.begun && len(tx.pending) == 0 {
		return queryRows(ctx, tx.conn, sql, args, each)
	}
	return tx.flush(ctx, statement{sql, args}, func(br pgx.BatchResults) error {
		rows, err := br.Query()
		if err != nil {
			return err
		}
		return eachRow(rows, each)
	})
}

func (tx *postgresTx) exec(ctx context.Context, sql string, args []any) (int64, error) {
	var tag pgconn.CommandTag
	var err error
	if tx.begun && len(tx.pending) == 0 {
		tag, err = tx.conn.Exec(ctx, sql, args...)
	} else {
		err = tx.flush(ctx, statement{sql, args}, func(br pgx.BatchResults) (err error) {
			tag, err = br.Exec()
			return err
		})
	}
	return tag.RowsAffected(), postgresError(err)
}

func (tx *postgresTx) later(_ context.Context, sql string, args []any) error {
	tx.pending = append(tx.pending, statement{sql, args})
	return nil
}

func (tx *postgresTx) forget() { tx.pending = tx.pending[:0] }

// flush sends BEGIN if it is due, the pending statements, and last; read takes the result of last.
func (tx *postgresTx) flush(ctx context.Context, last statement, read func(pgx.BatchResults) error) (err error) {
	return tx.send(ctx, nil, last, read)
}

// send is flush for several statements with results: others, and then last.
func (tx *postgresTx) send(ctx context.Context, others []statement, last statement, read func(pgx.BatchResults) error) (err error) {
	batch := &pgx.Batch{}
	if !tx.begun {
		batch.Queue(beginTx)
		if tx.pooled {
			batch.Queue("SET LOCAL " + idleLimit)
		}
	}
	merged := merge(tx.pending)
	if len(merged) < len(tx.pending) {
		tx.useIndexes(batch)
	}
	for _, s := range merged {
		batch.Queue(s.sql, s.args...)
	}
	before := batch.Len()
	for _, s := range append(others, last) {
		batch.Queue(s.sql, s.args...)
	}
	tx.begun, tx.pending = true, tx.pending[:0]
	results := tx.conn.SendBatch(ctx, batch)
	defer func() {
		if closeErr := results.Close(); err == nil {
			err = postgresError(closeErr)
		}
	}()
	for range before {
		if _, err := results.Exec(); err != nil {
			return postgresError(err)
		}
	}
	return postgresError(read(results))
}

// useIndexes makes statements over many rows use indexes, once in a transaction.
func (tx *postgresTx) useIndexes(batch *pgx.Batch) {
	if !tx.byIndex {
		batch.Queue(postgresDialect.useIndexes)
		tx.byIndex = true
	}
}

func (tx *postgresTx) commit(ctx context.Context) error {
	if !tx.begun && len(tx.pending) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	var tag pgconn.CommandTag
	err := tx.flush(ctx, statement{sql: "COMMIT"}, func(br pgx.BatchResults) (err error) {
		tag, err = br.Exec()
		return err
	})
	if err != nil && !refusedCommit(err) {
		return unsure(err)
	}
	if err == nil && tag.String() != "COMMIT" {
		// The closure ignored a statement's error. PostgreSQL has already given up the transaction, and answers
		// COMMIT with ROLLBACK.
		return errors.New("store: the transaction failed on an error its closure did not return")
	}
	return err
}

func (tx *postgresTx) rollback(ctx context.Context) {
	if !tx.begun || tx.conn.Conn().IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if _, err := tx.conn.Exec(ctx, "ROLLBACK"); err != nil {
		tx.conn.Conn().Close(ctx)
	}
}

func eachRow(rows pgx.Rows, each func(scanner) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return postgresError(rows.Err())
}
