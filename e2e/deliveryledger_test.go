package e2e

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	hookKills    = 5
	hookClients  = 6
	hookPerRound = 150                   // how many contacts are accepted before the next kill
	hookSlowness = 30 * time.Millisecond // the delay of one of the endpoints: a kill always finds a delivery under way
	hookQuick    = 19                    // how many others there are: too many for one transaction, so that kills also fall between its steps
)

// TestDeliveryLedger kills the server again and again while clients cause events, and then compares the books. Every
// accepted event reached each endpoint, and a second time only if a kill came between.
func TestDeliveryLedger(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		srv := Start(t, engine, WithProvider(""), WithFlags("--allow-network=127.0.0.0/8"))
		w := world{srv: srv, sim: srv.Sim(), log: srv.stored()}
		l := &hookLedger{t: t, n: w.number(t), quit: make(chan struct{}), accepted: map[string]bool{}}
		l.n.srv = srv // it restarts
		for range hookQuick {
			l.endpoints = append(l.endpoints, l.subscribe(0))
		}
		l.endpoints = append(l.endpoints, l.subscribe(hookSlowness))
		for client := range hookClients {
			l.done.Go(func() { l.client(client) })
		}
		t.Cleanup(l.close)
		for round := range hookKills {
			if !within(ledgerWaitsLong, func() bool { return l.count.Load() >= int64((round+1)*hookPerRound) || t.Failed() }) || t.Failed() {
				break
			}
			srv.Kill()
			for _, b := range l.endpoints {
				b.door.quiet(t)
			}
			l.kills = append(l.kills, time.Now())
			srv.Restart()
		}
		l.close()
		l.check()
	})
}

// hookLedger is a server under load, with the accepted events and those that have arrived.
type hookLedger struct {
	t         *testing.T
	n         *Number
	endpoints []*hookBook
	kills     []time.Time
	quit      chan struct{}
	closing   sync.Once
	done      sync.WaitGroup
	count     atomic.Int64

	mu       sync.Mutex
	accepted map[string]bool // ids of accepted contacts
}

// hookBook is what one endpoint received.
type hookBook struct {
	door     *door
	mu       sync.Mutex
	arrivals map[string][]time.Time // by delivery
	contacts map[string]string      // the delivery of each contact's creation
}

func (l *hookLedger) subscribe(wait time.Duration) *hookBook {
	l.t.Helper()
	b := &hookBook{door: newDoor(l.t), arrivals: map[string][]time.Time{}, contacts: map[string]string{}}
	b.door.serve(l.t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		at := time.Now()
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			return // the request was cut off by a kill, or is the door's own
		}
		contact, delivery := parseObject(l.t, body).str("data", "contact", "id"), r.Header.Get("X-Svc-Delivery-Id")
		b.mu.Lock()
		b.arrivals[delivery] = append(b.arrivals[delivery], at)
		if other, known := b.contacts[contact]; known && other != delivery {
			l.t.Errorf("%s has the deliveries %s and %s", contact, other, delivery)
		}
		b.contacts[contact] = delivery
		b.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
	}))
	r := l.n.srv.Post(l.n.org.Key, "/v1/webhook_subscriptions", fmt.Sprintf(`{"url":%q,"events":["contact.created"]}`, b.door.url))
	expect(l.t, r, http.StatusCreated, "")
	return b
}

func (l *hookLedger) close() {
	l.closing.Do(func() { close(l.quit) })
	l.done.Wait()
}

// client creates one contact after the other, and repeats each until it is accepted.
func (l *hookLedger) client(client int) {
	for i := 0; ; i++ {
		call := Call{
			Method: http.MethodPost, Path: l.n.path("/contacts"), Key: l.n.org.Key, IdempotencyKey: fmt.Sprintf("%d of %d", i, client),
			Body: fmt.Sprintf(`{"phone_number":"+4917%03d%06d","name":"Ada"}`, client, i),
		}
		var reply Reply
		var err error
		answered := within(ledgerWaitsLong, func() bool {
			reply, err = l.n.srv.Try(call)
			return err == nil && reply.Status < 500 && reply.Code() != "idempotency_in_progress"
		})
		if !answered || reply.Status != http.StatusCreated {
			l.t.Errorf("%+v, %v", reply, err)
			return
		}
		l.mu.Lock()
		l.accepted[reply.ID()] = true
		l.mu.Unlock()
		l.count.Add(1)
		select {
		case <-l.quit:
			return
		default:
		}
	}
}

func (l *hookLedger) check() {
	l.t.Helper()
	deliveries, copies := 0, 0
	for i, b := range l.endpoints {
		missing := func() (lost []string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			for contact := range l.accepted {
				if b.contacts[contact] == "" {
					lost = append(lost, contact)
				}
			}
			return lost
		}
		if !within(ledgerWaitsLong, func() bool { return len(missing()) == 0 }) {
			l.t.Errorf("endpoint %d: %d of %d events are lost: %v", i, len(missing()), len(l.accepted), missing())
		}
	}
	l.awaitQuiet()
	for _, b := range l.endpoints {
		b.mu.Lock()
		for delivery, times := range b.arrivals {
			deliveries++
			for j, at := range times[1:] {
				copies++
				if !anyBetween(l.kills, times[j], at) {
					l.t.Errorf("%s came at %v and at %v, with no kill in between", delivery, times[j], at)
				}
			}
		}
		b.mu.Unlock()
	}
	if most := len(l.kills) * len(l.endpoints) * 64; copies > most {
		l.t.Errorf("%d copies; at most %d can have been under way", copies, most)
	}
	l.t.Logf("%d kills: %d events accepted, %d deliveries, none lost, %d came twice", len(l.kills), len(l.accepted), deliveries, copies)
}

// awaitQuiet waits until the server has recorded every delivery as delivered.
func (l *hookLedger) awaitQuiet() {
	l.t.Helper()
	for _, status := range []string{"pending", "failed", "dead"} {
		path := "/v1/webhook_deliveries?limit=1&status=" + status
		var r Reply
		if !within(ledgerWaitsLong, func() bool {
			r = l.n.srv.Get(l.n.org.Key, path)
			return r.Status == http.StatusOK && len(parseObject(l.t, []byte(r.Body))["data"].([]any)) == 0
		}) {
			l.t.Errorf("there are %s deliveries: %s", status, r.Body)
		}
	}
}
