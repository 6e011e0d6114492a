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
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A healthy endpoint beside ten that hang: everything of its own arrives while they still hang.
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
		for _, s := range hanging { // every one of them has all it may have
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

// More than fits into memory stays in the table, and arrives all the same: once, and in order.
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
				if l := w.engine.lanes[sub.ID]; len(l.held) > maxReady+maxConcurrency || l.readyCount() > maxReady {
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
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		if w.engine.bytes != 0 || len(w.engine.lanes[sub.ID].held) != 0 {
			w.t.Errorf("%d bytes are in memory", w.engine.bytes)
		}
	})
}

// A failed first attempt does not block what comes behind it; a retry comes behind first attempts.
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

// The breaker: after five failures nothing is attempted but probes, and those behind it are not charged.
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
		// The probes are the first attempts that wait, before the retries that are due by now.
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
		w.advance(20 * time.Second) // the third probe, and then all
		for _, id := range ids {
			w.ends(id, chat.DeliverySucceeded)
		}
	})
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
		if !d.NextAttemptAt.Equal(w.st.Now().Add(100 * time.Second)) {
			w.t.Errorf("it is due at %v", d.NextAttemptAt)
		}
		behind := w.deliver(sub, "b")[0]
		s.answers(status(http.StatusOK))
		w.advance(99 * time.Second)
		w.idle(w.engine)
		w.quiet(s)
		w.advance(time.Second)
		w.ends(behind, chat.DeliverySucceeded)
		w.ends(id, chat.DeliverySucceeded)
	})
}

// 410: dead at once, the subscription is disabled, and what waits for it ends with the reason.
func TestGone(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		later := w.deliver(sub, "a")[0]
		w.ends(later, chat.DeliveryFailed)
		s.answers(status(http.StatusGone))
		id := w.deliver(sub, "b")[0]
		if d := w.ends(id, chat.DeliveryDead); *d.ErrorCode != codeGone || *d.ResponseStatus != 410 {
			w.t.Errorf("the delivery is %+v", d)
		}
		if d := w.ends(later, chat.DeliveryDead); *d.ErrorCode != chat.DeliverySubscriptionDisabled {
			w.t.Errorf("what waited is %+v", d)
		}
		got := w.subscription(sub.ID)
		if got.Status != chat.WebhookDisabled || *got.DisabledReason != "endpoint_gone" {
			w.t.Errorf("the subscription is %+v", got)
		}
		// Re-enabled, it delivers again, and what is replayed as well.
		s.answers(status(http.StatusOK))
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookActive)})
		w.ends(w.deliver(sub, "c")[0], chat.DeliverySucceeded)
		w.replay(sub, id)
	})
}

// replay delivers what is dead once more, as a bulk replay does: without an owner at first.
func (w *world) replay(sub chat.WebhookSubscription, id string) {
	w.t.Helper()
	old := w.row(id)
	var again store.DeliveryJob
	storetest.InTx(w.t, w.st, func(tx *store.Tx) error {
		again = store.DeliveryJob{
			OrgID: sub.OrgID, ID: tx.NewID(chat.KindDelivery), SubscriptionID: sub.ID, EventRow: old.EventRow, EventID: old.EventID,
			EventType: old.EventType, DueAt: tx.Now(), ReplayedFrom: id, CreatedAt: tx.Now(),
		}
		tx.SubscriptionChanged(sub.OrgID, sub.ID)
		return tx.HoldDelivery(again)
	})
	d := w.ends(again.ID, chat.DeliverySucceeded)
	if string(d.Payload) != string(old.Payload) || *d.ReplayedFrom != id {
		w.t.Errorf("the replay is %+v", d)
	}
}

// Twenty-four failures disable, if the first is more than 72 hours old.
func TestDisabledAfterAWeekend(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		var got chat.WebhookSubscription
		for i := 0; i < 40 && got.Status != chat.WebhookDisabled; i++ {
			id := w.deliver(sub, fmt.Sprint(i))[0]
			w.advance(3*time.Hour + time.Minute)
			w.await("an attempt", func() bool { return w.row(id).AttemptCount > 0 || w.row(id).Status == chat.DeliveryDead })
			w.idle(w.engine)
			got = w.subscription(sub.ID)
			long := got.ConsecutiveFailures >= 24 && w.st.Now().Sub(*got.FailingSince) > 72*time.Hour
			if disabled := got.Status == chat.WebhookDisabled; disabled != long {
				w.t.Fatalf("after %v: %+v", w.st.Now().Sub(*got.FailingSince), got)
			}
		}
		if got.Status != chat.WebhookDisabled || *got.DisabledReason != "consecutive_failures" {
			w.t.Fatalf("the subscription is %+v", got)
		}
		w.await("no open deliveries", func() bool {
			lanes, err := w.st.Read(context.Background()).DeliveryLanes("", "", 10)
			return err == nil && len(lanes) == 0
		})
		for _, warning := range []string{"keeps failing", "was disabled"} {
			if !strings.Contains(w.log.String(), warning) {
				w.t.Errorf("the log does not say that it %s", warning)
			}
		}
	})
}

func TestPauseAndResume(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(s)
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookPaused)})
		w.idle(w.engine)
		ids := w.deliver(sub, slices.Repeat([]string{"a"}, 100)...)
		w.advance(time.Hour)
		w.idle(w.engine)
		w.quiet(s)
		if d := w.row(ids[0]); d.Status != chat.DeliveryPending {
			w.t.Errorf("while paused: %+v", d)
		}
		other := w.sink()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{Status: new(chat.WebhookActive), URL: &other.URL})
		for _, id := range ids {
			if got := w.next(other).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Fatalf("got %s, want %s", got, id)
			}
		}
		w.ends(ids[99], chat.DeliverySucceeded)
		w.quiet(s)
	})
}

