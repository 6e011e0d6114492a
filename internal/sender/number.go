package sender

import (
	"container/heap"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

// maxPerNumber bounds the calls of one number that are under way. If the provider hangs on one number, only that
// number's calls wait.
const maxPerNumber = 64

// maxBulk bounds how many of those calls may be for broadcasts, so that people's messages have room when the provider
// hangs.
const maxBulk = 48

// maxUnknown bounds how many messages of a number's broadcasts may have been sent without a written outcome. After a
// crash it is only known from callbacks whether they were sent.
const maxUnknown = 256

// number sends the messages of one account. It has a queue for each conversation, which sends in order, one message at a
// time.
type number struct {
	sender    *Sender
	accountID string
	orgID     string
	pace      pacer
	held      int  // jobs in memory; guarded by the sender's lock
	overflows bool // more jobs are only in the table; guarded likewise

	mu       sync.Mutex
	queues   map[string]*queue // by conversation; it may have been merged with another since
	ready    queueHeap         // queues with work and no call under way, by when they may continue
	bulk     queueHeap         // likewise, for queues with only broadcast messages: the queues in ready go first
	inFlight int
	inBulk   int          // calls for broadcasts
	unknown  int          // broadcasts' messages whose call has returned and whose outcome is not written
	looking  int          // handfuls that are being looked at
	nextBulk store.Moment // when the next handful may be taken
	cached   core.Standing
	cachedAt store.Moment
	recent   minute
	wake     part.Bell
}

// queued is a message in memory. Its instants are moments, so that a change of the wall clock does not move them.
type queued struct {
	store.SendWork
	accepted store.Moment
	due      store.Moment // when it may be sent
	known    store.Moment // when the job was last known to be open
}

// queue has the messages of one conversation, in order.
type queue struct {
	id      string
	waiting []queued
	due     store.Moment
	seq     uint64 // orders queues that are due at the same time: first come, first served
	busy    bool
	bulk    bool // the queue is, or was, in number.bulk
	index   int
	penalty int // how often in a row the pair limit was hit
}

func newNumber(s *Sender, account chat.Account) *number {
	return &number{
		sender: s, accountID: account.ID, orgID: account.OrgID, queues: map[string]*queue{},
		pace: newPacer(s.cfg.PerSecond), wake: part.NewBell(),
	}
}

func (n *number) add(account chat.Account, w queued) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if account.UpdatedAt.After(n.cached.Account.UpdatedAt) { // it may have another token
		n.cachedAt = 0
	}
	q := n.queues[w.Job.Queue()]
	if q == nil {
		q = &queue{id: w.Job.Queue(), index: -1}
		n.queues[q.id] = q
	}
	q.waiting = append(q.waiting, w)
	switch {
	case q.busy:
	case len(q.waiting) == 1:
		n.makeReady(q, w.due)
	case q.bulk && !w.bulk(): // a person's message now waits behind a broadcast's
		heap.Remove(&n.bulk, q.index)
		n.makeReady(q, q.due)
	}
	n.wake.Wake()
}

// bulk tells whether the message comes from a broadcast.
func (w queued) bulk() bool { return w.Message.Source == chat.SourceBroadcast }

// turn says on whose behalf the message is processed.
func (w queued) turn() store.Turn { return store.Turn{OrgID: w.Job.OrgID, Bulk: w.bulk()} }

// heapOf is the heap in which a queue waits.
func (n *number) heapOf(q *queue) *queueHeap {
	if q.bulk {
		return &n.bulk
	}
	return &n.ready
}

func (n *number) makeReady(q *queue, due store.Moment) {
	q.due = due
	n.ready.seq++
	q.seq = n.ready.seq
	q.bulk = !slices.ContainsFunc(q.waiting, func(w queued) bool { return !w.bulk() })
	heap.Push(n.heapOf(q), q)
}

// spent tells whether the number can be forgotten without losing a message or a slowed-down pace.
func (n *number) spent() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.queues) == 0 && n.pace.rested(n.sender.cfg.Store.Moment())
}

// run hands out messages until the sender stops, or the number has been idle for a while.
func (n *number) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for n.sender.ctx.Err() == nil {
		some, wait := n.next()
		if len(some) > 0 {
			n.start(some)
			continue
		}
		timer.Reset(wait)
		select {
		case <-n.wake:
		case <-timer.C:
			if wait == idleNumber && n.sender.retire(n) {
				return
			}
		case <-n.sender.ctx.Done():
		}
	}
}

// next takes the first message that may be sent now, or a handful if it is a broadcast's, or says how long to wait.
func (n *number) next() (some []queued, wait time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.sender.cfg.Store.Moment()
	for len(some) < handful {
		var q *queue
		if q, wait = n.take(now, len(some) > 0); q == nil {
			break
		}
		some = append(some, q.waiting[0])
		if !q.bulk {
			break
		}
	}
	if len(some) > 0 && some[0].bulk() {
		n.looking++
		if len(some) < handful && n.inBulk < maxBulk {
			n.nextBulk = now.Add(handfulEvery)
		}
	}
	return some, wait
}

