// Command bench measures the program as its users meet it: a real process, on a real port, on both stores, beside the
// limits of the parts it is made of. It uses only the loopback and temporary directories, and stops by itself.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

type options struct {
	connections int
	requests    int
	duration    time.Duration
	warmUp      time.Duration
	pgConns     int
	only        string
	filter      string
	profiles    string
	jsonFile    string
	echo        string
	messages    int // of Home; 0: those of the inbox
	accept      string
	program     string // built when first needed
	against     string // another one, for rows that are measured in turns
	short       bool
	plots       string // the directory of the drawings; empty: growth is not measured
}

func parseOptions() (options, error) {
	o := options{warmUp: time.Second}
	flag.IntVar(&o.connections, "c", 64, "concurrent keep-alive `connections`")
	flag.IntVar(&o.requests, "n", 30_000, "at most this many `requests` per scenario")
	flag.DurationVar(&o.duration, "duration", 8*time.Second, "at most this long per scenario, after one second of warm-up")
	pool := max(16, 4*runtime.GOMAXPROCS(0)) // the default size of the program's own pool
	flag.IntVar(&o.pgConns, "pg-conns", pool, "`connections` of the bare PostgreSQL limit")
	flag.StringVar(&o.only, "only", "", "measure only this `engine`: sqlite or postgres")
	flag.StringVar(&o.filter, "scenario", "", "measure only rows whose name contains this `text`")
	flag.StringVar(&o.profiles, "cpuprofile", "", "write a CPU profile of the server per scenario into this `directory`")
	flag.StringVar(&o.jsonFile, "json", "", "write the raw figures to this `file`")
	flag.StringVar(&o.program, "program", "", "measure this built `file` instead of what is here, to compare two")
	flag.StringVar(&o.against, "against", "", "measure the sends accepted by this built `file` as well, in turns with the other")
	flag.StringVar(&o.echo, "echo", "", "serve the bare HTTP limit on this `address` (used by the generator itself)")
	flag.IntVar(&o.messages, "messages", 0, "measure the requests of Home alone, on half a year of this `many` messages (10 million take minutes and 10 GB); with -growth, the most messages")
	flag.StringVar(&o.accept, "accept", "", "there, serve the bare path of sends over this SQLite `file` or PostgreSQL address (used by the generator itself)")
	flag.StringVar(&o.plots, "growth", "", "measure instead how cost grows with messages, endpoints and nodes, and draw it into this `directory` (10 million messages: half an hour and 15 GB)")
	flag.BoolVar(&o.short, "short", false, "leave out the rows that need long preparation, and give each of the others 3 seconds unless -duration says otherwise")
	flag.Parse()
	if o.short && !given("duration") {
		o.duration = 3 * time.Second
	}
	return o, o.validate()
}

// given tells whether a flag is on the command line.
func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func (o *options) validate() error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case o.connections < 1 || o.requests < 1 || o.duration <= 0 || o.pgConns < 1:
		return errors.New("-c, -n, -duration and -pg-conns must be positive")
	case o.only != "" && o.only != engineSQLite && o.only != enginePostgres:
		return fmt.Errorf("-only %s: choose sqlite or postgres", o.only)
	}
	return nil
}

func main() {
	o, err := parseOptions()
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.echo != "" {
		if o.accept != "" {
			return serveAccept(ctx, o.echo, o.accept)
		}
		return serveEcho(ctx, o.echo)
	}
	tmp, err := os.MkdirTemp("", "parley-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if o.profiles != "" {
		if err := os.MkdirAll(o.profiles, 0o755); err != nil {
			return err
		}
	}
	b := &bench{options: o, tmp: tmp}
	if err := b.describe(); err != nil {
		return err
	}
	if o.plots != "" {
		err = b.growth(ctx)
	} else {
		b.all(ctx)
	}
	return errors.Join(err, b.publish(ctx))
}

// describe fills in the circumstances that the figures depend on.
func (b *bench) describe() error {
	fsync, err := fsyncTime(b.tmp)
	if err != nil {
		return err
	}
	b.report.Machine = machine{
		Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Fsync: fsync,
	}
	b.report.Load = fmt.Sprintf("closed loop, %d connections, at most %d requests or %s per row, generator on the same machine",
		b.connections, b.requests, b.duration)
	return nil
}

// publish prints the results, even after an interrupt: half a table is worth more than none.
func (b *bench) publish(ctx context.Context) error {
	b.report.write(os.Stdout)
	if b.jsonFile != "" {
		if err := b.report.writeJSON(b.jsonFile); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return errors.New("interrupted; the figures are incomplete")
	}
	if b.report.failed() {
		return errors.New("some rows failed; see above")
	}
	return nil
}
