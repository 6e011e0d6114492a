package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// nodesOn starts nodes on one new database and one provider, and connects a number.
func nodesOn(t *testing.T, roles ...string) (*Provider, []*Server, *Number) {
	t.Helper()
	return nodesAt(t, OnDatabase(pgtest.NewDatabase(t)), roles...)
}

// nodesAt is nodesOn for a given database.
func nodesAt(t *testing.T, database Option, roles ...string) (*Provider, []*Server, *Number) {
	t.Helper()
	files := OnFolder(t.TempDir())
	p := StartProvider(t)
	var nodes []*Server
	for _, role := range roles {
		nodes = append(nodes, p.Serve(files, database, WithFlags("--role="+role)))
	}
	return p, nodes, plant(t, nodes[0], p.Sim, nodes[0].stored())
}

// checkOrder checks that the provider got each of a person's messages once, in the order they were accepted.
func checkOrder(t *testing.T, p *Provider, person string, want []string) {
	t.Helper()
	var got []string
	complete := within(2*patience, func() bool {
		got = nil
		for _, m := range p.accepted("phone=" + person[1:]) {
			got = append(got, m.str("biz_opaque_callback_data"))
		}
		return len(got) >= len(want)
	})
	if !complete || !slices.Equal(got, want) {
		t.Errorf("to %s the provider got\n%v\nwhich were accepted as\n%v", person, got, want)
	}
}

// TestNodesKeepTheOrder: two nodes accept the messages of a conversation in turn, while the provider is slow.
func TestNodesKeepTheOrder(t *testing.T) {
	t.Parallel()
	p, nodes, n := nodesOn(t, "api,worker", "api,worker")
	p.do(http.MethodPut, "faults", map[string]any{"latency": "300ms"})
	ids := map[string][]string{}
	people := []string{newPerson(), newPerson(), newPerson()}
	for i := range 8 {
		for j, person := range people {
			n.srv = nodes[(i+j)%2]
			ids[person] = append(ids[person], n.send(person, "text", text(fmt.Sprint(i))))
		}
	}
	for _, person := range people {
		checkOrder(t, p, person, ids[person])
	}
}

// TestRoles: messages that a node without workers accepts are sent by others, and the provider's reports to it are
// visible on the others.
func TestRoles(t *testing.T) {
	t.Parallel()
	testRoles(t, OnDatabase(pgtest.NewDatabase(t)))
}

// TestRolesBehindAPooler: the nodes reach their database through PgBouncer, with fewer connections than they have
// themselves. They are told of work over the database's own address, or look for it.
func TestRolesBehindAPooler(t *testing.T) {
	t.Parallel()
	for _, hearing := range []bool{false, true} {
		t.Run(fmt.Sprintf("hearing %t", hearing), func(t *testing.T) {
			t.Parallel()
			direct := pgtest.NewDatabase(t)
			pooled := OnDatabase(pgtest.Bouncer{Mode: "transaction", Size: 4}.Start(t, direct))
			testRoles(t, func(s *Server) {
				pooled(s)
				if hearing {
					s.flags = append(s.flags, "--database-direct-url", direct)
				}
			})
		})
	}
}

func testRoles(t *testing.T, database Option) {
	p, nodes, n := nodesAt(t, database, "worker", "api")
	n.srv = nodes[1]
	person := newPerson()
	var ids []string
	for i := range 5 {
		ids = append(ids, n.send(person, "text", text(fmt.Sprint(i))))
	}
	checkOrder(t, p, person, ids)
	for _, id := range ids {
		n.awaitStatus(id, "read")
	}
	picture := n.find(n.receive(person, "image", nil))
	media := n.path("/messages/" + picture.str("id") + "/media")
	if !eventually(func() bool { return n.srv.Get(n.org.Key, media).Status == http.StatusOK }) { // follows the redirect
		t.Error("the picture was not fetched")
	}
	nodes[0].Stop() // the worker stops; another node takes its place
	later := n.send(person, "text", text("later"))
	nodes[0].Restart()
	n.awaitStatus(later, "read")
}
