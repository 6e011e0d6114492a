package webhook

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// histories is how many histories are tried on each engine.
var histories = map[string]int64{"sqlite": 40, "postgres": 12}

// Deliveries are attempted, answered, replayed, paused and resumed, in any order and on either of two nodes. No attempt
// of a delivery begins once its replay was answered, attempts under way are recorded as they ended, and every event
// arrives.
func TestReplaysCallOff(t *testing.T) {
	onEachEngine(t, func(w *world) {
		gate := newGate(w)
		nodes := []*Engine{w.engine, w.start("node_2")}
		var tried atomic.Int64
		var failing atomic.Bool
		rapid.Check(w.t, func(rt *rapid.T) {
			if tried.Add(1) > histories[w.Store.Engine()] && !failing.Load() {
				return
			}
			failing.Store(true) // until the run has ended: after a failure it is tried again, with a smaller case
			m := newReplayModel(rt, w, gate, nodes, fmt.Sprint("/", tried.Load()))
			defer gate.openAll()
			rt.Repeat(map[string]func(*rapid.T){
				"deliver": m.deliver, "answer": m.answer, "wait": m.wait, "replay": m.replay, "bulk replay": m.bulkReplay, "pause": m.pause,
			})
			m.finish()
			failing.Store(false)
		})
	})
}

// replayModel is what the test knows about the deliveries of one subscription.
type replayModel struct {
	rt     *rapid.T
	w      *world
	gate   *gate
	path   string // the subscription's path at the gate
	nodes  []*Engine
	sub    chat.WebhookSubscription
	known  map[string]*followed
	order  []string // ids, oldest first
	flying []*visit
}

// followed is a delivery and what has happened to it.
type followed struct {
	answers   []int64 // the answers to all attempts, in order
	flying    bool
	calledOff bool
}

func newReplayModel(rt *rapid.T, w *world, gate *gate, nodes []*Engine, path string) *replayModel {
	m := &replayModel{rt: rt, w: w, gate: gate, path: path, nodes: nodes, known: map[string]*followed{}, sub: w.subscribe(gate.URL + path)}
	// The first node is the one that answers API requests. The second has to find their effects by itself.
	w.Store.HandTo(func(h *store.Hands) { h.Subscription, h.CallOff = nodes[0].Changed, nodes[0].CallOff })
	return m
}

// deliver makes a node deliver another event.
func (m *replayModel) deliver(rt *rapid.T) {
	e := m.nodes[rapid.IntRange(0, 1).Draw(rt, "node")]
	m.w.deliverTo(e)
	m.w.deliver(m.sub, "")
	m.w.deliverTo(m.nodes[0])
	m.settle()
}

// answer ends an attempt that is under way.
func (m *replayModel) answer(rt *rapid.T) {
	if len(m.flying) == 0 {
		rt.Skip("nothing is under way")
	}
	i := rapid.IntRange(0, len(m.flying)-1).Draw(rt, "which")
	m.end(i, rapid.SampledFrom([]int64{200, 500, 500, 404}).Draw(rt, "status"))
	m.settle()
}

func (m *replayModel) end(i int, status int64) {
	v := m.flying[i]
	m.flying = append(m.flying[:i:i], m.flying[i+1:]...)
	d := m.known[v.id]
	d.answers, d.flying = append(d.answers, status), false
	v.answer <- int(status)
}

// wait lets some time pass.
func (m *replayModel) wait(rt *rapid.T) {
	m.pass(rapid.SampledFrom([]time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, 10 * time.Minute}).Draw(rt, "time"))
}

func (m *replayModel) pass(d time.Duration) {
	m.w.Clock.Advance(d)
	for _, e := range m.nodes {
		m.w.notice(e)
	}
	m.settle()
}

