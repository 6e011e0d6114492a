package store_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Two closures lock two rows in opposite order: PostgreSQL aborts one of them, which runs again.
func TestDeadlockIsResolved(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.Postgres)
	storetest.InTx(t, st, putSetting("a", ""))
	storetest.InTx(t, st, putSetting("b", ""))
	rows := [2][2]string{{"a", "b"}, {"b", "a"}}
	locked := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	var attempts, hooks [2]int
	requireAllNil(t, together(2, func(i int) error {
		return st.InTx(context.Background(), func(tx *store.Tx) error {
			attempts[i]++
			tx.AfterCommit(func() { hooks[i]++ })
			if err := appendTo(tx, rows[i][0], i); err != nil {
				return err
			}
			if attempts[i] == 1 { // both have their first row before either asks for its second
				close(locked[i])
				<-locked[1-i]
			}
			return appendTo(tx, rows[i][1], i)
		})
	}))
	for _, name := range []string{"a", "b"} {
		if got := setting(t, st, name); len(got) != 2 || !strings.Contains(got, "0") || !strings.Contains(got, "1") {
			t.Errorf("%s was written by %q", name, got)
		}
	}
	if attempts[0]+attempts[1] < 3 {
		t.Errorf("there was no deadlock: %v attempts", attempts)
	}
	requireEqual(t, hooks, nil, [2]int{1, 1})
}

func appendTo(tx *store.Tx, name string, i int) error {
	old, err := tx.Setting(name)
	if err != nil {
		return err
	}
	return tx.PutSetting(name, old+fmt.Sprint(i))
}

func TestClosureThatKeepsDeadlockingIsGivenUp(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.Postgres)
	attempts := 0
	requireTxError(t, st, store.ErrUnavailable, func(tx *store.Tx) error {
		attempts++
		tx.AfterCommit(func() { t.Error("the hook ran") })
		return errors.Join(tx.PutSetting("a", "1"), &pgconn.PgError{Code: "40P01"})
	})
	if attempts < 2 {
		t.Errorf("the closure ran %d times", attempts)
	}
	requireEqual(t, setting(t, st, "a"), nil, "")
}

func TestTryLock(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, other := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
	for _, outcome := range []error{nil, errRefused} {
		first := hold(t, st, func(tx *store.Tx) error {
			free, err := tx.TryLock("work")
			requireEqual(t, free, err, true)
			free, err = tx.TryLock("work") // its own
			requireEqual(t, free, err, true)
			return outcome
		})
		for _, node := range []*store.Store{st, other} {
			requireEqual(t, tryLock(t, node, "work"), nil, false)
			requireEqual(t, tryLock(t, node, "other work"), nil, true)
		}
		requireError(t, first.release(), outcome)
		requireEqual(t, tryLock(t, other, "work"), nil, true)
	}
}

func tryLock(t *testing.T, st *store.Store, name string) (free bool) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) (err error) {
		free, err = tx.TryLock(name)
		return err
	})
	return free
}

func TestTryLockOnSQLiteIsAlwaysFree(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	for range 2 {
		requireEqual(t, tryLock(t, st, "work"), nil, true)
	}
}

// PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error.
func TestErrorThatTheClosureIgnoresIsNotACommit(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.Postgres)
	err := st.InTx(t.Context(), func(tx *store.Tx) error {
		requireNoError(t, tx.PutSetting("a", "1"))
		if err := tx.PutMember("no", "such", "row"); err == nil {
			t.Error("a member of a team that does not exist was stored")
		}
		return nil
	})
	if err == nil {
		t.Error("the transaction seems to have been committed")
	}
	requireEqual(t, setting(t, st, "a"), nil, "")
}

func TestCancelWhileWaitingForARow(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg)
	storetest.InTx(t, st, putSetting("a", "1"))
	first := hold(t, st, putSetting("a", "2"))
	ctx, cancel := context.WithCancel(t.Context())
	outcome := make(chan error)
	go func() { outcome <- st.InTx(ctx, putSetting("a", "3")) }()
	waitForRowLock(t, cfg)
	cancel()
	requireError(t, <-outcome, context.Canceled) // although the first still has the row
	requireNoError(t, first.release())
	requireEqual(t, setting(t, st, "a"), nil, "2")
}

