package webhook

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

func TestDelivers(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("thanks")) })
		sub := w.subscribe(s.URL + "/hook?a=b")
		id := w.deliver(sub, "contact")[0]
		c := w.next(s)
		d := w.ends(id, chat.DeliverySucceeded)
		want := chat.SignedDelivery{
			ID: id, EventID: d.EventID, EventType: d.EventType, Source: chat.SourceService, Attempt: 1,
			Signature: chat.SignWebhook([]string{"whsec_one"}, w.Store.Now(), []byte(c.body)),
		}.Headers()
		for name := range want {
			if got := c.header.Get(name); got != want.Get(name) {
				w.t.Errorf("%s: %q, want %q", name, got, want.Get(name))
			}
		}
		if c.path != "/hook" || c.body != string(d.Payload) {
			w.t.Errorf("got %+v", c)
		}
		if d.AttemptCount != 1 || *d.ResponseStatus != 200 || *d.ResponseBodySnippet != "thanks" || d.DurationMS == nil || d.NextAttemptAt != nil ||
			!d.LastAttemptAt.Equal(w.Store.Now()) || d.ErrorCode != nil || len(d.Attempts()) != 1 {
			w.t.Errorf("the delivery is %+v", d)
		}
		w.quiet(s)
	})
}

// Receivers tell the samples that test a subscription from real events by a header.
func TestSamplesAreMarked(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		for subject, want := range map[string]string{"contact": "", sub.ID: "true"} {
			w.ends(w.deliver(sub, subject)[0], chat.DeliverySucceeded)
			if got := w.next(s).header.Get("X-Svc-Test"); got != want {
				w.t.Errorf("an event about %s has the header %q, want %q", subject, got, want)
			}
		}
	})
}

// The whole schedule: every attempt comes at its instant and not before, and then the delivery ends.
func TestSchedule(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusInternalServerError))
		sub := w.subscribe(s.URL)
		id := w.deliver(sub, "contact")[0]
		at := w.Store.Now()
		for i, wait := range append([]time.Duration{0}, defaultSchedule...) {
			if i > 0 {
				at = at.Add(wait)
				w.Clock.Set(at.Add(-time.Millisecond))
				w.notice(w.engine)
				w.idle(w.engine)
				w.quiet(s)
				w.advance(time.Millisecond)
			}
			c := w.next(s)
			if got := c.header.Get("X-Svc-Attempt"); got != strconv.Itoa(i+1) {
				w.t.Fatalf("attempt %d calls itself %s", i+1, got)
			}
			if want := chat.SignWebhook([]string{"whsec_one"}, at, []byte(c.body)); c.header.Get("X-Svc-Signature") != want {
				w.t.Errorf("attempt %d is not signed anew", i+1)
			}
			d := w.settles(id, int64(i+1))
			if i < len(defaultSchedule) && (d.Status != chat.DeliveryFailed || !d.NextAttemptAt.Equal(at.Add(defaultSchedule[i]))) {
				w.t.Fatalf("after attempt %d: %+v", i+1, d)
			}
			w.idle(w.engine)
		}
		d := w.ends(id, chat.DeliveryDead)
		if d.NextAttemptAt != nil || *d.ErrorCode != codeHTTP || *d.ErrorMessage != "The endpoint answered 500." {
			w.t.Errorf("the delivery is %+v", d)
		}
		if len(d.Attempts()) != 8 || d.Attempts()[0].At != at.Add(-sum(defaultSchedule)).UnixMilli() {
			w.t.Errorf("the attempts are %+v", d.Attempts())
		}
		if got := w.subscription(sub.ID); got.ConsecutiveFailures != 8 || !got.FailingSince.Equal(at.Add(-sum(defaultSchedule))) || got.Status != chat.WebhookActive {
			w.t.Errorf("the subscription is %+v", got)
		}
		w.Clock.Advance(100 * time.Hour)
		w.notice(w.engine)
		w.idle(w.engine)
		w.quiet(s)
		if warnings := strings.Count(w.log.String(), "keeps failing"); warnings != 2 { // after 1 h and 24 h
			w.t.Errorf("%d warnings:\n%s", warnings, w.log)
		}
	})
}

func sum(waits []time.Duration) (total time.Duration) {
	for _, wait := range waits {
		total += wait
	}
	return total
}

func TestSuccessEndsAStreak(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink(status(http.StatusNotFound))
		sub := w.subscribe(s.URL)
		id := w.deliver(sub, "contact")[0]
		w.settles(id, 1)
		s.answers(status(http.StatusNoContent))
		w.idle(w.engine)
		w.advance(10 * time.Second)
		d := w.ends(id, chat.DeliverySucceeded)
		if *d.ResponseStatus != 204 || d.ErrorCode != nil || len(d.Attempts()) != 2 || *d.Attempts()[0].ErrorCode != codeHTTP {
			w.t.Errorf("the delivery is %+v", d)
		}
		if got := w.subscription(sub.ID); got.ConsecutiveFailures != 0 || got.FailingSince != nil {
			w.t.Errorf("the subscription is %+v", got)
		}
	})
}

// A success ends a streak also if the subscription was read before the failure was stored, and looked at after that.
func TestFailureIsRememberedBesideAnOlderEndpoint(t *testing.T) {
	e, l := &Engine{}, newLane("org_1", "wbs_1")
	older := func(failing bool) *endpoint {
		return &endpoint{status: chat.WebhookActive, url: &url.URL{Host: "127.0.0.1"}, failing: failing}
	}
	e.replace(l, older(false))
	l.failing = true
	if e.replace(l, older(false)); !l.failing {
		t.Error("the failure is forgotten")
	}
	l.failing = false
	if e.replace(l, older(true)); !l.failing {
		t.Error("what the table counts is not known")
	}
}

// The deliveries that a process leaves are made by the next one, once and in order. Finished ones are not repeated.
func TestStopAndStart(t *testing.T) {
	onEachEngine(t, func(w *world) {
		release := make(chan struct{})
		s := w.sink(func(http.ResponseWriter, *http.Request) { <-release })
		sub := w.subscribe(s.URL)
		ids := w.deliver(sub, "one", "one", "one")
		w.next(s)
		stopped := make(chan struct{})
		go func() { w.engine.Stop(context.Background()); close(stopped) }()
		for !w.isClosed() {
			<-time.After(time.Millisecond)
		}
		close(release)
		<-stopped
		w.engine.Stop(context.Background()) // a second Stop does no harm
		w.ends(ids[0], chat.DeliverySucceeded)
		w.quiet(s)
		w.Dead("node_1")
		w.deliver(sub, "one") // owned by a dead node
		w.engine = w.start("node_2")
		for i, id := range ids[1:] {
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("delivery %d is %s, want %s", i, got, id)
			}
			w.ends(id, chat.DeliverySucceeded)
		}
		w.next(s)
		w.idle(w.engine)
		w.quiet(s)
	})
}

func (w *world) isClosed() bool {
	w.engine.mu.Lock()
	defer w.engine.mu.Unlock()
	return w.engine.closed
}
