// Package sender sends queued messages to the provider: in order within a conversation, paced and isolated by number,
// and again after transient failures. A message is a row until the provider has accepted it, so a crash loses nothing.
// A message that a crash leaves in doubt is settled by the provider's callbacks before it is tried again.
package sender

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

const (
	// maxHeld bounds the jobs in memory; more stay in the table until there is room.
	maxHeld = 20_000
	// sweepEvery is how often the table is searched for due jobs that no node has in memory.
	sweepEvery = time.Second
	// orphanGrace is how long a job of a dead node waits, so that callbacks about messages it had already sent are
	// applied first. After a start the job waits for as long as nobody was there for the callbacks, because the provider
	// repeats them with growing pauses, but not for longer than mostGrace: a process that is killed again and again must
	// get on.
	orphanGrace = 3 * time.Second
	mostGrace   = 15 * time.Second
	// idleNumber is how long a number without work stays in memory.
	idleNumber = time.Minute
	// sendTimeout ends a call that the provider does not answer.
	sendTimeout = 30 * time.Second
)

// maxStarting is how many calls may be starting, which means that their request is not written yet. startTime is how
// long a call counts as starting at most. A call that waits to start waits in its organization's turn. Once started, it
// would compete with everything else in the process.
var maxStarting = 4 * runtime.GOMAXPROCS(0)

const startTime = 5 * time.Millisecond

// Config configures a sender.
type Config struct {
	Store *store.Store
	// Lease is this process's right to the jobs it works on.
	Lease    func() store.Lease
	Provider provider.Client
	// Token opens an account's sealed token.
	Token func(chat.Account) (string, error)
	// Media returns the provider's id of library media, uploading it when needed.
	Media func(ctx context.Context, n provider.Number, account chat.Account, mediaID string) (providerID, url string, err error)
	// ForgetMedia makes Media upload files anew that the provider may have deleted. It returns false if there are none.
	ForgetMedia func(ctx context.Context, account chat.Account, mediaIDs []string) (bool, error)
	// PerSecond is how many messages a number sends per second.
	PerSecond float64
	// Lateness tells how long work waited for a processor since the last call. Broadcasts slow down by it while people
	// send too; nil: they do not.
	Lateness func() time.Duration
	// MaxHeld and SweepEvery replace the defaults if they are not zero.
	MaxHeld    int
	SweepEvery time.Duration
	Metrics    *Metrics
	// Tracer records how long calls took; it may be nil.
	Tracer *tracing.Tracer
	Log    *slog.Logger
}

// Sender works on the jobs of one node.
type Sender struct {
	cfg     Config
	results *recorder
	reachMu sync.Mutex
	reach   fair.Reach[string]     // endpoints that are told of an outcome, by organization
	starts  *fair.Gate[store.Turn] // for calls whose request is not written yet
	manners courtesy
	answers *answers
	started store.Moment

	mu      sync.Mutex
	numbers map[string]*number       // by account id
	held    map[string]bool          // message ids in memory
	life    string                   // the node's name under which it owns the jobs in memory
	former  map[string]bool          // message ids under way since the node had another name
	loaded  map[string]store.Moment  // message ids read from the table, and when
	told    map[store.SendQueue]bool // conversations to read, see Recall
	caught  store.Moment             // when the callbacks of the time before the start have been applied
	closed  bool

	left map[string]bool // accounts and conversations with claimed jobs that are only in the table; used by sweepLoop only

	part.Bell           // wakes the sweeps, to look for messages that no node owns
	hear      part.Bell // wakes recallLoop
	ctx       context.Context
	cancel    context.CancelFunc
	work      sync.WaitGroup
}

// New makes a sender.
func New(cfg Config) *Sender {
	if cfg.Metrics == nil {
		cfg.Metrics = NewMetrics(nil)
	}
	cfg.MaxHeld, cfg.SweepEvery = cmp.Or(cfg.MaxHeld, maxHeld), cmp.Or(cfg.SweepEvery, sweepEvery)
	ctx, cancel := context.WithCancel(context.Background())
	return &Sender{
		cfg: cfg, numbers: map[string]*number{}, held: map[string]bool{}, life: cfg.Lease().Node,
		loaded: map[string]store.Moment{}, left: map[string]bool{}, told: map[store.SendQueue]bool{},
		starts: fair.NewGate[store.Turn](maxStarting), manners: courtesy{lateness: cfg.Lateness}, answers: newAnswers(cfg), reach: fair.NewReach[string](recordDeliveries / recordBatch),
		Bell: part.NewBell(), hear: part.NewBell(), ctx: ctx, cancel: cancel,
	}
}

// Start begins the work, including jobs that an earlier process left.
func (s *Sender) Start(context.Context) error {
	s.results, s.started = startRecorder(s), s.cfg.Store.Moment()
	s.work.Go(s.sweepLoop)
	s.work.Go(s.recallLoop)
	return nil
}

// Enqueue takes a job that was just committed. A job that does not fit stays in the table, and so do the jobs behind it
// in its conversation. A sweep takes them up in order.
func (s *Sender) Enqueue(account chat.Account, w store.SendWork) {
	if w.Message.Source != chat.SourceBroadcast {
		s.manners.noteOther(s.cfg.Store.Moment())
	}
	if !s.roomFor(account.ID) || w.Job.Gated && !s.gateOpen(w.Job) {
		return
	}
	if w.Job.Behind == "" || s.holds(w.Job.Behind) || s.finished(w.Job.OrgID, w.Job.Behind) {
		s.enqueue(account, s.queue(w))
		return
	}
	// Another node accepted the message before this one, or that message is on its way to Enqueue too.
	s.Recall(store.SendQueue{Owner: w.Job.Owner, OrgID: w.Job.OrgID, AccountID: account.ID, ConversationID: w.Job.ConversationID})
}

