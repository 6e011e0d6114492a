package webhook

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/store"
)

// tend does the work for which lanes need the store, one lane after the other.
func (e *Engine) tend() {
	for l := e.nextChore(); l != nil; l = e.nextChore() {
		e.tendLane(l)
	}
}

func (e *Engine) nextChore() *lane {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.chores.Len() == 0 && !e.closed {
		e.tending.Wait()
	}
	if e.closed {
		return nil
	}
	_, lanes := e.chores.Next(1, fair.Any)
	return lanes[0]
}

// tendLane brings a lane's endpoint and jobs up to date. After an error of the store, the next sweep tries again.
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
	l.seat.chores = false
	if err == nil {
		now := e.cfg.Store.Moment()
		e.consider(l, now)
		e.dispatch(now)
	}
}

// refresh loads the lane's endpoint if it is new or has changed, or may have.
func (e *Engine) refresh(l *lane) error {
	e.mu.Lock()
	needed, changes := !l.current() || l.doubted, l.changes
	l.doubted = false
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
	if p.status == chat.WebhookDisabled {
		l.loaded = changes - 1 // not current until its deliveries have ended
	}
	e.mu.Unlock()
	if p.status == chat.WebhookDisabled {
		if more, err := e.endDeliveries(l); err != nil || more {
			return err // the lane is not current, and so comes again
		}
	}
	e.mu.Lock()
	l.loaded = changes
	e.mu.Unlock()
	return nil
}

// replace gives a lane a new endpoint. A failure that was stored after the endpoint was read is not forgotten, or the next
// success would not end the streak.
func (e *Engine) replace(l *lane, p *endpoint) {
	before := l.endpoint
	l.endpoint, l.failing = p, l.failing || p.failing
	if l.parked() {
		l.flush(e.forget)
		return
	}
	if before != nil && (before.status != p.status || before.address != p.address) {
		l.revive()
	}
}

// endDeliveries ends waiting deliveries of a disabled subscription, in small steps, for as long as a lane may keep others from
// their turns. It reports whether there are more.
func (e *Engine) endDeliveries(l *lane) (more bool, err error) {
	steps, begun := e.cfg.Store.Steps(), e.cfg.Store.Moment()
	for {
		_, more, err = steps.Do(store.WithTurn(e.ctx, store.Turn{OrgID: l.orgID, Bulk: true}), func(tx *store.Tx, rows int) (int64, error) {
			return core.EndDisabledDeliveries(tx, l.orgID, l.id, rows)
		})
		if err != nil || !more || e.cfg.Store.Moment().Sub(begun) > e.cfg.ending {
			return more, err
		}
	}
}

// refill loads due deliveries from the table into memory, in order.
func (e *Engine) refill(l *lane) error {
	e.mu.Lock()
	l.backlog.relieve()
	l.room = e.room()
	if !l.wantsRefill() || e.closed || e.lapsed {
		e.mu.Unlock()
		return nil
	}
	l.backlog.begin()
	node, place, horizon, room := e.node, l.backlog.place, l.backlog.horizon, l.room
	e.mu.Unlock()

	jobs, got, err := e.readDue(node, l, place, horizon, room)

	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil || l.backlog.void || node != e.node || e.closed {
		l.backlog.place = store.DeliveryPlace{}
		l.backlog.end(inTable)
		return err
	}
	l.backlog.end(e.admit(l, jobs, got, room))
	return nil
}

// room is how many jobs a lane may have ready.
func (e *Engine) room() int { return max(leastReady, min(mostReady, e.cfg.ready/max(1, len(e.lanes)))) }

// readDue reads a lane's due deliveries behind a place, and takes over those that no living node has. got are the
// deliveries that this node now owns.
func (e *Engine) readDue(node string, l *lane, place store.DeliveryPlace, horizon time.Time, most int) (jobs []store.DeliveryJob, got map[string]store.DeliveryJob, err error) {
	jobs, err = e.cfg.Store.Read(e.ctx).DueDeliveries(node, l.orgID, l.id, e.cfg.Store.Now(), horizon, place, most)
	if err != nil {
		return nil, nil, err
	}
	got = make(map[string]store.DeliveryJob, len(jobs))
	var orphans []store.DeliveryJob
	for _, j := range jobs {
		if j.Owner == node {
			got[j.ID] = j
		} else {
			orphans = append(orphans, j)
		}
	}
	if len(orphans) == 0 {
		return jobs, got, nil
	}
	var claimed []store.DeliveryJob
	err = e.cfg.Store.InTx(store.WithTurn(e.ctx, store.Turn{OrgID: l.orgID}), func(tx *store.Tx) (err error) {
		claimed, err = tx.ClaimDeliveries(node, l.orgID, orphans)
		return err
	})
	for _, j := range claimed {
		got[j.ID] = j
	}
	return jobs, got, err
}

// admit puts the deliveries that were read into memory, as far as there is room, and returns the new state of the
// backlog. It keeps the place, so that the next refill continues there.
func (e *Engine) admit(l *lane, jobs []store.DeliveryJob, got map[string]store.DeliveryJob, most int) backlogState {
	for _, j := range jobs {
		switch {
		case e.bytes+len(j.Payload) > maxBytes:
			return outOfMemory
		case l.full():
			return inTable
		}
		l.backlog.place = store.DeliveryPlace{DueAt: j.DueAt, ID: j.ID}
		mine, ok := got[j.ID]
		if !ok || l.held[j.ID] != nil || l.backlog.released[j.ID] {
			continue
		}
		l.backlog.readTo = max(l.backlog.readTo, j.ID)
		e.hold(l, mine)
	}
	if len(jobs) == most {
		return inTable
	}
	l.backlog.place = store.DeliveryPlace{}
	return inMemory
}
