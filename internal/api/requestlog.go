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
	requestLogBatch  = 512
	requestLogEvery  = time.Second
	keyUseEvery      = time.Minute
	keysRemembered   = 10_000
)

// requestLog writes the API log in the background. Requests never wait for it: if the store cannot keep up,
// lines are dropped and counted.
type requestLog struct {
	store   *store.Store
	log     *slog.Logger
	metrics *Metrics
	calls   chan store.APICall
	used    map[string]time.Time // when the last use of each key was written; only run touches it
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
}

func newRequestLog(st *store.Store, log *slog.Logger, m *Metrics) *requestLog {
	return &requestLog{store: st, log: log, metrics: m, calls: make(chan store.APICall, requestLogBuffer), used: map[string]time.Time{}, quit: make(chan struct{}), done: make(chan struct{})}
}

func (l *requestLog) add(c store.APICall) {
	select {
	case l.calls <- c:
	default:
		l.metrics.logDropped.Inc()
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
	batch := make([]store.APICall, 0, requestLogBatch)
	flush := func() {
		l.write(batch)
		batch = batch[:0]
	}
	for {
		select {
		case c := <-l.calls:
			if batch = append(batch, c); len(batch) == requestLogBatch {
				flush()
			}
		case <-tick.C:
			flush()
		case <-l.quit:
			for len(l.calls) > 0 {
				batch = append(batch, <-l.calls)
			}
			flush()
			return
		}
	}
}

func (l *requestLog) write(batch []store.APICall) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	uses := l.uses(batch)
	err := l.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.NoteKeyUses(uses); err != nil {
			return err
		}
		return tx.AppendAPILog(batch)
	})
	if err != nil {
		l.metrics.logDropped.Add(float64(len(batch)))
		l.log.Warn("API log lines lost", "lines", len(batch), "error", err)
	}
}

// uses returns the keys of a batch whose last use should be written. A busy key costs one small write a minute.
func (l *requestLog) uses(batch []store.APICall) (uses []store.KeyUse) {
	for _, c := range slices.Backward(batch) {
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
