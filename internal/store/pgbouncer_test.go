package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// behind starts a PgBouncer in front of a database.
func behind(t *testing.T, cfg store.Config, mode string, size int) store.Config {
	t.Helper()
	cfg.URL = pgtest.Bouncer{Mode: mode, Size: size}.Start(t, cfg.URL)
	return cfg
}

// Nodes that start together on an empty database, through a pooler with fewer connections than nodes, all find
// the complete schema, created once.
func TestFirstOpensBehindAPooler(t *testing.T) {
	t.Parallel()
	direct := storetest.NewEmptyConfig(t, storetest.Postgres)
	cfg := behind(t, direct, "transaction", 2)
	requireAllNil(t, together(8, func(i int) error {
		st, err := store.Open(context.Background(), cfg)
		if err != nil {
			return err
		}
		if err := st.InTx(context.Background(), putSetting(fmt.Sprint("node ", i), "1")); err != nil {
			return err
		}
		return st.Close()
	}))
	var twice int
	requireNoError(t, admin(t, direct).QueryRow(t.Context(), "SELECT count(*) - count(DISTINCT version_id) FROM goose_db_version").Scan(&twice))
	if twice != 0 {
		t.Errorf("%d migrations were made twice", twice)
	}
	plans, err := storetest.OpenAt(t, cfg).Read(t.Context()).Plans()
	requireEqual(t, len(plans), err, 4)
}

// Many transactions and reads over few connections: each statement works on whatever connection it gets.
func TestWorkBehindAPooler(t *testing.T) {
	t.Parallel()
	cfg := behind(t, storetest.NewConfig(t, storetest.Postgres), "transaction", 3)
	nodes := []*store.Store{storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)}
	requireEqual(t, store.Pooled(nodes[0]), nil, true)
	org := storetest.Org(t, nodes[0])
	const workers, rounds = 12, 20
	requireAllNil(t, together(workers, func(i int) error {
		for round := range rounds {
			st := nodes[(i+round)%2]
			err := st.InTx(context.Background(), func(tx *store.Tx) error {
				label := storetest.NewLabel(tx, org, fmt.Sprint(i, " ", round))
				if err := tx.Savepoint(func() error { return tx.InsertLabel(label) }); err != nil {
					return err
				}
				_, err := tx.Label(org.ID, label.ID)
				return err
			})
			if err != nil {
				return err
			}
			if _, err := st.Read(context.Background()).Labels(org.ID, store.LabelFilter{}, store.Page{Limit: 10}); err != nil {
				return err
			}
			if err := addAndLookUp(st, org, fmt.Sprint("together ", i, " ", round)); err != nil {
				return err
			}
		}
		return nil
	}))
	labels, err := nodes[0].Read(t.Context()).Labels(org.ID, store.LabelFilter{}, store.Page{Limit: 1000})
	requireEqual(t, len(labels.Rows), err, 2*workers*rounds)
}

// addAndLookUp adds a label, together with those who add one at the same time, and reads it.
func addAndLookUp(st *store.Store, org storetest.Organization, name string) error {
	var label chat.Label
	err := st.InGroup(context.Background(), store.Foresight{Kind: "label"}, func(tx *store.Tx) error {
		label = storetest.NewLabel(tx, org, name)
		return tx.InsertLabel(label)
	})
	if err != nil {
		return err
	}
	got, err := st.Read(context.Background()).Label(org.ID, label.ID)
	if err == nil && got.Name != name {
		err = fmt.Errorf("%q is called %q", name, got.Name)
	}
	return err
}

// A transaction's lock is held by one node at a time, even if transactions share connections.
func TestTryLockBehindAPooler(t *testing.T) {
	t.Parallel()
	cfg := behind(t, storetest.NewConfig(t, storetest.Postgres), "transaction", 4)
	here, there := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
	tryLock := func(st *store.Store) (free bool) {
		storetest.InTx(t, st, func(tx *store.Tx) (err error) {
			free, err = tx.TryLock("x")
			return err
		})
		return free
	}
	storetest.InTx(t, here, func(tx *store.Tx) error {
		free, err := tx.TryLock("x")
		requireEqual(t, free, err, true)
		requireEqual(t, tryLock(there), nil, false)
		return nil
	})
	requireEqual(t, tryLock(there), nil, true)
}

