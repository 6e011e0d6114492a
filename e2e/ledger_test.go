package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/simulator"
)

const (
	ledgerKills     = 5
	ledgerNumbers   = 2
	ledgerClients   = 4  // per number
	ledgerThreads   = 3  // conversations per client
	ledgerPerRound  = 80 // how many messages are accepted before the next kill
	ledgerWriters   = 20 // people who write to each number
	ledgerPictures  = 10 // one of this many inbound messages has a file
	ledgerWaitsLong = 3 * time.Minute
)

// TestLedger kills the server again and again while clients send and people write, and then compares the books: the
// accepted messages with those the provider got, and the provider's reports with the stored data.
func TestLedger(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		l := openLedger(t, engine)
		for round := range ledgerKills {
			if !l.awaitAccepted((round + 1) * ledgerPerRound) {
				break
			}
			l.kill()
			l.srv.Restart()
		}
		l.close()
		l.check()
	})
}

// ledger is a server under load, or several on one database, with what the clients and people know for certain.
type ledger struct {
	t       *testing.T
	p       *Provider
	srv     *Server // the first of the nodes
	nodes   []*Server
	numbers []*Number
	quit    chan struct{}
	done    sync.WaitGroup

	accepted atomic.Int64
	writes   atomic.Int64
	kills    []time.Time

	mu      sync.Mutex
	sent    map[string][]string // by number and person: the ids of accepted messages, in order
	written map[string][]string // by number and person: the provider's ids of the messages they wrote
}

// openLedger starts a node for each engine.
func openLedger(t *testing.T, engines ...Option) *ledger {
	t.Helper()
	l := &ledger{t: t, p: StartProvider(t), quit: make(chan struct{}), sent: map[string][]string{}, written: map[string][]string{}}
	for _, engine := range engines {
		l.nodes = append(l.nodes, l.p.Serve(engine, WithFlags("--messages-per-second=2000")))
	}
	l.srv = l.nodes[0]
	log := l.srv.stored()
	for range ledgerNumbers {
		n := plant(t, l.srv, l.p.Sim, log)
		n.srv = l.srv // it restarts
		l.numbers = append(l.numbers, n)
		for c := range ledgerClients {
			l.done.Go(func() { l.client(n, c) })
		}
	}
	t.Cleanup(l.close) // even if the test gives up
	return l
}

// close stops clients and people.
func (l *ledger) close() {
	l.mu.Lock()
	select {
	case <-l.quit:
	default:
		close(l.quit)
	}
	l.mu.Unlock()
	l.done.Wait()
}

// kill kills the only node, and waits until the provider has accepted all that it sent.
func (l *ledger) kill() {
	l.t.Helper()
	l.srv.Kill()
	l.p.door.quiet(l.t)
	l.kills = append(l.kills, time.Now())
}

func (l *ledger) awaitAccepted(enough int) bool {
	l.t.Helper()
	return within(ledgerWaitsLong, func() bool { return l.accepted.Load() >= int64(enough) || l.t.Failed() }) && !l.t.Failed()
}

// client sends one message after the other, and repeats each until it is accepted.
func (l *ledger) client(n *Number, client int) {
	for i := 0; ; i++ {
		person := fmt.Sprintf("+4917%s%02d%02d", n.ID[len(n.ID)-5:], client, i%ledgerThreads)
		key := fmt.Sprintf("%s of client %d of %s", person, i, n.ID)
		// The messages of a conversation go to the nodes in turn.
		id, err := l.accept(l.nodes[(client+i/ledgerThreads)%len(l.nodes)], n, person, key)
		if err != nil {
			l.t.Error(err)
			return
		}
		l.mu.Lock()
		l.sent[n.ID+person] = append(l.sent[n.ID+person], id)
		l.mu.Unlock()
		l.accepted.Add(1)
		if err := l.write(n); err != nil {
			l.t.Error(err)
			return
		}
		select {
		case <-l.quit:
			return
		default:
		}
	}
}

func (l *ledger) accept(srv *Server, n *Number, person, key string) (id string, err error) {
	call := Call{Method: http.MethodPost, Path: n.path("/messages"), Key: n.org.Key, Body: sendBody(person, "text", text(key)), IdempotencyKey: key}
	var reply Reply
	answered := within(ledgerWaitsLong, func() bool {
		reply, err = srv.Try(call)
		return err == nil && reply.Status != http.StatusServiceUnavailable && reply.Code() != "idempotency_in_progress"
	})
	if !answered || reply.Status != http.StatusOK {
		return "", fmt.Errorf("%s: %+v, %w", key, reply, err)
	}
	return reply.ID(), nil
}

// write makes a person write to a number.
func (l *ledger) write(n *Number) error {
	i := l.writes.Add(1)
	person := fmt.Sprintf("+4916%s%04d", n.ID[len(n.ID)-5:], i%ledgerWriters)
	in := simulator.Inbound{PhoneNumberID: n.ID, Type: "image"}
	in.From.Phone = person
	if i%ledgerPictures > 0 {
		in.Type, in.Fields = "text", map[string]json.RawMessage{"text": json.RawMessage(`"hello"`)}
	}
	ids, err := l.p.Receive(in)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written[n.ID+person] = append(l.written[n.ID+person], ids...)
	return nil
}

// check compares the books.
func (l *ledger) check() {
	l.t.Helper()
	l.awaitSent()
	l.p.quiet()
	copies := 0
	inbound := 0
	for _, n := range l.numbers {
		copies += l.checkProvider(n)
		inbound += l.checkStore(n)
		l.awaitEvents(n)
		l.checkEvents(n)
	}
	c := l.p.do(http.MethodGet, "counters", nil)
	l.t.Logf("%d kills: %d messages accepted, %v sent, %d of them twice; %d messages received in %d acknowledged callbacks",
		len(l.kills), l.accepted.Load(), c["opaque_distinct"], copies, inbound, l.p.acks.Load())
}

