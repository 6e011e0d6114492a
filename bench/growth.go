package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
)

// The steps of what grows.
var (
	storedMessages = []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000}
	endpointCounts = []int{1, 10, 100, 1_000}
	nodeCounts     = []int{1, 2, 3}
)

// grownScenarios are measured at each number of stored messages, all of one number, by two clients: first pages, the
// messages of one conversation, and sends.
var grownScenarios = []scenario{
	grown("messages", "messages"),
	grown("a thread", "messages?conversation_id=cnv_00000000000000000000000042"),
	grown("conversations", "conversations"),
	{name: "a send", want: http.StatusOK, requests: func(t target) requestFunc { return sendTemplate(t, 1) }},
}

func grown(name, list string) scenario {
	return scenario{name: name, want: http.StatusOK, requests: func(t target) requestFunc { return always(t.get("/v1/7000000/" + list)) }}
}

// growth measures how cost grows with the messages that are stored, with the endpoints, and with the nodes on one
// database, and draws it.
func (b *bench) growth(ctx context.Context) (err error) {
	if b.program, err = b.built(ctx); err != nil {
		return err
	}
	deliveries := chart{file: "endpoints", title: "One delivery, by the number of endpoints", x: "endpoints", y: "processor time, µs"}
	for _, engine := range []string{engineSQLite, enginePostgres} {
		if b.only == "" || b.only == engine {
			err = errors.Join(err, b.growEngine(ctx, engine, &deliveries))
		}
	}
	return errors.Join(err, b.draw(deliveries))
}

func (b *bench) growEngine(ctx context.Context, engine string, deliveries *chart) error {
	url := ""
	if engine == enginePostgres {
		pg, stop, err := b.startPostgres(ctx)
		if err != nil {
			return err
		}
		defer stop()
		url = pg.URL
	}
	var err error
	if matches("endpoints", b.filter) {
		err = b.growEndpoints(ctx, engine, url, deliveries)
	}
	if url != "" && matches("nodes", b.filter) {
		err = errors.Join(err, b.growNodes(ctx, url))
	}
	if matches("messages", b.filter) {
		err = errors.Join(err, b.growMessages(ctx, engine, url))
	}
	return err
}

func (b *bench) growMessages(ctx context.Context, engine, databaseURL string) error {
	c := chart{file: "messages-" + engine, title: "Requests by the number of stored messages, " + engineName(engine), x: "messages", y: "median, ms"}
	g := group{Name: engine + ", by messages"}
	var err error
	for _, messages := range storedMessages {
		if b.messages > 0 && messages > b.messages || err != nil {
			break
		}
		var url string
		if url, err = anotherDatabase(ctx, databaseURL, fmt.Sprintf("messages_%d", messages)); err == nil {
			err = b.growTo(ctx, &g, &c, url, messages)
		}
	}
	b.report.Groups = append(b.report.Groups, g) // and half of it, if the run ends early
	return errors.Join(err, b.draw(c))
}

// growTo measures the requests on a store of its own with so many messages. The node only answers requests: a worker would
// first read all messages into the search index, which takes longer than everything else.
func (b *bench) growTo(ctx context.Context, g *group, c *chart, databaseURL string, messages int) error {
	s, err := b.prepareEngine(ctx, g.Name, databaseURL)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	if err := fillMonths(ctx, &s, messages, 1); err != nil {
		return err
	}
	if err := b.serve(ctx, &s, "--role", "api"); err != nil {
		return err
	}
	defer s.process.stop()
	if err := s.awaitRest(ctx); err != nil {
		return err
	}
	two := *b
	two.connections = 2
	for _, sc := range grownScenarios {
		f := two.measureServer(ctx, s, sc)
		c.add(sc.name, messages, f.P50.Seconds()*1000)
		f.Name = fmt.Sprintf("%s of %s", sc.name, thousands(messages))
		b.add(g, f)
	}
	return ctx.Err()
}

func (b *bench) growEndpoints(ctx context.Context, engine, databaseURL string, c *chart) error {
	s, err := b.startEngine(ctx, engine, databaseURL)
	if err != nil {
		return err
	}
	defer s.process.stop()
	g := group{Name: engine + ", by endpoints"}
	for _, count := range endpointCounts {
		database := familyTime(b.database)
		f, err := b.measureHooks(ctx, s, hookScenario{endpoints: count})
		if err != nil {
			return err
		}
		f.DBMicros = float64((familyTime(b.database) - database).Microseconds()) / float64(f.Requests)
		c.add(engineName(engine), count, f.CPUMicros+f.DBMicros)
		f.Name = fmt.Sprintf("deliveries to %s", thousands(count))
		b.add(&g, f)
	}
	b.report.Groups = append(b.report.Groups, g)
	return nil
}

// growNodes sends through all nodes at once. They share the machine's cores with the database, so what shows whether
// another node pays is the processor time of a send and not the rate.
func (b *bench) growNodes(ctx context.Context, databaseURL string) error {
	c := chart{file: "nodes", title: "One accepted send, by the number of nodes on one PostgreSQL", x: "nodes", y: "processor time, µs"}
	g := group{Name: "nodes on PostgreSQL"}
	url, err := anotherDatabase(ctx, databaseURL, "nodes")
	if err != nil {
		return err
	}
	first, err := b.prepareEngine(ctx, enginePostgres, url)
	if err != nil {
		return err
	}
	var nodes []server
	defer func() {
		for _, n := range nodes {
			n.process.stop()
		}
	}()
	for range slices.Max(nodeCounts) {
		node := first
		if err := b.serve(ctx, &node); err != nil {
			return err
		}
		nodes = append(nodes, node)
		f := b.measureNodes(ctx, nodes)
		c.add("nodes", len(nodes), f.CPUMicros)
		c.add("PostgreSQL", len(nodes), f.DBMicros)
		b.add(&g, f)
	}
	b.report.Groups = append(b.report.Groups, g)
	return b.draw(c)
}

// measureNodes spreads the connections over the nodes.
func (b *bench) measureNodes(ctx context.Context, nodes []server) figures {
	l := newLoad("", b.connections, http.StatusOK, sendTemplate(nodes[0].target, 1))
	defer l.close()
	for i, w := range l.workers {
		w.addr = nodes[i%len(nodes)].target.addr
	}
	var others []int
	for _, n := range nodes[1:] {
		others = append(others, n.process.pid())
	}
	name := fmt.Sprintf("sends through %d", len(nodes))
	if _, err := l.phase(ctx, bounds{duration: b.warmUp}); err != nil {
		return figures{Name: name, Failure: err.Error()}
	}
	const warm = 0
	before := cpuTimes(others)
	f := b.measure(ctx, name, nodes[0].process.pid(), warm, l.phase)
	if f.Requests > 0 {
		f.CPUMicros += float64((cpuTimes(others) - before).Microseconds()) / float64(f.Requests)
	}
	return f
}

func engineName(engine string) string {
	if engine == enginePostgres {
		return "PostgreSQL"
	}
	return "SQLite"
}

// draw writes a chart.
func (b *bench) draw(c chart) error {
	if len(c.curves) == 0 {
		return nil
	}
	if err := os.MkdirAll(b.plots, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.plots, c.file+".svg"), []byte(c.svg()), 0o644)
}