// replay replays one delivery.
func (m *replayModel) replay(rt *rapid.T) {
	if len(m.order) == 0 {
		rt.Skip("there is nothing to replay")
	}
	id := rapid.SampledFrom(m.order).Draw(rt, "which")
	before := m.w.row(id)
	if before.Status == chat.DeliveryPending {
		rt.Skip("it was not attempted yet")
	}
	storetest.InTx(m.w.t, m.w.Store, func(tx *store.Tx) error {
		_, err := core.ReplayDelivery(tx, m.sub.OrgID, id)
		return err
	})
	m.expectCalledOff(before.WebhookDelivery)
	m.settle()
}

// bulkReplay replays all failed deliveries.
func (m *replayModel) bulkReplay(*rapid.T) {
	failed := store.DeliveryFilter{SubscriptionID: m.sub.ID, Status: chat.DeliveryFailed}
	before := m.list(failed)
	storetest.InTx(m.w.t, m.w.Store, func(tx *store.Tx) error {
		done, err := core.ReplayDeliveries(tx, m.sub.OrgID, store.ReplayFilter{DeliveryFilter: failed})
		if err == nil && done.Enqueued != len(before) {
			m.rt.Fatalf("%d were replayed, %d had failed", done.Enqueued, len(before))
		}
		return err
	})
	for _, d := range before {
		m.expectCalledOff(d)
	}
	m.settle()
}

// expectCalledOff checks a delivery after its replay.
func (m *replayModel) expectCalledOff(before chat.WebhookDelivery) {
	if before.Status != chat.DeliveryFailed {
		return
	}
	m.known[before.ID].calledOff = true
	m.requireCalledOff(m.w.row(before.ID))
}

func (m *replayModel) requireCalledOff(d chat.WebhookDeliveryDetail) {
	code, message := d.Failure()
	if d.Status != chat.DeliveryDead || d.NextAttemptAt != nil || code == nil || *code != "replayed" || *message == "" {
		m.rt.Fatalf("what was replayed is %+v", d)
	}
}

// pause makes all deliveries wait in the table, and resumes them once they do.
func (m *replayModel) pause(*rapid.T) {
	status := chat.WebhookPaused
	if m.w.subscription(m.sub.ID).Status == chat.WebhookPaused {
		status = chat.WebhookActive
	}
	m.w.patch(m.sub.ID, chat.WebhookSubscriptionPatch{Status: &status})
	m.pass(time.Second)
}

// finish lets everything arrive, and checks the stored deliveries.
func (m *replayModel) finish() {
	m.w.patch(m.sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookActive)})
	for open := true; open; {
		for len(m.flying) > 0 {
			m.end(0, 200)
		}
		m.pass(25 * time.Hour)
		open = len(m.flying) > 0 || len(m.list(store.DeliveryFilter{SubscriptionID: m.sub.ID, Status: chat.DeliveryPending})) > 0 ||
			len(m.list(store.DeliveryFilter{SubscriptionID: m.sub.ID, Status: chat.DeliveryFailed})) > 0
	}
	arrived := map[string]bool{} // by event id
	for _, id := range m.order {
		d := m.w.row(id)
		m.requireTruth(d, m.known[id])
		arrived[d.EventID] = arrived[d.EventID] || d.Status == chat.DeliverySucceeded
	}
	for event, ok := range arrived {
		if !ok {
			m.rt.Fatalf("%s was never delivered", event)
		}
	}
}

// requireTruth checks that all attempts of a delivery are stored as they ended.
func (m *replayModel) requireTruth(d chat.WebhookDeliveryDetail, f *followed) {
	var stored []int64
	for _, a := range d.Attempts() {
		stored = append(stored, *a.ResponseStatus)
		if (*a.ResponseStatus == 200) != (a.ErrorCode == nil) {
			m.rt.Fatalf("of %s an attempt was answered %d and says %v", d.ID, *a.ResponseStatus, a.ErrorCode)
		}
	}
	if !slices.Equal(stored, f.answers) || d.AttemptCount != int64(len(f.answers)) || d.NextAttemptAt != nil {
		m.rt.Fatalf("%s was answered %v, stored are %v: %+v", d.ID, f.answers, stored, d)
	}
	if n := len(f.answers); n > 0 && f.answers[n-1] == 200 {
		if d.Status != chat.DeliverySucceeded {
			m.rt.Fatalf("%s has arrived and is %s", d.ID, d.Status)
		}
		return
	}
	if f.calledOff {
		m.requireCalledOff(d)
	}
}

