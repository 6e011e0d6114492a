// Package broadcast turns the recipients of broadcasts into messages, at the pace that their number allows. A
// recipient's message is made in the transaction that records it, so that nobody gets two and nobody is forgotten,
// wherever the process ends. From there the sender handles the messages like all others.
package broadcast

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// lookEvery is how often the worker looks for broadcasts to work on.
	lookEvery = time.Second
	// workEvery is how often the worker advances the broadcasts that are being sent.
	workEvery = 50 * time.Millisecond
	// smallest is the least number of messages that a transaction makes.
	smallest = 4
	// dueAtOnce bounds how many scheduled broadcasts are started at once.
	dueAtOnce = 20
	// patience ends a step that the store does not answer.
	patience = 10 * time.Second
)

// Config configures a worker.
type Config struct {
	Store *store.Store
	// Lease is this process's right to the broadcasts it works on.
	Lease func() store.Lease
	// PerSecond is how many messages a number sends per second.
	PerSecond float64
	// Rate reads a number's rating from the provider, and stores it. If it is nil, callbacks alone tell of ratings.
	Rate    func(ctx context.Context, account chat.Account) error
	Metrics prometheus.Registerer // nil for none
	Log     *slog.Logger
	// LookEvery and WorkEvery replace the defaults if they are not zero.
	LookEvery, WorkEvery time.Duration
}

// bounds limit the transactions that make messages: at most this many messages, and about this much time.
type bounds struct {
	most int
	time time.Duration
}

// boundsOf depends on the engine. On SQLite every other writer waits for such a transaction. On PostgreSQL most of the
// time goes into round trips, whose number does not depend on the number of messages.
func boundsOf(st *store.Store) bounds {
	if st.Alone() {
		return bounds{most: 40, time: 6 * time.Millisecond}
	}
	return bounds{most: 200, time: 60 * time.Millisecond}
}

// Worker works on the broadcasts of one node.
type Worker struct {
	part.Life
	part.Bell
	cfg     Config
	trouble *logging.Episode
	numbers map[string]*number // by account id
	bounds  bounds
	slice   int // how many messages the next transaction makes
	looked  store.Moment
}

// number is an account whose broadcasts this worker advances.
type number struct {
	broadcasts []chat.Broadcast
	turn       int // which of them goes first
	rating     rating
	pace       bucket
	leaves     flow
	each       map[string]*bucket // by broadcast id, for broadcasts with their own pace
	places     map[string]place   // by broadcast id; forgotten at each look
}

// place is how far a broadcast is among its recipients. A table that many rows have left is slow to walk from its
// beginning.
type place struct {
	made string // hardly anybody up to this recipient waits any more
	sent string // hardly any message before this recipient's waits to be sent
}

// New makes a worker.
func New(cfg Config) *Worker {
	cfg.LookEvery, cfg.WorkEvery = cmp.Or(cfg.LookEvery, lookEvery), cmp.Or(cfg.WorkEvery, workEvery)
	return &Worker{
		Life: part.NewLife(), Bell: part.NewBell(), cfg: cfg, numbers: map[string]*number{}, bounds: boundsOf(cfg.Store), slice: smallest,
		trouble: logging.NewEpisode(cfg.Log, cfg.Metrics, "broadcasts", "broadcasts cannot go on", "broadcasts go on again"),
	}
}

// Start begins the work. A step that is under way when the worker stops is finished or undone.
func (w *Worker) Start(context.Context) error {
	w.Go(w.run)
	return nil
}

func (w *Worker) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-w.Bell:
			w.looked = 0
		case <-ctx.Done():
			return
		}
		err := w.Sweep(ctx)
		if ctx.Err() != nil {
			return
		}
		w.trouble.Report(err)
		wait := w.cfg.LookEvery
		if len(w.numbers) > 0 && err == nil {
			wait = w.cfg.WorkEvery
		}
		timer.Reset(wait)
	}
}

// Sweep looks for broadcasts when it is time to, and advances the known ones.
func (w *Worker) Sweep(ctx context.Context) error {
	lease := w.cfg.Lease()
	now := w.cfg.Store.Moment()
	if !lease.Holds(now, 0) {
		w.numbers = map[string]*number{}
		return nil
	}
	if w.looked.IsZero() || now.Sub(w.looked) >= w.cfg.LookEvery {
		if err := w.look(ctx, lease.Node); err != nil {
			return err
		}
		w.looked = now
	}
	var err error
	for id, n := range w.numbers {
		if w.rated(n) {
			err = errors.Join(err, w.serve(ctx, lease.Node, n))
		}
		if len(n.broadcasts) == 0 {
			delete(w.numbers, id)
		}
	}
	return err
}

// look starts due broadcasts, takes over those without a living owner, and reads this node's own.
func (w *Worker) look(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := w.startDue(ctx); err != nil {
		return err
	}
	abandoned, err := w.cfg.Store.Read(ctx).AbandonedBroadcasts()
	if err == nil && abandoned {
		err = w.cfg.Store.InTx(ctx, func(tx *store.Tx) error { return tx.ClaimBroadcasts(node) })
	}
	if err != nil {
		return err
	}
	own, err := w.cfg.Store.Read(ctx).OwnBroadcasts(node)
	if err != nil {
		return err
	}
	for _, n := range w.numbers {
		n.broadcasts = nil
		clear(n.places)
	}
	for _, b := range own {
		n := w.numbers[b.AccountID]
		if n == nil {
			n = &number{each: map[string]*bucket{}, places: map[string]place{}}
			w.numbers[b.AccountID] = n
		}
		n.broadcasts = append(n.broadcasts, b)
	}
	return nil
}

// startDue starts the scheduled broadcasts whose time has come.
func (w *Worker) startDue(ctx context.Context) error {
	due, err := w.cfg.Store.Read(ctx).DueBroadcasts(w.cfg.Store.Now(), dueAtOnce)
	for _, b := range due {
		if err != nil {
			break
		}
		var account chat.Account
		account, err = w.cfg.Store.Read(ctx).Account(b.OrgID, b.AccountID)
		if errors.Is(err, store.ErrNotFound) {
			err = nil
			continue // the number was deleted, and this broadcast with it
		}
		if err == nil {
			err = w.cfg.Store.InTx(ctx, func(tx *store.Tx) error { return core.StartDue(tx, account, b.ID) })
		}
		if _, refused := chat.CodeOf(err); refused { // another node was faster
			err = nil
		}
	}
	return err
}
