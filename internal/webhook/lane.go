package webhook

import (
	"container/heap"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// leastReady and mostReady bound a lane's jobs in memory that can go: the fewer lanes there are, the more each may
	// have of allReady, because each read from the table is a round trip. More stay in the table.
	leastReady = 64
	mostReady  = 512
	allReady   = 16 << 10
	// maxWaiting bounds those that wait for their next attempt.
	maxWaiting = 64
)

// Queues of a lane, in the order in which they are served.
const (
	firsts = iota
	retries
	replays
	queues
)

// job is a delivery in memory.
type job struct {
	store.DeliveryJob
	lane      *lane
	due       store.Moment // when the next attempt is due, while the job waits for it in memory
	heldAt    store.Moment // when it came to memory, if for its first attempt
	calledOff bool         // no further attempt may begin
}

func (j *job) queue() int {
	switch {
	case j.ReplayedFrom != "":
		return replays
	case j.Attempts > 0:
		return retries
	default:
		return firsts
	}
}

// ordered tells whether the job must not leave while another first attempt about the same subject is under way.
func (j *job) ordered() bool { return j.Attempts == 0 && j.Subject != "" }

// lane is the queue of one subscription. It is a state machine without its own clock, lock or I/O. Its methods run
// under the engine's lock.
type lane struct {
	orgID, id string

	ready   [queues]fifo
	waiting jobHeap         // jobs whose next attempt is due soon
	room    int             // how many jobs that can go fit into memory
	subject map[string]bool // subjects whose first attempts are under way
	held    map[string]*job // all jobs in memory by id, until their outcome is stored

	breaker
	backlog backlog
	seat    seat

	endpoint  *endpoint // nil until it is loaded
	changes   int       // how many changes of the subscription were announced
	loaded    int       // how many of those changes the endpoint has
	changedAt time.Time // the instant of the last change that was found in the table
	doubted   bool      // another change may carry the same instant
	failing   bool      // the table counts failures of the subscription
	troubled  int       // outcomes not stored yet that change what is counted
	warned    int       // how many warnings about this streak were logged
	usedAt    store.Moment
}

// seat says where the engine keeps a lane.
type seat struct {
	ring   bool         // it is among the lanes that can go
	chores bool         // it is among the lanes that need the store
	wakeAt store.Moment // when it is woken
	index  int          // its index among the sleeping lanes, or -1
}

// newLane makes a lane that reads the table first: an earlier process may have left deliveries there that come before the
// one for which the lane is made.
func newLane(orgID, id string) *lane {
	return &lane{
		orgID: orgID, id: id, room: leastReady, subject: map[string]bool{}, held: map[string]*job{},
		breaker: breaker{limit: startConcurrency}, backlog: backlog{state: inTable}, seat: seat{index: -1},
	}
}

// readyCount is how many jobs can go.
func (l *lane) readyCount() int {
	return l.ready[firsts].len() + l.ready[retries].len() + l.ready[replays].len()
}

// full tells that no more jobs fit into memory.
func (l *lane) full() bool { return l.readyCount() >= l.room }

// push takes a job that is due. The caller has checked that there is room.
func (l *lane) push(j *job) {
	l.held[j.ID] = j
	l.ready[j.queue()].insert(j)
	if j.queue() == replays && j.Attempts == 0 {
		l.ask()
	}
}

// wait takes a job for later. It reports false if there is no room for it.
func (l *lane) wait(j *job) bool {
	if len(l.waiting) >= maxWaiting {
		return false
	}
	l.held[j.ID] = j
	heap.Push(&l.waiting, j)
	return true
}

// ripen moves the jobs whose time has come to the queues. A job that finds no room there is forgotten, because it is in
// the table.
func (l *lane) ripen(now store.Moment, forget func(*job)) {
	for len(l.waiting) > 0 && !l.waiting[0].due.After(now) {
		j := heap.Pop(&l.waiting).(*job)
		if l.full() {
			forget(j)
			l.backlog.note()
			continue
		}
		l.push(j)
	}
}

// current tells whether the endpoint has every announced change of the subscription.
func (l *lane) current() bool { return l.endpoint != nil && l.loaded == l.changes }

// parked tells whether the subscription is paused, disabled or deleted. Then nothing leaves and nothing is kept in
// memory.
func (l *lane) parked() bool { return l.endpoint != nil && l.endpoint.status != chat.WebhookActive }

// wantsRefill tells whether the table may have jobs for which there is room. A lane asks before it runs out.
func (l *lane) wantsRefill() bool {
	return l.backlog.state == inTable && !l.parked() && l.readyCount() <= l.room/2
}

