package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/pgtest"
)

const (
	engineSQLite   = "sqlite"
	enginePostgres = "postgres"

	bareHTTPPost    = "bare HTTP POST"
	bareHTTPGet     = "bare HTTP GET"
	bareSQLiteRow   = "bare SQLite, grouped commits"
	barePostgresRow = "bare PostgreSQL, commit per row"
	bareAcceptRow   = "bare send, accepted"
)

// bench is one run.
type bench struct {
	options
	tmp      string
	database int // the pid of the first process of the PostgreSQL under load; 0 if there is none

	hookNumbers int // how many business numbers were connected for rows about webhooks
	report      report
}

// side is an engine and its table.
type side struct {
	group
	url      string // of PostgreSQL; empty: SQLite
	database int    // the pid of PostgreSQL's first process
	server   server // the one that most rows share
	sending  bool   // that server may still be sending what its last row left
}

// all measures the bare limits first, because the engines' rows refer to them. Then both engines are measured row by row
// and not one after the other: rows that are compared should be neighbours, because a shared machine changes its speed
// within minutes.
func (b *bench) all(ctx context.Context) {
	b.group(ctx, "bare HTTP", len(matching(echoScenarios, b.options)) > 0, b.bareHTTP)
	var sides []*side
	if b.wants(engineSQLite, bareSQLiteRow) {
		sides = append(sides, &side{group: group{Name: engineSQLite}})
	}
	if b.wants(enginePostgres, barePostgresRow) {
		pg, stop := b.postgres(ctx)
		defer stop()
		sides = append(sides, pg)
	}
	for _, measure := range b.steps() {
		measure(ctx, sides)
	}
	for _, s := range sides {
		b.report.Groups = append(b.report.Groups, s.group)
	}
}

// step measures something on all sides.
type step func(context.Context, []*side)

func (b *bench) steps() []step {
	steps := []step{b.each(b.bareStore)}
	if !b.wantsProgram() {
		return append(steps, b.accept)
	}
	steps = append(steps, b.each(b.buildOnce), b.accept)
	if rows := b.commonRows(); len(rows) > 0 {
		steps = append(append(append(steps, b.each(b.startCommon)), rows...), b.stopCommon)
	}
	for _, measure := range []func(context.Context, *group, string) error{b.provider, b.purge, b.broadcast, b.fairness, b.dashboard} {
		steps = append(steps, b.each(func(ctx context.Context, s *side) error { return measure(ctx, &s.group, s.url) }))
	}
	return steps
}

// each measures one side after the other. A failure ends that side's table, not the run.
func (b *bench) each(measure func(context.Context, *side) error) step {
	return func(ctx context.Context, sides []*side) {
		for _, s := range sides {
			if s.Failure != "" || ctx.Err() != nil {
				continue
			}
			b.database = s.database
			s.fail(measure(ctx, s))
		}
	}
}

func (g *group) fail(err error) {
	if err != nil {
		g.Failure = err.Error()
	}
}

// wants tells whether the filters leave anything to measure on an engine.
func (b *bench) wants(engine, bareRow string) bool {
	return (b.only == "" || b.only == engine) &&
		(matches(bareRow, b.filter) || matches(bareAcceptRow, b.filter) || b.wantsProgram())
}

func (b *bench) wantsProgram() bool {
	return len(matching(scenarios, b.options)) > 0 || len(matching(laterScenarios, b.options)) > 0 || len(matching(acceptScenarios, b.options)) > 0 || len(matching(hookScenarios, b.options)) > 0 ||
		len(matching(providerScenarios, b.options)) > 0 || len(matching(purgeScenarios, b.options)) > 0 || len(matching(dashboardScenarios, b.options)) > 0 ||
		len(matching(broadcastScenarios, b.options)) > 0 || len(matching(fairnessScenarios, b.options)) > 0
}

// group runs one table of the report. A failure ends that table, not the run.
func (b *bench) group(ctx context.Context, name string, wanted bool, measure func(context.Context, *group) error) {
	if !wanted || ctx.Err() != nil {
		return
	}
	g := group{Name: name}
	g.fail(measure(ctx, &g))
	b.report.Groups = append(b.report.Groups, g)
}

// add keeps a row and shows the progress of the run.
func (b *bench) add(g *group, f figures) {
	f.Load = machineLoad()
	g.Rows = append(g.Rows, f)
	fmt.Fprintf(os.Stderr, "%-9s %-34s %7.0f req/s  %d errors  %s\n", g.Name, f.Name, f.PerSecond, f.Errors, f.Failure)
}

func (b *bench) bareHTTP(ctx context.Context, g *group) error {
	s, err := b.startBare(ctx, "echo")
	if err != nil {
		return err
	}
	defer s.process.stop()
	for _, sc := range matching(echoScenarios, b.options) {
		b.add(g, b.measureServer(ctx, s, sc))
	}
	return ctx.Err()
}

// startBare starts this program as a bare server.
func (b *bench) startBare(ctx context.Context, name string, flags ...string) (server, error) {
	self, err := os.Executable()
	if err != nil {
		return server{}, err
	}
	addr, err := freeAddr()
	if err != nil {
		return server{}, err
	}
	p, err := startProcess(ctx, b.tmp, addr, self, append([]string{"-echo", addr}, flags...)...)
	return server{engine: name, process: p, target: target{addr: addr, key: strings.Repeat("x", 33)}}, err
}

func (b *bench) bareStore(ctx context.Context, s *side) error {
	if s.url == "" {
		return b.bareSQLite(ctx, &s.group)
	}
	return b.barePostgres(ctx, s)
}

