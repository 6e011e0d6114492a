package webhook

import (
	"container/heap"
	"slices"
	"time"
)

// CallOff forgets deliveries of a subscription that must not be attempted any more. Once it has returned, this node
// begins no attempt of them. An attempt that is under way continues and is recorded.
func (e *Engine) CallOff(subscriptionID string, ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.lanes[subscriptionID]
	if l == nil {
		return
	}
	for _, id := range ids {
		l.backlog.dropped(id) // a refill may already have read it
		if j := l.held[id]; j != nil {
			j.calledOff = true
			if l.drop(j) {
				e.forget(j)
			}
		}
	}
	e.consider(l, e.cfg.Store.Moment())
}

// freshFor is how long a job may be in memory and still make its first attempt without a look at its row.
const freshFor = 5 * time.Second

// stillDue is the last check before an attempt: it tells whether the delivery must still be attempted. Since it was read,
// the delivery may have been replayed on another node, its event's content may have been removed there, or another node may
// have it. Only the row tells. A first attempt that did not wait for long does without: nothing is replayed before it.
func (e *Engine) stillDue(j *job) (bool, error) {
	due := true
	if j.Attempts > 0 || e.cfg.Store.Moment().Sub(j.heldAt) >= freshFor {
		var err error
		due, err = e.cfg.Store.Read(e.calls).DeliveryDue(j.OrgID, j.ID, j.Owner, j.Epoch)
		e.cfg.looked(j.ID)
		if err != nil {
			return false, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return due && !j.calledOff, nil
}

// withdraw takes back an attempt that has not begun. If nobody could say whether it must, all jobs of the lane are read
// again, because what is about the same subject must not go before it. That read reports the store's error.
func (e *Engine) withdraw(j *job, unseen bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.Store.Moment()
	j.lane.untried(j)
	e.freed(j.OrgID, false)
	e.forget(j)
	if unseen {
		j.lane.flush(e.forget)
	}
	e.consider(j.lane, now)
	e.dispatch(now)
}

// drop takes a job out of the queues. It reports false when the job is under way.
func (l *lane) drop(j *job) bool {
	if i := slices.Index(l.waiting, j); i >= 0 {
		heap.Remove(&l.waiting, i)
		return true
	}
	return l.ready[j.queue()].takeFirst(func(o *job) bool { return o == j }) != nil
}
