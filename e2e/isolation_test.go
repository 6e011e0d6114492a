package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/simulator"
)

// external starts a server on the test's own provider, with numbers.
func external(t *testing.T, engine Option, numbers int, flags ...string) (*Provider, []*Number) {
	t.Helper()
	p := StartProvider(t)
	srv := p.Serve(engine, WithFlags(flags...))
	log := srv.stored()
	var list []*Number
	for range numbers {
		n := plant(t, srv, p.Sim, log)
		n.srv = srv // it may restart
		list = append(list, n)
	}
	return p, list
}

// TestHangingNumber: the provider does not answer for one number, which has more conversations than calls may be under
// way. Other numbers are not delayed.
func TestHangingNumber(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		const conversations, messages = 80, 20
		p, numbers := external(t, engine, 2)
		hanging, other := numbers[0], numbers[1]
		must(t, p.SetFaults(hanging.ID, &simulator.Faults{HangRate: 1}))
		var stuck []string
		for range conversations {
			stuck = append(stuck, hanging.send(newPerson(), "text", text("hello")))
		}
		under := func() bool { return p.do(http.MethodGet, "counters", nil)["send_requests"].(float64) >= 60 }
		if !eventually(under) {
			t.Fatal("the calls that hang were not made")
		}
		for range messages {
			other.awaitStatus(other.send(newPerson(), "text", text("hello")), "read")
		}
		if got := p.accepted("phone_number_id=" + hanging.ID); len(got) > 0 {
			t.Fatalf("the provider answered for the hanging number: %v", got)
		}
		for _, id := range []string{stuck[0], stuck[conversations-1]} {
			if status := hanging.message(id).str("status"); status != "queued" && status != "pending" { // waiting, or to be retried
				t.Errorf("a message that hangs is %s", status)
			}
		}
		p.Stop(context.Background()) // ends the calls, so that the server need not wait for them
	})
}

// TestOrder: whatever happens to a message, the provider gets the later messages of its conversation after it.
func TestOrder(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		const each = 4
		p, numbers := external(t, engine, 1)
		n := numbers[0]
		people := []string{
			newPerson(),
			"+99981131056",  // a pair limit, once
			"+99981131000",  // an outage, once: the retry comes after a minute
			"+999400003000", // 300 ms for each answer
			"+99960000010",  // the answer is lost; the message is not
		}
		ids := map[string][]string{}
		for i := range each {
			for _, person := range people {
				ids[person] = append(ids[person], n.send(person, "text", text(fmt.Sprint(i))))
			}
		}
		plain := ids[people[0]]
		n.awaitStatus(plain[each-1], "read") // although others wait
		if got := n.awaitStatus(ids["+99981131000"][0], "pending"); got["error"] != nil {
			t.Errorf("a message that will be retried is %v", got)
		}
		for _, person := range people {
			checkOrder(t, p, person, ids[person])
			n.awaitStatus(ids[person][each-1], "read")
		}
	})
}

// TestRateLimit: a number that is too fast pauses without using up the attempts of its messages. Another number
// continues.
func TestRateLimit(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		const rest, behind = 10 * time.Second, 5 // how long a number pauses that was too fast
		p, numbers := external(t, engine, 2)
		limited, other := numbers[0], numbers[1]
		must(t, p.SetFaults(limited.ID, &simulator.Faults{Code: 130429}))
		began := time.Now()
		first := limited.send(newPerson(), "text", text("too fast"))
		tried := func() float64 { return p.do(http.MethodGet, "counters", nil)["send_requests"].(float64) }
		if !eventually(func() bool { return tried() >= 1 }) {
			t.Fatal("it was not tried")
		}
		waiting := []string{first}
		for range behind {
			waiting = append(waiting, limited.send(newPerson(), "text", text("behind it")))
			other.awaitStatus(other.send(newPerson(), "text", text("beside it")), "read")
		}
		// The first number's one and the other number's five. A slow machine may see the end of a pause, after which
		// everything that waits is tried once.
		got, pauses := tried(), int(time.Since(began)/rest)
		if got < 1+behind || got > float64(1+behind+pauses*len(waiting)) {
			t.Errorf("the provider was called %v times, and %d pauses have ended", got, pauses)
		}
		for _, id := range waiting {
			if status := limited.message(id).str("status"); status != "queued" {
				t.Errorf("while the number rests a message is %s", status)
			}
		}
		must(t, p.SetFaults(limited.ID, nil))
		for _, id := range waiting {
			limited.awaitStatus(id, "read")
		}
		if got := len(limited.events(chat.EventMessageSent)); got != len(waiting) {
			t.Errorf("%d times message.sent", got)
		}
	})
}

// TestStop: a server that is stopped under load loses and repeats nothing, and its successor continues in order.
func TestStop(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		l := openLedger(t, engine)
		for _, n := range l.numbers {
			l.p.do(http.MethodPut, "faults/"+n.ID, map[string]any{"latency": "100ms"}) // so that calls are under way
		}
		for round := range 3 {
			if !l.awaitAccepted((round + 1) * ledgerPerRound) {
				break
			}
			l.srv.Stop()
			l.srv.Restart()
		}
		l.close()
		l.check()
	})
}