func (b *bench) bareSQLite(ctx context.Context, g *group) error {
	if !matches(bareSQLiteRow, b.filter) {
		return nil
	}
	s, err := openBareSQLite(ctx, b.tmp, b.connections)
	if err != nil {
		return err
	}
	b.add(g, b.measure(ctx, bareSQLiteRow, os.Getpid(), b.warmUp, s.phase))
	return s.db.Close()
}

func (b *bench) barePostgres(ctx context.Context, s *side) error {
	if !matches(barePostgresRow, b.filter) {
		return nil
	}
	bare, err := openBarePostgres(ctx, s.url, b.pgConns)
	if err != nil {
		return err
	}
	b.add(&s.group, b.measure(ctx, barePostgresRow, os.Getpid(), b.warmUp, bare.phase))
	bare.close(ctx)
	return nil
}

// postgres starts PostgreSQL for its side.
func (b *bench) postgres(ctx context.Context) (s *side, stop func()) {
	s = &side{group: group{Name: enginePostgres}}
	pg, stop, err := b.startPostgres(ctx)
	if err != nil {
		s.fail(err)
		return s, func() {}
	}
	s.url, s.database = pg.URL, b.database
	b.report.Machine.Postgres, err = postgresVersion(ctx, pg.URL)
	s.fail(err)
	return s, stop
}

// startPostgres starts a server of its own, whose processor time is then counted.
func (b *bench) startPostgres(ctx context.Context) (pg *pgtest.Server, stop func(), err error) {
	if pg, err = (pgtest.Config{Durable: true}).Start(ctx); err != nil {
		return nil, nil, err
	}
	if b.database, err = postmaster(ctx, pg.URL); err != nil {
		pg.Stop()
		return nil, nil, err
	}
	return pg, func() { b.database = 0; pg.Stop() }, nil
}

// postmaster is the server's main process, the parent of its other processes.
func postmaster(ctx context.Context, url string) (pid int, err error) {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer c.Close(ctx)
	var file string
	if err := c.QueryRow(ctx, "SELECT pg_read_file('postmaster.pid')").Scan(&file); err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(file, "\n")
	return strconv.Atoi(first)
}

func postgresVersion(ctx context.Context, url string) (string, error) {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	var version string
	err = c.QueryRow(ctx, "SHOW server_version").Scan(&version)
	// Distributions append their package's version; the first word is PostgreSQL's own.
	version, _, _ = strings.Cut(version, " ")
	return version, err
}

func (b *bench) buildOnce(ctx context.Context, _ *side) (err error) {
	b.program, err = b.built(ctx)
	return err
}

// built is the program to measure.
func (b *bench) built(ctx context.Context) (string, error) {
	if b.program != "" {
		return b.program, nil
	}
	return build(ctx, b.tmp)
}

func (b *bench) startCommon(ctx context.Context, s *side) (err error) {
	if s.server, err = b.startEngine(ctx, s.Name, s.url); err != nil {
		return err
	}
	s.Start = s.server.process.started
	s.StartRSS, _ = memory(s.server.process.pid())
	return nil
}

// stopCommon stops the shared servers before the rows that have their own: they may still be sending.
func (b *bench) stopCommon(_ context.Context, sides []*side) {
	for _, s := range sides {
		if s.server.process != nil {
			s.server.process.stop()
		}
	}
}

// commonRows are the rows that share a server.
func (b *bench) commonRows() (rows []step) {
	for _, sc := range matching(scenarios, b.options) {
		rows = append(rows, b.rest, b.row(sc))
	}
	for _, sc := range matching(hookScenarios, b.options) {
		rows = append(rows, b.rest, b.hookRow(sc))
	}
	for i, sc := range matching(laterScenarios, b.options) {
		if i == 0 {
			rows = append(rows, b.rest, b.each(b.fillCommon))
		}
		rows = append(rows, b.row(sc))
	}
	return rows
}

func (b *bench) row(sc scenario) step {
	return b.each(func(ctx context.Context, s *side) error {
		f := b.measureServer(ctx, s.server, sc)
		s.sending = sc.sends
		f.Limit = b.limit(&s.group, sc)
		b.add(&s.group, f)
		select {
		case <-s.server.process.exited:
			return fmt.Errorf("the server ended during %q:\n%s", sc.name, s.server.process.logTail())
		default:
			return ctx.Err()
		}
	})
}

// fillCommon fills the large inbox, of which the lists are.
func (b *bench) fillCommon(ctx context.Context, s *side) error {
	return errors.Join(b.fillInbox(ctx, &s.server, s.server.store), s.server.walkDown(ctx))
}

// rest waits until the servers have sent what the rows before left, so that the next row has the machine to itself.
func (b *bench) rest(ctx context.Context, sides []*side) {
	for _, s := range sides {
		if s.sending && s.Failure == "" {
			s.fail(s.server.awaitRest(ctx))
		}
		s.sending = false
	}
}

// limit is the lower of the bare rates that bound a scenario; 0 if none of them was measured.
func (b *bench) limit(g *group, sc scenario) float64 {
	limit := b.report.perSecond(sc.bare)
	if !sc.writes {
		return limit
	}
	for _, f := range g.Rows {
		bareStore := f.Name == bareSQLiteRow || f.Name == barePostgresRow || f.Name == bareAcceptRow && sc.sends
		if bareStore && (limit == 0 || f.PerSecond < limit) {
			limit = f.PerSecond
		}
	}
	return limit
}
