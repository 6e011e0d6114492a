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
	database int // the pid of PostgreSQL's first process; 0 if there is none

	hookNumbers int  // how many business numbers were connected for rows about webhooks
	sending     bool // the server may still be sending what the last row left
	report      report
}

// all measures the bare limits first, because the engines' rows refer to them.
func (b *bench) all(ctx context.Context) {
	b.group(ctx, "bare HTTP", len(matching(echoScenarios, b.options)) > 0, b.bareHTTP)
	b.group(ctx, engineSQLite, b.wants(engineSQLite, bareSQLiteRow), b.sqlite)
	b.group(ctx, enginePostgres, b.wants(enginePostgres, barePostgresRow), b.postgres)
}

// wants tells whether the filters leave anything to measure on an engine.
func (b *bench) wants(engine, bareRow string) bool {
	return (b.only == "" || b.only == engine) &&
		(matches(bareRow, b.filter) || matches(bareAcceptRow, b.filter) || b.wantsProgram())
}

func (b *bench) wantsProgram() bool {
	return len(matching(scenarios, b.options)) > 0 || len(matching(laterScenarios, b.options)) > 0 || len(matching(hookScenarios, b.options)) > 0 || len(matching(providerScenarios, b.options)) > 0 ||
		len(matching(purgeScenarios, b.options)) > 0 || len(matching(dashboardScenarios, b.options)) > 0 || len(matching(broadcastScenarios, b.options)) > 0 ||
		len(matching(fairnessScenarios, b.options)) > 0
}

// group runs one table of the report. A failure ends that table, not the run.
func (b *bench) group(ctx context.Context, name string, wanted bool, measure func(context.Context, *group) error) {
	if !wanted || ctx.Err() != nil {
		return
	}
	g := group{Name: name}
	if err := measure(ctx, &g); err != nil {
		g.Failure = err.Error()
	}
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
	return b.scenarios(ctx, g, s, echoScenarios)
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

func (b *bench) sqlite(ctx context.Context, g *group) error {
	if matches(bareSQLiteRow, b.filter) {
		s, err := openBareSQLite(ctx, b.tmp, b.connections)
		if err != nil {
			return err
		}
		b.add(g, b.measure(ctx, bareSQLiteRow, os.Getpid(), b.warmUp, s.phase))
		s.db.Close()
	}
	if err := b.bareAccept(ctx, g, ""); err != nil {
		return err
	}
	return b.engine(ctx, g, "")
}

func (b *bench) postgres(ctx context.Context, g *group) error {
	pg, stop, err := b.startPostgres(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if b.report.Machine.Postgres, err = postgresVersion(ctx, pg.URL); err != nil {
		return err
	}
	if matches(barePostgresRow, b.filter) {
		s, err := openBarePostgres(ctx, pg.URL, b.pgConns)
		if err != nil {
			return err
		}
		b.add(g, b.measure(ctx, barePostgresRow, os.Getpid(), b.warmUp, s.phase))
		s.close(ctx)
	}
	if err := b.bareAccept(ctx, g, pg.URL); err != nil {
		return err
	}
	return b.engine(ctx, g, pg.URL)
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

// engine measures the program itself over one store.
func (b *bench) engine(ctx context.Context, g *group, databaseURL string) (err error) {
	if !b.wantsProgram() {
		return nil
	}
	if b.program, err = b.built(ctx); err != nil {
		return err
	}
	for _, measure := range []func(context.Context, *group, string) error{b.common, b.provider, b.purge, b.broadcast, b.fairness, b.dashboard} {
		if err := measure(ctx, g, databaseURL); err != nil {
			return err
		}
	}
	return nil
}

// common measures the rows that share a server. It is stopped before the next ones: it may still be sending.
func (b *bench) common(ctx context.Context, g *group, databaseURL string) error {
	s, err := b.startEngine(ctx, g.Name, databaseURL)
	if err != nil {
		return err
	}
	defer s.process.stop()
	b.sending = false
	g.Start = s.process.started
	g.StartRSS, _ = memory(s.process.pid())
	if err := b.scenarios(ctx, g, s, scenarios); err != nil {
		return err
	}
	if err := b.webhooks(ctx, g, s); err != nil {
		return err
	}
	return b.scenarios(ctx, g, s, laterScenarios)
}

// built is the program to measure.
func (b *bench) built(ctx context.Context) (string, error) {
	if b.program != "" {
		return b.program, nil
	}
	return build(ctx, b.tmp)
}

func (b *bench) scenarios(ctx context.Context, g *group, s server, all []scenario) error {
	filled := false
	for _, sc := range matching(all, b.options) {
		if err := b.rest(ctx, s); err != nil {
			return err
		}
		if sc.inbox && !filled {
			if err := errors.Join(b.fillInbox(ctx, &s, s.store), s.walkDown(ctx)); err != nil {
				return err
			}
			filled = true
		}
		f := b.measureServer(ctx, s, sc)
		b.sending = sc.sends
		f.Limit = b.limit(g, sc)
		b.add(g, f)
		select {
		case <-s.process.exited:
			return fmt.Errorf("the server ended during %q:\n%s", sc.name, s.process.logTail())
		default:
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// rest waits until the server has sent what the rows before left, so that the next row has it to itself.
func (b *bench) rest(ctx context.Context, s server) error {
	if !b.sending {
		return nil
	}
	b.sending = false
	return s.awaitRest(ctx)
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
