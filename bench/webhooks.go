package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// hookScenario is a row about webhooks: contacts are created, and each is an event for all endpoints.
type hookScenario struct {
	name      string
	endpoints int
	hanging   int // how many further endpoints never answer
	perSecond int // events per second; 0 means as many as the API accepts
}

// The rates are those of deliveries, the latencies from the event to its arrival at the endpoint.
var hookScenarios = []hookScenario{
	{name: "webhooks to 1 endpoint", endpoints: 1},
	{name: "webhooks to 100 endpoints", endpoints: 100},
	{name: "webhooks to 1,000 endpoints", endpoints: 1000},
	{name: "webhooks, 500 events/s", endpoints: 1, perSecond: 500},
	{name: "webhooks, 100 events/s", endpoints: 1, perSecond: 100},
	{name: "webhooks, 100 events/s beside 10 that hang", endpoints: 1, hanging: 10, perSecond: 100},
}

// subscriptionsPerOrg is how many one organization may have.
const subscriptionsPerOrg = 500

// hookRow measures deliveries, each row on its own organization.
func (b *bench) hookRow(sc hookScenario) step {
	return b.each(func(ctx context.Context, s *side) error {
		f, err := b.measureHooks(ctx, s.server, sc)
		if err != nil {
			f.Failure = err.Error()
		}
		f.Name = sc.name
		b.add(&s.group, f)
		return ctx.Err()
	})
}

// hookRun is the state of a row.
type hookRun struct {
	sc      hookScenario
	s       server
	sink    *sink
	targets []target // organizations, with the number on which contacts are created
	numbers []string
	subs    []hookSubscription

	arrived   atomic.Int64
	mu        sync.Mutex
	latencies []time.Duration // from the event to its arrival
}

type hookSubscription struct {
	target target
	id     string
}

func (b *bench) measureHooks(ctx context.Context, s server, sc hookScenario) (figures, error) {
	r := &hookRun{sc: sc, s: s}
	sink, err := startSink(r.take)
	if err != nil {
		return figures{}, err
	}
	defer sink.close()
	r.sink = sink
	if err := r.prepare(ctx, b); err != nil {
		return figures{}, err
	}
	defer r.unsubscribe()
	// An event goes to all endpoints of its organization, so one request causes this many deliveries.
	perRequest := sc.endpoints / len(r.targets)
	l := newLoad(s.target.addr, b.connections, http.StatusCreated, r.requests())
	defer l.close()
	if _, err := r.phase(ctx, l, bounds{duration: b.warmUp}, perRequest); err != nil {
		return figures{}, err
	}
	before, known := cpuTime(s.process.pid())
	database := familyTime(b.database)
	t, err := r.phase(ctx, l, bounds{requests: max(b.requests/perRequest, 50), duration: b.duration}, perRequest)
	after, _ := cpuTime(s.process.pid())
	database = familyTime(b.database) - database
	f := figures{Errors: t.errors(), Statuses: t.unexpected, FirstBody: t.firstBody, Elapsed: t.elapsed, Requests: t.wanted() * perRequest}
	if f.Requests > 0 {
		f.PerSecond = float64(f.Requests) / t.elapsed.Seconds()
		f.DBMicros = float64(database.Microseconds()) / float64(f.Requests)
		if known {
			f.CPUMicros = float64((after - before).Microseconds()) / float64(f.Requests)
		}
	}
	p := percentiles(r.counted(), 50, 95, 99)
	f.P50, f.P95, f.P99 = p[0], p[1], p[2]
	f.RSS, f.PeakRSS = memory(s.process.pid())
	if b.profiles != "" && err == nil {
		err = b.profile(ctx, s, scenario{name: sc.name}, l)
	}
	return f, err
}

// phase creates events for a while and waits until all have arrived.
func (r *hookRun) phase(ctx context.Context, l *load, b bounds, perRequest int) (tally, error) {
	r.count()
	begin := time.Now()
	t, err := l.phase(ctx, b)
	if err != nil {
		return t, err
	}
	want := int64(t.wanted() * perRequest)
	deadline := time.Now().Add(2 * time.Minute)
	for r.arrived.Load() < want && time.Now().Before(deadline) && ctx.Err() == nil {
		time.Sleep(2 * time.Millisecond)
	}
	t.elapsed = time.Since(begin)
	if got := r.arrived.Load(); got != want {
		return t, fmt.Errorf("%d deliveries have arrived, not %d", got, want)
	}
	return t, nil
}

