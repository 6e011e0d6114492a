package store

import (
	"container/heap"
	"context"
	"time"
)

// Turn is on whose behalf a transaction is made. Where transactions wait for each other, turns get equal shares of the
// time, however many of them one has waiting.
type Turn struct {
	OrgID string // empty: the program's own work
	// Bulk is work that nobody waits for, such as making the messages of a broadcast. It has a turn of its own, so that
	// what people of the same organization do goes on beside it.
	Bulk bool
}

type turnKey struct{}

// WithTurn says on whose behalf the transactions under a context are made.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

func turnOf(ctx context.Context) Turn {
	t, _ := ctx.Value(turnKey{}).(Turn)
	return t
}

// turns is a queue that is shared by time: next is of the turn that has used least since it began to wait. Nothing is
// kept free for anybody. A turn that comes new, or comes back, stands where the others are and not behind what it did
// not use. It has no lock and no clock: the writer brings both.
type turns[J any] struct {
	lines   map[Turn]*turnLine[J]
	waiting turnHeap[J]
	len     int
	came    uint64
	reached time.Duration // what the turn that was last served had used; with nobody waiting, what the one ahead has
	many    int           // lines from which on they are looked through for those to forget
}

type turnLine[J any] struct {
	turn  Turn
	jobs  []J
	used  time.Duration
	since uint64 // first come, first served among those that have used as much
	index int    // in the heap, or -1
}

func newTurns[J any]() *turns[J] { return &turns[J]{lines: map[Turn]*turnLine[J]{}} }

// add puts a job behind those of its turn.
func (q *turns[J]) add(t Turn, job J) {
	l := q.lines[t]
	if l == nil {
		q.sweep()
		l = &turnLine[J]{turn: t, index: -1}
		q.lines[t] = l
	}
	l.jobs = append(l.jobs, job)
	q.len++
	if l.index >= 0 {
		return
	}
	q.came++
	l.used, l.since = max(l.used, q.reached), q.came
	heap.Push(&q.waiting, l)
}

// waits is how many jobs of a turn wait.
func (q *turns[J]) waits(t Turn) int {
	if l := q.lines[t]; l != nil {
		return len(l.jobs)
	}
	return 0
}

// take removes the next job. What it takes is told by charge.
func (q *turns[J]) take() (t Turn, job J, ok bool) {
	if len(q.waiting) == 0 {
		return t, job, false
	}
	l := q.waiting[0]
	job = l.jobs[0]
	var none J
	l.jobs[0] = none
	l.jobs = l.jobs[1:]
	q.len--
	q.reached = l.used
	if len(l.jobs) == 0 {
		heap.Pop(&q.waiting)
		l.jobs = nil
	}
	return l.turn, job, true
}

// charge counts time that was spent on a turn.
func (q *turns[J]) charge(t Turn, spent time.Duration) {
	l := q.lines[t]
	if l == nil {
		return
	}
	l.used += spent
	q.came++
	l.since = q.came
	if l.index >= 0 {
		heap.Fix(&q.waiting, l.index)
	}
	if q.len == 0 {
		q.reached = max(q.reached, l.used)
	}
}

// sweep forgets the turns that wait for nothing and have used no more than others, once there are many.
func (q *turns[J]) sweep() {
	if len(q.lines) < q.many {
		return
	}
	for t, l := range q.lines {
		if l.index < 0 && l.used <= q.reached {
			delete(q.lines, t)
		}
	}
	q.many = 2*len(q.lines) + 64
}

// turnHeap orders the lines that have something waiting by what they have used.
type turnHeap[J any] []*turnLine[J]

func (h turnHeap[J]) Len() int { return len(h) }

func (h turnHeap[J]) Less(i, j int) bool {
	if h[i].used == h[j].used {
		return h[i].since < h[j].since
	}
	return h[i].used < h[j].used
}

func (h turnHeap[J]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *turnHeap[J]) Push(x any) {
	l := x.(*turnLine[J])
	l.index = len(*h)
	*h = append(*h, l)
}

func (h *turnHeap[J]) Pop() any {
	last := len(*h) - 1
	l := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	l.index = -1
	return l
}
