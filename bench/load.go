package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// requestFunc appends the i-th request of a scenario to buf, serialised. i is unique over all workers and phases of one
// scenario.
type requestFunc func(buf []byte, worker, i int) []byte

// bounds end a phase at whichever is reached first.
type bounds struct {
	requests int // 0 means no bound
	duration time.Duration
}

// grace is how long after its bound a phase waits for an answer before the server counts as hung.
const grace = 10 * time.Second

// load is a closed loop: each connection sends its next request when the previous one is answered.
type load struct {
	want    int
	also    int // another accepted status
	request requestFunc
	workers []*worker
	next    atomic.Int64

	answered int // expected answers, in all phases
}

type worker struct {
	id   int
	addr string
	conn *conn
	buf  []byte
	tally
}

func newLoad(addr string, connections, want int, request requestFunc) *load {
	l := &load{want: want, request: request}
	for id := range connections {
		l.workers = append(l.workers, &worker{id: id, addr: addr})
	}
	return l
}

func (l *load) close() {
	for _, w := range l.workers {
		w.hangUp()
	}
}

// phase runs the load once. Connections stay open for the next phase, so a warm-up also pays for the handshakes.
func (l *load) phase(ctx context.Context, b bounds) (tally, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	p := phase{load: l, until: start.Add(b.duration), last: math.MaxInt64}
	if b.requests > 0 {
		p.last = l.next.Load() + int64(b.requests)
	}
	var wg sync.WaitGroup
	for _, w := range l.workers {
		wg.Go(func() {
			if err := p.run(ctx, w); err != nil {
				cancel(fmt.Errorf("connection %d: %w", w.id, err))
			}
		})
	}
	wg.Wait()
	total := tally{elapsed: time.Since(start)}
	for _, w := range l.workers {
		total.merge(&w.tally)
	}
	l.answered += total.wanted()
	return total, context.Cause(ctx)
}

type phase struct {
	*load
	until time.Time
	last  int64
}

func (p *phase) run(ctx context.Context, w *worker) error {
	w.tally = tally{latencies: make([]time.Duration, 0, 1024)}
	if w.conn != nil {
		if err := w.conn.SetDeadline(p.deadline()); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		i := p.next.Add(1) - 1
		if i >= p.last || time.Now().After(p.until) {
			return nil
		}
		if err := p.one(ctx, w, int(i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *phase) deadline() time.Time { return p.until.Add(grace) }

func (p *phase) one(ctx context.Context, w *worker, i int) error {
	if err := w.connect(ctx, p); err != nil {
		return err
	}
	w.buf = p.request(w.buf[:0], w.id, i)
	start := time.Now()
	h, body, err := w.conn.roundTrip(w.buf, p.want)
	if err != nil {
		return err
	}
	if h.status == p.want || h.status == p.also {
		w.latencies = append(w.latencies, time.Since(start))
	} else {
		w.reject(h.status, body)
	}
	if h.closes {
		w.hangUp()
	}
	return nil
}

func (w *worker) connect(ctx context.Context, p *phase) error {
	if w.conn != nil {
		return nil
	}
	c, err := dial(ctx, w.addr, p.deadline())
	w.conn = c
	return err
}

func (w *worker) hangUp() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}
