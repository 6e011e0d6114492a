package sender

import (
	"container/heap"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
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

// number sends the messages of one account. It has a lane for each conversation, which sends in order, one message at a
// time.
type number struct {
	sender    *Sender
	accountID string
	orgID     string
	pace      pacer
	held      int  // jobs in memory; guarded by the sender's lock
	overflows bool // more jobs are only in the table; guarded likewise

	mu       sync.Mutex
	lanes    map[string]*lane // by conversation; it may have been merged with another since
	ready    laneHeap         // lanes with work and no call under way, by when they may continue
	bulk     laneHeap         // likewise, for lanes with only broadcast messages: the lanes in ready go first
	inFlight int
	inBulk   int          // calls for broadcasts
	unknown  int          // broadcasts' messages whose call has returned and whose outcome is not written
	looking  int          // handfuls that are being looked at
	nextBulk store.Moment // when the next handful may be taken
	cached   core.Standing
	cachedAt store.Moment
	recent   minute
	wake     chan struct{}
}

// queued is a message in memory. Its instants are moments, so that a change of the wall clock does not move them.
type queued struct {
	store.SendWork
	accepted store.Moment
	due      store.Moment // when it may be sent
	known    store.Moment // when the job was last known to be open
}

// lane is the queue of one conversation.
type lane struct {
	id      string
	queue   []queued
	due     store.Moment
	seq     uint64 // orders lanes that are due at the same time: first come, first served
	busy    bool
	bulk    bool // the lane is, or was, in number.bulk
	index   int
	penalty int // how often in a row the pair limit was hit
}

func newNumber(s *Sender, account chat.Account) *number {
	return &number{
		sender: s, accountID: account.ID, orgID: account.OrgID, lanes: map[string]*lane{},
		pace: newPacer(s.cfg.PerSecond), wake: make(chan struct{}, 1),
	}
}

func (n *number) add(account chat.Account, w queued) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if account.UpdatedAt.After(n.cached.Account.UpdatedAt) { // it may have another token
		n.cachedAt = 0
	}
	l := n.lanes[w.Job.Queue()]
	if l == nil {
		l = &lane{id: w.Job.Queue(), index: -1}
		n.lanes[l.id] = l
	}
	l.queue = append(l.queue, w)
	switch {
	case l.busy:
	case len(l.queue) == 1:
		n.makeReady(l, w.due)
	case l.bulk && !w.bulk(): // a person's message now waits behind a broadcast's
		heap.Remove(&n.bulk, l.index)
		n.makeReady(l, l.due)
	}
	n.poke()
}

// bulk tells whether the message comes from a broadcast.
func (w queued) bulk() bool { return w.Message.Source == chat.SourceBroadcast }

// turn says on whose behalf the message is processed.
func (w queued) turn() store.Turn { return store.Turn{OrgID: w.Job.OrgID, Bulk: w.bulk()} }

// heapOf is the heap in which a lane waits.
func (n *number) heapOf(l *lane) *laneHeap {
	if l.bulk {
		return &n.bulk
	}
	return &n.ready
}

func (n *number) makeReady(l *lane, due store.Moment) {
	l.due = due
	n.ready.seq++
	l.seq = n.ready.seq
	l.bulk = !slices.ContainsFunc(l.queue, func(w queued) bool { return !w.bulk() })
	heap.Push(n.heapOf(l), l)
}

func (n *number) poke() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// spent tells whether the number can be forgotten without losing a message or a slowed-down pace.
func (n *number) spent() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.lanes) == 0 && n.pace.rested(n.sender.cfg.Store.Moment())
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
		var l *lane
		if l, wait = n.take(now, len(some) > 0); l == nil {
			break
		}
		some = append(some, l.queue[0])
		if !l.bulk {
			break
		}
	}
	if len(some) > 0 && some[0].bulk() {
		n.looking++
		if len(some) < handful {
			n.nextBulk = now.Add(handfulEvery)
		}
	}
	return some, wait
}

// take takes the lane whose first message may be sent now, or says how long to wait. more means that a handful is being
// filled.
func (n *number) take(now store.Moment, more bool) (*lane, time.Duration) {
	if len(n.ready.lanes)+len(n.bulk.lanes) == 0 || n.inFlight >= maxPerNumber {
		return nil, idleNumber
	}
	if n.sender.results.behind() {
		return nil, recordAgain
	}
	l, wait := n.choose(now, more)
	if l == nil {
		return nil, wait
	}
	if !n.sender.owns(l.queue[0].Job) {
		return nil, leaseAgain
	}
	if wait := n.spend(l, now); wait > 0 {
		return nil, wait
	}
	heap.Pop(n.heapOf(l))
	l.busy = true
	n.inFlight++
	n.recent.note(now)
	if l.bulk {
		n.inBulk++
		n.sender.manners.took(now)
	}
	return l, 0
}