// Behind a pooler notifications arrive over the server's own address.
func TestListenPastAPooler(t *testing.T) {
	t.Parallel()
	direct := storetest.NewConfig(t, storetest.Postgres)
	cfg := behind(t, direct, "transaction", 3)
	cfg.DirectURL = direct.URL
	here, there := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
	heard := listen(t, there)
	<-heard // it has connected
	org := storetest.Org(t, here)
	storetest.InTx(t, here, func(tx *store.Tx) error { tx.SubscriptionChanged(org.ID, "x"); return nil })
	requireEqual(t, <-heard, nil, store.TopicDeliveries)
}

// listen returns the topics that a store hears until the test ends.
func listen(t *testing.T, st *store.Store) <-chan store.Topic {
	t.Helper()
	heard := make(chan store.Topic)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		st.Listen(ctx, func(topic store.Topic) {
			select {
			case heard <- topic:
			case <-ctx.Done():
			}
		})
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
	return heard
}

// If no notification can arrive, the log says so once, with the cause.
func TestDeafListeners(t *testing.T) {
	t.Parallel()
	direct := storetest.NewConfig(t, storetest.Postgres)
	pooled := behind(t, direct, "transaction", 4)
	other := storetest.NewConfig(t, storetest.Postgres)
	for _, test := range []struct{ name, url, direct, want string }{
		{"no direct address", pooled.URL, "", "--database-direct-url"},
		{"a pooler again", pooled.URL, pooled.URL, "must be the address of PostgreSQL itself"},
		{"another database", direct.URL, other.URL, "must lead to the same"},
		{"nobody there", direct.URL, "postgres://127.0.0.1:1/x", "connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lines := newLines()
			st := storetest.OpenAt(t, store.Config{URL: test.url, DirectURL: test.direct, Log: lines.log()})
			listen(t, st)
			if line := lines.next(t); !strings.Contains(line, "level=WARN") || !strings.Contains(line, test.want) {
				t.Errorf("logged %s", line)
			}
		})
	}
}

// A pooler that lends by the session is like having none: statements stay prepared, and notifications arrive
// through it.
func TestSessionPooler(t *testing.T) {
	t.Parallel()
	st := storetest.OpenAt(t, behind(t, storetest.NewConfig(t, storetest.Postgres), "session", 20))
	requireEqual(t, store.Pooled(st), nil, false)
	heard := listen(t, st)
	<-heard
	storetest.InTx(t, st, func(tx *store.Tx) error { tx.SubscriptionChanged("org_x", "x"); return nil })
	requireEqual(t, <-heard, nil, store.TopicDeliveries)
}

func TestStatementPoolerIsRefused(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), behind(t, storetest.NewEmptyConfig(t, storetest.Postgres), "statement", 2))
	if err == nil || !strings.Contains(err.Error(), "set its pool_mode to transaction") {
		t.Errorf("got %v", err)
	}
}

// Without a pooler statements are prepared once.
func TestDirectConnectionsKeepStatements(t *testing.T) {
	t.Parallel()
	st := storetest.OpenAt(t, storetest.NewConfig(t, storetest.Postgres))
	requireEqual(t, store.Pooled(st), nil, false)
	requireEqual(t, store.PreparesStatements(st), nil, true)
}

// The log says when notifications begin to fail and when they work again, however often they fail.
func TestWakeupTroubleIsToldOnce(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	gate := pgtest.NewGate(t, cfg.URL)
	lines := newLines()
	st := storetest.OpenAt(t, store.Config{URL: gate.URL, Log: lines.log()})
	heard := listen(t, st)
	<-heard
	gate.Shut()
	require(t, lines, "level=WARN", "cannot hear of others' work", "error=")
	for range 3 {
		store.Tell(st, store.TopicSends)
	}
	require(t, lines, "level=WARN", "cannot be told of work", "error=")
	gate.Open()
	<-heard
	require(t, lines, "level=INFO", "hears of others' work again", "lasted=", "failures=")
	store.Tell(st, store.TopicSends)
	require(t, lines, "level=INFO", "are told of work again", "lasted=", "failures=")
}

func require(t *testing.T, lines *lines, parts ...string) {
	t.Helper()
	line := lines.next(t)
	for _, part := range parts {
		if !strings.Contains(line, part) {
			t.Errorf("logged %s, not %s", line, part)
		}
	}
}

// lines are what is logged, one after the other.
type lines struct{ written chan string }

func newLines() *lines { return &lines{make(chan string, 100)} }

func (l *lines) log() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *lines) Write(p []byte) (int, error) {
	l.written <- string(bytes.TrimSpace(p))
	return len(p), nil
}

func (l *lines) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-l.written:
		return line
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing was logged")
		return ""
	}
}
