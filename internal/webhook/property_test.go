package webhook

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// laneModel checks what must hold of a lane, whatever happens to it.
type laneModel struct {
	l       *lane
	now     store.Moment
	serial  int
	flying  []*job
	bySubj  map[string][]string // first attempts that have not left yet, in order
	row     int                 // failures in a row
	held    store.Moment
	probeAt store.Moment // zero while the breaker is closed
	backoff time.Duration
	asked   bool // a replay came while the breaker was not closed, and no probe has left since
	charged map[string]int
}

func (m *laneModel) Check(t *rapid.T) {
	l := m.l
	if l.limit < minConcurrency || l.limit > maxConcurrency {
		t.Fatalf("the limit is %d", l.limit)
	}
	if l.inFlight != len(m.flying) || l.readyCount() > leastReady || len(l.waiting) > maxWaiting {
		t.Fatalf("%d under way, %d ready, %d waiting; %d expected under way", l.inFlight, l.readyCount(), len(l.waiting), len(m.flying))
	}
	if l.row != m.row || l.broken() != !m.probeAt.IsZero() || l.broken() && (l.openUntil != m.probeAt || l.backoff != m.backoff) {
		t.Fatalf("%d failures in a row, breaker until %v (%v); want %d and %v (%v)", l.row, l.openUntil, l.backoff, m.row, m.probeAt, m.backoff)
	}
	if len(l.held) != l.readyCount()+len(l.waiting)+len(m.flying) {
		t.Fatalf("%d are held, %d+%d+%d are known", len(l.held), l.readyCount(), len(l.waiting), len(m.flying))
	}
	// Nothing is stuck: jobs that can leave now need no clock, and jobs that wait have an alarm.
	next := l.nextTime(m.now)
	if l.readyCount() > 0 && len(m.flying) == 0 && !l.open(m.now) && !next.After(m.now) {
		t.Fatalf("%d are ready, nothing is under way, and no alarm is set", l.readyCount())
	}
	if m.asked && m.l.ready[replays].len() > 0 && len(m.flying) == 0 && m.now.After(m.held) && !l.open(m.now) {
		t.Fatal("a replay that somebody asked for waits for the breaker")
	}
	if l.readyCount() > 0 && len(m.flying) == 0 && !m.canLeave(firsts) && !m.canLeave(retries) && !m.canLeave(replays) {
		t.Fatalf("%d are ready, nothing is under way, and all wait for a subject", l.readyCount())
	}
	if len(l.waiting) > 0 && (next.IsZero() || next.After(l.waiting[0].due)) {
		t.Fatalf("the alarm is at %v, a job is due at %v", next, l.waiting[0].DueAt)
	}
}

func (m *laneModel) Arrive(t *rapid.T) {
	if m.l.full() { // the job stays in the table
		return
	}
	m.serial++
	j := &job{lane: m.l, DeliveryJob: store.DeliveryJob{ID: fmt.Sprintf("wbd_%06d", m.serial), Subject: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "subject")}}
	if rapid.IntRange(0, 9).Draw(t, "replay") == 0 {
		j.ReplayedFrom = "wbd_0"
		m.asked = !m.probeAt.IsZero()
	} else if j.Subject != "" {
		m.bySubj[j.Subject] = append(m.bySubj[j.Subject], j.ID)
	}
	m.l.push(j)
}

func (m *laneModel) Leave(t *rapid.T) {
	may, asked := m.l.open(m.now), m.asked
	j := m.l.take(m.now)
	if j == nil {
		return
	}
	switch {
	case !may || m.now.Before(m.held):
		t.Fatal("a job left a lane that is not open")
	case !m.probeAt.IsZero() && (m.now.Before(m.probeAt) && !asked || len(m.flying) > 0):
		t.Fatal("a job left through the breaker")
	case asked && j.queue() != replays && m.canLeave(replays):
		t.Fatalf("%s left before the replay that somebody asked for", j.ID)
	case asked: // it goes before its betters
		m.asked, m.backoff = false, 0
	case j.queue() > retries && m.l.ready[retries].len() > 0, j.queue() == retries && m.canLeave(firsts):
		t.Fatalf("%s of queue %d left before its betters", j.ID, j.queue())
	}
	if j.ordered() && slices.ContainsFunc(m.flying, func(o *job) bool { return o.ordered() && o.Subject == j.Subject }) {
		t.Fatalf("two first attempts about %s are under way", j.Subject)
	}
	if j.queue() == firsts && j.Subject != "" {
		if m.bySubj[j.Subject][0] != j.ID {
			t.Fatalf("%s left before %s", j.ID, m.bySubj[j.Subject][0])
		}
		m.bySubj[j.Subject] = m.bySubj[j.Subject][1:]
	}
	m.flying = append(m.flying, j)
}