// take returns the next job that may leave now, or nil.
func (l *lane) take(now store.Moment) *job {
	if !l.open(now) {
		return nil
	}
	for _, q := range l.served() {
		if j := l.ready[q].takeFirst(func(j *job) bool { return !j.ordered() || !l.subject[j.Subject] }); j != nil {
			l.left()
			if j.ordered() {
				l.subject[j.Subject] = true
			}
			return j
		}
	}
	return nil
}

// served is the order in which the queues are served. A probe that somebody asked for is the replay itself.
func (l *lane) served() [queues]int {
	if l.asked {
		return [queues]int{replays, firsts, retries}
	}
	return [queues]int{firsts, retries, replays}
}

// open tells whether jobs may leave now. After a change nothing leaves by what was true before.
func (l *lane) open(now store.Moment) bool {
	return l.current() && !l.parked() && l.lets(now) && !l.awaitsReplay(now)
}

// awaitsReplay tells whether a probe that somebody asked for waits for the replay, which a refill is about to load.
func (l *lane) awaitsReplay(now store.Moment) bool {
	return l.early(now) && l.ready[replays].len() == 0 && (l.backlog.reads() || l.wantsRefill())
}

// done counts the end of an attempt. j must be as it was when it left.
func (l *lane) done(j *job, v verdict, now store.Moment) {
	l.letNext(j)
	l.judge(v, now)
}

// untried is for a job that left and was not attempted.
func (l *lane) untried(j *job) {
	l.letNext(j)
	l.comeBack()
}

// letNext lets the next first attempt about the same subject leave.
func (l *lane) letNext(j *job) {
	if j.ordered() {
		delete(l.subject, j.Subject)
	}
}

// nextTime is when the passing of time alone lets the lane continue; zero if that takes something else.
func (l *lane) nextTime(now store.Moment) store.Moment {
	var at store.Moment
	if len(l.waiting) > 0 {
		at = l.waiting[0].due
	}
	if l.endpoint == nil || l.parked() || l.readyCount() == 0 {
		return at
	}
	if free := l.freeAt(); free.After(now) && (at.IsZero() || free.Before(at)) {
		return free
	}
	return at
}

// idle tells whether the lane has nothing in memory or under way.
func (l *lane) idle() bool { return len(l.held) == 0 && l.inFlight == 0 && !l.seat.chores }

// flush forgets every job that is not under way. They are read again, in order.
func (l *lane) flush(forget func(*job)) {
	for q := range l.ready {
		for j := l.ready[q].pop(); j != nil; j = l.ready[q].pop() {
			forget(j)
		}
	}
	for len(l.waiting) > 0 {
		forget(heap.Pop(&l.waiting).(*job))
	}
	l.backlog.startAgain()
}

// fifo is a queue of at most mostReady jobs.
type fifo struct {
	jobs []*job
	head int
}

func (f *fifo) len() int { return len(f.jobs) - f.head }

// insert keeps the order of ids, which is the order of time. Two commits may be announced in another order than they
// were made.
func (f *fifo) insert(j *job) {
	if f.head > 0 && len(f.jobs) == cap(f.jobs) {
		n := copy(f.jobs, f.jobs[f.head:])
		clear(f.jobs[n:])
		f.jobs, f.head = f.jobs[:n], 0
	}
	f.jobs = append(f.jobs, j)
	for i := len(f.jobs) - 1; i > f.head && f.jobs[i-1].ID > j.ID; i-- {
		f.jobs[i-1], f.jobs[i] = f.jobs[i], f.jobs[i-1]
	}
}

func (f *fifo) pop() *job { return f.takeFirst(func(*job) bool { return true }) }

// takeFirst removes the first job for which may is true, and leaves the others in order.
func (f *fifo) takeFirst(may func(*job) bool) *job {
	for i := f.head; i < len(f.jobs); i++ {
		j := f.jobs[i]
		if !may(j) {
			continue
		}
		copy(f.jobs[f.head+1:i+1], f.jobs[f.head:i])
		f.jobs[f.head] = nil
		f.head++
		if f.head == len(f.jobs) {
			f.jobs, f.head = f.jobs[:0], 0
		}
		return j
	}
	return nil
}

// jobHeap orders jobs by when they are due.
type jobHeap []*job

func (h jobHeap) Len() int { return len(h) }

func (h jobHeap) Less(i, j int) bool {
	if h[i].due == h[j].due {
		return h[i].ID < h[j].ID
	}
	return h[i].due.Before(h[j].due)
}

func (h jobHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *jobHeap) Push(x any) { *h = append(*h, x.(*job)) }

func (h *jobHeap) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return j
}
