package sender

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// Pace is how fast this node sends the messages of a number.
type Pace struct {
	PerSecond  float64       // at most, when nothing slows the number down
	Now        float64       // at most now: the provider may have said that it was too fast
	PausedFor  time.Duration // until it goes on after such a word; 0: it goes on
	LastMinute int           // attempts in the last 60 seconds
}

// Pace tells how fast a number's messages go out from here.
func (s *Sender) Pace(accountID string) Pace {
	s.mu.Lock()
	n := s.numbers[accountID]
	s.mu.Unlock()
	if n == nil {
		return Pace{PerSecond: s.cfg.PerSecond, Now: s.cfg.PerSecond}
	}
	now := s.cfg.Store.Moment()
	n.mu.Lock()
	defer n.mu.Unlock()
	return Pace{
		PerSecond: s.cfg.PerSecond, Now: float64(n.pace.rate(now)) / perMessage, PausedFor: max(0, n.pace.until.Sub(now)),
		LastMinute: n.recent.count(now),
	}
}

// minute counts what happened in the last sixty seconds, second by second.
type minute struct {
	seconds [60]int64 // which second a count is of
	counts  [60]int
}

func (m *minute) note(now store.Moment) {
	second := secondOf(now)
	i := second % int64(len(m.counts))
	if m.seconds[i] != second {
		m.seconds[i], m.counts[i] = second, 0
	}
	m.counts[i]++
}

func (m *minute) count(now store.Moment) (total int) {
	for i, second := range m.seconds {
		if age := secondOf(now) - second; age >= 0 && age < int64(len(m.counts)) {
			total += m.counts[i]
		}
	}
	return total
}

func secondOf(at store.Moment) int64 { return int64(time.Duration(at) / time.Second) }
