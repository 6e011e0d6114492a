package webhook

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// One healthy endpoint beside ten that hang: all its deliveries arrive while the others still hang.
func TestIsolation(t *testing.T) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		defer close(release)
		var hanging []*sink
		for range 10 {
			s := w.sink(func(http.ResponseWriter, *http.Request) { <-release })
			hanging = append(hanging, s)
			w.deliver(w.subscribe(s.URL), slices.Repeat([]string{""}, 100)...)
		}
		for _, s := range hanging { // each of them has as many attempts under way as it may
			for range startConcurrency {
				w.next(s)
			}
		}
		healthy := w.sink()
		sub := w.subscribe(healthy.URL)
		var ids []string
		for range 5 {
			ids = append(ids, w.deliver(sub, slices.Repeat([]string{""}, 40)...)...)
		}
		for range ids {
			w.next(healthy)
		}
		for _, id := range ids {
			w.ends(id, chat.DeliverySucceeded)
		}
		for _, s := range hanging {
			w.quiet(s)
		}
	})
}

// Deliveries that do not fit into memory stay in the table and still arrive: once, and in order.
func TestOverflow(t *testing.T) {
	onEachEngine(t, func(w *world) {
		gate := make(chan struct{})
		s := w.sink(func(http.ResponseWriter, *http.Request) { <-gate })
		sub := w.subscribe(s.URL)
		var ids []string
		want := map[string][]string{}
		for i := range 10 {
			subjects := slices.Repeat([]string{"a", "b", "c", "d", "e"}, 10)
			for j, id := range w.deliver(sub, subjects...) {
				ids = append(ids, id)
				want[subjects[j]] = append(want[subjects[j]], id)
			}
			if i == 5 {
				w.engine.mu.Lock()
				if l := w.engine.lanes[sub.ID]; len(l.held) > leastReady+maxConcurrency || l.readyCount() > leastReady {
					w.t.Errorf("%d are in memory", len(l.held))
				}
				w.engine.mu.Unlock()
				close(gate)
			}
		}
		got := map[string][]string{}
		for range ids {
			c := w.next(s)
			subject := c.body[strings.LastIndexByte(c.body, ':')+2:][:1]
			got[subject] = append(got[subject], c.header.Get("X-Svc-Delivery-Id"))
		}
		for subject := range want {
			if !slices.Equal(got[subject], want[subject]) {
				w.t.Errorf("%s: got\n%v, want\n%v", subject, got[subject], want[subject])
			}
		}
		for _, id := range ids {
			w.ends(id, chat.DeliverySucceeded)
		}
		w.idle(w.engine)
		w.quiet(s)
		w.holdsNothing(sub.ID)
	})
}

// holdsNothing expects that no delivery of the only subscription is in memory, nor counted there.
func (w *world) holdsNothing(subscription string) {
	w.t.Helper()
	w.engine.mu.Lock()
	defer w.engine.mu.Unlock()
	if w.engine.bytes != 0 || len(w.engine.lanes[subscription].held) != 0 {
		w.t.Errorf("%d bytes are in memory", w.engine.bytes)
	}
}

// A failed first attempt does not block the deliveries behind it. A retry goes behind first attempts.
func TestOrderOfASubject(t *testing.T) {
	onEachEngine(t, func(w *world) {
		var mu sync.Mutex
		refuse := map[string]bool{}
		s := w.sink(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if refuse[r.Header.Get("X-Svc-Delivery-Id")] {
				rw.WriteHeader(http.StatusBadRequest)
			}
		})
		sub := w.subscribe(s.URL)
		mu.Lock()
		ids := w.deliver(sub, "a", "a", "a")
		refuse[ids[0]] = true
		mu.Unlock()
		for _, id := range ids {
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("got %s, want %s", got, id)
			}
		}
		w.ends(ids[2], chat.DeliverySucceeded)
		w.ends(ids[0], chat.DeliveryFailed)
	})
}

// What an earlier process has left about a subject goes before what comes to a lane that nobody has looked into yet.
func TestOrderBehindWhatWasLeft(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.fromElsewhere()
		ids := w.deliver(sub, "a")
		w.deliverTo(w.engine)
		ids = append(ids, w.deliver(sub, "a")...)
		for _, id := range ids {
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("got %s, want %s", got, id)
			}
			w.ends(id, chat.DeliverySucceeded)
		}
	})
}

