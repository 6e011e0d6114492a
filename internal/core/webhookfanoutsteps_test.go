package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// errCrash is a crash of whoever makes steps.
const errCrash = "crash"

// record records an event about a subject.
func (w *world) record(kind chat.EventType, subject string) (e chat.Event) {
	w.T.Helper()
	w.InTx(func(tx *store.Tx) error {
		e = newEvent(tx, w.Org.ID, kind, subject)
		return core.Record(tx, e)
	})
	return e
}

func newEvent(tx *store.Tx, orgID string, kind chat.EventType, subject string) chat.Event {
	id := tx.NewID(chat.KindEvent)
	return chat.Event{ID: id, OrgID: orgID, EventID: id, Type: kind, Source: chat.SourceService, Subject: subject, Payload: []byte("{}"), CreatedAt: tx.Now()}
}

// crash lets fn run on a node that dies at the first commit that hands deliveries over.
func (w *world) crash(fn func()) {
	w.T.Helper()
	w.Store.HandTo(func(h *store.Hands) {
		h.Node = func() string { return mediaNode }
		h.Deliver = func([]store.DeliveryJob) { panic(errCrash) }
	})
	defer func() {
		if died := recover(); died != errCrash {
			w.T.Errorf("it did not die: %v", died)
		}
		w.serve()
	}()
	fn()
}

// serve makes the world's store that of a process that delivers.
func (w *world) serve() {
	w.Store.HandTo(func(h *store.Hands) {
		h.Node, h.Deliver = func() string { return mediaNode }, func([]store.DeliveryJob) {}
	})
}

// crashAfter is record on a node that dies with the first deliveries written.
func (w *world) crashAfter(subject string) (e chat.Event) {
	w.T.Helper()
	w.crash(func() {
		w.InTx(func(tx *store.Tx) error {
			e = newEvent(tx, w.Org.ID, chat.EventContactCreated, subject)
			return core.Record(tx, e)
		})
	})
	return e
}

// sweep finishes what was left.
func (w *world) sweep() {
	w.T.Helper()
	w.Must(core.FinishFanOuts(context.Background(), w.Store))
	w.requireFanOuts(0)
}

func (w *world) requireFanOuts(want int) {
	w.T.Helper()
	left, err := w.Read().FanOutsAfter(store.FanOut{}, 1000)
	w.Must(err)
	if len(left) != want {
		w.T.Errorf("%d fan-outs are left: %+v", len(left), left)
	}
}