// settle waits until the nodes have nothing more to do, and notes the new attempts.
func (m *replayModel) settle() {
	m.w.await("rest", m.atRest)
	for _, d := range m.list(store.DeliveryFilter{SubscriptionID: m.sub.ID}) {
		if m.known[d.ID] == nil {
			m.known[d.ID] = &followed{}
			m.order = append(m.order, d.ID)
		}
	}
	for _, v := range m.gate.visits(m.path) {
		d := m.known[v.id]
		if d.calledOff || d.flying {
			m.rt.Fatalf("an attempt of %s began: it was replayed before (%v), or is under way (%v)", v.id, d.calledOff, d.flying)
		}
		d.flying = true
		m.flying = append(m.flying, v)
	}
}

func (m *replayModel) atRest() bool {
	flying := 0
	for _, e := range m.nodes {
		e.mu.Lock()
		l := e.lanes[m.sub.ID]
		busy := l != nil && (l.seat.chores || len(l.held) != l.readyCount()+len(l.waiting)+l.inFlight)
		if l != nil {
			flying += l.inFlight
		}
		e.mu.Unlock()
		if busy {
			return false
		}
	}
	return flying == len(m.flying)+m.gate.waiting(m.path)
}

func (m *replayModel) list(f store.DeliveryFilter) []chat.WebhookDelivery {
	page, err := m.w.Read().WebhookDeliveries(m.sub.OrgID, f, store.Page{Limit: 1000})
	if err != nil {
		m.rt.Fatal(err)
	}
	return page.Rows
}

// If a replay is answered after the delivery was looked up and before its attempt began, the attempt is not made.
func TestCallOffAtTheLastMoment(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		old := w.deliver(sub, "")[0]
		w.next(s)
		w.settles(old, 1)
		w.idle(w.engine)
		replayed := make(chan string, 1)
		replay := func(id string) {
			w.looked.Store(nil)
			var d chat.WebhookDeliveryDetail
			w.InTx(func(tx *store.Tx) (err error) {
				d, err = core.ReplayDelivery(tx, sub.OrgID, id)
				return err
			})
			replayed <- d.ID
		}
		w.looked.Store(&replay)
		s.answers(status(http.StatusOK))
		w.advance(10 * time.Second)
		again := <-replayed
		if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != again {
			w.t.Errorf("%s was attempted, want the replay %s", got, again)
		}
		w.ends(again, chat.DeliverySucceeded)
		w.idle(w.engine)
		w.quiet(s)
		if d := w.row(old); d.Status != chat.DeliveryDead || *d.EndedBy != chat.DeliveryReplayed || d.AttemptCount != 1 || *d.ErrorCode != codeHTTP {
			w.t.Errorf("what was replayed is %+v", d)
		}
	})
}

// If the store cannot tell whether a delivery is still due, it is not attempted, but read again, and what is about the same
// subject does not go before it.
func TestNothingIsAttemptedUnseen(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s, e := w.sink(), w.engine
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(s)
		w.idle(e)
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		calls := e.calls
		e.mu.Lock()
		e.lanes[sub.ID].hold(w.Store.Moment().Add(freshFor))
		e.calls = gone
		e.mu.Unlock()
		ids := w.deliver(sub, "a", "a")
		var looked []string
		w.looked.Store(new(func(id string) {
			looked = append(looked, id)
			e.calls = calls // only the first look fails
		}))
		w.advance(freshFor)
		for _, id := range ids {
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("got %s, want %s", got, id)
			}
			w.ends(id, chat.DeliverySucceeded)
		}
		if len(looked) == 0 || looked[0] != ids[0] {
			w.t.Errorf("looked for were %v, want first %s", looked, ids[0])
		}
	})
}
