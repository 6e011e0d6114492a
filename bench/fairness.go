package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// fairnessScenario is the rows about two organizations on one server: one that does little, and its latency beside one
// that takes all it can get.
type fairnessScenario struct{ name string }

const (
	fairnessRow = "fairness"
	// quietRate is how many requests of each kind the quiet organization makes per second.
	quietRate = 25
	// busyEndpoints is how many endpoints get an event for each contact of the busy one, and busyHanging how many of
	// them never answer.
	busyEndpoints = 100
	busyHanging   = 20
	// busySends is how many messages a second it sends in the row in which those endpoints are told of each.
	busySends = 100

	besideSends    = "beside sends flat out"
	besideContacts = "beside 100 endpoints flat out"
	besideTold     = "beside sends told to 100 endpoints"
)

var fairnessScenarios = []fairnessScenario{{name: fairnessRow}}

func (s fairnessScenario) title() string { return s.name }
func (s fairnessScenario) long() bool    { return true }

// fairness measures on its own server, whose provider and endpoints are the generator.
func (b *bench) fairness(ctx context.Context, g *group, databaseURL string) error {
	if len(matching(fairnessScenarios, b.options)) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	r := &fairRun{bench: b, g: g, begun: map[arrival]time.Time{}, came: map[where][]time.Duration{}}
	sink, err := startSink(r.take)
	if err != nil {
		return err
	}
	defer sink.close()
	r.sink = sink
	if databaseURL, err = anotherDatabase(ctx, databaseURL, "fairness"); err != nil {
		return err
	}
	r.s, err = b.startEngine(ctx, g.Name, databaseURL, "--provider-url", sink.url("/v1.0"), "--provider-app-id", "bench", "--provider-verify-token", "bench")
	if err != nil {
		return err
	}
	defer r.s.process.stop()
	if r.bare, err = b.startBare(ctx, "echo"); err != nil {
		return err
	}
	defer r.bare.process.stop()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	return errors.Join(
		r.rows(ctx, "alone", 0, nil),
		r.rows(ctx, besideSends, http.StatusOK, sendTemplate(r.s.target, numbers)),
		r.rows(ctx, besideContacts, http.StatusCreated, r.contacts(r.busy, r.busyNumber, "+4917", "busy")),
		r.rows(ctx, besideTold, http.StatusOK, paced(r.messages(r.busy, r.busyNumber, false), busySends)),
	)
}

// fairRun is the state of these rows. One busy organization creates contacts or sends messages, and its endpoints get the
// events. Another busy one, that of the other rows, only sends messages. The quiet one has a number, an endpoint and some
// people.
type fairRun struct {
	*bench
	g                       *group
	s                       server
	bare                    server // does nothing: what a request costs on a machine that is so busy
	sink                    *sink
	busy, quiet             target
	busyNumber, quietNumber string

	mu     sync.Mutex
	asked  int
	begun  map[arrival]time.Time // when the quiet organization started what is to arrive
	came   map[where][]time.Duration
	called int
}

// where is what arrives of the quiet organization's requests.
type where string

const (
	atEndpoint where = " to its endpoint"           // the event of a contact
	atProvider where = " to the provider"           // a message
	told       where = " until told of the sending" // a message's event
)

// arrival is something that arrives of a request, by the text in it.
type arrival struct {
	where where
	text  string
}

func (r *fairRun) prepare(ctx context.Context) (err error) {
	r.busyNumber, r.quietNumber = "100900800001", "100900800002"
	if r.busy, err = r.organization(ctx, r.busyNumber, "+15579000001"); err != nil {
		return err
	}
	if r.quiet, err = r.organization(ctx, r.quietNumber, "+15579000002"); err != nil {
		return err
	}
	subscribe := func(t target, path string) error {
		body := fmt.Sprintf(`{"url":%q,"events":["contact.created","message.sent"]}`, r.sink.url(path))
		return t.call(ctx, http.MethodPost, "/v1/webhook_subscriptions", body, nil)
	}
	err = subscribe(r.quiet, "/quiet")
	for i := range busyEndpoints {
		path := "/busy" + strconv.Itoa(i)
		if i < busyHanging {
			path = "/hang" + strconv.Itoa(i)
		}
		err = errors.Join(err, subscribe(r.busy, path))
	}
	return err
}

// organization creates one with a number.
func (r *fairRun) organization(ctx context.Context, number, phone string) (t target, err error) {
	t.addr = r.s.target.addr
	if t.org, t.key, err = r.createKey(ctx, r.s.store); err != nil {
		return t, err
	}
	var account struct{ ID string }
	err = r.runJSON(ctx, &account, append([]string{"account", "connect", "--org", t.org, "--phone-number-id", number,
		"--phone-number", phone, "--waba-id", "200300400500601", "--token", "bench", "--json"}, r.s.store...))
	return t, err
}