// queue gives a job that was just committed its moments. A job that was never tried is due since it was accepted. A job
// that was tried is due after the wait for that attempt at the latest. If its row says otherwise, the wall clock has
// been set back since the row was written.
func (s *Sender) queue(w store.SendWork) queued {
	now, accepted := s.cfg.Store.Moment(), s.cfg.Store.MomentOf(w.Message.CreatedAt)
	q := queued{SendWork: w, accepted: min(now, accepted), due: min(now, accepted), known: accepted}
	if accepted.After(now) {
		q.known = 0
	}
	if tried := w.Job.Attempts; tried > 0 {
		q.due = min(s.cfg.Store.MomentOf(w.Job.DueAt), now.Add(retryAfter[min(tried, len(retryAfter))-1]))
	}
	return q
}

// gateOpen tells whether a message accepted after a merge of conversations may go to its queue. The messages accepted
// before the merge may be in two queues.
func (s *Sender) gateOpen(job store.SendJob) bool {
	open, err := s.cfg.Store.Read(s.ctx).GateOpen(job)
	if err != nil {
		s.warn("the messages before one could not be looked up", err)
	}
	return open && err == nil
}

func (s *Sender) holds(messageID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[messageID]
}

// finished tells whether a job that existed a moment ago is gone.
func (s *Sender) finished(orgID, messageID string) bool {
	_, err := s.cfg.Store.Read(s.ctx).SendJobOwner(orgID, messageID)
	return errors.Is(err, store.ErrNotFound)
}

// enqueue reports false if there is no room, or if the job no longer belongs to this node.
func (s *Sender) enqueue(account chat.Account, w queued) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[account.ID]
	_, loaded := s.loaded[w.Job.MessageID]
	switch {
	case s.held[w.Job.MessageID], loaded && !w.known.IsZero(): // it may be finished by now
		return true
	case s.closed, w.Job.Owner != s.life, !s.room(n):
		return false
	case n == nil:
		n = newNumber(s, account)
		s.numbers[account.ID] = n
		s.work.Go(n.run)
	}
	s.held[w.Job.MessageID] = true
	if w.known.IsZero() {
		s.loaded[w.Job.MessageID] = s.cfg.Store.Moment()
	}
	n.held++
	n.add(account, w)
	return true
}

// roomFor tells whether a new job may go straight to memory. Once a number has had no room, its new jobs are left to
// the sweeps until half of its places are free, because most stand behind jobs that are in the table.
func (s *Sender) roomFor(accountID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[accountID]
	if n == nil {
		return s.room(nil)
	}
	n.overflows = !s.room(n) || n.overflows && n.held > s.cfg.MaxHeld/8
	return !n.overflows
}

// room tells whether one more job of a number may be in memory. A number takes at most a quarter of the places, so that
// one that cannot send does not fill them. When all places are taken, each number still has a few.
func (s *Sender) room(n *number) bool {
	held := 0
	if n != nil {
		held = n.held
	}
	if len(s.held) < s.cfg.MaxHeld && held < max(1, s.cfg.MaxHeld/4) {
		return true
	}
	return held < max(1, s.cfg.MaxHeld/200)
}

// release forgets a finished job.
func (s *Sender) release(n *number, messageID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, messageID)
	delete(s.former, messageID)
	n.held--
}

// retire ends a number that has no work. It reports false if work has come meanwhile, or if the number is still slowed
// down.
func (s *Sender) retire(n *number) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !n.spent() {
		return false
	}
	delete(s.numbers, n.accountID)
	return true
}

// Stop ends the work. Calls under way may go on until ctx ends. Unfinished jobs stay in the table.
func (s *Sender) Stop(ctx context.Context) {
	s.mu.Lock()
	stopped := s.closed
	s.closed = true
	s.mu.Unlock()
	if stopped {
		return
	}
	s.cancel()
	defer context.AfterFunc(ctx, s.results.hurry)()
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		s.results.stop()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done(): // the calls under way are still recorded if the process lives long enough and the store is available
	}
}

// AwaitRecorded waits until the outcomes that are known of these messages are written, as far as the store takes them.
// A callback about a message can come before that. Applied first, it would wait for the same rows, and cost more.
func (s *Sender) AwaitRecorded(ctx context.Context, messageIDs []string) {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	s.results.await(ctx, messageIDs)
}

func (s *Sender) warn(msg string, err error) {
	if s.ctx.Err() == nil {
		s.cfg.Log.Warn(msg, "error", err)
	}
}

// accountCache reads each account once.
type accountCache struct {
	store *store.Store
	ctx   context.Context
	seen  map[string]chat.Account
}

func (c *accountCache) get(orgID, id string) (chat.Account, error) {
	if a, ok := c.seen[id]; ok {
		return a, nil
	}
	a, err := c.store.Read(c.ctx).Account(orgID, id)
	if err == nil {
		if c.seen == nil {
			c.seen = map[string]chat.Account{}
		}
		c.seen[id] = a
	}
	return a, err
}