// After five failures the breaker allows only probes, and the deliveries behind it lose no attempts.
func TestBreaker(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 8)...) // one at a time
		for _, id := range ids[:5] {
			w.next(s)
			w.ends(id, chat.DeliveryFailed)
		}
		w.idle(w.engine)
		w.quiet(s)
		// The probes are first attempts that wait. They go before the retries that are due by now.
		for i, wait := range []time.Duration{5 * time.Second, 10 * time.Second} {
			w.advance(wait - time.Millisecond)
			w.idle(w.engine)
			w.quiet(s)
			w.advance(time.Millisecond)
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != ids[5+i] {
				w.t.Fatalf("probe %d is %s", i, got)
			}
			w.ends(ids[5+i], chat.DeliveryFailed)
			w.idle(w.engine)
		}
		if d := w.row(ids[7]); d.Status != chat.DeliveryPending || d.AttemptCount != 0 {
			w.t.Errorf("what waits was charged: %+v", d)
		}
		s.answers(status(http.StatusOK))
		w.advance(20 * time.Second) // the third probe, and then all others
		for _, id := range ids {
			w.ends(id, chat.DeliverySucceeded)
		}
		w.idle(w.engine)
		w.holdsNothing(sub.ID)
	})
}

// A lane raises how many attempts may be under way only while they all are. A probe leaves alone, and an endpoint that is
// mended, or another one, is not met with all that was allowed before.
func TestConcurrencyOfALane(t *testing.T) {
	b := breaker{limit: startConcurrency}
	leave := func(n int) {
		for range n {
			b.left()
		}
	}
	expect := func(after string, limit int) {
		t.Helper()
		if b.limit != limit {
			t.Errorf("after %s the limit is %d, want %d", after, b.limit, limit)
		}
	}
	leave(1)
	b.judge(good, 1)
	expect("a success that had room", startConcurrency)
	for want := startConcurrency + 1; want <= 2*startConcurrency; want++ {
		leave(b.limit - b.inFlight)
		b.judge(good, 1)
		expect("a success that had no room", want)
	}
	for b.inFlight > 0 {
		b.judge(failed, 1)
	}
	expect("failures that say nothing about the load", 2*startConcurrency)
	if b.state != open || b.lets(b.openUntil-1) || !b.lets(b.openUntil) {
		t.Fatalf("after %d failures in a row the breaker is %+v", b.row, b)
	}
	leave(1)
	if b.lets(b.openUntil) {
		t.Error("a second job may leave beside a probe")
	}
	b.judge(good, b.openUntil)
	expect("a probe that succeeded", startConcurrency)
	leave(2)
	b.judge(choking, 1)
	b.judge(choking, 1)
	expect("two time-outs", minConcurrency)
	b.revive()
	expect("a change of the endpoint", startConcurrency)
}

// Whoever changes the address of an endpoint that fails does not wait for the next probe of the old one.
func TestNewAddressClosesTheBreaker(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s, mended := w.sink(status(http.StatusInternalServerError)), w.sink()
		sub, ids := w.broken(s)
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &mended.URL})
		if got := w.next(mended).header.Get("X-Svc-Delivery-Id"); got != ids[6] {
			w.t.Errorf("got %s, want %s", got, ids[6])
		}
		w.ends(ids[6], chat.DeliverySucceeded)
		w.idle(w.engine)
		w.quiet(s)
	})
}

// What waits behind the breaker is shown with the instant at which it can leave.
func TestBreakerIsShown(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 8)...)
		for _, id := range ids[:5] {
			w.next(s)
			w.ends(id, chat.DeliveryFailed)
		}
		w.idle(w.engine)
		w.expects(ids[7], 5*time.Second)
		w.expects(ids[0], defaultSchedule[0]) // its own wait is longer
		w.advance(5 * time.Second)
		w.next(s)
		w.ends(ids[5], chat.DeliveryFailed)
		w.idle(w.engine)
		w.expects(ids[7], 10*time.Second)
		w.expects(ids[0], 10*time.Second) // due in five seconds, when the endpoint is still spared

		replay := w.replayOne(ids[1])
		w.next(s)
		w.ends(replay, chat.DeliveryFailed)
		w.idle(w.engine)
		w.expects(ids[7], 5*time.Second) // the waits begin anew

		paused, active := chat.WebhookPaused, chat.WebhookActive
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: &paused})
		if d := w.shown(ids[7]); d.NextAttemptAt != nil {
			w.t.Errorf("while the subscription is paused, the next attempt is shown for %v", d.NextAttemptAt)
		}
		w.idle(w.engine)
		s.answers(status(http.StatusOK))
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: &active})
		w.ends(ids[7], chat.DeliverySucceeded)
		w.await("the sparing to end", func() bool { return w.subscription(sub.ID).Spared == chat.Spared{} })
	})
}