// take takes the queue whose first message may be sent now, or says how long to wait. more means that a handful is being
// filled.
func (n *number) take(now store.Moment, more bool) (*queue, time.Duration) {
	if len(n.ready.queues)+len(n.bulk.queues) == 0 || n.inFlight >= maxPerNumber {
		return nil, idleNumber
	}
	if n.sender.results.behind(n.orgID) {
		return nil, recordAgain
	}
	q, wait := n.choose(now, more)
	if q == nil {
		return nil, wait
	}
	if !n.sender.owns(q.waiting[0].Job) {
		return nil, leaseAgain
	}
	if wait := n.spend(q, now); wait > 0 {
		return nil, wait
	}
	heap.Pop(n.heapOf(q))
	q.busy = true
	n.inFlight++
	n.recent.note(now)
	if q.bulk {
		n.inBulk++
		if n.sender.manners.took(now) {
			n.sender.cfg.Store.Spare(spareFor)
		}
	}
	return q, 0
}

// spend spends the credit for a queue's next message, or says how long the message has to wait.
func (n *number) spend(q *queue, now store.Moment) time.Duration {
	take := n.pace.take
	if q.bulk {
		if wait := n.sender.manners.wait(now); wait > 0 {
			return wait
		}
		take = n.pace.takeBulk
	}
	if wait, ok := take(now); !ok {
		return max(wait, 1)
	}
	return 0
}

// choose is the next queue to send: one with a person's message before one with broadcasts only. If there is none, it
// says how long to wait.
func (n *number) choose(now store.Moment, more bool) (*queue, time.Duration) {
	wait := idleNumber
	for _, h := range []*queueHeap{&n.ready, &n.bulk} {
		if len(h.queues) == 0 || h == &n.bulk && n.bulkMustWait(more) {
			continue
		}
		q := h.queues[0]
		due := q.due
		if h == &n.bulk && !more {
			due = max(due, n.nextBulk)
		}
		if !due.After(now) {
			return q, 0
		}
		wait = min(wait, due.Sub(now), idleNumber/2)
	}
	return nil, wait
}

// bulkMustWait tells whether broadcasts' messages wait until others are further on.
func (n *number) bulkMustWait(more bool) bool {
	if more {
		return n.inBulk >= maxBulk || n.unknown >= maxUnknown
	}
	return n.inBulk > maxBulk-leastHandful || n.unknown >= maxUnknown || n.looking > 0
}

// returned ends the call for a queue of broadcasts, so that another can begin. The queue goes on when the outcome is
// written.
func (n *number) returned(queueID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queues[queueID].bulk {
		n.inFlight--
		n.inBulk--
		n.unknown++
		n.wake.Wake()
	}
}

// done ends an attempt. If again is set, the message stays at the head of its queue until then.
func (n *number) done(queueID string, again store.Moment) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.queues[queueID]
	q.busy = false
	if q.bulk {
		n.unknown--
	} else {
		n.inFlight--
	}
	if again.IsZero() {
		q.waiting[0] = queued{}
		q.waiting = q.waiting[1:]
		q.penalty = 0
	}
	switch {
	case len(q.waiting) == 0:
		delete(n.queues, q.id)
	case again.IsZero():
		n.makeReady(q, q.waiting[0].due)
	default:
		n.makeReady(q, again)
	}
	n.wake.Wake()
}

// update replaces the message at the head of a queue after a failed attempt.
func (n *number) update(w queued) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if q := n.queues[w.Job.Queue()]; q != nil && len(q.waiting) > 0 {
		q.waiting[0] = w
	}
}

// inDoubt are the messages that wait for another attempt because the outcome of the last one is unknown.
func (n *number) inDoubt() (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, q := range slices.Concat(n.ready.queues, n.bulk.queues) {
		if q.waiting[0].Job.InDoubt {
			ids = append(ids, q.waiting[0].Job.MessageID)
		}
	}
	return ids
}

// hurry lets the queues whose head is one of the messages continue at once.
func (n *number) hurry(messageIDs map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.sender.cfg.Store.Moment()
	for _, q := range slices.Concat(n.ready.queues, n.bulk.queues) {
		if messageIDs[q.waiting[0].Job.MessageID] && q.due.After(now) {
			q.due = now
			heap.Fix(n.heapOf(q), q.index)
		}
	}
	n.wake.Wake()
}

// hold pauses the whole number.
func (n *number) hold(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pace.hold(n.sender.cfg.Store.Moment(), d)
}

// penalize counts how often a conversation hit the pair limit and returns how long it must wait: 4^n seconds as the
// provider asks, starting with one.
func (n *number) penalize(queueID string) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.queues[queueID]
	wait := time.Second << (2 * q.penalty)
	q.penalty = min(q.penalty+1, 5)
	return wait
}

// queueHeap orders queues by when they may continue.
type queueHeap struct {
	queues []*queue
	seq    uint64
}

func (h *queueHeap) Len() int { return len(h.queues) }

func (h *queueHeap) Less(i, j int) bool {
	a, b := h.queues[i], h.queues[j]
	if a.due == b.due {
		return a.seq < b.seq
	}
	return a.due.Before(b.due)
}

func (h *queueHeap) Swap(i, j int) {
	h.queues[i], h.queues[j] = h.queues[j], h.queues[i]
	h.queues[i].index, h.queues[j].index = i, j
}

func (h *queueHeap) Push(x any) {
	q := x.(*queue)
	q.index = len(h.queues)
	h.queues = append(h.queues, q)
}

func (h *queueHeap) Pop() any {
	last := len(h.queues) - 1
	q := h.queues[last]
	h.queues[last] = nil
	h.queues = h.queues[:last]
	q.index = -1
	return q
}
