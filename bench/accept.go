package main

import (
	"context"
	"time"
)

// turn is how long a server has the load before the next one has it: short beside the minutes in which a shared machine
// changes its speed, and long enough for a hundred commits.
const turn = 750 * time.Millisecond

// contender is a row that takes turns with others. Its server is stopped while it is not its turn, so that what a server
// does behind the answers is charged to its own rows.
type contender struct {
	side *side
	sc   scenario
	s    server
	load *load

	counted       tally
	cpu, database time.Duration
	warm          bool
	err           error
}

// accept measures how many sends are accepted, by the bare path and by the program, which take turns. The program's
// number may send one message a second, so that acceptance alone is measured, as on the bare path.
func (b *bench) accept(ctx context.Context, sides []*side) {
	var all []*contender
	b.each(func(ctx context.Context, s *side) error {
		rows, err := b.acceptors(ctx, s)
		all = append(all, rows...)
		return err
	})(ctx, sides)
	for range 1 + int((b.duration+turn-1)/turn) {
		for _, c := range all {
			c.take(ctx, b)
		}
	}
	for _, c := range all {
		b.addContender(ctx, c)
	}
	for _, c := range all {
		c.load.close()
		c.s.process.stop()
	}
}

// acceptors starts the servers of one side.
func (b *bench) acceptors(ctx context.Context, s *side) (all []*contender, err error) {
	add := func(server server, sc scenario) {
		server.process.pause()
		all = append(all, &contender{side: s, sc: sc, s: server, load: newLoad(server.target.addr, b.connections, sc.want, sc.requests(server.target))})
	}
	if matches(bareAcceptRow, b.filter) {
		bare, err := b.startBareAccept(ctx, s)
		if err != nil {
			return nil, err
		}
		add(bare, scenario{name: bareAcceptRow, want: 200, requests: func(t target) requestFunc { return sendTemplate(t, 1) }})
	}
	if len(matching(acceptScenarios, b.options)) == 0 {
		return all, nil
	}
	program, err := b.acceptingServer(ctx, s, "accept")
	if err != nil {
		return all, err
	}
	for _, sc := range matching(acceptScenarios, b.options) {
		add(program, sc)
	}
	if b.against == "" {
		return all, nil
	}
	other := *b
	other.program = b.against
	if program, err = other.acceptingServer(ctx, s, "against"); err != nil {
		return all, err
	}
	for _, sc := range matching(acceptScenarios, b.options) {
		sc.name += " by the other"
		add(program, sc)
	}
	return all, nil
}

func (b *bench) acceptingServer(ctx context.Context, s *side, database string) (server, error) {
	url, err := anotherDatabase(ctx, s.url, database)
	if err != nil {
		return server{}, err
	}
	return b.startEngine(ctx, s.Name, url, "--messages-per-second", "1")
}

func (b *bench) startBareAccept(ctx context.Context, s *side) (server, error) {
	place := b.tmp + "/bareaccept.db"
	if s.url != "" {
		var err error
		if place, err = anotherDatabase(ctx, s.url, "bareaccept"); err != nil {
			return server{}, err
		}
	}
	return b.startBare(ctx, s.Name, "-accept", place)
}

// take is the contender's turn. The first one warms up.
func (c *contender) take(ctx context.Context, b *bench) {
	if c.err != nil || ctx.Err() != nil {
		return
	}
	c.s.process.resume()
	defer c.s.process.pause()
	before, _ := cpuTime(c.s.process.pid())
	database := familyTime(c.side.database)
	t, err := c.load.phase(ctx, bounds{duration: turn})
	if c.err = err; !c.warm {
		c.warm = true
		return
	}
	after, _ := cpuTime(c.s.process.pid())
	c.cpu += after - before
	c.database += familyTime(c.side.database) - database
	c.counted.merge(&t)
}

// addContender makes a contender's row.
func (b *bench) addContender(ctx context.Context, c *contender) {
	c.s.process.resume()
	f := figures{Name: c.sc.name, Limit: b.limit(&c.side.group, c.sc)}
	f.count(&c.counted)
	if answered := f.Requests + f.Errors; answered > 0 {
		f.CPUMicros = float64(c.cpu.Microseconds()) / float64(answered)
		f.DBMicros = float64(c.database.Microseconds()) / float64(answered)
	}
	f.RSS, f.PeakRSS = memory(c.s.process.pid())
	if b.profiles != "" && c.s.ops != "" && c.err == nil {
		c.err = b.profile(ctx, c.s, c.sc, c.load)
	}
	if c.err != nil {
		f.Failure = c.err.Error()
	}
	b.add(&c.side.group, f)
}
