package webhook

import (
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// defaultSchedule is how long a delivery waits after each failed attempt.
var defaultSchedule = []time.Duration{
	10 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour,
}

// stretch is the most by which a wait is lengthened, relative to the wait, so that deliveries that failed together do
// not come back together.
const stretch = 0.2

// attempt makes one attempt.
func (e *Engine) attempt(j *job, to *endpoint) {
	begun := sync.OnceFunc(e.begun)
	defer begun()
	defer time.AfterFunc(startTime, begun).Stop()
	if due, err := e.stillDue(j); err != nil || !due {
		e.withdraw(j, err != nil)
		return
	}
	at := e.cfg.Store.Now()
	if j.Attempts == 0 {
		e.cfg.Metrics.wait.Observe(max(0, at.Sub(j.CreatedAt)).Seconds())
	}
	a := e.http.post(e.calls, to, &j.DeliveryJob, at, begun)
	e.cfg.Metrics.duration.Observe(float64(*a.attempt.DurationMS) / 1000)
	if a.aborted {
		e.aborted(j)
		return
	}
	e.finish(j, to.address, a)
}

// aborted ends an attempt that has no result. Only Stop aborts attempts.
func (e *Engine) aborted(j *job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.freed(j.OrgID, false)
	e.forget(j)
}

// finish counts an attempt for its lane, decides the delivery's new status, and lets the next jobs leave. It hands the
// outcome on before that, so that the outcomes of a lane are recorded in the order in which the lane has them.
func (e *Engine) finish(j *job, address string, a answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l, now := j.lane, e.cfg.Store.Moment()
	l.done(j, a.verdict, now)
	if a.retryAfter > 0 {
		l.hold(now.Add(a.retryAfter))
	}
	o := outcome{job: j, result: core.DeliveryResult{
		Job: j.DeliveryJob, Address: address, Attempt: a.attempt, Gone: a.gone, Failing: l.failing || l.troubled > 0,
	}}
	status, wait := e.decide(j.Attempts+1, a)
	if o.result.Status = status; status == chat.DeliveryFailed {
		o.result.NextAt, o.due = new(e.cfg.Store.Now().Add(wait).Truncate(time.Millisecond)), now.Add(wait)
	}
	probe, held := l.sparedUntil()
	o.result.Spared = chat.Spared{ProbeAt: e.ahead(probe, now), HeldUntil: e.ahead(held, now)}
	l.failing = l.failing || a.verdict != good
	e.cfg.Metrics.outcomes.WithLabelValues(string(status)).Inc()
	if o.line().troubled {
		l.troubled++
	}
	e.results.add(o)
	e.freed(j.OrgID, true)
	e.consider(l, now)
	e.dispatch(now)
}

// ahead is the moment on the wall clock; nil if it has passed.
func (e *Engine) ahead(m, now store.Moment) *time.Time {
	if !m.After(now) {
		return nil
	}
	return new(e.cfg.Store.Now().Add(m.Sub(now)).Truncate(time.Millisecond))
}

// decide is the status of a delivery after the given number of attempts, and how long a failed one waits.
func (e *Engine) decide(attempts int, a answer) (chat.DeliveryStatus, time.Duration) {
	switch {
	case a.verdict == good:
		return chat.DeliverySucceeded, 0
	case a.gone || attempts > len(e.cfg.Schedule):
		return chat.DeliveryDead, 0
	}
	wait := e.cfg.Schedule[attempts-1]
	wait += time.Duration(float64(wait) * stretch * e.cfg.jitter())
	return chat.DeliveryFailed, max(wait, a.retryAfter)
}

// recorded continues with deliveries whose outcomes are durable. Those due again soon wait in memory; the others are
// done or only in the table.
func (e *Engine) recorded(batch []outcome, streaks []core.Streak) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.Store.Moment()
	e.unrecorded -= len(batch)
	s := e.share(batch[0].job.OrgID) // all outcomes of a batch belong to one organization
	s.unrecorded -= len(batch)
	e.keep(batch[0].job.OrgID, s)
	for _, streak := range streaks {
		e.follow(streak, e.cfg.Store.Now())
	}
	for _, o := range batch {
		j := o.job
		e.forget(j)
		if o.line().troubled {
			j.lane.troubled--
		}
		if o.result.NextAt != nil && !j.calledOff && o.due.Sub(now) <= keepFor {
			e.waitFor(o)
		}
		e.consider(j.lane, now)
	}
	e.dispatch(now)
}

// waitFor keeps a job in memory for its next attempt.
func (e *Engine) waitFor(o outcome) {
	j := o.job
	if e.closed || e.lapsed || j.lane.parked() || e.bytes+len(j.Payload) > maxBytes {
		return
	}
	next := &job{DeliveryJob: j.DeliveryJob, lane: j.lane, due: o.due}
	next.Attempts++
	next.Log = append(next.Log[:len(next.Log):len(next.Log)], o.result.Attempt)
	next.DueAt = *o.result.NextAt
	if j.lane.wait(next) {
		e.bytes += len(next.Payload)
	}
}

// streakWarnings are the times after which the log warns about a failing endpoint.
var streakWarnings = []time.Duration{time.Hour, 24 * time.Hour, 48 * time.Hour}

// follow notes how long a subscription has been failing.
func (e *Engine) follow(s core.Streak, now time.Time) {
	l := e.lane(s.OrgID, s.SubscriptionID)
	if s.Failures == 0 {
		l.failing, l.warned = false, 0
		return
	}
	l.failing = true
	log := e.cfg.Log.With("organization", s.OrgID, "subscription", s.SubscriptionID, "failures", s.Failures, "since", s.Since)
	if s.DisabledReason != "" {
		log.Warn("a webhook subscription was disabled", "reason", s.DisabledReason)
		return
	}
	due := 0
	for due < len(streakWarnings) && now.Sub(s.Since) >= streakWarnings[due] {
		due++
	}
	if due > l.warned {
		l.warned = due
		log.Warn("the endpoint of a webhook subscription keeps failing")
	}
}
