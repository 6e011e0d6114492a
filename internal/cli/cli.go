// Package cli has the program's commands. Each is a struct whose fields are its flags and whose Run does the
// work through core. Data goes to stdout, everything else to stderr.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/internal/simulator"
)

const description = `Parley: business messaging in one program.

Start with "parley serve --demo": the API, the workers and a provider simulator on
http://localhost:8080, kept in ./data.

Settings can also be given as PARLEY_* variables; a flag goes before its variable, and an empty
variable counts as none. "parley config" shows each setting, its value and where it comes from.

The commands under org, plan, team, user, key, account, customer and events work beside a running
server, on the same store; what they change counts from the next request on. None of them makes a
store where there is none, nor does log. login, send, message, contact, conversation,
webhook, delivery, template, broadcast and listen talk to the server itself, and so does
"account list" with an API key.

The exit status is 0 when all went well, 1 when not, 2 when the command line or a setting is wrong.`

type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve the API, the workers and the dashboard."`
	Migrate migrateCommand `cmd:"" help:"Make the store, or bring its schema up to date, and exit. serve does it by itself."`
	Backup  backupCommand  `cmd:"" help:"Copy the embedded store and its files while the server runs."`
	Restore restoreCommand `cmd:"" help:"Make a data folder from a copy that backup has made."`
	Move    moveCommand    `cmd:"" help:"Move the embedded store of --data to the PostgreSQL database of --database-url, and its files to --media-url."`
	Rekey   rekeyCommand   `cmd:"" help:"Seal what is stored with a new master key, while no server runs."`
	Check   checkCommand   `cmd:"" help:"Look for damage and for what cannot be true of a store; --repair mends some of it."`
	Held    heldCommands   `cmd:"" help:"Messages that a restore keeps from being sent, because they may have gone out."`
	Config  configCommand  `cmd:"" help:"Print every setting with its value, source and meaning."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Org  orgCommands  `cmd:"" help:"Organizations."`
	Plan planCommands `cmd:"" help:"Plans: what an organization may do, and how much."`
	Team teamCommands `cmd:"" help:"Teams of an organization."`
	User userCommands `cmd:"" help:"Dashboard users."`
	Key  keyCommands  `cmd:"" help:"API keys."`

	Account  accountCommands  `cmd:"" help:"Connected business numbers."`
	Customer customerCommands `cmd:"" help:"End-customers, who connect numbers of their own."`
	Login    loginCommand     `cmd:"" help:"Keep the address and key of a service, so that send, message, listen and the like need neither."`
	Logout   logoutCommand    `cmd:"" help:"Forget the address and key that login kept."`

	Send         sendCommand          `cmd:"" help:"Send a message through the API."`
	Message      messageCommands      `cmd:"" help:"Messages, through the API."`
	Contact      contactCommands      `cmd:"" help:"Contacts, through the API."`
	Conversation conversationCommands `cmd:"" help:"Conversations, through the API."`
	Webhook      webhookCommands      `cmd:"" help:"Endpoints that events are delivered to, through the API."`
	Delivery     deliveryCommands     `cmd:"" help:"Deliveries of events, through the API."`
	Template     templateCommands     `cmd:"" help:"Message templates, through the API."`
	Broadcast    broadcastCommands    `cmd:"" help:"One template for many people, through the API."`
	Listen       listenCommand        `cmd:"" help:"Show events as they happen, or forward them to a server on your machine, signed like webhooks."`
	Events       eventsCommands       `cmd:"" help:"What happened."`
	Log          logCommand           `cmd:"" help:"Requests to the API, and how they were answered."`
	Simulate     simulateCommands     `cmd:"" help:"The provider simulator as a process of its own; \"simulate inbound\" writes to your business."`

	Completion completionCommand `cmd:"" help:"Print a script that lets your shell complete commands."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// console is a command's output and environment.
type console struct {
	ctx     context.Context
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	colours colours
	profile string // the file in which "parley login" keeps the address and the key
}

// Exit statuses.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// errInterrupted is what somebody reads who has pressed Ctrl-C, instead of what was going on inside.
var errInterrupted = errors.New("interrupted before it was done")

// Main runs the program and returns its exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup asks to survive the terminal
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return run(ctx, args, os.Environ(), stdout, stderr)
}

// run is Main with its dependencies as parameters.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	return runOn(ctx, os.Stdin, args, environ, stdout, stderr)
}

// runOn is run with another standard input.
func runOn(ctx context.Context, stdin io.Reader, args, environ []string, stdout, stderr io.Writer) int {
	var cmds commands
	env := newEnvironment(environ)
	kept, profileErr := readProfile(profilePath(environ))
	env.addProfile(kept)
	exited := -1
	parser, err := newParser(&cmds, env, stdout, stderr, func(code int) { exited = code })
	if err != nil {
		panic(err) // a wrong struct tag in this package
	}
	kctx, err := parser.Parse(helpByName(args))
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		report(stderr, usageMessage(err, env))
		return exitUsage
	}
	if err := env.unknown(parser.Model, kctx.Selected()); err != nil {
		report(stderr, err.Error())
		return exitUsage
	}
	if profileErr != nil && usesProfile(kctx.Selected()) {
		report(stderr, profileErr.Error())
		return exitUsage
	}
	c := &console{
		ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, colours: coloursFor(stdout, os.Getenv), profile: profilePath(environ),
	}
	if serve, ok := kctx.Selected().Target.Addr().Interface().(*serveCommand); ok {
		return runServer(serve, c)
	}
	kctx.Bind(kctx)
	bindClient(kctx)
	if err := kctx.Run(c); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		report(stderr, failureMessage(err, kctx.Selected()))
		return exitFailed
	}
	return exitOK
}

// helpByName lets people ask for help in the ways that other programs have taught them: with nothing, and by "help send".
func helpByName(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	default:
		return args
	}
}

// runServer calls the command itself. The parser would hold on to its model of all commands, a megabyte, for as long as the
// server runs.
func runServer(cmd *serveCommand, c *console) int {
	if err := cmd.Run(c); err != nil {
		report(c.stderr, err.Error())
		return exitFailed
	}
	return exitOK
}

func newParser(cmds *commands, env environment, stdout, stderr io.Writer, exit func(int)) (*kong.Kong, error) {
	options := append(decoders(),
		kong.Name("parley"), kong.Description(description),
		kong.Writers(stdout, stderr), kong.Exit(exit), kong.Resolvers(env),
		kong.Vars{"ada": simulator.DemoPhone, "version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.ValueFormatter(helpText),
	)
	return kong.New(cmds, options...)
}

// helpText is a flag's help with its default and its variable.
func helpText(v *kong.Value) string {
	text := v.Help
	if v.Default != "" {
		text += " Default: " + v.Default + "."
	}
	if name := v.Tag.Get(variableTag); name != "" {
		text += " [" + name + "]"
	}
	return text
}
