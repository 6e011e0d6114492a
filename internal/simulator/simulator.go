package simulator

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

// Simulator answers and calls back as the upstream would. It is an http.Handler; Start runs the part that acts on its
// own.
type Simulator struct {
	cfg   Config
	log   *slog.Logger
	ids   names.Source
	sched *scheduler

	accounts  *accounts
	tokens    *tokens
	people    *people
	messages  *messageStore
	windows   *recent.Map[recent.Pair, int64]
	stops     *recent.Map[recent.Pair, bool]
	flaky     *recent.Map[recent.Pair, int]
	uploads   *recent.Map[recent.Key, *upload]
	codes     *recent.Map[recent.Key, authCode]
	grants    *recent.Map[recent.Key, grant]
	callbacks *callbacks
	media     *files.Store
	scripts   *scripts
	phones    *Phones
	keeper    *keeper

	plans    atomic.Pointer[planSet]
	faults   atomic.Pointer[Faults]
	allow    atomic.Pointer[map[string]bool]
	counters counters
	opaque   *opaqueCounter
	routes   map[string]route

	mu      sync.Mutex
	cancel  context.CancelFunc
	workers sync.WaitGroup
	// stopped ends requests that hang on purpose.
	stopped context.Context
	stop    context.CancelFunc
}

// New makes a simulator. It answers requests at once; callbacks wait for Start.
func New(cfg Config) *Simulator {
	cfg = cfg.withDefaults()
	s := &Simulator{
		cfg: cfg, log: cfg.Log, ids: names.Source{Seed: cfg.Seed},
		accounts: newAccounts(), tokens: newTokens(), people: newPeople(), scripts: &scripts{},
		messages: newMessageStore(cfg.MaxMessages), media: files.NewStore(maxFiles),
		windows: recent.New[recent.Pair, int64](1_000_000), stops: recent.New[recent.Pair, bool](200_000),
		flaky: recent.New[recent.Pair, int](100_000), uploads: recent.New[recent.Key, *upload](10_000),
		codes: recent.New[recent.Key, authCode](10_000), grants: recent.New[recent.Key, grant](10_000),
		opaque: newOpaqueCounter(),
	}
	s.sched = newScheduler(s.now)
	s.phones = newPhones(s)
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.callbacks = newCallbacks(s)
	s.routes = s.routeTable()
	s.restore()
	s.keeper = newKeeper(s, cfg.Folder)
	s.keeper.load()
	return s
}

// Reset puts everything back to the start: accounts, people, messages, scheduled events, counters.
func (s *Simulator) Reset() {
	s.sched.clear()
	for _, part := range []interface{ Reset() }{
		s.callbacks, s.accounts, s.tokens, s.people, s.scripts, s.messages, s.media, s.windows, s.stops, s.flaky,
		s.uploads, s.codes, s.grants, s.opaque, s.phones, &s.counters,
	} {
		part.Reset()
	}
	s.restore()
	s.keeper.mark()
}

// restore adds what exists from the start.
func (s *Simulator) restore() {
	s.plans.Store(newPlanSet(*s.cfg.Delays))
	s.faults.Store(&Faults{})
	s.setAllowList(nil)
	s.addDemoPerson()
}

func (s *Simulator) now() time.Time { return s.cfg.Now() }

// Start runs the workers until Stop is called.
func (s *Simulator) Start(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return nil
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.workers.Go(func() { s.sched.loop(ctx, s.handle) })
	s.callbacks.Start(ctx, &s.workers)
	s.workers.Go(func() { s.keeper.loop(ctx) })
	return nil
}

// Stop ends the workers and waits for them. Undelivered callbacks are lost, and so is everything that Config.Folder
// does not keep.
func (s *Simulator) Stop(context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	if s.cancel != nil {
		s.cancel()
		s.workers.Wait()
		s.keeper.saveOrWarn()
	}
}

// handle runs one event of the scheduler. It must not block.
func (s *Simulator) handle(e event) {
	if e.msg != nil {
		s.advance(e.msg, e.step, time.Unix(0, e.at))
		return
	}
	e.run(time.Unix(0, e.at))
}

// ServeHTTP answers the wire protocol, the signup pages and the control API.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, "") }

// Under serves the simulator below a path of another server. Addresses in its answers then have that path.
func (s *Simulator) Under(prefix string) http.Handler {
	return http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, prefix) }))
}

func (s *Simulator) serve(w http.ResponseWriter, r *http.Request, prefix string) {
	path := trimVersion(strings.Trim(r.URL.Path, "/"))
	if rest, found := strings.CutPrefix(path, "_sim"); found && (rest == "" || rest[0] == '/') {
		s.serveControl(w, r, strings.Trim(rest, "/"))
		return
	}
	s.serveCall(&call{Request: r, sim: s, w: w, path: path, prefix: prefix})
}

func (s *Simulator) serveCall(c *call) { s.write(c.w, s.dispatch(c)) }

// trimVersion drops a leading segment like v25.0.
func trimVersion(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	if len(first) < 2 || first[0] != 'v' {
		return path
	}
	for _, r := range first[1:] {
		if (r < '0' || r > '9') && r != '.' {
			return path
		}
	}
	return rest
}
