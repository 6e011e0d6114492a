package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"
)

const (
	broadcastPeople = 240
	broadcastKills  = 3
)

// TestBroadcastCrashes kills the server again and again during a broadcast. In the end every recipient has one message,
// which the provider got once, or twice if the server was killed between the two.
func TestBroadcastCrashes(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		p := StartProvider(t)
		srv := p.Serve(engine)
		l := &ledger{t: t, p: p, srv: srv, sent: map[string][]string{}}
		n := plant(t, srv, p.Sim, srv.stored())
		n.srv = srv // it restarts
		l.crashBroadcast(n, func() {
			l.kill()
			srv.Restart()
		})
	})
}

// TestNodesDieDuringABroadcast is TestBroadcastCrashes on three nodes. The others go on with the broadcast, and have the
// messages that a killed node had taken when it counts as dead.
func TestNodesDieDuringABroadcast(t *testing.T) {
	t.Parallel()
	p, nodes, n := nodesOn(t, "api,worker", "api,worker", "api,worker")
	l := &ledger{t: t, p: p, sent: map[string][]string{}}
	n.srv = nodes[0] // it restarts
	next := 0
	l.crashBroadcast(n, func() {
		l.replace(nodes[next])
		next++
	})
}

// crashBroadcast crashes during a broadcast, and checks its messages.
func (l *ledger) crashBroadcast(n *Number, crash func()) {
	l.t.Helper()
	n.newTemplate(oneText("sale", "Hi {{1}}, all is half the price today."))
	n.awaitTemplate("sale", "APPROVED")
	id := n.startBroadcast("sale", broadcastPeople)
	for round := range broadcastKills {
		enough := (round + 1) * broadcastPeople / (broadcastKills + 1)
		if !within(ledgerWaitsLong, func() bool { return len(l.p.accepted("phone_number_id="+n.ID)) >= enough }) {
			l.t.Fatalf("the provider never got %d messages", enough)
		}
		crash()
	}
	n.requireCompleted(id, broadcastPeople)
	for _, r := range n.all("/broadcasts/" + id + "/recipients") {
		l.sent[n.ID+r.str("to")] = []string{r.str("message_id")}
	}
	if len(l.sent) != broadcastPeople {
		l.t.Errorf("%d people have a message", len(l.sent))
	}
	copies := l.checkProvider(n)
	l.t.Logf("%d kills: %d messages, %d of them twice", broadcastKills, broadcastPeople, copies)
}

// startBroadcast starts a broadcast to the given number of people.
func (n *Number) startBroadcast(template string, people int) (id string) {
	n.t.Helper()
	var recipients []any
	for i := range people {
		recipients = append(recipients, map[string]any{"to": fmt.Sprintf("+4917%s%05d", n.ID[len(n.ID)-5:], i), "variables": map[string]any{"name": fmt.Sprint("N", i)}})
	}
	body, err := json.Marshal(map[string]any{
		"name": "Sale", "template": filled(template, "{{recipient.name}}"), "audience": map[string]any{"recipients": recipients}, "per_second": 100,
	})
	must(n.t, err)
	made := n.srv.Post(n.org.Key, n.path("/broadcasts"), string(body))
	expect(n.t, made, http.StatusCreated, "")
	expect(n.t, n.srv.Post(n.org.Key, n.path("/broadcasts/"+made.ID()+"/start"), ""), http.StatusOK, "")
	return made.ID()
}

// requireCompleted waits until a broadcast is over, with a message for every recipient.
func (n *Number) requireCompleted(id string, people int) {
	n.t.Helper()
	var b object
	over := within(2*time.Minute, func() bool {
		b = parseObject(n.t, []byte(n.srv.Get(n.org.Key, n.path("/broadcasts/"+id)).Body))
		return b.str("data", "status") == "completed"
	})
	counts, _ := b.at("data", "counts").(map[string]any)
	if !over || counts["total"] != float64(people) || counts["sent"] != float64(people) {
		n.t.Errorf("the broadcast is %s with %v", b.str("data", "status"), counts)
	}
}
