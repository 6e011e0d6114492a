package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

const (
	// frozenFor is longer than a node counts as alive after its last sign of life, and longer than the others wait.
	frozenFor = 35 * time.Second
	visitors  = 6 // how many clients keep their connections
)

// threeNodes is the ledger of three nodes on one database.
func threeNodes(t *testing.T, database string, flags ...string) *ledger {
	t.Helper()
	files := t.TempDir()
	node := func(s *Server) {
		OnFolder(files)(s)
		OnDatabase(database)(s)
		WithFlags(append(flags, "--allow-network=127.0.0.0/8")...)(s)
	}
	return openLedger(t, node, node, node)
}

// replace kills one of several nodes and starts it again. What the node had sent is accepted before it serves again, and
// the others take over its work long afterwards.
func (l *ledger) replace(node *Server) {
	l.t.Helper()
	node.Kill()
	l.kills = append(l.kills, time.Now())
	node.Restart()
	l.kills = append(l.kills, time.Now())
}

// more waits until n more messages are accepted.
func (l *ledger) more(n int) bool {
	l.t.Helper()
	return l.awaitAccepted(int(l.accepted.Load()) + n)
}

// TestRollingRestart replaces three nodes one after the other under load. Clients that keep their connections and never
// repeat a request see no failure.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	l := threeNodes(t, pgtest.NewDatabase(t), "--drain-delay=1s")
	book := l.listen()
	v := l.visit()
	if l.more(ledgerPerRound) {
		for _, node := range l.nodes {
			node.Stop()
			node.Restart()
			if !l.more(ledgerPerRound / 2) {
				break
			}
		}
	}
	v.leave()
	l.close()
	l.check()
	book.check(l)
	t.Logf("%d requests on %d kept connections, none failed", v.requests.Load(), v.connections.Load())
	if v.requests.Load() < 100 {
		t.Errorf("only %d requests were made", v.requests.Load())
	}
}

// visit starts clients that make requests, each on a connection that it keeps as long as it may.
func (l *ledger) visit() *visit {
	v := &visit{l: l, quit: make(chan struct{})}
	for i := range visitors {
		v.done.Go(func() { v.run(i) })
	}
	l.t.Cleanup(v.leave)
	return v
}

type visit struct {
	l                     *ledger
	quit                  chan struct{}
	closing               sync.Once
	done                  sync.WaitGroup
	requests, connections atomic.Int64
}

func (v *visit) leave() {
	v.closing.Do(func() { close(v.quit) })
	v.done.Wait()
}

// run goes from node to node, as a load balancer does: to the next one if a node accepts no connection.
func (v *visit) run(visitor int) {
	for i := visitor; ; i++ {
		select {
		case <-v.quit:
			return
		default:
		}
		p := v.l.nodes[i%len(v.l.nodes)].proc.Load()
		if !p.running() { // another process may have its port by now
			continue
		}
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			continue
		}
		v.connections.Add(1)
		if err := v.talk(conn, visitor); err != nil {
			v.l.t.Errorf("a visitor's request failed: %v", err)
			return
		}
	}
}

// talk makes requests until it is told to close the connection.
func (v *visit) talk(conn net.Conn, visitor int) error {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		n := v.requests.Add(1)
		body := fmt.Sprintf(`{"name":"%d of visitor %d"}`, n, visitor)
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		fmt.Fprintf(conn, "POST /v1/labels HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			v.l.numbers[0].org.Key, len(body), body)
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if response.StatusCode != http.StatusCreated {
			return errors.New(response.Status)
		}
		select {
		case <-v.quit:
			return nil
		case <-time.After(20 * time.Millisecond): // the server may close the connection during this wait
		}
		if response.Close {
			return nil
		}
	}
}

// TestNodesDieAndFreeze kills nodes under load, and freezes one for so long that the others take over its work. When it
// continues, it does not touch the work that others now have.
func TestNodesDieAndFreeze(t *testing.T) {
	t.Parallel()
	l := threeNodes(t, pgtest.NewDatabase(t))
	l.p.do(http.MethodPut, "faults", map[string]any{"latency": "100ms"}) // so that messages are always under way
	book := l.listen()
	if l.more(ledgerPerRound) {
		l.replace(l.nodes[1])
		l.more(ledgerPerRound)
		l.nodes[0].Signal(syscall.SIGSTOP)
		within(frozenFor/3, l.t.Failed) // the provider accepts what the node had sent; the others still wait for the node
		l.kills = append(l.kills, time.Now())
		within(frozenFor-frozenFor/3, l.t.Failed)
		l.kills = append(l.kills, time.Now())
		l.nodes[0].Signal(syscall.SIGCONT)
		l.more(ledgerPerRound)
	}
	l.close()
	l.check()
	book.check(l)
}

// TestNodesKeepOneKey: the same request to three nodes at once is processed once.
func TestNodesKeepOneKey(t *testing.T) {
	t.Parallel()
	p, nodes, n := nodesOn(t, "api,worker", "api,worker", "api,worker")
	for round := range 5 {
		person, key := newPerson(), fmt.Sprintf("round %d", round)
		call := Call{Method: http.MethodPost, Path: n.path("/messages"), Key: n.org.Key, Body: sendBody(person, "text", text("once")), IdempotencyKey: key}
		ids := map[string]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				var reply Reply
				answered := eventually(func() bool { // requests that come while it is processed are told to ask again
					reply = nodes[i%3].Do(call)
					return reply.Code() != "idempotency_in_progress"
				})
				mu.Lock()
				defer mu.Unlock()
				if ids[reply.ID()]++; !answered || reply.Status != http.StatusOK {
					t.Errorf("got %+v", reply)
				}
			})
		}
		wg.Wait()
		if len(ids) != 1 {
			t.Fatalf("the answers are %v", ids)
		}
		for id := range ids {
			checkOrder(t, p, person, []string{id})
		}
	}
}
