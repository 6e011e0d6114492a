// Package webhook delivers events to the endpoints of subscriptions: signed, guarded, in order for each subject, and
// again after failures. A delivery is a row until it has arrived or is given up, so a crash loses nothing. Each
// subscription has its own lane: an endpoint that hangs or fails uses up its own share and delays nobody else.
//
// One lock guards the state of all lanes, and is never held during I/O. Every change of a lane calls consider, which
// decides what the lane waits for: a free slot (the ring), an instant (the heap of sleeping lanes) or the store (the
// chores).
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
	// orgShare is how many of them one organization may have while others wait, and orgAlone while none does: the next
	// organization to come finds room at once.
	orgShare = maxInFlight / 4
	orgAlone = maxInFlight * 3 / 4
	// startTime is how long an attempt counts as starting at most, so that an endpoint that does not take its request
	// delays nobody.
	startTime = 5 * time.Millisecond
	// maxBytes bounds the payloads in memory.
	maxBytes = 64 << 20
	// keepFor is how soon the next attempt must be due for the job to wait in memory.
	keepFor = time.Minute
	// sweepEvery is how often the table is searched for due deliveries that no node has in memory.
	sweepEvery = time.Second
	// choreWorkers is how many lanes can use the store at a time.
	choreWorkers = 4
	// idleLane is how long a lane without work stays in memory.
	idleLane = 10 * time.Minute
)

// maxStarting is how many attempts may be starting, which means that their request is not written yet.
var maxStarting = 4 * runtime.GOMAXPROCS(0)

// Config configures an engine.
type Config struct {
	Store *store.Store
	// Lease is this process's right to the deliveries it works on.
	Lease func() store.Lease
	Guard *netguard.Guard
	// OpenSecret opens a sealed signing secret.
	OpenSecret func(chat.WebhookSecret) (string, error)
	// Schedule is how long to wait after each failed attempt. The attempt after the last wait is the final one.
	Schedule []time.Duration
	// Timeout ends an attempt, including the reading of the answer.
	Timeout time.Duration
	// Roots are the certificate authorities to trust; nil means the system's.
	Roots   *x509.CertPool
	Metrics *Metrics
	// Tracer records how long calls took; it may be nil.
	Tracer *tracing.Tracer
	Log    *slog.Logger

	ready    int             // how many jobs that can go all lanes may have in memory, unless there are very many lanes
	ending   time.Duration   // how long deliveries of one disabled subscription are ended while other lanes wait
	jitter   func() float64  // from 0 to 1
	recorded func()          // for tests: called when outcomes have been stored
	looked   func(id string) // for tests: called when a delivery has been looked up before its next attempt
}

// defaultTimeout is how long an attempt may take.
const defaultTimeout = 10 * time.Second

func (c *Config) setDefaults() {
	if c.Metrics == nil {
		c.Metrics = NewMetrics(nil)
	}
	if c.ready == 0 {
		c.ready = allReady
	}
	if c.ending == 0 {
		c.ending = 200 * time.Millisecond
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.Schedule == nil {
		c.Schedule = defaultSchedule
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

// Engine makes the deliveries of one node.
type Engine struct {
	cfg     Config
	http    *poster
	results *recorder

	mu         sync.Mutex
	lanes      map[string]*lane           // by subscription id
	ring       fair.Rounds[string, *lane] // the lanes that can go, by organization
	sleeping   laneHeap
	orgs       map[string]share
	inFlight   int
	starting   int // attempts under way whose request is not written yet
	unrecorded int // attempts that have ended and wait for the store
	bytes      int
	chores     fair.Rounds[string, *lane] // the lanes that need the store, by organization
	closed     bool
	node       string // the owner of the deliveries in memory
	lapsed     bool   // the lease ran out: the deliveries in memory may belong to another node
	sweeps     int
	polledAt   time.Time

	part.Bell            // wakes the sweeps
	alarm     part.Bell  // wakes the sleeper
	tending   *sync.Cond // signals new chores

	ctx    context.Context // ends when Stop is called
	cancel context.CancelFunc
	calls  context.Context // the context of attempts; ends when Stop has waited long enough
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

// Start begins to deliver, including the deliveries that an earlier process left.
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

// Stop ends the work. Attempts under way may go on until ctx ends. Unfinished deliveries stay in the table. Stop may be
// called more than once.
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

// Enqueue takes deliveries that were just committed. It never blocks: a delivery that does not fit stays in the table
// and is found later.
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

// offer puts a new delivery into its lane, unless earlier ones of the lane are only in the table.
func (e *Engine) offer(l *lane, j store.DeliveryJob) {
	if j.DueAt.After(l.backlog.horizon) {
		l.backlog.horizon = j.DueAt
	}
	if j.ReplayedFrom != "" {
		l.ask() // also if there is no room for the replay itself
	}
	switch {
	case e.closed || e.lapsed || j.Owner != e.node || l.held[j.ID] != nil:
	case l.parked() || l.backlog.state != inMemory || l.full() || e.bytes+len(j.Payload) > maxBytes || j.ID <= l.backlog.readTo:
		// If a refill has read past its id, the refill may have loaded the delivery, and it may be finished.
		l.backlog.note()
	default:
		e.hold(l, j)
	}
}

func (e *Engine) hold(l *lane, j store.DeliveryJob) {
	e.bytes += len(j.Payload)
	l.push(&job{DeliveryJob: j, lane: l, heldAt: e.cfg.Store.Moment()})
}

// forget drops a job from memory.
func (e *Engine) forget(j *job) {
	e.bytes -= len(j.Payload)
	delete(j.lane.held, j.ID)
	j.lane.backlog.dropped(j.ID)
}

// Changed tells the engine that a subscription changed, or that deliveries wait for it in the table.
func (e *Engine) Changed(orgID, id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.lane(orgID, id)
	l.changes++
	l.backlog.note()
	e.consider(l, e.cfg.Store.Moment())
}

// lane finds or makes the lane of a subscription.
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