// A success that comes while an earlier failure waits for the store ends the streak: it is stored after the failure.
func TestSuccessIsStoredAfterTheFailureBeforeIt(t *testing.T) {
	onEachEngine(t, func(w *world) {
		g := newGate(w)
		sub := w.subscribe(g.URL)
		first := w.deliver(sub, "a")[0]
		w.visit(g)[0].answer <- http.StatusBadRequest
		w.ends(first, chat.DeliveryFailed)
		w.deliver(sub, "b", "c", "d")
		visits := w.visit(g, 3)
		reached, released := make(chan struct{}), make(chan struct{})
		release := sync.OnceFunc(func() { close(released) })
		defer release()
		w.InTx(func(tx *store.Tx) error { // holds up what changes the subscription
			_, err := tx.WebhookSubscription(w.Org.ID, sub.ID)
			visits[0].answer <- http.StatusOK
			w.unstored(1, 0)
			visits[1].answer <- http.StatusBadRequest
			w.unstored(2, 1)
			w.stored.Store(new(sync.OnceFunc(func() {
				close(reached)
				<-released
			})))
			return err
		})
		<-reached // the first success is stored, the failure waits
		visits[2].answer <- http.StatusOK
		w.unstored(2, 2)
		release()
		w.idle(w.engine)
		if s := w.subscription(sub.ID); s.ConsecutiveFailures != 0 || s.Spared != (chat.Spared{}) {
			w.t.Errorf("after a success: %d failures, spared %+v", s.ConsecutiveFailures, s.Spared)
		}
	})
}

// visit waits until so many attempts have reached the gate, one if nothing is said.
func (w *world) visit(g *gate, n ...int) (came []*visit) {
	w.t.Helper()
	want := append(n, 1)[0]
	w.await("a visit", func() bool {
		came = append(came, g.visits("/")...)
		return len(came) >= want
	})
	return came
}

// unstored waits until so many outcomes are not stored, so many of which no writer has taken.
func (w *world) unstored(all, waiting int) {
	w.t.Helper()
	e := w.engine
	w.await("outcomes that are not stored", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.results.mu.Lock()
		defer e.results.mu.Unlock()
		return e.unrecorded == all && e.results.waiting.Len() == waiting
	})
}

// An endpoint that asks for a wait beside a success is spared, and shown so.
func TestWaitBesideASuccessIsShown(t *testing.T) {
	onEachEngine(t, func(w *world) {
		g := newGate(w)
		sub := w.subscribe(g.URL)
		ids := w.deliver(sub, "a", "b")
		visits := w.visit(g, 2)
		slices.SortFunc(visits, func(a, b *visit) int { return strings.Compare(a.id, b.id) })
		visits[0].answer <- http.StatusTooManyRequests
		w.ends(ids[0], chat.DeliveryFailed)
		visits[1].answer <- http.StatusOK
		w.ends(ids[1], chat.DeliverySucceeded)
		w.idle(w.engine)
		w.expects(w.deliver(sub, "c")[0], tooManyWait)
		w.idle(w.engine)
		if n := g.waiting("/"); n != 0 {
			w.t.Errorf("%d attempts came, although the endpoint asked for a wait", n)
		}
	})
}

// shown is a delivery as people see it.
func (w *world) shown(id string) chat.WebhookDeliveryDetail {
	w.t.Helper()
	d, err := core.WebhookDelivery(w.Store.Read(context.Background()), w.Org.ID, id)
	w.Must(err)
	return d
}

// expects checks how long from now the next attempt of a delivery is shown.
func (w *world) expects(id string, wait time.Duration) {
	w.t.Helper()
	if d := w.shown(id); d.NextAttemptAt == nil || !d.NextAttemptAt.Equal(w.Store.Now().Add(wait)) {
		w.t.Errorf("at %v the next attempt is shown for %v, want %v later", w.Store.Now(), d.NextAttemptAt, wait)
	}
}

// Whoever replays a delivery is not made to wait for the breaker: the replay is the probe. If it fails, the waits begin
// anew; if it succeeds, everything behind the breaker follows.
func TestReplayIsTheProbe(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		_, ids := w.broken(s)
		w.failsAsProbe(s, w.replayOne(ids[0]))
		s.answers(status(http.StatusOK))
		second := w.replayOne(ids[1])
		w.ends(second, chat.DeliverySucceeded)
		w.ends(ids[6], chat.DeliverySucceeded)
	})
}

