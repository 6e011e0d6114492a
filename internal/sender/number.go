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

// maxPerNumber bounds the calls of one number under way. A provider that hangs on one number
// costs that number's calls and nothing else.
const maxPerNumber = 64

// maxBulk bounds those of broadcasts among them, so that people find room when the provider hangs.
const maxBulk = 48

// number sends the messages of one account: its lanes are the conversations, each in order, one
// message at a time.
type number struct {
	sender    *Sender
	accountID string
	orgID     string
	pace      pacer
	held      int  // jobs in memory; the sender's lock guards it
	overflows bool // others are in the table alone; likewise

	mu       sync.Mutex
	lanes    map[string]*lane // by conversation, which may have become one with another since
	ready    laneHeap         // lanes with work and nothing under way, by when they may go on
	bulk     laneHeap         // likewise, those that have messages of broadcasts alone: others go first
	inFlight int
	inBulk   int // of broadcasts
	cached   core.Standing
	cachedAt store.Moment
	recent   minute
	wake     chan struct{}
}

// queued is a message in memory, with its instants as moments: no turn of the wall clock moves them.
type queued struct {
	store.SendWork
	accepted store.Moment
	due      store.Moment // when it may go
	known    store.Moment // when it was certainly still to be sent
}

// lane is the queue of one conversation.
type lane struct {
	id      string
	queue   []queued
	due     store.Moment
	seq     uint64 // first come, first served among lanes that are due at once
	busy    bool
	bulk    bool // it is, or was, in the heap of that name
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
	if account.UpdatedAt.After(n.cached.Account.UpdatedAt) { // it has another token, perhaps
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
	case l.bulk && !w.bulk(): // somebody waits behind a broadcast
		heap.Remove(&n.bulk, l.index)
		n.makeReady(l, l.due)
	}
	n.poke()
}

// bulk tells that a broadcast made the message.
func (w queued) bulk() bool { return w.Message.Source == chat.SourceBroadcast }

// turn is on whose behalf the message is worked on.
func (w queued) turn() store.Turn { return store.Turn{OrgID: w.Job.OrgID, Bulk: w.bulk()} }

// heapOf is where a lane waits.
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

// spent tells that nothing is lost when the number is forgotten: neither a message nor a slower pace.
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
		w, wait := n.next()
		if w != nil {
			if n.sender.starts.Enter(n.sender.ctx, w.turn()) {
				n.sender.work.Go(func() { n.send(*w) })
			}
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

// next takes the first message that may go now, or says how long to wait.
func (n *number) next() (*queued, time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.sender.cfg.Store.Moment()
	if len(n.ready.lanes)+len(n.bulk.lanes) == 0 || n.inFlight >= maxPerNumber {
		return nil, idleNumber
	}
	if n.sender.results.behind() {
		return nil, recordAgain
	}
	l, wait := n.choose(now)
	if l == nil {
		return nil, wait
	}
	if !n.sender.owns(l.queue[0].Job) {
		return nil, leaseAgain
	}
	take := n.pace.take
	if l.bulk {
		take = n.pace.takeBulk
	}
	if wait, ok := take(now); !ok {
		return nil, wait
	}
	heap.Pop(n.heapOf(l))
	l.busy = true
	n.inFlight++
	n.recent.note(now)
	if l.bulk {
		n.inBulk++
	}
	w := l.queue[0]
	return &w, 0
}

// choose is the lane whose turn it is: that of a person before that of a broadcast. Without one it says how long to
// wait.
func (n *number) choose(now store.Moment) (*lane, time.Duration) {
	wait := idleNumber
	for _, h := range []*laneHeap{&n.ready, &n.bulk} {
		if len(h.lanes) == 0 || h == &n.bulk && n.inBulk >= maxBulk {
			continue
		}
		l := h.lanes[0]
		if !l.due.After(now) {
			return l, 0
		}
		wait = min(wait, l.due.Sub(now), idleNumber/2)
	}
	return nil, wait
}

// done ends an attempt. With again set, the message stays at the head of its lane until then.
func (n *number) done(laneID string, again store.Moment) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inFlight--
	l := n.lanes[laneID]
	l.busy = false
	if l.bulk {
		n.inBulk--
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

// inDoubt are the messages that wait for another attempt because nobody knows about the last one.
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

// hurry lets the lanes that wait for one of the messages go on at once.
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

// penalize counts a conversation's hits of the pair limit and returns how long it must wait:
// 4^n seconds, as the provider asks, beginning with one.
func (n *number) penalize(laneID string) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.lanes[laneID]
	wait := time.Second << (2 * l.penalty)
	l.penalty = min(l.penalty+1, 5)
	return wait
}

// laneHeap orders lanes by when they may go on.
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
