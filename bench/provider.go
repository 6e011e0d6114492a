package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// providerScenario is a row about how soon a message reaches the provider, which the generator plays.
type providerScenario struct {
	name      string
	perSecond int
}

// The latencies are from the first byte of the request to the arrival of the provider's request.
var providerScenarios = []providerScenario{
	{name: "request to provider, 100 sends/s", perSecond: 100},
	{name: "request to provider, 500 sends/s", perSecond: 500},
}

// acquaintances is how many people the messages go to. After the warm-up all are known.
const acquaintances = 100

// provider measures on its own server, whose provider is the generator.
func (b *bench) provider(ctx context.Context, g *group, databaseURL string) error {
	wanted := matching(providerScenarios, b.options)
	if len(wanted) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	p := &playedProvider{begun: map[string]time.Time{}}
	sink, err := startSink(p.take)
	if err != nil {
		return err
	}
	defer sink.close()
	if databaseURL, err = anotherDatabase(ctx, databaseURL, "provider"); err != nil {
		return err
	}
	s, err := b.startEngine(ctx, g.Name, databaseURL, "--provider-url", sink.url("/v1.0"), "--provider-app-id", "bench", "--provider-verify-token", "bench")
	if err != nil {
		return err
	}
	defer s.process.stop()
	for _, sc := range wanted {
		l := newLoad(s.target.addr, b.connections, http.StatusOK, paced(p.requests(s.target), sc.perSecond))
		f := b.measure(ctx, sc.name, s.process.pid(), b.warmUp, p.phase(l))
		l.close()
		f.RSS, f.PeakRSS = memory(s.process.pid())
		b.add(g, f)
	}
	return ctx.Err()
}

// anotherDatabase is an empty database beside that of the other rows; empty for SQLite.
func anotherDatabase(ctx context.Context, databaseURL, name string) (string, error) {
	if databaseURL == "" {
		return "", nil
	}
	at, err := url.Parse(databaseURL)
	if err != nil {
		return "", err
	}
	c, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	at.Path = "/" + name
	_, err = c.Exec(ctx, "CREATE DATABASE "+name)
	return at.String(), err
}

// playedProvider accepts every message at once, and notes when it came.
type playedProvider struct {
	mu        sync.Mutex
	begun     map[string]time.Time // by the message's text
	latencies []time.Duration
	taken     int
	sent      int
}

func (p *playedProvider) requests(t target) requestFunc {
	heads := make([]string, numbers)
	for i := range heads {
		heads[i] = t.head("POST", "/v1/"+phoneNumberID(i)+"/messages") + "Content-Type: application/json\r\n"
	}
	return func(buf []byte, _, i int) []byte {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent++
		text := fmt.Sprintf("hello there, for the %dth time", p.sent)
		p.begun[text] = time.Now()
		body := `{"messaging_product":"chat","to":"+` + person(i%acquaintances) + `","type":"text","text":{"body":"` + text + `"}}`
		buf = append(buf, heads[i%len(heads)]...)
		buf = append(buf, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"...)
		return append(buf, body...)
	}
}

var textBody = []byte(`"body":"`)

// take answers as the provider does.
func (p *playedProvider) take(now time.Time, body []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken++
	_, rest, _ := bytes.Cut(body, textBody)
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	if begun, ok := p.begun[string(text)]; ok {
		p.latencies = append(p.latencies, now.Sub(begun))
		delete(p.begun, string(text))
	}
	return fmt.Sprintf(`{"messaging_product":"whatsapp","contacts":[{"input":"x","wa_id":"x"}],"messages":[{"id":"wamid.%d"}]}`, p.taken)
}

// phase waits until all accepted messages have arrived.
func (p *playedProvider) phase(l *load) phaseFunc {
	return func(ctx context.Context, b bounds) (tally, error) {
		p.mu.Lock()
		p.latencies = nil
		p.mu.Unlock()
		t, err := l.phase(ctx, b)
		deadline := time.Now().Add(grace)
		for err == nil && len(p.arrived()) < t.wanted() {
			if time.Now().After(deadline) {
				return t, fmt.Errorf("%d messages have arrived, not %d", len(p.arrived()), t.wanted())
			}
			time.Sleep(time.Millisecond)
		}
		t.latencies = p.arrived()
		return t, err
	}
}

func (p *playedProvider) arrived() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latencies
}