// rows measures the quiet organization while the busy one makes its requests; nil means none.
func (r *fairRun) rows(ctx context.Context, beside string, want int, busy requestFunc) error {
	if err := r.s.awaitRest(ctx); err != nil {
		return err
	}
	var wg sync.WaitGroup
	during, stop := context.WithCancel(ctx)
	defer stop()
	var busyTally tally
	var busyErr error
	if busy != nil {
		l := newLoad(r.s.target.addr, r.connections, want, busy)
		defer l.close()
		if _, err := l.phase(ctx, bounds{duration: 2 * r.warmUp}); err != nil { // until lanes are full and work piles up
			return err
		}
		wg.Go(func() { busyTally, busyErr = l.phase(during, bounds{duration: 4*r.duration + grace}) })
	}
	f := append(r.quietly(ctx, "quiet organization's request, "+beside), r.barely(ctx, "bare HTTP POST, "+beside))
	stop()
	wg.Wait()
	if busyErr != nil && !errors.Is(busyErr, context.Canceled) {
		return busyErr
	}
	for _, row := range f {
		r.add(r.g, row)
	}
	if busy != nil {
		row := figures{Name: "the busy one's requests, " + beside}
		row.count(&busyTally)
		row.RSS, row.PeakRSS = memory(r.s.process.pid())
		r.add(r.g, row)
	}
	return ctx.Err()
}

// quietly creates contacts and sends messages at a steady rate, and measures them up to the answer, to the endpoint and
// to the provider.
func (r *fairRun) quietly(ctx context.Context, name string) []figures {
	made := r.contacts(r.quiet, r.quietNumber, "+4916", "quiet")
	sends := r.messages(r.quiet, r.quietNumber, true)
	both := func(buf []byte, w, i int) []byte {
		if i%2 == 0 {
			return made(buf, w, i)
		}
		return sends(buf, w, i)
	}
	l := newLoad(r.s.target.addr, 16, http.StatusOK, paced(both, 2*quietRate))
	l.also = http.StatusCreated
	defer l.close()
	r.forget()
	f := r.measure(ctx, name, r.s.process.pid(), r.warmUp, func(ctx context.Context, b bounds) (tally, error) {
		r.forget()
		return l.phase(ctx, b)
	})
	if f.Failure == "" {
		f.Failure = r.await()
	}
	rows := []figures{f}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range []where{atEndpoint, atProvider, told} {
		row := figures{Name: name + string(w)}
		row.count(&tally{latencies: slices.Clone(r.came[w]), elapsed: f.Elapsed})
		rows = append(rows, row)
	}
	return rows
}

// barely asks a bare server at the same rate: the least that a request can take beside all this.
func (r *fairRun) barely(ctx context.Context, name string) figures {
	l := newLoad(r.bare.target.addr, 16, http.StatusOK, paced(createLabel(r.bare.target, "echo", false), 2*quietRate))
	defer l.close()
	return r.measure(ctx, name, r.bare.process.pid(), r.warmUp, l.phase)
}

func (r *fairRun) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.begun)
	clear(r.came)
}

// await waits until everything that was started has arrived.
func (r *fairRun) await() (missing string) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		left := len(r.begun)
		r.mu.Unlock()
		switch {
		case left == 0:
			return ""
		case time.Now().After(deadline):
			return fmt.Sprintf("%d things that the quiet organization has begun have not arrived", left)
		}
	}
}

// begin gives a request its text, and notes when it is started if it is the quiet organization's.
func (r *fairRun) begin(quiet bool, kind string, to ...where) (text string, i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	text = fmt.Sprintf("%s %d", kind, r.asked)
	for _, w := range to {
		if quiet {
			r.begun[arrival{w, text}] = time.Now()
		}
	}
	return text, r.asked
}

func (r *fairRun) contacts(t target, number, prefix, name string) requestFunc {
	head := t.head("POST", "/v1/"+number+"/contacts") + "Content-Type: application/json\r\n"
	return func(buf []byte, _, _ int) []byte {
		text, i := r.begin(name == "quiet", name, atEndpoint)
		return appendBody(buf, head, fmt.Sprintf(`{"phone_number":"%s%09d","name":%q}`, prefix, i, text))
	}
}

func (r *fairRun) messages(t target, number string, quiet bool) requestFunc {
	head := t.head("POST", "/v1/"+number+"/messages") + "Content-Type: application/json\r\n"
	return func(buf []byte, _, i int) []byte {
		text, _ := r.begin(quiet, "message", atProvider, told)
		return appendBody(buf, head, `{"messaging_product":"chat","to":"+`+person(i%acquaintances)+`","type":"text","text":{"body":"`+text+`"}}`)
	}
}

func appendBody(buf []byte, head, body string) []byte {
	buf = append(buf, head...)
	buf = append(buf, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"...)
	return append(buf, body...)
}

var nameField = []byte(`"name":"`)

// take plays the provider and the endpoints.
func (r *fairRun) take(now time.Time, body []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case bytes.Contains(body, []byte(`"messaging_product"`)):
		r.called++
		r.arrived(now, atProvider, body, textBody)
		return fmt.Sprintf(`{"messaging_product":"whatsapp","contacts":[{"input":"x","wa_id":"x"}],"messages":[{"id":"wamid.%d"}]}`, r.called)
	case bytes.Contains(body, []byte(`"type":"message.sent"`)):
		r.arrived(now, told, body, textBody)
	default:
		r.arrived(now, atEndpoint, body, nameField)
	}
	return ""
}

// arrived notes what has arrived, if the quiet organization has begun it; its text follows the mark.
func (r *fairRun) arrived(now time.Time, w where, body, mark []byte) {
	_, rest, _ := bytes.Cut(body, mark)
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	this := arrival{w, string(text)}
	if begun, ok := r.begun[this]; ok {
		r.came[w] = append(r.came[w], now.Sub(begun))
		delete(r.begun, this)
	}
}