// subscribeMany subscribes endpoints to everything. Their order is that of their ids.
func (w *world) subscribeMany(n int) (all []chat.WebhookSubscription) {
	w.T.Helper()
	w.InTx(func(tx *store.Tx) error {
		all = nil
		for i := range n {
			s := chat.WebhookSubscription{
				OrgID: w.Org.ID, ID: tx.NewID(chat.KindSubscription), URL: fmt.Sprint("https://hooks.example/", i),
				Events: []string{"*"}, Status: chat.WebhookActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			all = append(all, s)
			if err := tx.InsertWebhookSubscription(s); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// deliveriesOf are a subscription's deliveries, oldest first.
func (w *world) deliveriesOf(s chat.WebhookSubscription) []chat.WebhookDelivery {
	w.T.Helper()
	page, err := w.Read().WebhookDeliveries(w.Org.ID, store.DeliveryFilter{SubscriptionID: s.ID}, store.Page{Limit: 1000})
	w.Must(err)
	slices.Reverse(page.Rows)
	return page.Rows
}

// requireEvents compares the events that a subscription gets, in their order.
func (w *world) requireEvents(s chat.WebhookSubscription, want ...chat.Event) {
	w.T.Helper()
	var got, ids []string
	for _, d := range w.deliveriesOf(s) {
		got = append(got, d.EventRow)
	}
	for _, e := range want {
		ids = append(ids, e.ID)
	}
	if !slices.Equal(got, ids) {
		w.T.Errorf("%s gets %v, want %v", s.URL, got, ids)
	}
}

// eachInSteps runs a test in a world whose deliveries are written in steps.
func eachInSteps(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Parallel()
	clock := storetest.NewClock()
	w := newWorld(t, storetest.Open(t, storetest.SQLite, storetest.WithClock(clock)), clock)
	w.serve()
	test(w)
}

// All deliveries of an event are there when its request is answered, however many there are, and each was handed over.
func TestManyDeliveriesAreThereAtTheAnswer(t *testing.T) {
	eachWorld(t, func(w *world) {
		var handed []string
		w.Store.HandTo(func(h *store.Hands) {
			h.Node = func() string { return mediaNode }
			h.Deliver = func(jobs []store.DeliveryJob) {
				for _, j := range jobs {
					if string(j.Payload) != "{}" || j.Owner != mediaNode {
						w.T.Errorf("handed over: %+v", j)
					}
					handed = append(handed, j.SubscriptionID+j.EventRow)
				}
			}
		})
		all := w.subscribeMany(100)
		first, second := w.record(chat.EventContactCreated, "a"), w.record(chat.EventContactCreated, "a")
		w.requireFanOuts(0)
		for i, s := range all {
			w.requireEvents(s, first, second)
			if handed[i] != s.ID+first.ID || handed[100+i] != s.ID+second.ID {
				w.T.Errorf("%s is handed over otherwise", s.URL)
			}
		}
	})
}

// What is left when a node dies is finished later, in the order of the events: those about the same subject queue up
// behind it, and others do not.
func TestLeftFanOutsAreFinished(t *testing.T) {
	eachInSteps(t, func(w *world) {
		all := w.subscribeMany(40)
		first := w.crashAfter("a")
		w.requireFanOuts(1)
		w.requireEvents(all[core.AtOnce-1], first)
		w.requireEvents(all[core.AtOnce])
		other := w.record(chat.EventContactCreated, "b")
		w.requireFanOuts(1)
		w.requireEvents(all[39], other)
		second := w.record(chat.EventContactCreated, "a") // whoever waits for it finishes the first too
		w.requireFanOuts(0)
		w.requireEvents(all[0], first, other, second)
		w.requireEvents(all[39], other, first, second)
	})
}

// A command beside the server leaves to it what the command's event is behind: deliveries that the command wrote would not
// be handed over, and a later event would overtake them.
func TestCommandsLeaveFanOutsToTheServer(t *testing.T) {
	t.Parallel()
	place, clock := storetest.NewConfig(t, storetest.SQLite), storetest.NewClock()
	w := newWorld(t, storetest.OpenAt(t, place, storetest.WithClock(clock)), clock)
	command := storetest.OpenAt(t, place, storetest.WithClock(clock))
	all := w.subscribeMany(40)
	first, second := w.crashAfter("a"), chat.Event{}
	storetest.InTx(t, command, func(tx *store.Tx) error {
		second = newEvent(tx, w.Org.ID, chat.EventContactCreated, "a")
		return core.Record(tx, second)
	})
	w.requireFanOuts(2)
	handed := map[string][]string{} // events by subscription
	w.Store.HandTo(func(h *store.Hands) {
		h.Deliver = func(jobs []store.DeliveryJob) {
			for _, j := range jobs {
				handed[j.SubscriptionID] = append(handed[j.SubscriptionID], j.EventRow)
			}
		}
	})
	third := w.record(chat.EventContactCreated, "a")
	w.requireFanOuts(0)
	w.requireEvents(all[39], first, second, third)
	if got := handed[all[39].ID]; !slices.Equal(got, []string{first.ID, second.ID, third.ID}) {
		w.T.Errorf("the last endpoint's deliveries are handed over as %v", got)
	}
}

// A transaction with many events leaves the deliveries of the last ones to steps, while several organizations come.
func TestTransactionsWithManyEvents(t *testing.T) {
	place, clock := storetest.NewConfig(t, storetest.SQLite), storetest.NewClock()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, storetest.OpenAt(t, place, storetest.WithClock(clock)), clock)
		w.serve()
		all := w.subscribeMany(10)
		var events []chat.Event
		record := func() (written int) {
			w.InTx(func(tx *store.Tx) error {
				events, written = nil, 0
				for i := range 20 {
					events = append(events, newEvent(tx, w.Org.ID, chat.EventContactCreated, fmt.Sprint(i)))
					if err := core.Record(tx, events[i]); err != nil {
						return err
					}
				}
				written = tx.Delivered(w.Org.ID)
				return nil
			})
			return written
		}
		if written := record(); written != 200 {
			w.T.Errorf("%d deliveries were written at once while nobody else came", written)
		}
		before := events
		for _, org := range []string{"one", "other"} {
			w.Must(w.Store.InGroup(store.WithTurn(t.Context(), store.Turn{OrgID: org}), store.Foresight{}, func(*store.Tx) error { return nil }))
		}
		if written := record(); written < 64 || written > 80 {
			w.T.Errorf("%d deliveries were written at once", written)
		}
		w.requireFanOuts(0)
		w.requireEvents(all[0], append(before, events...)...)
		w.requireEvents(all[9], append(before, events...)...)
	})
}

// Whoever makes more events than can be delivered in time goes on without the rest, which is kept for a sweep. What comes
// later waits behind it.
func TestTooManyDeliveriesAreLeft(t *testing.T) {
	t.Parallel()
	place, clock := storetest.NewConfig(t, storetest.SQLite), storetest.NewClock()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, storetest.OpenAt(t, place, storetest.WithClock(clock)), clock)
		all := w.subscribeMany(40)
		w.Store.HandTo(func(h *store.Hands) { // it takes seconds until a step is done
			h.Node, h.Deliver = func() string { return mediaNode }, func([]store.DeliveryJob) { <-time.After(5 * time.Second) }
		})
		var events []chat.Event
		begin := time.Now()
		w.InTx(func(tx *store.Tx) error {
			events = nil
			for i := range 40 {
				events = append(events, newEvent(tx, w.Org.ID, chat.EventContactCreated, fmt.Sprint(i)))
				if err := core.Record(tx, events[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("it took %v", took)
		}
		w.serve()
		w.requireEvents(all[0], events...)
		last := w.record(chat.EventContactCreated, "39")
		got := w.deliveriesOf(all[39])
		if n := len(got); n < 3 || n > 20 || got[n-2].EventRow != events[39].ID || got[n-1].EventRow != last.ID {
			t.Errorf("before the sweep the last endpoint gets %d deliveries, or others in the end", n)
		}
		w.sweep()
		if n := len(w.deliveriesOf(all[39])); n != 41 {
			t.Errorf("in the end the last endpoint has %d deliveries", n)
		}
	})
}

// An event waits behind an earlier one about its subject, although hardly anybody is left to whom they go.
func TestFewReceiversWaitForTheirTurn(t *testing.T) {
	eachInSteps(t, func(w *world) {
		all := w.subscribeMany(20)
		first := w.crashAfter("a")
		for _, s := range all[:18] {
			w.InTx(func(tx *store.Tx) error { return core.DeleteWebhookSubscription(tx, w.Org.ID, s.ID) })
		}
		second := w.record(chat.EventContactCreated, "a")
		w.requireFanOuts(0)
		w.requireEvents(all[19], first, second)
	})
}

// The receivers of what is left are those that existed when the event was recorded, as they are now.
func TestLeftFanOutsGoToThoseOfThen(t *testing.T) {
	eachInSteps(t, func(w *world) {
		all := w.subscribeMany(40)
		w.crashAfter("a")
		w.patch(all[20], func(s *chat.WebhookSubscription) { s.Status = chat.WebhookPaused })
		w.patch(all[21], func(s *chat.WebhookSubscription) { s.Status = chat.WebhookDisabled })
		w.patch(all[22], func(s *chat.WebhookSubscription) { s.Events = []string{"message.received"} })
		w.InTx(func(tx *store.Tx) error { return core.DeleteWebhookSubscription(tx, w.Org.ID, all[23].ID) })
		w.Clock.Advance(time.Second)
		late := w.subscribe("late", nil, "*")
		w.sweep()
		for name, c := range map[string]struct {
			s    chat.WebhookSubscription
			want []chat.DeliveryStatus
		}{
			"active": {all[39], []chat.DeliveryStatus{chat.DeliveryPending}}, "paused": {all[20], []chat.DeliveryStatus{chat.DeliveryPending}},
			"disabled": {all[21], []chat.DeliveryStatus{chat.DeliveryDead}}, "other events": {all[22], nil}, "deleted": {all[23], nil}, "late": {late, nil},
		} {
			var got []chat.DeliveryStatus
			for _, d := range w.deliveriesOf(c.s) {
				got = append(got, d.Status)
			}
			if !slices.Equal(got, c.want) {
				w.T.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	})
}

// Fan-outs that came with a store that was moved are finished on either engine.
func TestMovedFanOutsAreFinished(t *testing.T) {
	eachWorld(t, func(w *world) {
		all := w.subscribeMany(60)
		var first, second chat.Event
		w.InTx(func(tx *store.Tx) error {
			first, second = newEvent(tx, w.Org.ID, chat.EventContactCreated, "a"), newEvent(tx, w.Org.ID, chat.EventContactCreated, "a")
			nobody := func(context.Context, *store.Store, []store.FanOut) {}
			return errors.Join(tx.InsertEvent(first), tx.InsertEvent(second),
				tx.Postpone(store.FanOut{OrgID: w.Org.ID, Subject: "a", Seq: 1, Event: first.ID, Done: all[9].ID, Last: all[49].ID}, nobody),
				tx.Postpone(store.FanOut{OrgID: w.Org.ID, Subject: "a", Seq: 2, Event: second.ID, Last: all[59].ID}, nobody),
				tx.Postpone(store.FanOut{OrgID: w.Org.ID, Subject: "a", Seq: 3, Event: "evt_gone", Last: all[59].ID}, nobody))
		})
		w.sweep()
		w.requireEvents(all[9], second)
		w.requireEvents(all[10], first, second)
		w.requireEvents(all[49], first, second)
		w.requireEvents(all[50], second)
	})
}

// An event whose content is removed meanwhile, or that has grown old, stays until its deliveries are written, and those
// that are written then send nothing.
func TestLeftFanOutsOfRemovedEvents(t *testing.T) {
	eachInSteps(t, func(w *world) {
		all := w.subscribeMany(40)
		w.crash(func() { w.Apply(w.Text("wamid.1", secret)) })
		w.InTx(func(tx *store.Tx) error {
			_, err := tx.PurgeMessages(w.Org.ID, tx.Now().Add(time.Hour), 1000)
			return err
		})
		w.InTx(func(tx *store.Tx) error {
			_, err := tx.PurgeEvents(w.Org.ID, "", tx.Now().Add(time.Hour), 1000)
			return err
		})
		if n := w.telling(); n > 0 {
			w.T.Errorf("%d events still tell it", n)
		}
		w.sweep()
		dead := 0
		for _, d := range w.deliveriesOf(all[39]) {
			if d.Status == chat.DeliveryDead && d.EndedBy != nil && *d.EndedBy == chat.DeliveryPayloadRemoved {
				dead++
			}
		}
		if dead == 0 {
			w.T.Errorf("the last endpoint has %+v", w.deliveriesOf(all[39]))
		}
	})
}

// TestDeliveriesInStepsEqualThoseAtOnce records random events for random subscriptions at the same time, on nodes that die
// between steps. In the end each subscription has exactly what it had had if everything were written at once.
func TestDeliveriesInStepsEqualThoseAtOnce(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, st, clock)
		r := &stepRun{world: w, dies: rapid.SliceOfN(rapid.IntRange(0, 3), 64, 64).Draw(rt, "dies")}
		r.subscribeSome(rt)
		r.Store.HandTo(func(h *store.Hands) { h.Node, h.Deliver = func() string { return mediaNode }, r.deliver })
		var recorders sync.WaitGroup
		for range rapid.IntRange(1, 4).Draw(rt, "recorders") {
			script := rapid.SliceOfN(rapid.Custom(drawEvents), 1, 6).Draw(rt, "script")
			recorders.Go(func() { r.record(script) })
		}
		recorders.Wait()
		r.dies = nil
		w.sweep()
		r.check(rt)
	})
}

var stepTypes = []chat.EventType{chat.EventContactCreated, chat.EventMessageReceived, chat.EventMessageSent}

// about is an event of the property test.
type about struct {
	kind    chat.EventType
	subject string
}

// drawEvents draws the events of a transaction.
func drawEvents(t *rapid.T) []about {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) about {
		return about{rapid.SampledFrom(stepTypes).Draw(t, "type"), rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "subject")}
	}), 1, 4).Draw(t, "events")
}

