package fair

import (
	"context"
	"slices"
	"sync"
	"time"
)

// aloneAfter is how long after the last caller with another key a caller counts as alone.
const aloneAfter = 2 * time.Second

// Doors admits few callers of one key at a time while callers of other keys come too. The others of that key wait, in
// their order, and are no burden to anybody. A key that is alone has no limit.
type Doors[K comparable] struct {
	most int // of one key

	mu      sync.Mutex
	doors   map[K]*door // those with callers inside
	company Company[K]
}

// Company tells whether callers with different keys come one soon after the other. It has no lock; the caller must hold
// one.
type Company[K comparable] struct {
	last  visit[K] // the latest
	other visit[K] // the latest with another key than last
}

type door struct {
	inside  int
	waiting []*visitor
}

type visit[K comparable] struct {
	key K
	at  time.Time
}

// NewDoors returns doors through which so many of one key go at a time.
func NewDoors[K comparable](most int) *Doors[K] { return &Doors[K]{most: most, doors: map[K]*door{}} }

// Enter waits for a place, which Leave gives back. It returns false if ctx ends first.
func (d *Doors[K]) Enter(ctx context.Context, key K) bool {
	d.mu.Lock()
	mine := d.doors[key]
	if mine == nil {
		mine = &door{}
		d.doors[key] = mine
	}
	if d.company.Note(key, time.Now()); mine.inside < d.most || d.company.Alone() {
		mine.inside++
		d.mu.Unlock()
		return true
	}
	v := &visitor{in: make(chan struct{})}
	mine.waiting = append(mine.waiting, v)
	d.mu.Unlock()
	select {
	case <-v.in:
		return true
	case <-ctx.Done():
		return d.giveUp(mine, v)
	}
}

// Note notes a caller.
func (c *Company[K]) Note(key K, now time.Time) {
	if key != c.last.key {
		c.other = c.last
	}
	c.last = visit[K]{key, now}
}

// Alone tells whether the latest caller has had no other beside it.
func (c *Company[K]) Alone() bool {
	return c.last.at.IsZero() || c.last.at.Sub(c.other.at) > aloneAfter
}

// giveUp ends a wait, unless the caller has just been admitted.
func (d *Doors[K]) giveUp(mine *door, v *visitor) (entered bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(mine.waiting, v)
	if i < 0 {
		return true
	}
	mine.waiting = slices.Delete(mine.waiting, i, i+1)
	return false
}

// Alone tells whether no two callers with different keys have come one soon after the other, up to a moment ago.
func (d *Doors[K]) Alone() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.company.Alone() || time.Since(d.company.last.at) > aloneAfter
}

// Leave gives a place back, to the next caller of the key that waits. A key that is not alone any more gives its places
// back for good until it has no more than it may.
func (d *Doors[K]) Leave(key K) {
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := d.doors[key]
	if len(mine.waiting) > 0 && (mine.inside <= d.most || d.company.Alone()) {
		close(mine.waiting[0].in)
		mine.waiting = mine.waiting[1:]
		return
	}
	if mine.inside--; mine.inside == 0 {
		delete(d.doors, key)
	}
}
