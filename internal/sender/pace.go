package sender

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// Pace is how fast this node sends the messages of a number.
type Pace struct {
	PerSecond  float64       // the highest rate, when nothing slows the number down
	Now        float64       // the highest rate at present: lower after the provider asked to slow down
	PausedFor  time.Duration // how long the number is still paused by such an answer; 0 if it is not
	LastMinute int           // attempts in the last 60 seconds
}

// Pace tells how fast this node sends a number's messages.
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

// minute counts the events of the last sixty seconds, second by second.
type minute struct {
	seconds [60]int64 // the second that each count belongs to
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