// stepRun is a run of the property test.
type stepRun struct {
	*world
	all []chat.WebhookSubscription

	mu       sync.Mutex
	dies     []int // 0: whoever hands over next dies
	recorded []chat.Event
	handed   map[string]int // by delivery
}

func (r *stepRun) subscribeSome(t *rapid.T) {
	r.handed = map[string]int{}
	r.all = r.subscribeMany(rapid.IntRange(1, 70).Draw(t, "subscriptions"))
	events := rapid.SampledFrom([][]string{{"*"}, {"*"}, {"contact.created"}, {"message.sent", "contact.created"}})
	status := rapid.SampledFrom([]chat.WebhookStatus{chat.WebhookActive, chat.WebhookActive, chat.WebhookPaused, chat.WebhookDisabled})
	for i := range r.all {
		r.all[i].Events, r.all[i].Status = events.Draw(t, "events"), status.Draw(t, "status")
		r.InTx(func(tx *store.Tx) error { return tx.UpdateWebhookSubscription(r.all[i]) })
	}
}

// deliver takes deliveries, or dies after it has.
func (r *stepRun) deliver(jobs []store.DeliveryJob) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range jobs {
		r.handed[j.ID]++
	}
	if len(r.dies) > 0 {
		dies := r.dies[0] == 0
		if r.dies = r.dies[1:]; dies {
			panic(errCrash)
		}
	}
}