// A secret that is replaced while a delivery is retried: each attempt is signed by what counts then.
func TestRotationDuringRetries(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		id := w.deliver(sub, "a")[0]
		expect := func(secrets ...string) {
			w.t.Helper()
			c := w.next(s)
			if want := chat.SignWebhook(secrets, w.st.Now(), []byte(c.body)); c.header.Get("X-Svc-Signature") != want {
				w.t.Errorf("signed %s, want %v", c.header.Get("X-Svc-Signature"), secrets)
			}
		}
		expect("whsec_one")
		w.settles(id, 1)
		storetest.InTx(w.t, w.st, func(tx *store.Tx) error {
			old, err := tx.WebhookSecrets(sub.OrgID, sub.ID)
			if err != nil {
				return err
			}
			one := old[sub.ID][0]
			one.ExpiresAt = new(tx.Now().Add(30 * time.Second))
			if err := tx.SetSecretExpiry(one); err != nil {
				return err
			}
			tx.SubscriptionChanged(sub.OrgID, sub.ID)
			return tx.InsertWebhookSecret(chat.WebhookSecret{
				ID: tx.NewID(chat.KindSecret), OrgID: sub.OrgID, SubscriptionID: sub.ID, Sealed: "whsec_two", CreatedAt: tx.Now(),
			})
		})
		w.idle(w.engine)
		w.advance(10 * time.Second)
		expect("whsec_one", "whsec_two")
		w.settles(id, 2)
		w.idle(w.engine)
		w.advance(30 * time.Second) // the old one has expired meanwhile, and nobody said so
		expect("whsec_two")
	})
}

// A node that is frozen past its lease: another takes its work over, and what it says then counts for
// nothing. What it had not begun it does not begin.
func TestFrozenNode(t *testing.T) {
	var lease sync.Map // until when node_1 is alive
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		frozen := w.sink(func(rw http.ResponseWriter, r *http.Request) {
			<-release
			rw.WriteHeader(http.StatusInternalServerError)
		})
		sub := w.subscribe(frozen.URL)
		ids := w.deliver(sub, "a", "a")
		w.next(frozen) // the first is under way when the node freezes
		w.die("node_1")
		lease.Store(w.t.Name(), w.st.Now())
		sane := w.sink()
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &sane.URL})
		first := w.engine
		w.engine = w.start("node_2")
		w.notice(w.engine)
		for _, id := range ids {
			if got := w.next(sane).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("the other node delivers %s, want %s", got, id)
			}
			w.ends(id, chat.DeliverySucceeded)
		}
		close(release) // the frozen node wakes up
		w.idle(first)
		for _, id := range ids {
			if d := w.row(id); d.Status != chat.DeliverySucceeded || d.AttemptCount != 1 || *d.ResponseStatus != 200 {
				w.t.Errorf("the frozen node changed %+v", d)
			}
		}
		w.quiet(frozen)
		w.quiet(sane)
		// Alive again, it works on what is born there.
		w.beat("node_1")
		lease.Delete(w.t.Name())
		w.notice(first)
		w.st.DeliverTo("node_1", first.Enqueue)
		first.Changed(sub.OrgID, sub.ID)
		w.ends(w.deliver(sub, "b")[0], chat.DeliverySucceeded)
	}, func(cfg *Config) {
		name := ""
		cfg.LeaseUntil = func() time.Time {
			lease.Range(func(key, value any) bool {
				if strings.HasSuffix(key.(string), cfg.Store.Engine()) {
					name = key.(string)
				}
				return true
			})
			if until, ok := lease.Load(name); ok && cfg.Node == "node_1" {
				return until.(time.Time)
			}
			return cfg.Store.Now().Add(time.Hour)
		}
	})
}

// One organization has at most its share while another waits.
func TestOrganizationShare(t *testing.T) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		defer close(release)
		e := w.engine
		greedy := w.sink(func(http.ResponseWriter, *http.Request) { <-release })
		e.mu.Lock()
		now := w.st.Now()
		for i := range 40 { // each could have 64 under way
			l := e.lane("org_greedy", fmt.Sprintf("wbs_%02d", i))
			l.endpoint, l.limit = &endpoint{url: parseURL(w.t, greedy.URL), status: chat.WebhookActive}, maxConcurrency
			for j := range maxReady {
				e.hold(l, store.DeliveryJob{OrgID: "org_greedy", ID: fmt.Sprintf("wbd_%02d_%02d", i, j), SubscriptionID: l.id, CreatedAt: now})
			}
			e.consider(l, now)
		}
		e.dispatch(now)
		if got := e.orgs["org_greedy"].inFlight; got != orgAlone {
			w.t.Errorf("alone it has %d", got)
		}
		// Others come, and find room at once, however much of it was taken.
		for i := range 4 {
			l := e.lane("org_other", fmt.Sprintf("wbs_other_%d", i))
			l.endpoint, l.limit = &endpoint{url: parseURL(w.t, greedy.URL), status: chat.WebhookActive}, maxConcurrency
			for j := range maxReady {
				e.hold(l, store.DeliveryJob{OrgID: "org_other", ID: fmt.Sprintf("wbd_o%d_%02d", i, j), SubscriptionID: l.id, CreatedAt: now})
			}
			e.consider(l, now)
		}
		e.dispatch(now)
		if got := e.orgs["org_other"].inFlight; got != maxInFlight-orgAlone {
			w.t.Errorf("the other one has %d", got)
		}
		if e.inFlight != maxInFlight {
			w.t.Errorf("%d are under way", e.inFlight)
		}
		e.mu.Unlock()
	})
}