// spend spends the credit for a lane's next message, or says how long the message has to wait.
func (n *number) spend(l *lane, now store.Moment) time.Duration {
	take := n.pace.take
	if l.bulk {
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

// choose is the next lane to send: one with a person's message before one with broadcasts only. If there is none, it
// says how long to wait.
func (n *number) choose(now store.Moment, more bool) (*lane, time.Duration) {
	wait := idleNumber
	for _, h := range []*laneHeap{&n.ready, &n.bulk} {
		if len(h.lanes) == 0 || h == &n.bulk && n.bulkMustWait(more) {
			continue
		}
		l := h.lanes[0]
		due := l.due
		if h == &n.bulk && !more {
			due = max(due, n.nextBulk)
		}
		if !due.After(now) {
			return l, 0
		}
		wait = min(wait, due.Sub(now), idleNumber/2)
	}
	return nil, wait
}

// bulkMustWait tells whether broadcasts' messages wait until others are further on.
func (n *number) bulkMustWait(more bool) bool {
	return n.inBulk >= maxBulk || n.unknown >= maxUnknown || n.looking > 0 && !more
}

// returned ends the call for a lane of broadcasts, so that another can begin. The lane goes on when the outcome is
// written.
func (n *number) returned(laneID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lanes[laneID].bulk {
		n.inFlight--
		n.inBulk--
		n.unknown++
		n.poke()
	}
}

// done ends an attempt. If again is set, the message stays at the head of its lane until then.
func (n *number) done(laneID string, again store.Moment) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.lanes[laneID]
	l.busy = false
	if l.bulk {
		n.unknown--
	} else {
		n.inFlight--
	}
	if again.IsZero() {
		l.queue[0] = queued{}
		l.queue = l.queue[1:]
		l.penalty = 0
	}
	switch {
	case len(l.queue) == 0:
		delete(n.lanes, l.id)
	case again.IsZero():
		n.makeReady(l, l.queue[0].due)
	default:
		n.makeReady(l, again)
	}
	n.poke()
}

// update replaces the message at the head of a lane after a failed attempt.
func (n *number) update(w queued) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l := n.lanes[w.Job.Queue()]; l != nil && len(l.queue) > 0 {
		l.queue[0] = w
	}
}

// inDoubt are the messages that wait for another attempt because the outcome of the last one is unknown.
func (n *number) inDoubt() (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range slices.Concat(n.ready.lanes, n.bulk.lanes) {
		if l.queue[0].Job.InDoubt {
			ids = append(ids, l.queue[0].Job.MessageID)
		}
	}
	return ids
}

// hurry lets the lanes whose head is one of the messages continue at once.
func (n *number) hurry(messageIDs map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.sender.cfg.Store.Moment()
	for _, l := range slices.Concat(n.ready.lanes, n.bulk.lanes) {
		if messageIDs[l.queue[0].Job.MessageID] && l.due.After(now) {
			l.due = now
			heap.Fix(n.heapOf(l), l.index)
		}
	}
	n.poke()
}

// hold pauses the whole number.
func (n *number) hold(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pace.hold(n.sender.cfg.Store.Moment(), d)
}

// penalize counts how often a conversation hit the pair limit and returns how long it must wait: 4^n seconds as the
// provider asks, starting with one.
func (n *number) penalize(laneID string) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.lanes[laneID]
	wait := time.Second << (2 * l.penalty)
	l.penalty = min(l.penalty+1, 5)
	return wait
}

// laneHeap orders lanes by when they may continue.
type laneHeap struct {
	lanes []*lane
	seq   uint64
}

func (h *laneHeap) Len() int { return len(h.lanes) }

func (h *laneHeap) Less(i, j int) bool {
	a, b := h.lanes[i], h.lanes[j]
	if a.due == b.due {
		return a.seq < b.seq
	}
	return a.due.Before(b.due)
}

func (h *laneHeap) Swap(i, j int) {
	h.lanes[i], h.lanes[j] = h.lanes[j], h.lanes[i]
	h.lanes[i].index, h.lanes[j].index = i, j
}

func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.index = len(h.lanes)
	h.lanes = append(h.lanes, l)
}

func (h *laneHeap) Pop() any {
	last := len(h.lanes) - 1
	l := h.lanes[last]
	h.lanes[last] = nil
	h.lanes = h.lanes[:last]
	l.index = -1
	return l
}