// awaitSent waits until the provider has every message, as long as it gets more of them: after hundreds of kills many
// wait for the leases of the dead.
func (l *ledger) awaitSent() {
	l.t.Helper()
	want := float64(l.accepted.Load())
	have := func() float64 { return l.p.do(http.MethodGet, "counters", nil)["opaque_distinct"].(float64) }
	for now := have(); now < want; {
		before := now
		if !within(ledgerWaitsLong, func() bool { now = have(); return now > before }) {
			l.t.Errorf("%v messages were accepted, the provider has %v and gets no more", want, now)
			return
		}
	}
}

// checkProvider compares the accepted messages with those the provider got: every message, in the order of its
// conversation, and a second time only if a kill came in between.
func (l *ledger) checkProvider(n *Number) (copies int) {
	l.t.Helper()
	got := map[string][]string{} // by person
	first := map[string]time.Time{}
	for _, m := range l.p.accepted("phone_number_id=" + n.ID) {
		id, person := m.str("biz_opaque_callback_data"), "+"+m.str("phone")
		at, err := time.Parse(time.RFC3339Nano, m.str("created"))
		must(l.t, err)
		before, again := first[id]
		if !again {
			first[id] = at
			got[person] = append(got[person], id)
			continue
		}
		copies++
		if !anyBetween(l.kills, before, at) {
			l.t.Errorf("%s was sent at %v and at %v, with no kill in between", id, before, at)
		}
	}
	for key, want := range l.sent {
		if number, person := key[:len(n.ID)], key[len(n.ID):]; number == n.ID && !slices.Equal(got[person], want) {
			l.t.Errorf("to %s the provider got\n%v\nwhich were accepted as\n%v", person, got[person], want)
		}
	}
	return copies
}

// anyBetween tells whether one of the moments is between two others.
func anyBetween(moments []time.Time, a, b time.Time) bool {
	return slices.ContainsFunc(moments, func(m time.Time) bool { return a.Before(m) && m.Before(b) })
}

// checkStore compares the stored messages with the accepted and the reported ones: each is stored once.
func (l *ledger) checkStore(n *Number) (inbound int) {
	l.t.Helper()
	rows := map[string]object{}
	var all []object
	complete := within(ledgerWaitsLong, func() bool {
		all = n.all("/messages")
		return len(all) >= l.expected(n) && !slices.ContainsFunc(all, unsent)
	})
	for _, m := range all {
		key := m.str("id")
		if m.str("direction") == "inbound" {
			key = m.str("message_id")
			inbound++
		}
		if rows[key] != nil {
			l.t.Errorf("%s is stored twice", key)
		}
		rows[key] = m
		if unsent(m) || m["error"] != nil || m.str("message_id") == "" {
			l.t.Errorf("the message is %v", m)
		}
	}
	if !complete || len(all) != l.expected(n) {
		l.t.Errorf("%d messages are stored, %d were accepted or received", len(all), l.expected(n))
	}
	unread := map[string]float64{}
	for _, c := range n.all("/conversations") {
		unread[c.str("contact", "phone_number")] += c["unread_count"].(float64)
	}
	for _, book := range []map[string][]string{l.sent, l.written} {
		for key, ids := range book {
			if key[:len(n.ID)] != n.ID {
				continue
			}
			for _, id := range ids {
				if rows[id] == nil {
					l.t.Errorf("%s is lost", id)
				}
			}
			if person := key[len(n.ID):]; len(l.written[key]) != int(unread[person]) {
				l.t.Errorf("%s wrote %d messages, %v are unread", person, len(l.written[key]), unread[person])
			}
		}
	}
	return inbound
}

func unsent(m object) bool { return m.str("status") == "queued" || m.str("status") == "pending" }

// expected is how many messages a number must have.
func (l *ledger) expected(n *Number) (count int) {
	for _, book := range []map[string][]string{l.sent, l.written} {
		for key, ids := range book {
			if key[:len(n.ID)] == n.ID {
				count += len(ids)
			}
		}
	}
	return count
}

// checkEvents looks for missing and repeated events.
func (l *ledger) checkEvents(n *Number) {
	l.t.Helper()
	seen := map[string]int{}
	for _, e := range n.events() {
		key := string(e.Type) + " " + e.EventID
		switch e.Type {
		case chat.EventMessageStatus:
			key += " " + parseObject(l.t, e.Payload).str("entry", 0, "changes", 0, "value", "statuses", 0, "status")
		case chat.EventContactCreated:
			key = string(e.Type) + " " + e.Subject
		}
		if seen[key]++; seen[key] > 1 {
			l.t.Errorf("twice: %s", key)
		}
	}
	if missing := l.untold(n, seen); len(missing) > 0 {
		l.t.Errorf("there are no events %v", missing)
	}
}

// untold are the events that are not among the seen ones.
func (l *ledger) untold(n *Number, seen map[string]int) (missing []string) {
	for before, book := range map[string]map[string][]string{"message.sent %s:sent": l.sent, "message.received %s": l.written} {
		for key, ids := range book {
			for _, id := range ids {
				if event := fmt.Sprintf(before, id); key[:len(n.ID)] == n.ID && seen[event] == 0 {
					missing = append(missing, event)
				}
			}
		}
	}
	return missing
}

// awaitEvents waits until there are as many events as messages, because the event of a message with a file waits for
// the file.
func (l *ledger) awaitEvents(n *Number) {
	l.t.Helper()
	within(ledgerWaitsLong, func() bool { return len(n.events(chat.EventMessageSent, chat.EventMessageReceived)) >= l.expected(n) })
}
