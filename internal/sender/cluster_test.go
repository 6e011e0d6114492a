package sender_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	nodes "github.com/parleyhq/parley/internal/node"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// member is a node of a cluster, with its own connection to the database.
type member struct {
	*nodes.Node
	gate   *pgtest.Gate
	store  *store.Store
	sender *sender.Sender
}

// cluster is a group of nodes on one database that send through one provider.
type cluster struct {
	*rig
	members []*member
	names   map[string][]string // of accepted messages, by person
}

// inCluster runs a test with nodes in one bubble of time.
func inCluster(t *testing.T, size int, test func(t *testing.T, c *cluster)) {
	t.Helper()
	place := storetest.NewConfig(t, storetest.Postgres)
	gates := make([]*pgtest.Gate, size)
	for i := range gates {
		gates[i] = pgtest.NewGate(t, place.URL)
	}
	runRig(t, place, func(t *testing.T, r *rig) {
		r.sender.Stop(context.Background())
		c := &cluster{rig: r, names: map[string][]string{}}
		for _, gate := range gates {
			c.join(gate)
		}
		test(t, c)
		for _, m := range c.members {
			m.gate.Open()
			m.sender.Stop(context.Background())
			m.Stop(context.Background())
		}
	})
}

func (c *cluster) join(gate *pgtest.Gate) {
	c.t.Helper()
	m := &member{gate: gate, store: storetest.OpenAt(c.t, store.Config{URL: gate.URL})}
	m.Node = parttest.Start(c.t, nodes.New(m.store, nil, slog.New(slog.DiscardHandler)))
	c.start(func(cfg *sender.Config) { cfg.Store, cfg.Lease = m.store, m.Lease })
	m.sender = c.sender
	c.members = append(c.members, m)
}

// burst makes the nodes accept each person's messages in turn.
func (c *cluster) burst(people, messages int) {
	c.t.Helper()
	for i := range messages {
		for p := range people {
			m := c.members[(i+p)%len(c.members)]
			name := fmt.Sprintf("%d of %d", len(c.names[person(p)]), p)
			a := c.accept(name, person(p), m.sender.Node())
			if a.Job.Owner == m.sender.Node() {
				m.sender.Enqueue(c.Account, workOf(a))
			}
			c.names[person(p)] = append(c.names[person(p)], name)
		}
	}
}

// slowly answers later than a node waits before it sends messages taken over from a dead node.
func slowly(context.Context, call) (provider.Sent, error) {
	<-time.After(5 * time.Second)
	return provider.Sent{}, nil
}

// requireLedger fails the test unless the calls contain each message once, and each person's messages in order.
func (c *cluster) requireLedger(calls []string) {
	c.t.Helper()
	got := map[string][]string{}
	for _, name := range calls {
		var n, p int
		fmt.Sscanf(name, "%d of %d", &n, &p)
		got[person(p)] = append(got[person(p)], name)
	}
	for person, want := range c.names {
		if !slices.Equal(got[person], want) {
			c.t.Errorf("%s got\n%v\nof\n%v", person, got[person], want)
		}
	}
}

// The database is unavailable to all nodes for longer than a lease lasts. When it is back, no node takes another's
// messages, because all are alive. Nothing is sent twice or out of order.
func TestNodesOutliveAnOutage(t *testing.T) {
	t.Parallel()
	inCluster(t, 3, func(t *testing.T, c *cluster) {
		c.answer = slowly
		pass(time.Minute)
		c.burst(6, 4)
		pass(7 * time.Second) // in the middle of the burst
		for _, m := range c.members {
			m.gate.Shut()
		}
		pass(40 * time.Second)
		for i, m := range c.members { // the nodes get their connection back one after the other
			<-time.After(time.Duration(i) * 1500 * time.Millisecond)
			m.gate.Open()
		}
		c.burst(6, 2)
		pass(2 * time.Minute)
		c.requireLedger(c.order())
	})
}

// A node that alone loses the database for longer than its lease is declared dead. Its messages that were under way may
// be sent again. The others are sent by the other nodes, once and in order, and not by it as well.
func TestANodeThatIsCutOff(t *testing.T) {
	t.Parallel()
	inCluster(t, 2, func(t *testing.T, c *cluster) {
		c.answer = slowly
		pass(time.Minute)
		c.burst(4, 4)
		synctest.Wait()
		cut := c.members[0]
		name := cut.Lease().Node
		cut.gate.Shut()
		pass(2 * time.Minute)
		cut.gate.Open()
		pass(10 * time.Second)
		if cut.Lease().Node == name {
			t.Error("the node goes on under its old name")
		}
		c.burst(4, 2)
		pass(2 * time.Minute)
		var once []string
		for _, name := range c.order() {
			if !slices.Contains(once, name) {
				once = append(once, name)
			}
		}
		c.requireLedger(once)
		if twice := len(c.order()) - len(once); twice > 4 { // each conversation can have one message under way
			t.Errorf("%d messages went out again", twice)
		}
	})
}
