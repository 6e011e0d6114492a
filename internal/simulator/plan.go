package simulator

import "time"

// step is a future status of a message, and how long after the one before it comes.
type step struct {
	status string
	wait   time.Duration
	code   int  // the code of a failure
	copies int  // how many further callbacks with the same content
	priced bool // the status carries the price
}

// planSet is the set of usual plans, made once: most messages of a load test share one.
type planSet struct {
	delays   Delays
	normal   []step
	voice    []step
	reaction []step
}

func newPlanSet(d Delays) *planSet {
	return &planSet{
		delays: d,
		normal: planFor(d, statusSent, statusDelivered, statusRead),
		voice:  planFor(d, statusSent, statusDelivered, statusRead, statusPlayed),
		// Reactions have no further statuses.
		reaction: planFor(d, statusSent),
	}
}

func (d Delays) of(status string) time.Duration {
	switch status {
	case statusSent, statusFailed:
		return d.Sent
	case statusDelivered:
		return d.Delivered
	case statusRead:
		return d.Read
	}
	return d.Played
}

// planFor is a plan with the statuses in order. The price comes with sent, and with the first status after it.
func planFor(d Delays, statuses ...string) []step {
	plan := make([]step, len(statuses))
	for i, st := range statuses {
		plan[i] = step{status: st, wait: d.of(st), priced: i < 2}
	}
	return plan
}

func failPlan(d Delays, code int) []step {
	return []step{{status: statusFailed, wait: d.Sent, code: code}}
}

// schedule schedules the next step of a message's plan.
func (s *Simulator) schedule(m *message, i int, from time.Time) {
	if i < len(m.plan) {
		s.sched.push(event{at: from.Add(m.plan[i].wait).UnixNano(), msg: m, step: i})
	}
}

// advance carries out a step: it changes the message, queues the callback, and schedules the next step.
func (s *Simulator) advance(m *message, i int, at time.Time) {
	if s.phones.hold(m, i) {
		return
	}
	s.report(m, m.plan[i], at)
	s.schedule(m, i+1, at)
}

// report changes a message's status and tells the business.
func (s *Simulator) report(m *message, st step, at time.Time) {
	m.move(st.status, st.code, at)
	s.counters.status(st.status)
	u := update{number: m.number, msg: m, status: st.status, code: st.code, priced: st.priced, at: at.Unix()}
	copies := st.copies
	if s.ids.Chance(s.faultsFor(m.number).DuplicateRate) {
		copies++
	}
	for range copies + 1 {
		s.callbacks.about(m.number, m.to.key(), u)
	}
	s.phones.reached(m, st.status)
}
