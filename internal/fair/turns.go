// Package fair has shared queues in which a key with many waiting jobs does not delay keys with few.
package fair

import (
	"container/heap"
	"time"
)

// A key's lead over all others together is clear from clearLead on. It does not become longer than maxLead, so that a key
// which stops being the busiest loses its lead when others have used as much.
const clearLead, maxLead = 10 * time.Millisecond, 100 * time.Millisecond

// Turns is a queue shared by time: next is a job of the key that has used the least time since it began to
// wait. No time is reserved. A new key, one that comes back, or one that could not be served for a while, goes on level
// with the others and has no credit.
// It has no lock and no clock; the caller has both.
type Turns[K comparable, J any] struct {
	lines   map[K]*turnLine[K, J]
	waiting turnHeap[K, J]
	len     int
	came    uint64
	reached time.Duration // the most time used by a key when it was served; if none waits, by the key furthest ahead
	many    int           // number of keys from which idle ones are swept
	most    K             // lately used more time than all others together, once lead is clear
	lead    time.Duration // of most over all others together
}

type turnLine[K comparable, J any] struct {
	key   K
	jobs  []J
	used  time.Duration
	since uint64 // first come, first served among keys with equal time
	index int    // in the heap, or -1
}

// NewTurns returns an empty queue.
func NewTurns[K comparable, J any]() *Turns[K, J] {
	return &Turns[K, J]{lines: map[K]*turnLine[K, J]{}}
}

// Add appends a job to those of its key.
func (q *Turns[K, J]) Add(key K, job J) {
	l := q.lines[key]
	if l == nil {
		q.sweep()
		l = &turnLine[K, J]{key: key, index: -1}
		q.lines[key] = l
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

// Len is how many jobs wait.
func (q *Turns[K, J]) Len() int { return q.len }

// Keys is how many keys have jobs that wait.
func (q *Turns[K, J]) Keys() int { return len(q.waiting) }

// Next is the key whose job Take would return.
func (q *Turns[K, J]) Next() (key K, ok bool) {
	if len(q.waiting) == 0 {
		return key, false
	}
	return q.waiting[0].key, true
}

// Busiest is the key that lately used more time than all others together, if there is one.
func (q *Turns[K, J]) Busiest() (key K, ok bool) { return q.most, q.lead >= clearLead }

// Waits is how many jobs of a key wait.
func (q *Turns[K, J]) Waits(key K) int {
	if l := q.lines[key]; l != nil {
		return len(l.jobs)
	}
	return 0
}

// First is the next job of the keys that may be served. TakeOf removes it.
func (q *Turns[K, J]) First(may func(K) bool) (key K, job J, ok bool) {
	first := -1
	for i := 0; i < len(q.waiting) && first != 0; i++ {
		if may(q.waiting[i].key) && (first < 0 || q.waiting.Less(i, first)) {
			first = i
		}
	}
	if first < 0 {
		return key, job, false
	}
	return q.waiting[first].key, q.waiting[first].jobs[0], true
}

// Take removes the next job. The caller reports the time it took with Charge.
func (q *Turns[K, J]) Take() (key K, job J, ok bool) {
	if len(q.waiting) == 0 {
		return key, job, false
	}
	key = q.waiting[0].key
	return key, q.TakeOf(key), true
}

// TakeOf is Take for a key that First has named.
func (q *Turns[K, J]) TakeOf(key K) (job J) {
	l := q.lines[key]
	job = l.jobs[0]
	var none J
	l.jobs[0] = none
	l.jobs = l.jobs[1:]
	q.len--
	l.used = max(l.used, q.reached)
	q.reached = l.used
	if len(l.jobs) == 0 {
		heap.Remove(&q.waiting, l.index)
		l.jobs = nil
	} else {
		heap.Fix(&q.waiting, l.index)
	}
	return job
}

// Charge counts the time that a key's job took.
func (q *Turns[K, J]) Charge(key K, spent time.Duration) {
	l := q.lines[key]
	if l == nil {
		return
	}
	q.weigh(key, spent)
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

// weigh sets the time of one key against that of all others. Only a key that uses more than half of all keeps a lead.
func (q *Turns[K, J]) weigh(key K, spent time.Duration) {
	switch {
	case key == q.most:
		q.lead = min(q.lead+spent, maxLead)
	case spent > q.lead:
		q.most, q.lead = key, min(spent-q.lead, maxLead)
	default:
		q.lead -= spent
	}
}

// sweep forgets keys that do not wait and are not ahead of others, once there are many.
func (q *Turns[K, J]) sweep() {
	if len(q.lines) < q.many {
		return
	}
	for key, l := range q.lines {
		if l.index < 0 && l.used <= q.reached {
			delete(q.lines, key)
		}
	}
	q.many = 2*len(q.lines) + 64
}

// turnHeap orders the keys with waiting jobs by the time they have used.
type turnHeap[K comparable, J any] []*turnLine[K, J]

func (h turnHeap[K, J]) Len() int { return len(h) }

func (h turnHeap[K, J]) Less(i, j int) bool {
	if h[i].used == h[j].used {
		return h[i].since < h[j].since
	}
	return h[i].used < h[j].used
}

func (h turnHeap[K, J]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *turnHeap[K, J]) Push(x any) {
	l := x.(*turnLine[K, J])
	l.index = len(*h)
	*h = append(*h, l)
}

func (h *turnHeap[K, J]) Pop() any {
	last := len(*h) - 1
	l := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	l.index = -1
	return l
}
