package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	sweepLanes = 1000
	// pollOverlap is how far back changes of subscriptions are looked for again, because a transaction becomes visible
	// some time after the instant it carries: it may wait for a row that a frozen node has locked, and its node's clock
	// may be slow. For pollAgain a subscription that was seen to change is read again, because another change may carry
	// the same instant.
	pollOverlap, pollAgain = time.Minute, 5 * time.Second
	// strangerEvery is how often a lane is searched if its first delivery belongs to another living node.
	strangerEvery = 5 * time.Second
	// bornGrace is how long this node's own delivery may take to memory after it was written.
	bornGrace = time.Second
)

func (e *Engine) sweepLoop() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for e.ctx.Err() == nil {
		if err := e.Sweep(e.ctx); err != nil {
			e.warn("due deliveries could not be looked for", err)
		}
		select {
		case <-tick.C:
		case <-e.Bell:
		case <-e.ctx.Done():
		}
	}
}

// Sweep finishes the fan-outs that nobody finishes, and looks for due deliveries that no node has in memory and for changes
// that other nodes made.
func (e *Engine) Sweep(ctx context.Context) error {
	if !e.alive() {
		return nil
	}
	return errors.Join(e.finishFanOuts(ctx), e.sweepLanes(ctx)) // a fan-out that fails does not stop the lanes
}

func (e *Engine) sweepLanes(ctx context.Context) error {
	if err := e.poll(ctx); err != nil {
		return err
	}
	e.retireLanes()
	living, err := e.cfg.Store.Read(ctx).LivingNodes()
	if err != nil {
		return err
	}
	for last := ""; ; {
		lanes, err := e.cfg.Store.Read(ctx).DeliveryLanes(last, sweepLanes)
		if err != nil || len(lanes) == 0 {
			return err
		}
		e.look(lanes, living)
		last = lanes[len(lanes)-1].SubscriptionID
	}
}

// finishFanOuts goes on for as long as a sweep may take. What is left then is for the next one.
func (e *Engine) finishFanOuts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepEvery)
	defer cancel()
	return core.FinishFanOuts(ctx, e.cfg.Store)
}

// alive ends a lapse once the node has renewed its lease, perhaps under another name.
func (e *Engine) alive() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lapse() && e.leased() {
		e.lapsed = false
		now := e.cfg.Store.Moment()
		e.node = e.cfg.Lease().Node
		for _, l := range e.lanes {
			e.consider(l, now)
		}
	}
	return !e.lapsed
}

// look makes sure that the lanes with due deliveries are served.
func (e *Engine) look(lanes []store.DeliveryLane, living map[string]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.Store.Moment()
	for _, found := range lanes {
		own := found.Owner == e.node
		due, early := e.dueInTable(found, own)
		if !due {
			continue
		}
		l := e.lane(found.OrgID, found.SubscriptionID)
		if early {
			l.backlog.horizon = found.DueAt.Add(time.Hour)
		}
		l.backlog.relieve()
		switch {
		case l.current() && (l.parked() || l.held[found.FirstID] != nil && l.backlog.state == inMemory):
			continue
		case !own && living[found.Owner] && now.Sub(l.backlog.lookedAt) < strangerEvery:
			continue
		}
		l.backlog.lookedAt = now
		l.backlog.note()
		e.consider(l, now)
	}
}

// dueInTable tells whether some node should have the first delivery of a lane in memory. A delivery that was never
// tried is due since it was written. If that instant is in the future, the wall clock was set back, and other
// deliveries may be early too.
func (e *Engine) dueInTable(found store.DeliveryLane, own bool) (due, early bool) {
	age := e.cfg.Store.Now().Sub(found.DueAt)
	switch {
	case found.Attempts > 0:
		return age >= 0, false
	case age < -bornGrace:
		return true, true
	default:
		return age >= bornGrace || !own && age >= 0, false
	}
}

// poll finds what other processes did to subscriptions: changes, and failures that they have counted, which a success here
// ends.
func (e *Engine) poll(ctx context.Context) error {
	now := e.cfg.Store.Now()
	e.mu.Lock()
	since := e.polledAt.Add(-pollOverlap)
	if e.polledAt.After(now) { // the clock was set back
		since = now.Add(-pollOverlap)
	}
	e.mu.Unlock()
	news, err := e.cfg.Store.Read(ctx).SubscriptionNews(since)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.polledAt = now
	for _, n := range news {
		l := e.lanes[n.ID]
		if l == nil {
			continue
		}
		l.failing = l.failing || n.Failing
		switch {
		case !n.ChangedAt.Equal(l.changedAt):
			l.changedAt = n.ChangedAt
			l.changes++
		case now.Sub(n.ChangedAt) <= pollAgain:
			l.doubted = true
		default:
			continue
		}
		l.backlog.note()
		e.consider(l, e.cfg.Store.Moment())
	}
	return nil
}

// retireLanes forgets lanes that have been idle for long. Only every 60th call does so. A lane that fails keeps what was warned
// of, unless nothing will be attempted.
func (e *Engine) retireLanes() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sweeps++; e.sweeps%60 != 0 {
		return
	}
	now := e.cfg.Store.Moment()
	for id, l := range e.lanes {
		if l.idle() && (!l.failing || l.parked()) && !l.seat.ring && l.seat.index < 0 && now.Sub(l.usedAt) > idleLane {
			delete(e.lanes, id)
		}
	}
}
