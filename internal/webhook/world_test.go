package webhook

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// patience is how long a test waits for anything before it gives up.
const patience = 30 * time.Second

// world is a store with an engine that delivers from it to sinks.
type world struct {
	*worldtest.World
	t      *testing.T
	engine *Engine
	log    *loggingtest.Book

	recorded part.Bell
	leases   sync.Map                        // leases of nodes, if the test sets them
	looked   atomic.Pointer[func(id string)] // called when a delivery has been looked up before a retry
	stored   atomic.Pointer[func()]          // called when outcomes have been stored, before more of the endpoint's are
}

// onEachEngine runs a test on a store of each kind with a clock that stands still.
func onEachEngine(t *testing.T, test func(w *world)) {
	t.Helper()
	worldtest.Each(t, func(t *testing.T, common *worldtest.World) {
		w := &world{World: common, t: t, log: &loggingtest.Book{}, recorded: part.NewBell()}
		w.engine = w.start("node_1")
		test(w)
	})
}

// loopback allows connections to this machine, for the sinks.
func loopback() *netguard.Guard {
	return netguard.New(netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
}

// start starts an engine. The last engine started gets the new deliveries of the store.
func (w *world) start(node string) *Engine {
	w.t.Helper()
	cfg := Config{
		ready:  1,  // so that a lane soon has more than fits into memory
		ending: -1, // so that each step is a turn of its own
		Store:  w.Store, Guard: loopback(), Log: w.log.Logger(), jitter: func() float64 { return 0 },
		Timeout:    10 * time.Minute, // no test waits for a timeout, and none may happen by chance
		OpenSecret: func(s chat.WebhookSecret) (string, error) { return s.Sealed, nil },
		recorded: func() {
			w.recorded.Wake()
			if stored := w.stored.Load(); stored != nil {
				(*stored)()
			}
		},
		looked: func(id string) {
			if looked := w.looked.Load(); looked != nil {
				(*looked)(id)
			}
		},
		Lease: func() store.Lease {
			if lease, ok := w.leases.Load(node); ok {
				return lease.(store.Lease)
			}
			return store.LeaseForGood(node)
		},
	}
	w.Alive(node)
	e := New(cfg)
	w.Must(e.Start(context.Background()))
	w.t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		e.Stop(ctx)
	})
	w.deliverTo(e)
	w.Store.HandTo(func(h *store.Hands) { h.Subscription, h.CallOff = e.Changed, e.CallOff })
	return e
}

// deliverTo makes an engine take the deliveries that are made from now on.
func (w *world) deliverTo(e *Engine) {
	w.Store.HandTo(func(h *store.Hands) { h.Node, h.Deliver = func() string { return e.cfg.Lease().Node }, e.Enqueue })
}

// deafen hides changes from the engines here, as if another process made them.
func (w *world) deafen() { w.Store.HandTo(func(h *store.Hands) { h.Subscription = nil }) }

// fromElsewhere makes new deliveries without an owner here, as if another process made them.
func (w *world) fromElsewhere() { storetest.OwnedBy(w.Store, "") }

// subscribe makes an active subscription of a URL with one secret.
func (w *world) subscribe(url string) chat.WebhookSubscription { return w.subscribeFor(w.Org.ID, url) }

