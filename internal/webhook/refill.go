package webhook

import (
	"context"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// tend does what lanes need of the store, one after the other.
func (e *Engine) tend() {
	for l := e.nextChore(); l != nil; l = e.nextChore() {
		e.tendLane(l)
	}
}

func (e *Engine) nextChore() *lane {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.chores) == 0 && !e.closed {
		e.tending.Wait()
	}
	if e.closed {
		return nil
	}
	l := e.chores[0]
	e.chores[0] = nil
	e.chores = e.chores[1:]
	return l
}

// tendLane brings a lane's endpoint and jobs up to date. A fault of the store's is left to the next
// sweep.
func (e *Engine) tendLane(l *lane) {
	err := e.refresh(l)
	if err == nil {
		err = e.refill(l)
	}
	if err != nil {
		e.warn("deliveries could not be read", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.chore = false
	if err == nil {
		now := e.cfg.Store.Now()
		e.consider(l, now)
		e.dispatch(now)
	}
}

// refresh loads the lane's endpoint if it is new or has changed.
func (e *Engine) refresh(l *lane) error {
	e.mu.Lock()
	needed, changes := l.endpoint == nil || l.stale, l.changes
	e.mu.Unlock()
	if !needed {
		return nil
	}
	p, err := e.loadEndpoint(l.orgID, l.id)
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.replace(l, p)
	l.stale = l.changes != changes
	e.mu.Unlock()
	if p.status == chat.WebhookDisabled {
		return e.endDeliveries(l)
	}
	return nil
}

// replace gives a lane another endpoint.
func (e *Engine) replace(l *lane, p *endpoint) {
	before := l.endpoint
	l.endpoint, l.parked, l.failing = p, p.status != chat.WebhookActive, p.failing
	if l.parked {
		l.flush(e.forget)
		return
	}
	if before != nil && (before.status != p.status || before.url.String() != p.url.String()) {
		l.revive()
	}
}

// endDeliveries ends what waits for a disabled subscription, in small steps.
func (e *Engine) endDeliveries(l *lane) error {
	for more := true; more; {
		err := e.cfg.Store.InTx(e.ctx, func(tx *store.Tx) (err error) {
			more, err = core.EndDisabledDeliveries(tx, l.orgID, l.id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refill brings due deliveries from the table into memory, in their order.
func (e *Engine) refill(l *lane) error {
	e.mu.Lock()
	if !l.more || l.parked || e.closed || e.lapsed || l.readyCount() > refillAt {
		e.mu.Unlock()
		return nil
	}
	l.refills, l.missed, l.released = true, false, map[string]bool{}
	place := l.place
	e.mu.Unlock()

	jobs, got, err := e.readDue(l, place)

	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() { l.refills, l.released = false, nil }()
	if err != nil {
		l.place = store.DeliveryPlace{}
		return err
	}
	e.admit(l, jobs, got)
	return nil
}

// readDue reads a lane's due deliveries behind a place, taking over those that no living node has. got
// are those that are this node's now.
func (e *Engine) readDue(l *lane, place store.DeliveryPlace) (jobs []store.DeliveryJob, got map[string]store.DeliveryJob, err error) {
	jobs, err = e.cfg.Store.Read(e.ctx).DueDeliveries(e.cfg.Node, l.orgID, l.id, e.cfg.Store.Now(), place, maxReady)
	if err != nil {
		return nil, nil, err
	}
	got = make(map[string]store.DeliveryJob, len(jobs))
	var orphans []store.DeliveryJob
	for _, j := range jobs {
		if j.Owner == e.cfg.Node {
			got[j.ID] = j
		} else {
			orphans = append(orphans, j)
		}
	}
	if len(orphans) == 0 {
		return jobs, got, nil
	}
	var claimed []store.DeliveryJob
	err = e.cfg.Store.InTx(e.ctx, func(tx *store.Tx) (err error) {
		claimed, err = tx.ClaimDeliveries(e.cfg.Node, l.orgID, orphans)
		return err
	})
	for _, j := range claimed {
		got[j.ID] = j
	}
	return jobs, got, err
}

// admit puts what was read into memory, as far as there is room.
func (e *Engine) admit(l *lane, jobs []store.DeliveryJob, got map[string]store.DeliveryJob) {
	for _, j := range jobs {
		if l.starved = e.bytes+len(j.Payload) > maxBytes; l.starved || l.full() {
			return // the place is kept: the next refill goes on here
		}
		l.place = store.DeliveryPlace{DueAt: j.DueAt, ID: j.ID}
		mine, ok := got[j.ID]
		if !ok || l.held[j.ID] != nil || l.released[j.ID] || e.lapsed || e.closed || l.parked {
			continue
		}
		l.readTo = max(l.readTo, j.ID)
		e.hold(l, mine)
	}
	if len(jobs) < maxReady {
		l.place = store.DeliveryPlace{}
		l.more = l.missed
	}
}

const (
	sweepLanes = 1000
	// pollOverlap is how far back changes of subscriptions are looked for again: a transaction becomes
	// visible a while after the instant it carries.
	pollOverlap = 5 * time.Second
	// strangerEvery is how often a lane whose first delivery is another living node's is searched.
	strangerEvery = 5 * time.Second
	// bornGrace is how long an own delivery may be on its way to memory after it was written.
	bornGrace = time.Second
)

func (e *Engine) sweepLoop() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for e.ctx.Err() == nil {
		if err := e.sweep(e.ctx); err != nil {
			e.warn("due deliveries could not be looked for", err)
		}
		select {
		case <-tick.C:
		case <-e.sweepNow:
		case <-e.ctx.Done():
		}
	}
}

// sweep looks for what is due and in nobody's memory, and for changes that other nodes made.
func (e *Engine) sweep(ctx context.Context) error {
	if !e.alive() {
		return nil
	}
	if err := e.poll(ctx); err != nil {
		return err
	}
	e.retireLanes()
	now := e.cfg.Store.Now()
	living, err := e.cfg.Store.Read(ctx).LivingNodes(now)
	if err != nil {
		return err
	}
	var last store.DeliveryLane
	for {
		lanes, err := e.cfg.Store.Read(ctx).DeliveryLanes(last.OrgID, last.SubscriptionID, sweepLanes)
		if err != nil || len(lanes) == 0 {
			return err
		}
		e.look(lanes, living, now)
		last = lanes[len(lanes)-1]
	}
}

// alive ends a lapse once the node has said again that it is alive.
func (e *Engine) alive() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.Store.Now()
	if e.lapse(now) && e.cfg.LeaseUntil().Sub(now) > e.cfg.Timeout {
		e.lapsed = false
		for _, l := range e.lanes {
			e.consider(l, now)
		}
	}
	return !e.lapsed
}

// look sees to it that the lanes with due deliveries are served.
func (e *Engine) look(lanes []store.DeliveryLane, living map[string]bool, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, found := range lanes {
		own := found.Owner == e.cfg.Node
		if found.DueAt.After(now) || own && found.Attempts == 0 && found.DueAt.After(now.Add(-bornGrace)) {
			continue
		}
		l := e.lane(found.OrgID, found.SubscriptionID)
		l.starved = false
		loaded := l.endpoint != nil && !l.stale
		switch {
		case loaded && (l.parked || l.held[found.FirstID] != nil && !l.more):
			continue
		case !own && living[found.Owner] && now.Sub(l.lookedAt) < strangerEvery:
			continue
		}
		l.lookedAt, l.more, l.missed = now, true, true
		e.consider(l, now)
	}
}

// poll hears of changes that other processes made to subscriptions.
func (e *Engine) poll(ctx context.Context) error {
	now := e.cfg.Store.Now()
	changed, err := e.cfg.Store.Read(ctx).ChangedSubscriptions(e.polledAt.Add(-pollOverlap))
	if err != nil {
		return err
	}
	e.polledAt = now
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range changed {
		if l := e.lanes[s[1]]; l != nil {
			l.stale, l.more = true, true
			l.changes++
			e.consider(l, now)
		}
	}
	return nil
}

// retireLanes forgets lanes that have long had nothing to do, now and then.
func (e *Engine) retireLanes() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sweeps++; e.sweeps%60 != 0 {
		return
	}
	now := e.cfg.Store.Now()
	for id, l := range e.lanes {
		if l.idle() && !l.failing && !l.queued && !l.benched && l.index < 0 && now.Sub(l.usedAt) > idleLane {
			delete(e.lanes, id)
		}
	}
	e.chores = slices.Clip(e.chores)
}
