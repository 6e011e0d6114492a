package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// arrivals is what an endpoint received about the messages of a ledger.
type arrivals struct {
	mu    sync.Mutex
	seen  map[string]int // by event type and id
	since time.Time      // when it began to listen: events recorded from then on reach it
}

// listen subscribes an endpoint to every outbound and inbound message.
func (l *ledger) listen() *arrivals {
	l.t.Helper()
	a := &arrivals{seen: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the request was cut off
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.seen[r.Header.Get("X-Svc-Event")+" "+r.Header.Get("X-Svc-Event-Id")]++
	}))
	l.t.Cleanup(server.Close)
	for _, n := range l.numbers {
		r := l.srv.Post(n.org.Key, "/v1/webhook_subscriptions", fmt.Sprintf(`{"url":%q,"events":["message.sent","message.received"]}`, server.URL))
		expect(l.t, r, http.StatusCreated, "")
	}
	a.since = time.Now()
	return a
}

// check waits until the endpoint has received every event recorded since it began to listen.
func (a *arrivals) check(l *ledger) {
	l.t.Helper()
	var missing []string
	complete := within(ledgerWaitsLong, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		missing = nil
		for _, n := range l.numbers {
			for _, e := range n.events("message.sent", "message.received") {
				if key := string(e.Type) + " " + e.EventID; a.seen[key] == 0 && e.CreatedAt.After(a.since) {
					missing = append(missing, key)
				}
			}
		}
		return len(missing) == 0
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	twice := 0
	for _, n := range a.seen {
		twice += n - 1
	}
	if !complete {
		l.t.Errorf("%d events did not reach the endpoint: %v", len(missing), missing[:min(10, len(missing))])
	}
	l.t.Logf("%d events reached the endpoint, %d deliveries were repeated", len(a.seen), twice)
}