func (w *world) subscribeFor(orgID, url string) chat.WebhookSubscription {
	w.t.Helper()
	var s chat.WebhookSubscription
	w.InTx(func(tx *store.Tx) error {
		s = chat.WebhookSubscription{
			ID: tx.NewID(chat.KindSubscription), OrgID: orgID, URL: url, Events: []string{chat.AllEvents}, Status: chat.WebhookActive,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		if err := tx.InsertWebhookSubscription(s); err != nil {
			return err
		}
		return tx.InsertWebhookSecret(chat.WebhookSecret{
			ID: tx.NewID(chat.KindSecret), OrgID: orgID, SubscriptionID: s.ID, Sealed: "whsec_one", CreatedAt: tx.Now(),
		})
	})
	return s
}

// event is an event about a subject. It is not stored yet.
func event(tx *store.Tx, orgID, subject string) chat.Event {
	id := tx.NewID(chat.KindEvent)
	return chat.Event{
		ID: id, OrgID: orgID, EventID: id, Type: chat.EventContactUpdated, Source: chat.SourceService, Subject: subject,
		Payload: []byte(`{"id":"` + id + `","subject":"` + subject + `"}`), CreatedAt: tx.Now(),
	}
}

// deliver stores an event about each subject, with a delivery to the subscription, all at once.
func (w *world) deliver(s chat.WebhookSubscription, subjects ...string) (ids []string) {
	w.t.Helper()
	w.InTx(func(tx *store.Tx) error {
		ids = nil
		for _, subject := range subjects {
			e := event(tx, s.OrgID, subject)
			if err := tx.InsertEvent(e); err != nil {
				return err
			}
			j := jobOf(tx, s, e)
			ids = append(ids, j.ID)
			if err := tx.InsertDelivery(j); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

func jobOf(tx *store.Tx, s chat.WebhookSubscription, e chat.Event) store.DeliveryJob {
	return store.DeliveryJob{
		OrgID: s.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: s.ID, EventRow: e.ID, EventID: e.EventID, EventType: e.Type,
		Source: e.Source, Subject: e.Subject, Payload: e.Payload, DueAt: tx.Now(), CreatedAt: tx.Now(),
	}
}

func (w *world) row(id string) chat.WebhookDeliveryDetail {
	w.t.Helper()
	d, err := w.Read().WebhookDeliveryDetail(w.Org.ID, id)
	w.Must(err)
	return d
}

func (w *world) subscription(id string) chat.WebhookSubscription {
	w.t.Helper()
	s, err := w.Read().WebhookSubscription(w.Org.ID, id)
	w.Must(err)
	return s
}

// patch changes a subscription as its owner would.
func (w *world) patch(id string, p chat.WebhookSubscriptionPatch) {
	w.t.Helper()
	w.InTx(func(tx *store.Tx) error {
		before, err := tx.WebhookSubscription(w.Org.ID, id)
		if err != nil {
			return err
		}
		after, _, err := p.Apply(before)
		if err != nil {
			return err
		}
		after.UpdatedAt = tx.Now()
		return tx.UpdateWebhookSubscription(after)
	})
}

// await waits until a condition on the stored data holds.
func (w *world) await(what string, holds func() bool) {
	w.t.Helper()
	give := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond) // for changes that no outcome announces
	defer tick.Stop()
	for !holds() {
		select {
		case <-w.recorded:
		case <-tick.C:
		case <-give:
			w.t.Fatalf("%s did not come about; the log:\n%s", what, w.log)
		}
	}
}

// ends waits until a delivery has a status, and returns it.
func (w *world) ends(id string, status chat.DeliveryStatus) chat.WebhookDeliveryDetail {
	w.t.Helper()
	var d chat.WebhookDeliveryDetail
	w.await(id+" "+string(status), func() bool {
		d = w.row(id)
		return d.Status == status
	})
	return d
}

// settles waits until the n-th attempt of a delivery has been stored.
func (w *world) settles(id string, n int64) chat.WebhookDeliveryDetail {
	w.t.Helper()
	var d chat.WebhookDeliveryDetail
	w.await("an attempt of "+id, func() bool {
		d = w.row(id)
		return d.AttemptCount == n
	})
	return d
}

// idle waits until nothing is under way, neither to endpoints nor to the store.
func (w *world) idle(e *Engine) {
	w.t.Helper()
	w.await("rest", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		busy := e.inFlight > 0 || e.chores.Len() > 0
		for _, l := range e.lanes {
			busy = busy || l.seat.chores || len(l.held) > l.readyCount()+len(l.waiting)
		}
		return !busy
	})
}

// tended waits until no lane needs the store, whatever is under way to endpoints.
func (w *world) tended() {
	w.t.Helper()
	w.await("lanes that need no store", func() bool {
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		for _, l := range w.engine.lanes {
			if l.seat.chores {
				return false
			}
		}
		return true
	})
}

// advance moves the clock and makes the engine notice.
func (w *world) advance(d time.Duration) {
	w.t.Helper()
	w.Clock.Advance(d)
	w.notice(w.engine)
}

func (w *world) notice(e *Engine) {
	w.t.Helper()
	w.Must(e.Sweep(context.Background()))
	e.wakeLanes()
}

// call is a request as a sink received it.
type call struct {
	header http.Header
	body   string
	path   string
}

// sink is an endpoint.
type sink struct {
	*httptest.Server
	calls chan call

	mu     sync.Mutex
	answer http.HandlerFunc
}

// sink starts an endpoint that answers as told, with 200 at first.
func (w *world) sink(answer ...http.HandlerFunc) *sink {
	w.t.Helper()
	s := &sink{calls: make(chan call, 10_000), answer: func(http.ResponseWriter, *http.Request) {}}
	if len(answer) > 0 {
		s.answer = answer[0]
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a body that was cut off does not match when it is compared
		s.calls <- call{r.Header.Clone(), string(body), r.URL.Path}
		s.mu.Lock()
		answer := s.answer
		s.mu.Unlock()
		answer(rw, r)
	}))
	w.t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// answers changes how the endpoint answers.
func (s *sink) answers(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func status(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }
}

// next waits for the next request.
func (w *world) next(s *sink) call {
	w.t.Helper()
	select {
	case c := <-s.calls:
		return c
	case <-time.After(patience):
		w.t.Fatalf("no request came; the log:\n%s", w.log)
		return call{}
	}
}

// quiet checks that no request has come that the test has not seen.
func (w *world) quiet(s *sink) {
	w.t.Helper()
	select {
	case c := <-s.calls:
		w.t.Fatalf("an unexpected request: %v", c)
	default:
	}
}

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
