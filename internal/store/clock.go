package store

import (
	"math"
	"time"
)

// There are two clocks. Store.Now is the wall clock, which people and other machines turn back and forth: it is
// for times that are stored, shown or signed. Store.Moment only runs forward, at its own pace: it is for
// durations, such as a pace, a pause, a lease in memory or an idle time. They are different types, so that the
// compiler refuses to compare them.

// Moment is a point on this process's monotonic clock. It has no meaning in another process or after a restart.
// The zero Moment is long before all others.
type Moment int64 // nanoseconds

// firstMoment is the moment at which a store is opened: late enough for any earlier time, and early enough
// never to overflow.
const firstMoment Moment = 1 << 61

// Add returns the moment d later, or earlier if d is negative. It saturates at the ends of the scale.
func (m Moment) Add(d time.Duration) Moment {
	if d > 0 && m > math.MaxInt64-Moment(d) {
		return math.MaxInt64
	}
	return max(1, m+Moment(d))
}

// Sub is the time between two moments.
func (m Moment) Sub(earlier Moment) time.Duration { return time.Duration(m - earlier) }

// Before reports whether m is earlier than other.
func (m Moment) Before(other Moment) bool { return m < other }

// After reports whether m is later than other.
func (m Moment) After(other Moment) bool { return m > other }

// IsZero reports whether m was never set.
func (m Moment) IsZero() bool { return m == 0 }

// Now is the store's wall clock, truncated to the stored milliseconds.
func (s *Store) Now() time.Time { return truncate(s.now()) }

// Moment is the current moment of the monotonic clock.
func (s *Store) Moment() Moment { return firstMoment.Add(s.elapsed()) }

// MomentOf converts a stored instant to a moment, as far as can be told now. A time that is read from a row is
// converted once, when it comes into memory: from then on turning the wall clock does not move it.
func (s *Store) MomentOf(t time.Time) Moment { return s.Moment().Add(t.Sub(s.now())) }

// sinceNow measures time from its call by the monotonic clock.
func sinceNow() func() time.Duration {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}
