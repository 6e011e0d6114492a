package housekeeping_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/housekeeping"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

const (
	idempotencyLife = 24 * time.Hour
	apiLogLife      = 30 * 24 * time.Hour
	batch           = 500
)

// house is a world with its housekeeper, which works only when it is told to.
type house struct {
	*worldtest.World
	keeper *housekeeping.Housekeeper
	blobs  blob.Store
	log    loggingtest.Book
	looks  atomic.Int32 // at the clock: each transaction takes one
}

func each(t *testing.T, test func(t *testing.T, h *house)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { test(t, newHouse(t, storetest.NewConfig(t, engine))) })
}

func newHouse(t *testing.T, place store.Config) *house {
	t.Helper()
	h, clock := &house{}, storetest.NewClock()
	place.Elapsed = clock.Elapsed
	place.Now = func() time.Time {
		h.looks.Add(1)
		return clock.Now()
	}
	h.World = worldtest.New(t, storetest.OpenAt(t, place), clock)
	var err error
	h.blobs, err = blob.OpenFolder(t.TempDir())
	h.Must(err)
	h.keeper = housekeeping.New(h.Store, h.blobs, h.log.Logger())
	return h
}

// sweep returns how many transactions it took.
func (h *house) sweep() int32 {
	h.looks.Store(0)
	h.keeper.Sweep(context.Background())
	return h.looks.Load()
}

func TestSweepRemovesWhatIsDue(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		orgs := []string{h.Org.ID, storetest.Org(t, h.Store).ID}
		begin := h.Clock.Now()
		for i, org := range orgs {
			h.putRecords(org, "old", 2)
			h.appendCalls(org, 2+i)
		}
		h.Clock.Advance(time.Millisecond)
		for _, org := range orgs {
			h.putRecords(org, "young", 1)
			h.appendCalls(org, 1)
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
			h.Clock.Set(begin.Add(step.at))
			h.sweep()
			for i, org := range orgs {
				if n := h.countRecords(org); n != step.records[i] {
					t.Errorf("after %v organization %d has %d records", step.at, i, n)
				}
				if n := h.countCalls(org); n != step.calls[i] {
					t.Errorf("after %v organization %d has %d calls", step.at, i, n)
				}
			}
		}
	})
}

func (h *house) putRecords(orgID, prefix string, n int) {
	h.T.Helper()
	h.InTx(func(tx *store.Tx) error {
		for i := range n {
			rec := store.IdempotencyRecord{OrgID: orgID, Key: fmt.Sprint(prefix, i), Status: 200}
			if err := tx.PutIdempotencyRecord(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *house) countRecords(orgID string) (n int) {
	h.T.Helper()
	for _, key := range []string{"old0", "old1", "young0"} {
		if _, err := h.Read().IdempotencyRecord(orgID, key, time.UnixMilli(0)); err == nil {
			n++
		}
	}
	return n
}

func (h *house) appendCalls(orgID string, n int) {
	h.T.Helper()
	calls := make([]store.APICall, n)
	for i := range calls {
		calls[i] = store.APICall{OrgID: orgID, RequestID: h.Store.NewID(chat.KindRequest), Method: "GET", Path: "/v1/me", Status: 200}
	}
	h.InTx(func(tx *store.Tx) error { return tx.AppendAPILog(calls) })
}

func (h *house) countCalls(orgID string) int {
	h.T.Helper()
	calls, err := h.Read().APICalls(orgID, store.CallFilter{}, store.Page{Limit: 10 * batch})
	h.Must(err)
	return len(calls.Rows)
}

// Many rows are deleted in several transactions, so that no writer waits for all of them. Without due rows
// there is no transaction.
func TestSweepWorksInBatches(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.appendCalls(h.Org.ID, 2*batch+1)

		idle := h.sweep()
		h.Clock.Advance(apiLogLife + time.Millisecond)
		if n := h.sweep() - idle; n != 6 { // while they take no time, they grow: 20, 40, 80, 160, 320, and the rest
			t.Errorf("it took %d transactions", n)
		}
		if n := h.countCalls(h.Org.ID); n != 0 {
			t.Errorf("%d calls are left", n)
		}
		if want := fmt.Sprintf("rows=%d", 2*batch+1); !strings.Contains(h.log.String(), want) {
			t.Errorf("the log does not say %s: %s", want, h.log.String())
		}
	})
}

// While another node sweeps, this one does not.
func TestOneNodeSweepsAtATime(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	h := newHouse(t, place)
	other := storetest.OpenAt(t, place, storetest.WithClock(h.Clock))
	h.appendCalls(h.Org.ID, 1)
	h.Clock.Advance(apiLogLife + time.Millisecond)

	storetest.InTx(t, other, func(tx *store.Tx) error {
		if free, err := tx.TryLock("housekeeping"); err != nil || !free {
			t.Errorf("the lock is free: %v (%v)", free, err)
		}
		h.sweep()
		return nil
	})
	if n := h.countCalls(h.Org.ID); n != 1 {
		t.Errorf("%d calls are left", n)
	}
	h.sweep()
	if n := h.countCalls(h.Org.ID); n != 0 {
		t.Errorf("%d calls are left when the other node is done", n)
	}
}

func TestSweepEndsWithItsContextOrTheStore(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.appendCalls(h.Org.ID, 1)
		h.Clock.Advance(apiLogLife + time.Millisecond)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h.keeper.Sweep(ctx)
		if n := h.countCalls(h.Org.ID); n != 1 {
			t.Errorf("%d calls are left", n)
		}
		h.Must(h.Store.Close())
		h.log.Take()
		h.sweep()
		if !strings.Contains(h.log.String(), store.ErrClosed.Error()) {
			t.Errorf("the log says %s", h.log.String())
		}
	})
}

func TestSweepsEveryMinuteUntilStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, storetest.NewConfig(t, storetest.SQLite))
		parttest.Start(t, h.keeper)
		for range 2 {
			h.appendCalls(h.Org.ID, 1)
			h.Clock.Advance(apiLogLife + time.Millisecond)
			<-time.After(time.Minute)
			synctest.Wait()
			if n := h.countCalls(h.Org.ID); n != 0 {
				t.Errorf("%d calls are left after a minute", n)
			}
		}
		for range 2 {
			h.keeper.Stop(context.Background())
		}
		h.appendCalls(h.Org.ID, 1)
		h.Clock.Advance(apiLogLife + time.Millisecond)
		<-time.After(time.Hour)
		synctest.Wait()
		if n := h.countCalls(h.Org.ID); n != 1 {
			t.Errorf("%d calls are left: it was not stopped", n)
		}
	})
}

// stuck is a store of files that does not remove one of them: with began it does not answer, and otherwise it refuses.
type stuck struct {
	blob.Store
	key         string
	began, goOn chan struct{}
}

func (s *stuck) Delete(ctx context.Context, key string) error {
	switch {
	case key != s.key:
		return s.Store.Delete(ctx, key)
	case s.began != nil:
		close(s.began)
		<-s.goOn
	}
	return errors.New("it cannot be removed")
}

// PostgreSQL's statistics are kept while a sweep takes long.
func TestStatisticsDoNotWaitForASweep(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, place)
		h.InTx(func(tx *store.Tx) error { return tx.RemoveFile(h.Org.ID, "file_1") })
		files := &stuck{Store: h.blobs, key: "file_1", began: make(chan struct{}), goOn: make(chan struct{})}
		parttest.Start(t, housekeeping.New(h.Store, files, h.log.Logger()))
		defer close(files.goOn)
		<-files.began
		direct, err := pgxpool.ParseConfig(place.URL)
		h.Must(err)
		conn, err := pgx.ConnectConfig(t.Context(), direct.ConnConfig)
		h.Must(err)
		defer conn.Close(t.Context())
		_, err = conn.Exec(t.Context(), `INSERT INTO settings (name, value) SELECT 'setting ' || n, '' FROM generate_series(1, 300) n`)
		h.Must(err)
		_, err = conn.Exec(t.Context(), "SELECT pg_stat_force_next_flush()")
		h.Must(err)
		for known, end := 0.0, time.Now().Add(time.Hour); known < 300; <-time.After(time.Second) {
			h.Must(conn.QueryRow(t.Context(), "SELECT reltuples FROM pg_class WHERE oid = 'settings'::regclass").Scan(&known))
			if time.Now().After(end) {
				t.Fatalf("after an hour the planner takes the table for one of %v rows", known)
			}
		}
	})
}

// A file that cannot be removed does not keep the others.
func TestFileThatCannotBeRemoved(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.InTx(func(tx *store.Tx) error {
			return errors.Join(tx.RemoveFile(h.Org.ID, "file_a"), tx.RemoveFile(h.Org.ID, "file_b"), tx.RemoveFile(h.Org.ID, "file_c"))
		})
		keeper := housekeeping.New(h.Store, &stuck{Store: h.blobs, key: "file_b"}, h.log.Logger())
		for _, left := range []string{"file_b file_c", "file_b"} {
			keeper.Sweep(t.Context())
			if keys, err := h.Read().RemovedFiles("", 10); err != nil || strings.Join(keys, " ") != left {
				t.Errorf("%v are left, want %s (%v)", keys, left, err)
			}
		}
	})
}

// A callback that cannot be applied is kept for the operator, but not for ever.
func TestSweepRemovesOldCallbacks(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.InTx(func(tx *store.Tx) error {
			return tx.InsertCallback(store.Callback{ID: tx.NewID(chat.KindCallback), Body: []byte("{}"), DueAt: tx.Now(), Owner: "node_1"})
		})
		for _, step := range []struct {
			wait time.Duration
			left int
		}{{31 * 24 * time.Hour, 1}, {time.Millisecond, 0}} {
			h.Clock.Advance(step.wait)
			h.sweep()
			if left, err := h.Read().DueCallbacks("node_1", h.Clock.Now(), 10); err != nil || len(left) != step.left {
				t.Errorf("after %v more %d are left, want %d (%v)", step.wait, len(left), step.left, err)
			}
		}
	})
}

// Expired sessions and links are deleted.
func TestSweepRemovesSessionsAndLinks(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		user := chat.User{ID: h.Store.NewID(chat.KindUser), OrgID: h.Org.ID, Email: "ann@example.com", Name: "Ann", CreatedAt: h.Store.Now()}
		h.InTx(func(tx *store.Tx) error {
			return errors.Join(tx.InsertUser(user),
				tx.InsertSession(chat.Session{OrgID: h.Org.ID, ID: tx.NewID(chat.KindSession), UserID: user.ID, Hash: "session", CreatedAt: tx.Now(), SeenAt: tx.Now()}),
				tx.PutUserLink(chat.UserLink{OrgID: h.Org.ID, UserID: user.ID, Kind: chat.LinkReset, Hash: "link", CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(chat.SessionIdle)}))
		})
		for _, step := range []struct {
			wait time.Duration
			gone bool
		}{{chat.SessionIdle - time.Millisecond, false}, {2 * time.Millisecond, true}} {
			h.Clock.Advance(step.wait)
			h.sweep()
			_, session := h.Read().SessionContext("session")
			_, link := h.Read().UserLink("link")
			if errors.Is(session, store.ErrNotFound) != step.gone || errors.Is(link, store.ErrNotFound) != step.gone {
				t.Errorf("after %v more: the session %v, the link %v", step.wait, session, link)
			}
		}
	})
}
