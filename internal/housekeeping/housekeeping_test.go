package housekeeping_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/housekeeping"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	idempotencyLife = 24 * time.Hour
	apiLogLife      = 30 * 24 * time.Hour
	batch           = 500
)

func start(t *testing.T, st *store.Store, log *slog.Logger) *housekeeping.Housekeeper {
	t.Helper()
	return parttest.Start(t, housekeeping.New(st, files(t), log))
}

func files(t *testing.T) blob.Store {
	t.Helper()
	blobs, err := blob.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return blobs
}

func TestSweepRemovesWhatIsDue(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		orgs := []string{storetest.Org(t, st).ID, storetest.Org(t, st).ID}
		h := start(t, st, slog.New(slog.DiscardHandler))
		begin := clock.Now()
		for i, org := range orgs {
			putRecords(t, st, org, "old", 2)
			appendCalls(t, st, org, 2+i)
		}
		clock.Advance(time.Millisecond)
		for _, org := range orgs {
			putRecords(t, st, org, "young", 1)
			appendCalls(t, st, org, 1)
		}
		for _, step := range []struct {
			at             time.Duration
			records, calls []int // that are left, by organization
		}{
			{idempotencyLife - time.Millisecond, []int{3, 3}, []int{3, 4}},
			{idempotencyLife, []int{1, 1}, []int{3, 4}},
			{idempotencyLife + time.Millisecond, []int{0, 0}, []int{3, 4}},
			{apiLogLife, []int{0, 0}, []int{3, 4}},
			{apiLogLife + time.Millisecond, []int{0, 0}, []int{1, 1}},
			{apiLogLife + 2*time.Millisecond, []int{0, 0}, []int{0, 0}},
		} {
			clock.Set(begin.Add(step.at))
			h.Sweep(t.Context())
			for i, org := range orgs {
				if n := countRecords(t, st, org); n != step.records[i] {
					t.Errorf("after %v organization %d has %d records", step.at, i, n)
				}
				if n := countCalls(t, st, org); n != step.calls[i] {
					t.Errorf("after %v organization %d has %d calls", step.at, i, n)
				}
			}
		}
	})
}

func putRecords(t *testing.T, st *store.Store, orgID, prefix string, n int) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for i := range n {
			rec := store.IdempotencyRecord{OrgID: orgID, Key: fmt.Sprint(prefix, i), Status: 200}
			if err := tx.PutIdempotencyRecord(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

func countRecords(t *testing.T, st *store.Store, orgID string) (n int) {
	t.Helper()
	for _, key := range []string{"old0", "old1", "young0"} {
		if _, err := st.Read(t.Context()).IdempotencyRecord(orgID, key, time.UnixMilli(0)); err == nil {
			n++
		}
	}
	return n
}

func appendCalls(t *testing.T, st *store.Store, orgID string, n int) {
	t.Helper()
	calls := make([]store.APICall, n)
	for i := range calls {
		calls[i] = store.APICall{OrgID: orgID, RequestID: st.NewID(chat.KindRequest), Method: "GET", Path: "/v1/me", Status: 200}
	}
	storetest.InTx(t, st, func(tx *store.Tx) error { return tx.AppendAPILog(calls) })
}

func countCalls(t *testing.T, st *store.Store, orgID string) int {
	t.Helper()
	calls, err := st.Read(t.Context()).APILog(orgID, 10*batch)
	if err != nil {
		t.Fatal(err)
	}
	return len(calls)
}

// Many rows are deleted in several transactions, so that no writer waits for all of them. Without due rows
// there is no transaction.
func TestSweepWorksInBatches(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		var looks atomic.Int32 // at the clock: each transaction takes one
		st := storetest.Open(t, engine, storetest.WithClock(clock), func(cfg *store.Config) {
			cfg.Now = func() time.Time {
				looks.Add(1)
				return clock.Now()
			}
		})
		org := storetest.Org(t, st).ID
		appendCalls(t, st, org, 2*batch+1)
		var log bytes.Buffer
		h := start(t, st, slog.New(slog.NewTextHandler(&log, nil)))
		sweep := func() int32 {
			looks.Store(0)
			h.Sweep(t.Context())
			return looks.Load()
		}

		idle := sweep()
		clock.Advance(apiLogLife + time.Millisecond)
		if n := sweep() - idle; n != 6 { // while they take no time, they grow: 20, 40, 80, 160, 320, and the rest
			t.Errorf("it took %d transactions", n)
		}
		if n := countCalls(t, st, org); n != 0 {
			t.Errorf("%d calls are left", n)
		}
		if want := fmt.Sprintf("rows=%d", 2*batch+1); !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %s: %s", want, log.String())
		}
	})
}

