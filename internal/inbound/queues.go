package inbound

import (
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// txUpdates bounds the updates of one transaction, and so how long others wait for it. If many numbers wait, each
	// has at least leastShare of it.
	txUpdates  = 200
	leastShare = 20
	// txDeliveries bounds the deliveries of their events where these are written in the same transaction, unless a single
	// update has more.
	txDeliveries = 200
	// maxQueued bounds the bytes that wait in memory. Numbers with little there, a 64th of it, may exceed it by half,
	// so that a number with much does not keep them out.
	maxQueued = 16 << 20
	// updateBytes is the memory of an update beside the callback's own bytes.
	updateBytes = 1 << 10
	// statusesFor is how long after a number's turn its statuses wait for more, and manyStatuses how many of them do not
	// wait.
	statusesFor  = 50 * time.Millisecond
	manyStatuses = 32
)

// arrival is a callback in memory.
type arrival struct {
	callback store.Callback // its id is empty until it is a row
	bytes    int
	updates  int
	parts    []*part
	answer   chan error // gets nil when the callback is applied or stored, or an error

	// Guarded by the queues' lock.
	left    int   // parts that are still to be applied
	failed  error // why an update could not be applied
	storing bool  // it is being stored
}

// part is the updates of an arrival for one number that are still to be applied.
type part struct {
	arrival *arrival
	number  string
	updates []provider.Update
	late    int // how often the store did not take them in time; guarded by having the turn
}

// newArrival splits a callback by number.
func newArrival(c store.Callback, updates []provider.Update) *arrival {
	a := &arrival{callback: c, bytes: len(c.Body) + updateBytes*len(updates), updates: len(updates), answer: make(chan error, 1)}
	parts := map[string]*part{}
	for _, u := range updates {
		number := numberOf(u)
		p := parts[number]
		if p == nil {
			p = &part{arrival: a, number: number}
			parts[number] = p
			a.parts = append(a.parts, p)
		}
		p.updates = append(p.updates, u)
	}
	a.left = len(a.parts)
	return a
}

// numberOf is the queue in which an update keeps its order: its number, or its business account if it is about no
// number.
func numberOf(u provider.Update) string {
	origin := u.About()
	if origin.PhoneNumberID == "" {
		return "account " + origin.WABAID
	}
	return origin.PhoneNumberID
}

// tell answers the provider. Only the first answer counts.
func (a *arrival) tell(err error) {
	select {
	case a.answer <- err:
	default:
	}
}

// queues are the callbacks in memory: one queue for each number. The numbers take turns.
type queues struct {
	mu      sync.Mutex
	numbers map[string]*queue
	ready   []*queue // queues with updates that no worker has, in the order of their turns
	more    *sync.Cond
	closed  bool
	bytes   int
	most    int
	held    map[string]bool    // rows that are in memory
	newest  time.Time          // the latest time in a row's id
	reach   fair.Reach[string] // endpoints that are told of an update, by number

	// Rows outside memory come first, because a number's updates would overtake each other otherwise.
	behind    bool                // there may be such rows, of any number
	lost      int                 // how often behind was set
	spilled   map[string][]string // rows that found no room since, and their numbers
	spilledOf map[string]int      // how many of these rows a number has
	known     int                 // total of the numbers in spilled
}

// queue is the waiting updates of one number. A worker that has it leaves it unchanged until its updates are applied;
// meanwhile others may be appended.
type queue struct {
	number    string
	parts     []*part
	bytes     int
	gathering bool // no worker has it: it waits for more statuses
}

func newQueues(most int) *queues {
	q := &queues{most: most, numbers: map[string]*queue{}, held: map[string]bool{}, reach: fair.NewReach[string](txDeliveries / txUpdates), behind: true, spilled: map[string][]string{}, spilledOf: map[string]int{}}
	q.more = sync.NewCond(&q.mu)
	return q
}

// admit appends an arrival to the queues of its numbers. It reports false if there is no room, or if a row outside
// memory comes first.
func (q *queues) admit(a *arrival) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.behind || !q.hasRoom(a) {
		return false
	}
	for _, p := range a.parts {
		if q.spilledOf[p.number] > 0 {
			return false
		}
	}
	q.push(a)
	return true
}

func (q *queues) hasRoom(a *arrival) bool {
	if q.bytes+a.bytes <= q.most {
		return true
	}
	little := q.most / 64
	for _, p := range a.parts {
		if n := q.numbers[p.number]; n != nil && n.bytes > little {
			return false
		}
	}
	return a.bytes <= little && q.bytes+a.bytes <= q.most+q.most/2
}

func (q *queues) push(a *arrival) {
	q.bytes += a.bytes
	for _, p := range a.parts {
		n := q.numbers[p.number]
		if n == nil {
			n = &queue{number: p.number}
			q.numbers[p.number] = n
			q.putBack(n)
		}
		n.parts = append(n.parts, p)
		n.bytes += a.bytes
		if n.gathering && !q.canWait(n) {
			n.gathering = false
			q.putBack(n)
		}
	}
}

