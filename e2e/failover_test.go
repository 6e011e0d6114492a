//go:build torture

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

const (
	// recoverWithin is how soon after the database is back every node answers again.
	recoverWithin = 2 * time.Second
	// pausedFor is longer than it takes to notice that a statement hangs.
	pausedFor = 8 * time.Second
)

// TestDatabaseRestartsPausesAndFailsOver does to the database of three nodes what operators and machines do: it is
// restarted, it crashes, it stops responding, and it is replaced by its standby. Requests meanwhile get 503. Each time
// all nodes recover by themselves, and the books balance.
func TestDatabaseRestartsPausesAndFailsOver(t *testing.T) {
	t.Parallel()
	primary := pgtest.NewInstance(t)
	standby := primary.Standby()
	gate := pgtest.NewGate(t, primary.URL())
	l := threeNodes(t, gate.URL)
	l.p.do(http.MethodPut, "faults", map[string]any{"latency": "50ms"})
	book := l.listen()
	label := l.srv.Post(l.numbers[0].org.Key, "/v1/labels", `{"name":"before"}`)
	expect(t, label, http.StatusCreated, "")
	trouble := []struct {
		name string
		do   func() (back time.Time)
	}{
		{"restarted", func() time.Time { primary.Stop(); primary.Start(); return time.Now() }},
		{"crashed", func() time.Time { primary.Crash(); primary.Start(); return time.Now() }},
		{"paused", func() time.Time {
			gate.Still()
			within(pausedFor, t.Failed)
			gate.Open()
			return time.Now()
		}},
		{"failed over", func() time.Time {
			primary.Crash()
			gate.Shut()
			standby.Promote()
			gate.Lead(standby.Host())
			gate.Open()
			return time.Now()
		}},
	}
	for _, c := range trouble {
		if !l.more(ledgerPerRound) {
			break
		}
		back := c.do()
		l.checkRecovery(label.ID(), c.name, back)
	}
	l.more(ledgerPerRound)
	l.close()
	l.check()
	book.check(l)
}

// checkRecovery checks that every node can write again soon after the database is back.
func (l *ledger) checkRecovery(label, what string, back time.Time) {
	l.t.Helper()
	for i, node := range l.nodes {
		var reply Reply
		recovered := eventually(func() bool {
			var err error
			reply, err = node.Try(Call{Method: http.MethodPatch, Path: "/v1/labels/" + label, Key: l.numbers[0].org.Key, Body: fmt.Sprintf(`{"name":"%s, %d"}`, what, i)})
			return err == nil && reply.Status == http.StatusOK
		})
		took := time.Since(back)
		l.t.Logf("the database was %s: node %d writes again after %v", what, i, took.Round(time.Millisecond))
		if !recovered || took > recoverWithin {
			l.t.Errorf("the database was %s: node %d needed %v, and answers %+v", what, i, took, reply)
		}
	}
}