// count starts counting again from zero.
func (r *hookRun) count() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latencies = r.latencies[:0]
	r.arrived.Store(0)
}

func (r *hookRun) counted() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]time.Duration(nil), r.latencies...)
}

var createdAt = []byte(`"created_at":"`)

// take counts an arrival. The envelope says when the event happened.
func (r *hookRun) take(now time.Time, body []byte) (answer string) {
	r.arrived.Add(1)
	_, text, _ := bytes.Cut(body, createdAt)
	if len(text) < 24 {
		return ""
	}
	at, err := time.Parse(time.RFC3339, string(text[:24]))
	if err != nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latencies = append(r.latencies, now.Sub(at))
	return ""
}

// prepare creates organizations and their subscriptions.
func (r *hookRun) prepare(ctx context.Context, b *bench) error {
	for range max(1, (r.sc.endpoints+subscriptionsPerOrg-1)/subscriptionsPerOrg) {
		t := target{addr: r.s.target.addr}
		var err error
		if t.org, t.key, err = b.createKey(ctx, r.s.store); err != nil {
			return err
		}
		b.hookNumbers++
		number := fmt.Sprintf("1009009%05d", b.hookNumbers)
		var account struct{ ID string }
		err = b.runJSON(ctx, &account, append([]string{"account", "connect", "--org", t.org, "--phone-number-id", number,
			"--phone-number", fmt.Sprintf("+1556%07d", b.hookNumbers), "--waba-id", "200300400500600", "--token", "bench", "--json"}, r.s.store...))
		if err != nil {
			return err
		}
		r.targets, r.numbers = append(r.targets, t), append(r.numbers, number)
	}
	for i := range r.sc.endpoints {
		if err := r.subscribe(ctx, r.targets[i%len(r.targets)], r.sink.url("/"+strconv.Itoa(i))); err != nil {
			return err
		}
	}
	for i := range r.sc.hanging {
		if err := r.subscribe(ctx, r.targets[0], r.sink.url("/hang"+strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

func (r *hookRun) subscribe(ctx context.Context, t target, url string) error {
	var made struct{ Data struct{ ID string } }
	err := t.call(ctx, http.MethodPost, "/v1/webhook_subscriptions", fmt.Sprintf(`{"url":%q,"events":["contact.created"]}`, url), &made)
	r.subs = append(r.subs, hookSubscription{t, made.Data.ID})
	return err
}

// unsubscribe removes the endpoints, so that the next row does not deliver to them as well.
func (r *hookRun) unsubscribe() {
	for _, s := range r.subs {
		_ = s.target.call(context.Background(), http.MethodDelete, "/v1/webhook_subscriptions/"+s.id, "", nil) // the organization is not used again
	}
}

// call makes a request that is not measured.
func (t target) call(ctx context.Context, method, path, body string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+t.addr+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: status %d", method, path, resp.StatusCode)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// requests creates contacts, on each organization in turn.
func (r *hookRun) requests() requestFunc {
	heads := make([]string, len(r.targets))
	for i, t := range r.targets {
		heads[i] = t.head("POST", "/v1/"+r.numbers[i]+"/contacts") + "Content-Type: application/json\r\n"
	}
	make := func(buf []byte, _, i int) []byte {
		body := fmt.Sprintf(`{"phone_number":"+49157%09d","name":"Ada Lovelace"}`, i)
		buf = append(buf, heads[i%len(heads)]...)
		buf = append(buf, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"...)
		return append(buf, body...)
	}
	if r.sc.perSecond == 0 {
		return make
	}
	return paced(make, r.sc.perSecond)
}

// paced sends requests at a steady rate, whether or not the ones before have been answered.
func paced(request requestFunc, perSecond int) requestFunc {
	interval := time.Second / time.Duration(perSecond)
	var mu sync.Mutex
	var last time.Time
	slot := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		last = last.Add(interval)
		if now := time.Now(); last.Before(now.Add(-time.Second)) { // after a pause
			last = now
		}
		return last
	}
	return func(buf []byte, worker, i int) []byte {
		time.Sleep(time.Until(slot()))
		return request(buf, worker, i)
	}
}
