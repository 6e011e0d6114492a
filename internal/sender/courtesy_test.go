package sender

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
)

// machine is one on which work waits for a processor when more than a number of broadcasts' messages go out per second.
type machine struct {
	courtesy
	now     store.Moment
	most    float64
	looked  store.Moment
	sent    int
	allSent int
}

func newMachine(most float64) *machine {
	m := &machine{now: store.Moment(1).Add(time.Hour), most: most}
	m.looked = m.now
	m.courtesy.lateness = func() time.Duration {
		rate := float64(m.sent) / max(m.now.Sub(m.looked).Seconds(), 1e-9)
		m.looked, m.sent = m.now, 0
		if rate > m.most {
			return 10 * time.Millisecond
		}
		return 0
	}
	return m
}

// run sends a broadcast's messages for a time, as fast as it may but at most 2,500 a second, and
// returns the messages per second.
func (m *machine) run(d time.Duration, others bool) float64 {
	before := m.allSent
	for end := m.now.Add(d); m.now.Before(end); m.now = m.now.Add(400 * time.Microsecond) {
		if others {
			m.noteOther(m.now)
		}
		if m.wait(m.now) == 0 {
			m.took(m.now)
			m.sent++
			m.allSent++
		}
	}
	return float64(m.allSent-before) / d.Seconds()
}

// Whatever the machine can do, beside people's messages a broadcast uses most of it and little more, and it always goes
// on. Without them nothing holds it back.
func TestBroadcastsAreCourteous(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(rapid.Float64Range(0, 1500).Draw(t, "most"))
		if rate := m.run(time.Second, false); rate < 2490 {
			t.Errorf("with nobody else it sends %.0f a second", rate)
		}
		m.run(10*time.Second, true)
		// One message in a look is as many as courtesyLeast in a second, so that it counts no finer than that.
		low, high := max(m.most*0.7-courtesyLeast, courtesyLeast*0.95), max(m.most*1.25+25, courtesyLeast*1.3)
		if rate := m.run(10*time.Second, true); rate < low || rate > high {
			t.Errorf("a machine that can do %.0f sends %.0f a second", m.most, rate)
		}
		m.run(courtesyFor+time.Millisecond, false)
		if rate := m.run(time.Second, false); rate < 2490 {
			t.Errorf("with nobody else any more it sends %.0f a second", rate)
		}
	})
}

func TestLateness(t *testing.T) {
	t.Parallel()
	buckets := []float64{0, 0.001, 0.002, 0.003, 1}
	for _, test := range []struct {
		before, counts []uint64
		want           time.Duration
	}{
		{nil, []uint64{0, 0, 0, 0}, 0},
		{nil, []uint64{100, 0, 0, 0}, 0},
		{nil, []uint64{90, 0, 10, 0}, 2 * time.Millisecond},
		{nil, []uint64{90, 6, 2, 2}, time.Millisecond},
		{[]uint64{90, 0, 10, 0}, []uint64{190, 0, 14, 0}, 0},
		{[]uint64{90, 0, 10, 0}, []uint64{180, 0, 20, 0}, 2 * time.Millisecond},
	} {
		if got := lateOf(buckets, test.before, test.counts); got != test.want {
			t.Errorf("after %v, %v is %v, want %v", test.before, test.counts, got, test.want)
		}
	}
	if late := ProcessorLateness()(); late < 0 || late > time.Hour {
		t.Errorf("the process's own is %v", late)
	}
}