// putBack lines a queue up for its next turn.
func (q *queues) putBack(n *queue) {
	q.ready = append(q.ready, n)
	q.more.Signal()
}

// turn is a number's updates that are applied together.
type turn struct {
	queue  *queue
	pieces []piece
}

// piece is the first count updates of a part.
type piece struct {
	part  *part
	count int
}

func (p piece) updates() []provider.Update { return p.part.updates[:p.count] }

// take waits for updates and returns one transaction's worth, an equal share for each waiting number. It returns none
// once the queues are closed.
func (q *queues) take() (turns []turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 && !q.closed {
		q.more.Wait()
	}
	if q.closed {
		return nil
	}
	share := max(txUpdates/len(q.ready), leastShare)
	for left, room := txUpdates, txDeliveries; left > 0 && len(q.ready) > 0; {
		n, most := q.ready[0], min(share, left)
		each := q.reach.Of(n.number)
		if max(each, 1) > room && len(turns) > 0 {
			q.more.Signal() // another worker may take it
			break
		}
		t := n.turn(min(most, fitting(room, each)))
		q.ready = q.ready[1:]
		left, room = left-t.updates(), room-t.updates()*each
		turns = append(turns, t)
	}
	return turns
}

// fitting is how many updates have that many deliveries, if each has so many; one at least.
func fitting(deliveries, each int) int {
	if each == 0 {
		return txUpdates
	}
	return max(1, deliveries/each)
}

// learn remembers how many endpoints were told of each of some updates of these numbers. Where numbers were applied together
// it is their mean, until those with many are applied alone because of it.
func (q *queues) learn(numbers []string, each int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, number := range numbers {
		q.reach.Learn(number, each)
	}
}

// updates is how many updates the turn has.
func (t turn) updates() (n int) {
	for _, p := range t.pieces {
		n += p.count
	}
	return n
}

// turn is the next updates of a number.
func (n *queue) turn(most int) turn {
	t := turn{queue: n}
	for _, p := range n.parts {
		if most == 0 {
			break
		}
		count := min(most, len(p.updates))
		t.pieces = append(t.pieces, piece{p, count})
		most -= count
	}
	return t
}

// ended is a row whose updates were all applied, or have failed for good.
type ended struct {
	row    store.Callback
	failed error
}

// applied takes updates that were applied, or have failed for good, from the head of a number's queue. If they were
// the last of an arrival, the provider is answered, and the row is returned if there is one.
func (q *queues) applied(n *queue, p piece, failure error) (e ended, isRow bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a := p.part.arrival
	if failure != nil {
		a.failed = failure
	}
	p.part.updates = p.part.updates[p.count:]
	if len(p.part.updates) > 0 {
		return e, false
	}
	n.parts[0] = nil
	n.parts = n.parts[1:]
	n.bytes -= a.bytes
	if a.left--; a.left > 0 {
		return e, false
	}
	q.bytes -= a.bytes
	a.tell(nil)
	return ended{a.callback, a.failed}, a.callback.ID != ""
}

// release ends a number's turn. After a rest it may have the next.
func (q *queues) release(n *queue, rest time.Duration) {
	if rest > 0 {
		time.AfterFunc(rest, func() { q.release(n, 0) })
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(n.parts) > 0 {
		q.putBack(n)
	} else {
		delete(q.numbers, n.number)
	}
}

// gather ends a number's turn. Its few statuses wait a moment for more, because a transaction for one of them costs
// PostgreSQL almost as much as one for ten, and the statuses of a broadcast come one by one. What people write does not
// wait.
func (q *queues) gather(n *queue) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.canWait(n) {
		q.putBack(n)
		return
	}
	n.gathering = true
	time.AfterFunc(statusesFor, func() {
		q.mu.Lock()
		gathering := n.gathering
		n.gathering = false
		q.mu.Unlock()
		if gathering {
			q.release(n, 0)
		}
	})
}

// canWait reports whether a queue has but a few statuses, for which its next transaction has more room.
func (q *queues) canWait(n *queue) bool {
	updates, many := 0, min(manyStatuses, fitting(txDeliveries, q.reach.Of(n.number)))
	for _, p := range n.parts {
		if !onlyStatuses(p.updates) {
			return false
		}
		if updates += len(p.updates); updates >= many {
			return false
		}
	}
	return true
}

// ending are the rows that are complete once these turns are applied.
func (q *queues) ending(turns []turn) (rows []store.Callback) {
	q.mu.Lock()
	defer q.mu.Unlock()
	parts := map[*arrival]int{}
	for _, t := range turns {
		for _, p := range t.pieces {
			if a := p.part.arrival; a.callback.ID != "" && a.failed == nil && p.count == len(p.part.updates) {
				if parts[a]++; parts[a] == a.left {
					rows = append(rows, a.callback)
				}
			}
		}
	}
	return rows
}

// close ends the workers.
func (q *queues) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Broadcast()
}