// Nothing leaves in a replay's place while the replay is read from the table, as it is if a sweep found something at the
// same time.
func TestReplayFromTheTableIsTheProbe(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub, ids := w.broken(s)
		w.engine.mu.Lock()
		w.engine.lanes[sub.ID].backlog.note()
		w.engine.mu.Unlock()
		w.failsAsProbe(s, w.replayOne(ids[0]))
	})
}

// failsAsProbe expects a replay to be the only probe of an endpoint that fails.
func (w *world) failsAsProbe(s *sink, replay string) {
	w.t.Helper()
	if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != replay {
		w.t.Fatalf("the probe is %s, want the replay %s", got, replay)
	}
	w.ends(replay, chat.DeliveryFailed)
	w.idle(w.engine)
	w.quiet(s)
}

// broken makes seven deliveries to an endpoint that fails. The breaker is open, the first probe has failed too, and the
// next would leave after ten seconds. The seventh delivery has not been tried.
func (w *world) broken(s *sink) (sub chat.WebhookSubscription, ids []string) {
	w.t.Helper()
	sub = w.subscribe(s.URL)
	ids = w.deliver(sub, slices.Repeat([]string{"a"}, 7)...)
	for _, id := range ids[:5] {
		w.next(s)
		w.ends(id, chat.DeliveryFailed)
	}
	w.idle(w.engine)
	w.advance(5 * time.Second)
	w.next(s)
	w.ends(ids[5], chat.DeliveryFailed)
	w.idle(w.engine)
	return sub, ids
}

// A bulk replay is found in the table, and probes at once too.
func TestBulkReplayIsTheProbe(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 5)...)
		for _, id := range ids {
			w.next(s)
			w.ends(id, chat.DeliveryFailed)
		}
		w.idle(w.engine)
		s.answers(status(http.StatusOK))
		w.InTx(func(tx *store.Tx) error {
			_, err := core.ReplayDeliveries(tx, w.Org.ID, store.ReplayFilter{DeliveryFilter: store.DeliveryFilter{SubscriptionID: sub.ID, Status: chat.DeliveryFailed}})
			return err
		})
		w.await("the replays to arrive", func() bool { return len(w.succeeded(sub.ID)) == len(ids) })
	})
}

// replayOne replays a delivery as the API does.
func (w *world) replayOne(id string) (replay string) {
	w.t.Helper()
	w.InTx(func(tx *store.Tx) error {
		d, err := core.ReplayDelivery(tx, w.Org.ID, id)
		replay = d.ID
		return err
	})
	return replay
}

func (w *world) succeeded(subscription string) []chat.WebhookDelivery {
	w.t.Helper()
	found, err := w.Store.Read(context.Background()).WebhookDeliveries(w.Org.ID, store.DeliveryFilter{SubscriptionID: subscription, Status: chat.DeliverySucceeded}, store.Page{Limit: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	return found.Rows
}

func TestRetryAfterHoldsTheLane(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "100")
			rw.WriteHeader(http.StatusServiceUnavailable)
		})
		sub := w.subscribe(s.URL)
		id := w.deliver(sub, "a")[0]
		w.next(s)
		d := w.ends(id, chat.DeliveryFailed)
		if !d.NextAttemptAt.Equal(w.Store.Now().Add(100 * time.Second)) {
			w.t.Errorf("it is due at %v", d.NextAttemptAt)
		}
		behind := w.deliver(sub, "b")[0]
		w.expects(behind, 100*time.Second)
		s.answers(status(http.StatusOK))
		w.advance(99 * time.Second)
		w.idle(w.engine)
		w.quiet(s)
		w.advance(time.Second)
		w.ends(behind, chat.DeliverySucceeded)
		w.ends(id, chat.DeliverySucceeded)
	})
}

// crowd gives an organization the given number of lanes, each with as many deliveries as a lane may have under way.
func (w *world) crowd(orgID, url string, lanes int) {
	e := w.engine
	now := w.Store.Moment()
	for i := range lanes {
		l := e.lane(orgID, fmt.Sprintf("wbs_%s_%02d", orgID, i))
		l.endpoint, l.limit = &endpoint{url: parseURL(w.t, url), status: chat.WebhookActive}, maxConcurrency
		for j := range leastReady {
			e.hold(l, store.DeliveryJob{OrgID: orgID, ID: fmt.Sprintf("wbd_%s_%02d_%02d", orgID, i, j), SubscriptionID: l.id, CreatedAt: w.Store.Now()})
		}
		e.consider(l, now)
	}
	e.dispatch(now)
}

func (w *world) awaitInFlight(orgID string, n int) {
	w.t.Helper()
	w.await(fmt.Sprintf("%d attempts of %s under way", n, orgID), func() bool {
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		return w.engine.orgs[orgID].inFlight == n
	})
}

