package store

import (
	"math"
	"time"
)

// There are two clocks. Store.Now shows the wall clock, which people and other machines turn, back as
// well as forth: it is for what is stored, shown or signed. Store.Moment only runs forward, at its own
// pace: it is for everything that measures how long something lasts, such as a pace, a pause, a lease in
// memory or an idle time. They are different types, so that nothing can compare the one with the other.

// Moment is a point on the clock of this process. It means nothing to another process, nor after a
// restart. The zero Moment is long before all others.
type Moment int64 // nanoseconds

// firstMoment is the moment at which a store is opened: so late that any time before it has a moment
// too, and so early that none ever overflows.
const firstMoment Moment = 1 << 61

// Add is the moment so much later, or earlier where d is negative. The ends of the scale hold it.
func (m Moment) Add(d time.Duration) Moment {
	if d > 0 && m > math.MaxInt64-Moment(d) {
		return math.MaxInt64
	}
	return max(1, m+Moment(d))
}

// Sub is the time between two moments.
func (m Moment) Sub(earlier Moment) time.Duration { return time.Duration(m - earlier) }

// Before tells whether m comes first.
func (m Moment) Before(other Moment) bool { return m < other }

// After tells whether m comes last.
func (m Moment) After(other Moment) bool { return m > other }

// IsZero tells whether m was never set.
func (m Moment) IsZero() bool { return m == 0 }

// Now is the store's wall clock, to the millisecond that is stored.
func (s *Store) Now() time.Time { return truncate(s.now()) }

// Moment is the present on the clock that measures durations.
func (s *Store) Moment() Moment { return firstMoment.Add(s.elapsed()) }

// MomentOf is when an instant that was stored will come, or came, as far as can be told now. What is read
// from a row is turned into a moment once, when it comes into memory: from then on no turn of the wall
// clock moves it.
func (s *Store) MomentOf(t time.Time) Moment { return s.Moment().Add(t.Sub(s.now())) }

// sinceNow counts from its call by the monotonic clock.
func sinceNow() func() time.Duration {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}
