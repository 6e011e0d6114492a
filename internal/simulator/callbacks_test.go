package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

func TestCallbacksAreEscapedAsPHPDoes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "from": map[string]any{"phone": testPerson, "name": "Zoë/\"x\""}, "text": "a/b Ü 👍\n"})
	r.settle(0)
	body := r.recv.requests()[0]
	for _, want := range []string{`a\/b \u00dc \ud83d\udc4d\n`, `Zo\u00eb\/\"x\"`} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
	for _, b := range body {
		if b >= 0x80 {
			t.Fatalf("not ASCII: %s", body)
		}
	}
	if got := dig(r.recv.all()[0].value, "messages", 0, "text", "body"); got != "a/b Ü 👍\n" {
		t.Errorf("decoded: %q", got)
	}
}

func TestPHPEscapeKeepsTheValue(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"a":"b/c"}`, `{"a":"b\/c"}`, `{"a":"\\/"}`, `{"ä":["ü",1.5,true,null]}`, `"\u00fc\ud83d\udc4d"`, `"\\\""`,
	} {
		var want, got any
		must(t, json.Unmarshal([]byte(in), &want))
		out := wire.EscapePHP([]byte(in))
		if err := json.Unmarshal(out, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s became %s", in, out)
		}
	}
}

func TestCallbacksAreRetriedUntilAccepted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.recv.answering(func(n int) int {
		if n <= 3 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	r.sim.callbacks.toApp(update{field: "account_update", value: []byte(`{"event":"X"}`), at: 1})
	for i, want := range []int{1, 2, 2, 3, 4, 4} {
		wait := []time.Duration{0, time.Second, time.Second, time.Second, 4 * time.Second, time.Hour}[i]
		r.settle(wait)
		if got := len(r.recv.requests()); got != want {
			t.Fatalf("after step %d: %d requests, want %d", i, got, want)
		}
	}
	bodies := r.recv.requests()
	if !bytes.Equal(bodies[0], bodies[3]) {
		t.Errorf("a retry differs:\n%s\n%s", bodies[0], bodies[3])
	}
	if n := r.sim.callbacks.Waiting(); n != 0 {
		t.Errorf("%d waiting", n)
	}
}

// One update that the receiver cannot process must not hold up the rest.
func TestRefusedCallbackDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.CallbackLanes = 1 })
	r.recv.answering(func(n int) int {
		if n == 1 {
			return http.StatusBadRequest
		}
		return http.StatusOK
	})
	for i := range 2 {
		r.sim.callbacks.toApp(update{field: "account_update", value: fmt.Appendf(nil, `{"event":"%d"}`, i), at: int64(i)})
		r.settle(0)
	}
	if got := r.recv.all(); len(got) != 1 || got[0].value["event"] != "1" {
		t.Fatalf("others: %v", got)
	}
	r.settle(time.Second)
	if got := r.recv.all(); len(got) != 2 {
		t.Errorf("retried: %v", got)
	}
}

func TestUnreachableReceiverGetsEverythingInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.CallbackLanes = 1 })
	good := r.sim.cfg.Client
	down := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("refused") })}
	r.sim.cfg.Client = down
	for i := range 3 {
		r.sim.callbacks.toApp(update{field: "account_update", value: fmt.Appendf(nil, `{"event":"%d"}`, i), at: int64(i)})
		r.settle(0)
	}
	r.sim.cfg.Client = good
	r.settle(time.Second)
	var events []any
	for _, c := range r.recv.all() {
		events = append(events, c.value["event"])
	}
	if !slices.Equal(events, []any{"0", "1", "2"}) {
		t.Errorf("events: %v", events)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.CallbackLanes, c.MaxQueued = 1, 10 })
	r.sim.cfg.Client = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("refused") })}
	for i := range 50 {
		r.sim.callbacks.toApp(update{field: "account_update", value: []byte(`{}`), at: int64(i)})
		r.settle(0)
	}
	if n := r.sim.callbacks.Waiting(); n > 11 {
		t.Errorf("%d waiting", n)
	}
	if n := r.sim.counters.dropped.Load(); n < 39 {
		t.Errorf("%d dropped", n)
	}
}

func TestBatchesAndGroupings(t *testing.T) {
	t.Parallel()
	for _, grouping := range []string{groupChange, groupValue, groupEntry} {
		r := newRig(t, func(c *Config) { c.CallbackLanes = 1 })
		r.control("PUT", "faults", map[string]any{"grouping": grouping, "shuffle_callbacks": grouping == groupEntry})
		release := make(chan struct{})
		held := r.sim.cfg.Client.Transport
		r.sim.cfg.Client.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			<-release
			return held.RoundTrip(req)
		})
		var ids []string
		for i := range 40 {
			ids = append(ids, r.send(helloWorld(fmt.Sprintf("+4915510001%03d", i))))
		}
		r.clock.move(150 * time.Millisecond)
		r.sim.sched.poke()
		waitFor(t, func() bool { return r.sim.counters.queued.Load() == 40 })
		close(release)
		r.settle(0)
		for _, id := range ids {
			if got := r.recv.statuses(id); !slices.Equal(got, []string{"sent"}) {
				t.Errorf("%s: %v", grouping, got)
			}
		}
		checkGrouping(t, grouping, r.recv)
	}
}

func checkGrouping(t *testing.T, grouping string, rc *receiver) {
	t.Helper()
	bodies := rc.requests()
	if len(bodies) > 10 {
		t.Errorf("%s: 40 updates took %d requests", grouping, len(bodies))
	}
	biggest := string(slices.MaxFunc(bodies, func(a, b []byte) int { return len(a) - len(b) }))
	entries, values := strings.Count(biggest, `"changes":`), strings.Count(biggest, `"value":`)
	statuses := strings.Count(biggest, `"status":"sent"`)
	want := map[string]bool{
		groupChange: entries == 1 && values == statuses,
		groupValue:  entries == 1 && values == 1,
		groupEntry:  entries == statuses && values == statuses,
	}[grouping]
	if !want || statuses < 2 {
		t.Errorf("%s: %d statuses in %d values in %d entries", grouping, statuses, values, entries)
	}
}

func TestHeldCallbacksMakeBigRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.CallbackLanes = 1 })
	r.control("PUT", "faults", map[string]any{"hold_callbacks": "2s"})
	for range 5 {
		r.send(helloWorld(testPerson))
	}
	r.settle(time.Second)
	if n := len(r.recv.requests()); n != 0 {
		t.Errorf("%d requests too early", n)
	}
	r.settle(time.Minute)
	r.settle(time.Minute)
	if n := len(r.recv.requests()); n > 2 || len(r.recv.all()) != 15 {
		t.Errorf("%d updates in %d requests", len(r.recv.all()), n)
	}
}

func TestBatchSizeIsAtMostWhatWasAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("PUT", "faults", map[string]any{"batch_size": 1})
	for range 5 {
		r.send(helloWorld(testPerson))
	}
	r.settle(time.Minute)
	if n := len(r.recv.requests()); n != 15 {
		t.Errorf("%d requests for 15 updates", n)
	}
}

func TestSubscriptionsAndOverrides(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	waba := "200200200200200"
	r.control("POST", "numbers", map[string]any{"id": testNumber, "waba_id": waba, "unsubscribed": true})
	own, other := newReceiver(t), newReceiver(t)
	own.token, other.token = "own", "other"
	heard := func() []int {
		r.send(helloWorld(testPerson))
		r.settle(time.Minute)
		counts := []int{len(r.recv.all()), len(own.all()), len(other.all())}
		for _, rc := range []*receiver{r.recv, own, other} {
			rc.clear()
		}
		return counts
	}
	expect := func(step string, want ...int) {
		t.Helper()
		if got := heard(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	override := map[string]any{"override_callback_uri": own.url, "verify_token": "own"}
	expect("not subscribed", 0, 0, 0)
	if got := r.do("POST", "/"+waba+"/subscribed_apps", override); got.status != 400 {
		t.Errorf("override before subscribing: %s", got.raw)
	}
	r.do("POST", "/"+waba+"/subscribed_apps", nil)
	expect("subscribed", 3, 0, 0)
	if got := r.do("POST", "/"+waba+"/subscribed_apps", map[string]any{"override_callback_uri": own.url, "verify_token": "wrong"}); got.status != 400 {
		t.Errorf("wrong verify token: %s", got.raw)
	}
	r.do("POST", "/"+waba+"/subscribed_apps", override)
	expect("account override", 0, 3, 0)
	if got := r.do("GET", "/"+waba+"/subscribed_apps", nil); dig(got.body, "data", 0, "override_callback_uri") != own.url || dig(got.body, "data", 0, "whatsapp_business_api_data", "id") != "7001" {
		t.Errorf("subscribers: %s", got.raw)
	}
	r.do("POST", "/"+testNumber, map[string]any{"webhook_configuration": map[string]any{"override_callback_uri": other.url, "verify_token": "other"}})
	expect("number override", 0, 0, 3)
	if got := r.do("GET", "/"+testNumber+"?fields=webhook_configuration", nil); dig(got.body, "webhook_configuration", "phone_number") != other.url {
		t.Errorf("configuration: %s", got.raw)
	}
	r.do("POST", "/"+testNumber, map[string]any{"webhook_configuration": map[string]any{"override_callback_uri": ""}})
	r.do("POST", "/"+waba+"/subscribed_apps", nil)
	expect("overrides removed", 3, 0, 0)
	r.do("DELETE", "/"+waba+"/subscribed_apps", nil)
	expect("unsubscribed", 0, 0, 0)
	r.do("POST", "/"+waba+"/subscribed_apps", nil)
	got := r.do("POST", "/7001/subscriptions", map[string]any{"object": "whatsapp_business_account", "callback_url": own.url, "verify_token": "own", "fields": "messages"})
	if got.status != 200 {
		t.Errorf("app subscription: %s", got.raw)
	}
	expect("app callback", 0, 3, 0)
}

// Stop and Start may be called more than once, and Stop ends requests that hang.
func TestStartStop(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	s.Stop(context.Background())
	s = New(Config{})
	s.Start(context.Background())
	s.Start(context.Background())
	s.Stop(context.Background())
	s.Stop(context.Background())
}