// One organization has at most its share while another waits.
func TestOrganizationShare(t *testing.T) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		defer close(release)
		e := w.engine
		hangs := w.sink(func(http.ResponseWriter, *http.Request) { <-release })
		e.mu.Lock()
		w.crowd("org_greedy", hangs.URL, 40)
		e.mu.Unlock()
		w.awaitInFlight("org_greedy", orgAlone)
		// Other organizations come and find room at once, however much was taken.
		e.mu.Lock()
		w.crowd("org_other", hangs.URL, 4)
		e.mu.Unlock()
		w.awaitInFlight("org_other", maxInFlight-orgAlone)
		e.mu.Lock()
		defer e.mu.Unlock()
		if got := e.orgs["org_greedy"].inFlight; got != orgAlone || e.inFlight != maxInFlight {
			w.t.Errorf("%d are under way, %d of them the greedy one's", e.inFlight, got)
		}
	})
}

// An organization with one lane does not wait behind all forty lanes of another.
func TestOrganizationsTakeTurnsToBegin(t *testing.T) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		defer close(release)
		e := w.engine
		hangs := w.sink(func(http.ResponseWriter, *http.Request) { <-release })
		e.mu.Lock()
		defer e.mu.Unlock()
		w.crowd("org_greedy", hangs.URL, 40)
		if got := e.orgs["org_greedy"].inFlight; got != maxStarting {
			w.t.Fatalf("%d have begun at once, not %d", got, maxStarting)
		}
		w.crowd("org_other", hangs.URL, 1)
		for range 4 { // they begin, one at a time
			e.starting--
			e.dispatch(w.Store.Moment())
		}
		e.starting += 4
		if other, greedy := e.orgs["org_other"].inFlight, e.orgs["org_greedy"].inFlight; other != 2 || greedy != maxStarting+2 {
			w.t.Errorf("of the next four, %d were the other's and %d the greedy one's", other, greedy-maxStarting)
		}
	})
}

// An organization whose outcomes wait for the store does not hold back another's deliveries.
func TestUnrecordedOutcomesHoldUpTheirOwn(t *testing.T) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		defer close(release)
		e := w.engine
		hangs := w.sink(func(http.ResponseWriter, *http.Request) { <-release })
		e.mu.Lock()
		defer e.mu.Unlock()
		e.orgs["org_greedy"] = share{unrecorded: orgUnrecorded}
		e.unrecorded = orgUnrecorded
		w.crowd("org_greedy", hangs.URL, 2)
		w.crowd("org_other", hangs.URL, 1)
		if other, greedy := e.orgs["org_other"].inFlight, e.orgs["org_greedy"].inFlight; other == 0 || greedy != 0 {
			w.t.Errorf("%d of the other's are under way, and %d of the one that waits for the store", other, greedy)
		}
	})
}

// A lane without work leaves memory, unless its endpoint is failing: the lane knows which warnings were given.
func TestIdleLanesLeaveMemory(t *testing.T) {
	onEachEngine(t, func(w *world) {
		healthy, failing := w.subscribe(w.sink().URL), w.subscribe(w.sink(status(http.StatusNotFound)).URL)
		w.ends(w.deliver(healthy, "a")[0], chat.DeliverySucceeded)
		w.settles(w.deliver(failing, "a")[0], 1)
		w.idle(w.engine)
		w.advance(pollOverlap + time.Second) // the poll reports once more that they are new
		w.advance(time.Second)
		w.idle(w.engine)
		w.Clock.Advance(2 * idleLane)
		w.engine.mu.Lock()
		w.engine.sweeps = 59 // they are only looked for on some sweeps
		w.engine.mu.Unlock()
		w.notice(w.engine)
		w.idle(w.engine)
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		if w.engine.lanes[healthy.ID] != nil || w.engine.lanes[failing.ID] == nil {
			w.t.Errorf("in memory are %v", w.engine.lanes)
		}
	})
}

// A few lanes have much of the room in memory, and many have little each.
func TestRoomOfALane(t *testing.T) {
	e := &Engine{cfg: Config{ready: allReady}, lanes: map[string]*lane{}}
	for lanes, want := range map[int]int{1: mostReady, 32: mostReady, 128: 128, 256: leastReady, 5000: leastReady} {
		for i := range lanes {
			e.lanes[fmt.Sprint(i)] = nil
		}
		if room := e.room(); room != want {
			t.Errorf("of %d lanes each has room for %d, want %d", lanes, room, want)
		}
		clear(e.lanes)
	}
}