func (m *laneModel) canLeave(queue int) bool {
	for _, j := range m.l.ready[queue].jobs[m.l.ready[queue].head:] {
		if !j.ordered() || !m.l.subject[j.Subject] {
			return true
		}
	}
	return false
}

// land picks a job that is under way, nil if there is none.
func (m *laneModel) land(t *rapid.T) *job {
	if len(m.flying) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(m.flying)-1).Draw(t, "which")
	j := m.flying[i]
	m.flying = slices.Delete(m.flying, i, i+1)
	return j
}

func (m *laneModel) TakeBack(t *rapid.T) {
	if j := m.land(t); j != nil {
		m.l.untried(j)
		delete(m.l.held, j.ID)
	}
}

func (m *laneModel) Return(t *rapid.T) {
	j := m.land(t)
	if j == nil {
		return
	}
	v := rapid.SampledFrom([]verdict{good, failed, choking}).Draw(t, "verdict")
	probe := m.l.state == probing
	before := m.l.limit
	m.l.done(j, v, m.now)
	delete(m.l.held, j.ID)
	m.charged[j.ID]++
	if v == choking && m.l.limit != max(1, before/2) || v == failed && m.l.limit != before || v == good && m.l.limit > before+1 {
		t.Fatalf("the limit went from %d to %d after %d", before, m.l.limit, v)
	}
	if v == good {
		m.row, m.probeAt, m.backoff, m.asked = 0, 0, 0, false
		return
	}
	m.row++
	switch {
	case !m.probeAt.IsZero() && probe:
		m.backoff = min(max(2*m.backoff, 5*time.Second), 300*time.Second)
		m.probeAt = m.now.Add(m.backoff)
	case m.probeAt.IsZero() && m.row >= 5:
		m.backoff = 5 * time.Second
		m.probeAt = m.now.Add(m.backoff)
	}
	next := &job{lane: m.l, DeliveryJob: j.DeliveryJob}
	next.Attempts++
	next.due = m.now.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second)
	m.l.wait(next)
}

func (m *laneModel) Hold(t *rapid.T) {
	until := m.now.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "seconds")) * time.Second)
	m.l.hold(until)
	if until.After(m.held) {
		m.held = until
	}
}

func (m *laneModel) Tick(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 30_000).Draw(t, "milliseconds")) * time.Millisecond)
	m.l.ripen(m.now, func(j *job) { delete(m.l.held, j.ID) })
}

func TestLaneProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newLane("org_1", "wbs_1")
		l.endpoint = &endpoint{status: chat.WebhookActive}
		m := &laneModel{l: l, now: 1 << 61, bySubj: map[string][]string{}, charged: map[string]int{}}
		t.Repeat(rapid.StateMachineActions(m))
	})
}

// Every job that enters a fifo leaves it, whichever job leaves first.
func TestFifoProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var f fifo
		var want []string
		serial := 0
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				serial += rapid.IntRange(-2, 5).Draw(t, "step")
				for slices.Contains(want, fmt.Sprintf("%06d", 1000+serial)) { // ids are unique
					serial++
				}
				id := fmt.Sprintf("%06d", 1000+serial)
				f.insert(&job{DeliveryJob: store.DeliveryJob{ID: id}})
				want = append(want, id)
				slices.Sort(want)
			},
			"take": func(t *rapid.T) {
				if len(want) == 0 {
					if j := f.pop(); j != nil {
						t.Fatalf("an empty queue gave %s", j.ID)
					}
					return
				}
				skip := rapid.IntRange(0, len(want)-1).Draw(t, "skip")
				got := f.takeFirst(func(j *job) bool { return j.ID >= want[skip] })
				if got.ID != want[skip] {
					t.Fatalf("took %s, want %s", got.ID, want[skip])
				}
				want = slices.Delete(want, skip, skip+1)
			},
			"": func(t *rapid.T) {
				if f.len() != len(want) {
					t.Fatalf("%d are left, want %d", f.len(), len(want))
				}
			},
		})
	})
}