// record records the events of some transactions, however often it dies.
func (r *stepRun) record(script [][]about) {
	for _, events := range script {
		func() {
			defer func() {
				if died := recover(); died != nil && died != errCrash {
					panic(died)
				}
			}()
			var made []chat.Event
			err := r.Store.InTx(context.Background(), func(tx *store.Tx) error {
				made = nil
				for _, about := range events {
					e := newEvent(tx, r.Org.ID, about.kind, about.subject)
					if err := core.Record(tx, e); err != nil {
						return err
					}
					made = append(made, e)
				}
				// Nobody else writes until the commit, so that this is the order of the commits.
				r.mu.Lock()
				defer r.mu.Unlock()
				r.recorded = append(r.recorded, made...)
				return nil
			})
			if err != nil {
				r.T.Errorf("record: %v", err)
			}
		}()
	}
}

// check compares the deliveries of each subscription with those that it would have had at once.
func (r *stepRun) check(t *rapid.T) {
	statuses := map[chat.WebhookStatus]chat.DeliveryStatus{
		chat.WebhookActive: chat.DeliveryPending, chat.WebhookPaused: chat.DeliveryPending, chat.WebhookDisabled: chat.DeliveryDead,
	}
	for _, s := range r.all {
		want, got := map[string][]string{}, map[string][]string{}
		for _, e := range r.recorded {
			if s.Wants(e.Type, "") {
				want[e.Subject] = append(want[e.Subject], e.ID)
			}
		}
		for _, d := range r.deliveriesOf(s) {
			got[d.Subject] = append(got[d.Subject], d.EventRow)
			if d.Status != statuses[s.Status] || (r.handed[d.ID] == 1) != (s.Status == chat.WebhookActive) {
				t.Errorf("a delivery to a subscription that is %s is %s, handed over %d times", s.Status, d.Status, r.handed[d.ID])
			}
		}
		for _, subject := range []string{"", "a", "b", "c"} {
			if !slices.Equal(got[subject], want[subject]) {
				t.Errorf("of %q it gets\n%v\nwant\n%v", subject, got[subject], want[subject])
			}
		}
	}
}