// A purge meets a record while another transaction replaces it: it must not delete the new one.
func TestPurgeSparesARecordThatIsBeingReplaced(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg, storetest.WithClock(clock))
	putRecords(t, st, "key", 1)
	clock.Advance(store.IdempotencyWindow)

	replacing := hold(t, st, func(tx *store.Tx) error {
		return tx.PutIdempotencyRecord(store.IdempotencyRecord{OrgID: "org_0", Key: "key", Fingerprint: "new", Status: 200})
	})
	purged := make(chan int64, 1)
	outcome := make(chan error)
	go func() {
		outcome <- st.InTx(context.Background(), func(tx *store.Tx) error {
			n, err := tx.PurgeIdempotency(10)
			purged <- n
			return err
		})
	}()
	waitForRowLock(t, cfg)
	requireNoError(t, replacing.release())
	requireNoError(t, <-outcome)
	requireEqual(t, <-purged, nil, 0)
	rec, err := st.Read(t.Context()).IdempotencyRecord("org_0", "key", clock.Now().Add(-time.Second))
	requireEqual(t, rec.Fingerprint, err, "new")
}

// waitForRowLock returns when some transaction on the database waits for another.
func waitForRowLock(t *testing.T, cfg store.Config) {
	t.Helper()
	pgtest.UntilWaits(t, cfg.URL, nil)
}

// admin connects to the store's database beside the store.
func admin(t *testing.T, cfg store.Config) *pgx.Conn {
	t.Helper()
	pool, err := pgxpool.ParseConfig(cfg.URL)
	requireNoError(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), pool.ConnConfig)
	requireNoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestCutConnection(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg)
	conn := admin(t, cfg)
	requireTxError(t, st, store.ErrUnavailable, func(tx *store.Tx) error {
		requireNoError(t, tx.PutSetting("a", "1"))
		_, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction'`)
		requireNoError(t, err)
		return tx.PutSetting("a", "2")
	})
	requireEqual(t, setting(t, st, "a"), nil, "")
	storetest.InTx(t, st, putSetting("a", "3"))
}

// If every connection is in use, a transaction waits for one, but not for ever.
func TestPoolThatIsUsedUpRefuses(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	cfg.URL = strings.Replace(cfg.URL, "pool_max_conns=8", "pool_max_conns=4", 1)
	st := storetest.OpenAt(t, cfg)
	var all []*held
	for range 3 { // one is left for reads
		all = append(all, hold(t, st, doNothing))
	}
	for i, err := range together(2, func(i int) error {
		if i == 0 {
			return st.Writable(context.Background())
		}
		return st.InTx(context.Background(), doNothing)
	}) {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("number %d: %v", i, err)
		}
	}
	for _, h := range all {
		requireNoError(t, h.release())
	}
	requireNoError(t, st.Writable(t.Context()))
}

func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	requireNoError(t, err)
	address := listener.Addr()
	requireNoError(t, listener.Close())
	_, err = store.Open(t.Context(), store.Config{URL: fmt.Sprintf("postgres://u:hush@%s/db?sslmode=disable", address)})
	requireError(t, err, store.ErrUnavailable)
	if strings.Contains(err.Error(), "hush") {
		t.Errorf("the password is in %q", err)
	}
}

// A transaction that is idle, because its node is frozen or gone, blocks the others only for a while.
func TestTransactionsThatStandStill(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	for name, cfg := range map[string]store.Config{
		"direct": cfg, "session pooler": behind(t, cfg, "session", 4), "transaction pooler": behind(t, cfg, "transaction", 4),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, other := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
			storetest.InTx(t, st, func(tx *store.Tx) error {
				limit, err := tx.IdleLimit()
				requireEqual(t, limit, err, "15s")
				return err
			})
			requireTxError(t, st, store.ErrUnavailable, func(tx *store.Tx) error {
				if err := errors.Join(tx.LimitIdle(50*time.Millisecond), putSetting(name, "frozen")(tx)); err != nil {
					return err
				}
				if _, err := tx.Plans(); err != nil { // sends the deferred statements
					return err
				}
				requireNoError(t, other.InTx(t.Context(), putSetting(name, "free")))
				_, err := tx.Plans()
				return err
			})
		})
	}
}
