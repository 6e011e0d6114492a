// Package webhook takes deliveries to the endpoints of subscriptions: signed, guarded, in order for
// each subject, again after failures. A delivery is a row until it has arrived or is given up, so
// nothing is lost with the process. Each subscription has a lane of its own: an endpoint that hangs
// or fails costs its own share and delays nobody else.
//
// The state of all lanes is behind one lock that is never held during I/O. Whatever changes a lane
// calls consider, which decides what the lane waits for: a free slot (the ring), an instant (the heap
// of sleeping lanes) or the store (the chores).
package webhook

import (
	"context"
	"crypto/x509"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

const (
	// maxInFlight bounds the attempts under way.
	maxInFlight = 1024
	// orgShare is what one organization may have of them while others wait, orgAlone while none does:
	// who comes next finds room at once.
	orgShare = maxInFlight / 4
	orgAlone = maxInFlight * 3 / 4
	// startTime is how long an attempt counts as beginning at most: an endpoint that does not take its request in
	// holds up nobody.
	startTime = 5 * time.Millisecond
	// maxBytes bounds the payloads in memory.
	maxBytes = 64 << 20
	// keepFor is how soon an attempt must be due for the job to wait in memory.
	keepFor = time.Minute
	// sweepEvery is how often the table is searched for what is due and in nobody's memory.
	sweepEvery = time.Second
	// choreWorkers is how many lanes at a time wait for the store.
	choreWorkers = 4
	// idleLane is when a lane without work leaves memory.
	idleLane = 10 * time.Minute
)

// maxStarting is how many attempts may be beginning, until their request is written.
var maxStarting = 4 * runtime.GOMAXPROCS(0)

// Config is what the engine needs.
type Config struct {
	Store *store.Store
	// Lease is this process's right to the deliveries it works on.
	Lease func() store.Lease
	Guard *netguard.Guard
	// OpenSecret opens a sealed signing secret.
	OpenSecret func(chat.WebhookSecret) (string, error)
	// Schedule is how long to wait after each failed attempt; after as many the next is the last.
	Schedule []time.Duration
	// Timeout ends an attempt, reading the answer included.
	Timeout time.Duration
	// Roots are the certificate authorities to trust; nil: the system's.
	Roots   *x509.CertPool
	Metrics *Metrics
	// Tracer tells how long calls took; nil where nobody asks.
	Tracer *tracing.Tracer
	Log    *slog.Logger

	jitter   func() float64  // from 0 to 1
	recorded func()          // for tests: outcomes were stored
	looked   func(id string) // for tests: a delivery was looked up before its next attempt
}

// DefaultTimeout is how long an attempt may take.
const DefaultTimeout = 10 * time.Second

func (c *Config) setDefaults() {
	if c.Metrics == nil {
		c.Metrics = NewMetrics(nil)
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Schedule == nil {
		c.Schedule = DefaultSchedule
	}
	if c.recorded == nil {
		c.recorded = func() {}
	}
	if c.looked == nil {
		c.looked = func(string) {}
	}
	if c.jitter == nil {
		c.jitter = rand.Float64
	}
}

// Engine delivers for one node.
type Engine struct {
	cfg     Config
	http    *poster
	results *recorder

	mu         sync.Mutex
	lanes      map[string]*lane           // by subscription
	ring       fair.Rounds[string, *lane] // the lanes that can go, by organization
	sleeping   laneHeap
	orgs       map[string]share
	inFlight   int
	starting   int // of those under way, the ones whose request is not written
	unrecorded int // attempts that have ended, and wait for the store
	bytes      int
	chores     fair.Rounds[string, *lane] // the lanes that need the store, by organization
	closed     bool
	node       string // owner of what is in memory
	lapsed     bool   // the lease ran out: what is in memory may be another's
	sweeps     int
	polledAt   time.Time

	part.Bell            // for the sweeps
	alarm     part.Bell  // for the sleeper
	tending   *sync.Cond // chores have come

	ctx    context.Context // ends with Stop
	cancel context.CancelFunc
	calls  context.Context // of attempts; ends when Stop has waited long enough
	abort  context.CancelFunc
	work   sync.WaitGroup // attempts
	loops  sync.WaitGroup
}

// New makes an engine.
func New(cfg Config) *Engine {
	cfg.setDefaults()
	e := &Engine{
		cfg: cfg, node: cfg.Lease().Node, http: newPoster(cfg), lanes: map[string]*lane{}, orgs: map[string]share{},
		Bell: part.NewBell(), alarm: part.NewBell(),
	}
	e.tending = sync.NewCond(&e.mu)
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.calls, e.abort = context.WithCancel(context.Background())
	return e
}

// Start begins to deliver, with what an earlier process left.
func (e *Engine) Start(context.Context) error {
	e.results = startRecorder(e)
	e.polledAt = e.cfg.Store.Now()
	e.loops.Go(e.sleep)
	e.loops.Go(e.sweepLoop)
	for range choreWorkers {
		e.loops.Go(e.tend)
	}
	e.cfg.Metrics.watch(e)
	return nil
}

// Stop ends the work. Attempts under way get until ctx ends; what is not finished stays in the table.
// It may be called more than once.
func (e *Engine) Stop(ctx context.Context) {
	e.mu.Lock()
	e.closed = true
	e.tending.Broadcast()
	e.mu.Unlock()
	e.cancel()
	stop := context.AfterFunc(ctx, e.abort)
	defer stop()
	e.work.Wait()
	e.loops.Wait()
	e.results.stop()
	e.abort()
	e.http.close()
}

// Enqueue takes deliveries that were just committed. It never blocks: what does not fit stays in the
// table and is found later.
func (e *Engine) Enqueue(jobs []store.DeliveryJob) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.Store.Moment()
	for i := range jobs {
		l := e.lane(jobs[i].OrgID, jobs[i].SubscriptionID)
		e.offer(l, jobs[i])
		e.consider(l, now)
	}
	e.dispatch(now)
}

// offer puts a new delivery into its lane, unless others of the lane are in the table before it.
func (e *Engine) offer(l *lane, j store.DeliveryJob) {
	if j.DueAt.After(l.backlog.horizon) {
		l.backlog.horizon = j.DueAt
	}
	switch {
	case e.closed || e.lapsed || j.Owner != e.node || l.held[j.ID] != nil:
	case l.parked() || l.backlog.state != inMemory || l.full() || e.bytes+len(j.Payload) > maxBytes || j.ID <= l.backlog.readTo:
		// With an id that a refill has passed it may have been brought by that, and done.
		l.backlog.note()
	default:
		e.hold(l, j)
	}
}

func (e *Engine) hold(l *lane, j store.DeliveryJob) {
	e.bytes += len(j.Payload)
	l.push(&job{DeliveryJob: j, lane: l})
}

// forget drops a job from memory.
func (e *Engine) forget(j *job) {
	e.bytes -= len(j.Payload)
	delete(j.lane.held, j.ID)
	j.lane.backlog.dropped(j.ID)
}

// Changed tells that a subscription changed, or that deliveries wait for it in the table.
func (e *Engine) Changed(orgID, id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.lane(orgID, id)
	l.changes++
	l.backlog.note()
	e.consider(l, e.cfg.Store.Moment())
}

// lane returns the lane of a subscription.
func (e *Engine) lane(orgID, id string) *lane {
	l := e.lanes[id]
	if l == nil {
		l = newLane(orgID, id)
		e.lanes[id] = l
	}
	return l
}

func (e *Engine) warn(msg string, err error) {
	if e.ctx.Err() == nil {
		e.cfg.Log.Warn(msg, "error", err)
	}
}
