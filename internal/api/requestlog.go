package api

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	requestLogBuffer = 8192
	// requestLogBatch lines are written without waiting for more. On the embedded store, where requests wait for it, each
	// transaction writes requestLogSlice.
	requestLogBatch = 512
	requestLogSlice = 64
	requestLogEvery = time.Second
	// requestLogTimeout is how long the lines that wait may take together.
	requestLogTimeout = 20 * time.Second
	// refusalsLogged is how many calls of a key that took no token of the rate limit are logged in a minute. Otherwise whoever
	// has a key fills the disk as fast as they can call, even with one that is revoked.
	refusalsLogged = 60
	keyUseEvery    = time.Minute
	keysRemembered = 10_000
)

// requestLog writes the API log in the background. Requests never wait for it: if the store cannot keep up,
// lines are dropped and counted. So are those of refused calls of which there are many.
type requestLog struct {
	store   *store.Store
	log     *slog.Logger
	metrics *Metrics
	used    map[string]time.Time // when the last use of each key was written; only run touches it
	full    chan struct{}        // a whole batch waits
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once

	mu       sync.Mutex
	waiting  []store.APICall
	minute   time.Time      // since which refused calls are counted
	refusals map[string]int // of each key
}

func newRequestLog(st *store.Store, log *slog.Logger, m *Metrics) *requestLog {
	return &requestLog{store: st, log: log, metrics: m, used: map[string]time.Time{}, refusals: map[string]int{}, full: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
}

// room reports whether one more call of a key that took no token may be logged in this minute. If not, it is counted.
func (l *requestLog) room(keyID string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(l.minute) {
		l.minute = minute
		clear(l.refusals)
	}
	n, known := l.refusals[keyID]
	if n == refusalsLogged || !known && len(l.refusals) == keysRemembered {
		l.metrics.logDropped.Inc()
		return false
	}
	l.refusals[keyID]++
	return true
}

func (l *requestLog) add(c store.APICall) {
	l.mu.Lock()
	n := len(l.waiting)
	if n < requestLogBuffer {
		l.waiting = append(l.waiting, c)
	}
	l.mu.Unlock()
	switch {
	case n == requestLogBuffer:
		l.metrics.logDropped.Inc()
	case n+1 >= requestLogBatch:
		select {
		case l.full <- struct{}{}:
		default: // run knows already
		}
	}
}

// stop writes the buffered lines; a second call waits for the first. Requests that end later are not logged.
func (l *requestLog) stop() {
	l.once.Do(func() { close(l.quit) })
	<-l.done
}

func (l *requestLog) run() {
	defer close(l.done)
	tick := time.NewTicker(requestLogEvery)
	defer tick.Stop()
	var spare []store.APICall
	for {
		select {
		case <-l.full:
		case <-tick.C:
		case <-l.quit:
			l.flush(nil)
			return
		}
		spare = l.flush(spare)
	}
}

// flush writes the lines that wait. The next ones are gathered in spare; it returns the memory of the written ones, unless
// a backlog has made that large.
func (l *requestLog) flush(spare []store.APICall) []store.APICall {
	l.mu.Lock()
	calls := l.waiting
	l.waiting = spare
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), requestLogTimeout)
	defer cancel()
	for slice := range slices.Chunk(calls, l.slice()) {
		l.write(ctx, slice)
	}
	if cap(calls) > 2*requestLogBatch {
		return nil
	}
	clear(calls)
	return calls[:0]
}

// slice is how many lines one transaction writes.
func (l *requestLog) slice() int {
	if l.store.Alone() {
		return requestLogSlice
	}
	return requestLogBatch
}

func (l *requestLog) write(ctx context.Context, slice []store.APICall) {
	uses := l.uses(slice)
	err := l.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.NoteKeyUses(uses); err != nil {
			return err
		}
		return tx.AppendAPILog(slice)
	})
	if err != nil {
		l.metrics.logDropped.Add(float64(len(slice)))
		l.log.Warn("API log lines lost", "lines", len(slice), "error", err)
	}
}

// uses returns the keys of some calls whose last use should be written. A busy key costs one small write a minute.
func (l *requestLog) uses(calls []store.APICall) (uses []store.KeyUse) {
	for _, c := range slices.Backward(calls) {
		at := chat.TimeOf(c.RequestID)
		if at.Sub(l.used[c.KeyID]) < keyUseEvery {
			continue
		}
		if len(l.used) >= keysRemembered {
			clear(l.used)
		}
		l.used[c.KeyID] = at
		uses = append(uses, store.KeyUse{OrgID: c.OrgID, KeyID: c.KeyID, At: at})
	}
	return uses
}