// While another node sweeps, this one does not.
func TestOneNodeSweepsAtATime(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg, storetest.WithClock(clock))
	other := storetest.OpenAt(t, cfg, storetest.WithClock(clock))
	org := storetest.Org(t, st).ID
	appendCalls(t, st, org, 1)
	clock.Advance(apiLogLife + time.Millisecond)
	h := start(t, st, slog.New(slog.DiscardHandler))

	storetest.InTx(t, other, func(tx *store.Tx) error {
		if free, err := tx.TryLock("housekeeping"); err != nil || !free {
			t.Errorf("the lock is free: %v (%v)", free, err)
		}
		h.Sweep(t.Context())
		return nil
	})
	if n := countCalls(t, st, org); n != 1 {
		t.Errorf("%d calls are left", n)
	}
	h.Sweep(t.Context())
	if n := countCalls(t, st, org); n != 0 {
		t.Errorf("%d calls are left when the other node is done", n)
	}
}

func TestSweepEndsWithItsContextOrTheStore(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		org := storetest.Org(t, st).ID
		appendCalls(t, st, org, 1)
		clock.Advance(apiLogLife + time.Millisecond)
		var log bytes.Buffer
		h := start(t, st, slog.New(slog.NewTextHandler(&log, nil)))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h.Sweep(ctx)
		if n := countCalls(t, st, org); n != 1 {
			t.Errorf("%d calls are left", n)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		h.Sweep(t.Context())
		if !strings.Contains(log.String(), store.ErrClosed.Error()) {
			t.Errorf("the log says %s", log.String())
		}
	})
}

func TestSweepsEveryMinuteUntilStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := storetest.NewClock()
		st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
		org := storetest.Org(t, st).ID
		h := parttest.Start(t, housekeeping.New(st, files(t), slog.New(slog.DiscardHandler)))
		for range 2 {
			appendCalls(t, st, org, 1)
			clock.Advance(apiLogLife + time.Millisecond)
			<-time.After(time.Minute)
			synctest.Wait()
			if n := countCalls(t, st, org); n != 0 {
				t.Errorf("%d calls are left after a minute", n)
			}
		}
		for range 2 {
			h.Stop(context.Background())
		}
		appendCalls(t, st, org, 1)
		clock.Advance(apiLogLife + time.Millisecond)
		<-time.After(time.Hour)
		synctest.Wait()
		if n := countCalls(t, st, org); n != 1 {
			t.Errorf("%d calls are left: it was not stopped", n)
		}
	})
}

// A callback that cannot be applied is kept for the operator, but not for ever.
func TestSweepRemovesOldCallbacks(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		h := start(t, st, slog.New(slog.DiscardHandler))
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return tx.InsertCallback(store.Callback{ID: tx.NewID(chat.KindCallback), Body: []byte("{}"), DueAt: tx.Now(), Owner: "node_1"})
		})
		for _, step := range []struct {
			wait time.Duration
			left int
		}{{31 * 24 * time.Hour, 1}, {time.Millisecond, 0}} {
			clock.Advance(step.wait)
			h.Sweep(t.Context())
			if left, err := st.Read(t.Context()).DueCallbacks("node_1", clock.Now(), 10); err != nil || len(left) != step.left {
				t.Errorf("after %v more %d are left, want %d (%v)", step.wait, len(left), step.left, err)
			}
		}
	})
}

// Expired sessions and links are deleted.
func TestSweepRemovesSessionsAndLinks(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock := storetest.NewClock()
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		h := start(t, st, slog.New(slog.DiscardHandler))
		org := storetest.Org(t, st)
		user := chat.User{ID: st.NewID(chat.KindUser), OrgID: org.ID, Email: "ann@example.com", Name: "Ann", CreatedAt: st.Now()}
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return errors.Join(tx.InsertUser(user),
				tx.InsertSession(chat.Session{OrgID: org.ID, ID: tx.NewID(chat.KindSession), UserID: user.ID, Hash: "session", CreatedAt: tx.Now(), SeenAt: tx.Now()}),
				tx.PutUserLink(chat.UserLink{OrgID: org.ID, UserID: user.ID, Kind: chat.LinkReset, Hash: "link", CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(chat.SessionIdle)}))
		})
		for _, step := range []struct {
			wait time.Duration
			gone bool
		}{{chat.SessionIdle - time.Millisecond, false}, {2 * time.Millisecond, true}} {
			clock.Advance(step.wait)
			h.Sweep(t.Context())
			_, session := st.Read(t.Context()).SessionContext("session")
			_, link := st.Read(t.Context()).UserLink("link")
			if errors.Is(session, store.ErrNotFound) != step.gone || errors.Is(link, store.ErrNotFound) != step.gone {
				t.Errorf("after %v more: the session %v, the link %v", step.wait, session, link)
			}
		}
	})
}
