package sender

import (
	"runtime/metrics"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

const (
	// courtesyFor is how long after a person's message the broadcasts of this node stay courteous.
	courtesyFor = 30 * time.Second
	// courtesyLook is how often the rate of broadcasts is adapted.
	courtesyLook = 50 * time.Millisecond
	// courtesyLeast is the rate, in messages per second, that broadcasts keep however busy the machine is: what the
	// provider allows most numbers.
	courtesyLeast = 80.0
	// spareFor is how long after a message of a broadcast that is slowed down the statuses of such messages are applied
	// one transaction after another.
	spareFor = 3 * time.Second
	// courtesyGrowth is how much faster they may be after a look that finds no work waiting: a twenty-fifth in a second. A
	// faster growth would soon be too much again, and people would notice each time.
	courtesyGrowth = 1.002
	// lateEnough is the lateness from which broadcasts slow down.
	lateEnough = 200 * time.Microsecond
)

// courtesy slows the broadcasts of this node down while people send too and the processors have more to do than they
// can: everything that a broadcast's message causes runs beside the people's requests. The rate falls by a fifth at each
// look that finds work waiting for a processor, and otherwise rises slowly. While nobody else sends, broadcasts go as
// fast as they can.
type courtesy struct {
	// lateness is how long work waited for a processor since the last call; nil: there is no courtesy.
	lateness func() time.Duration

	mu     sync.Mutex
	others store.Moment // when a person's message last came
	rate   float64      // messages per second; 0: no limit
	looked store.Moment // when the rate was last adapted
	sent   int          // broadcasts' messages since then
	next   store.Moment // when the next one may go
}

// noteOther notes that somebody sends a message of their own.
func (c *courtesy) noteOther(now store.Moment) {
	if c.lateness == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = now
}

// wait is how long a broadcast's message has to wait; zero: it may go now.
func (c *courtesy) wait(now store.Moment) time.Duration {
	if c.lateness == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.others.IsZero() || now.Sub(c.others) > courtesyFor {
		c.rate, c.looked = 0, 0
		return 0
	}
	if since := now.Sub(c.looked); c.looked.IsZero() || since >= courtesyLook {
		c.adapt(since)
		c.looked, c.sent = now, 0
	}
	if c.rate == 0 || !now.Before(c.next) {
		return 0
	}
	return c.next.Sub(now)
}

// adapt chooses the rate after a look.
func (c *courtesy) adapt(since time.Duration) {
	late := c.lateness() > lateEnough
	switch {
	case c.looked.IsZero(): // the first look: there is nothing to compare with
	case late && c.rate == 0:
		c.rate = max(courtesyLeast, float64(c.sent)/since.Seconds()/2)
	case late:
		c.rate = max(courtesyLeast, c.rate*0.8)
	case c.rate > 0 && float64(c.sent) >= c.rate*since.Seconds()/2: // it is the rate that holds them back
		c.rate *= courtesyGrowth
	}
}

// took counts a broadcast's message that goes out now. It tells whether broadcasts are being slowed down.
func (c *courtesy) took(now store.Moment) bool {
	if c.lateness == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	if c.rate > 0 {
		c.next = max(c.next, now.Add(-courtesyLook)).Add(time.Duration(float64(time.Second) / c.rate))
	}
	return c.rate > 0
}

// ProcessorLateness returns a function that tells how long the latest twentieth of the process's goroutines waited for a
// processor, at least, since the last call.
func ProcessorLateness() func() time.Duration {
	samples := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	var before []uint64
	return func() time.Duration {
		metrics.Read(samples)
		h := samples[0].Value.Float64Histogram()
		late := lateOf(h.Buckets, before, h.Counts)
		before = append(before[:0], h.Counts...)
		return late
	}
}

// lateOf is the lower bound of the bucket with the 95th percentile of what was counted since before.
func lateOf(buckets []float64, before, counts []uint64) time.Duration {
	total := uint64(0)
	for i, n := range counts {
		total += n - at(before, i)
	}
	above := total / 20
	for i := len(counts) - 1; i > 0; i-- {
		n := counts[i] - at(before, i)
		if n > above {
			return time.Duration(buckets[i] * float64(time.Second))
		}
		above -= n
	}
	return 0
}

func at(counts []uint64, i int) uint64 {
	if i < len(counts) {
		return counts[i]
	}
	return 0
}
