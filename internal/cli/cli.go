// Package cli is the program's commands. Each is a struct whose fields are its flags and whose
// Run does the work through core.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/store"
)

const description = `Parley: business messaging in one program.

Start with "parley serve --demo": the API, the workers and a provider simulator on
http://localhost:8080, kept in ./data. Flags of "serve" can also be given as PARLEY_* variables;
"parley config" shows each setting, its value and where it comes from.`

type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve the API, the workers and the dashboard."`
	Migrate migrateCommand `cmd:"" help:"Bring the store's schema up to date and exit. serve does it by itself."`
	Config  configCommand  `cmd:"" help:"Print every setting with its value, source and meaning."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Org  orgCommands  `cmd:"" help:"Organizations."`
	Plan planCommands `cmd:"" help:"Plans: what an organization may do, and how much."`
	Team teamCommands `cmd:"" help:"Teams of an organization."`
	User userCommands `cmd:"" help:"Dashboard users."`
	Key  keyCommands  `cmd:"" help:"API keys."`
}

// console is what a command prints to.
type console struct {
	ctx    context.Context
	stdout io.Writer
	stderr io.Writer
}

// Exit statuses.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// Main runs the program and returns its exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return run(ctx, args, os.Environ(), stdout, stderr)
}

func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	var cmds commands
	exited := -1
	parser, err := newParser(&cmds, stdout, stderr, func(code int) { exited = code })
	if err != nil {
		panic(err) // a wrong tag in this package
	}
	if err := unknownVariables(parser.Model, environ); err != nil {
		return fail(stderr, err, exitUsage)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		return fail(stderr, err, exitUsage)
	}
	kctx.Bind(kctx)
	if err := kctx.Run(&console{ctx: ctx, stdout: stdout, stderr: stderr}); err != nil {
		return fail(stderr, err, exitFailed)
	}
	return exitOK
}

func newParser(cmds *commands, stdout, stderr io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(cmds,
		kong.Name("parley"), kong.Description(description),
		kong.Writers(stdout, stderr), kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.NamedMapper("cidr", kong.MapperFunc(decodePrefix)),
	)
}

func fail(stderr io.Writer, err error, code int) int {
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Param != "" {
		err = fmt.Errorf("--%s: %s", strings.ReplaceAll(e.Param, "_", "-"), e.Message)
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(stderr, "parley: %s\n", strings.TrimRight(line, "\n"))
	}
	return code
}

// unknownVariables refuses PARLEY_* variables that no flag has: a misspelt setting would
// otherwise be a silent one.
func unknownVariables(app *kong.Application, environ []string) error {
	known := map[string]bool{}
	collectVariables(app.Node, known)
	var errs []error
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "PARLEY_") && !strings.HasPrefix(name, "PARLEY_TEST_") && !known[name] {
			errs = append(errs, fmt.Errorf("unknown setting %s: unset it, or see the names in \"parley config\"", name))
		}
	}
	return errors.Join(errs...)
}

func collectVariables(node *kong.Node, known map[string]bool) {
	for _, flag := range node.Flags {
		for _, name := range flag.Envs {
			known[name] = true
		}
	}
	for _, child := range node.Children {
		collectVariables(child, known)
	}
}

// storeFlags are common to the commands that work on the store beside a running server.
type storeFlags struct {
	config.Store `embed:""`
	JSON         bool `name:"json" help:"Print one JSON object."`
}

// change runs fn in a transaction on the store.
func (f storeFlags) change(c *console, fn func(*store.Tx) error) error {
	return f.with(c, func(st *store.Store) error { return st.InTx(c.ctx, fn) })
}

// look runs fn on a view of the store.
func (f storeFlags) look(c *console, fn func(store.Reader) error) error {
	return f.with(c, func(st *store.Store) error { return fn(st.Read(c.ctx)) })
}

func (f storeFlags) with(c *console, fn func(*store.Store) error) error {
	st, err := store.Open(c.ctx, store.Config{Dir: f.Data, URL: f.DatabaseURL})
	if err != nil {
		return err
	}
	return errors.Join(fn(st), st.Close())
}
