package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/demo"
	"github.com/parleyhq/parley/internal/server"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// version is set by the linker.
var version = "dev"

type versionCommand struct{}

func (versionCommand) Run(c *console) error {
	_, err := fmt.Fprintln(c.stdout, versionText())
	return err
}

func versionText() string {
	return fmt.Sprintf("parley %s (%s %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type migrateCommand struct {
	config.Store `embed:""`
}

func (cmd *migrateCommand) Run(c *console) error {
	st, err := openStore(c.ctx, cmd.Store, store.Config{})
	if err != nil {
		return err
	}
	if st.Made() {
		fmt.Fprintf(c.stderr, "A new store was made in %s.\n", st.Place())
	}
	fmt.Fprintln(c.stderr, "The schema is up to date.")
	return st.Close()
}

type serveCommand struct {
	config.Serve `embed:""`
}

func (cmd *serveCommand) Run(c *console) error {
	log := newLogger(c.stderr, cmd.LogFormat, cmd.LogLevel)
	slog.SetDefault(log)
	srv, err := server.New(c.ctx, cmd.Serve, version, log)
	if err != nil {
		return explainStore(err, cmd.Store)
	}
	ready := func() {}
	if cmd.Demo {
		demo, err := srv.Demo(c.ctx)
		if err != nil {
			return errors.Join(err, srv.Close())
		}
		ready = func() { printDemo(c.stdout, srv, cmd.ProviderURL, demo) }
	}
	return srv.Run(c.ctx, ready)
}

func newLogger(w io.Writer, format, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo // Validate has refused other levels
	}
	opts := &slog.HandlerOptions{Level: l}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// simulatedPerson is Ada, who answers automatically.
const simulatedPerson = simulator.DemoPhone

func printDemo(w io.Writer, srv *server.Server, providerURL string, d demo.Organization) {
	provider := providerURL
	if provider == "" {
		provider = "the provider simulator; " + srv.SimulatorURL() + "/_sim lists what you can make happen"
	}
	fmt.Fprintf(w, `
Parley is ready, with a demo organization.

  Dashboard  %[1]s
  Login      %[2]s / %[3]s
  API key    %[4]s

  Number     %[5]s (%[7]s)
  Provider   %[6]s

  curl %[1]s/v1/%[5]s/messages -H "Authorization: Bearer %[4]s" -H "Content-Type: application/json" \
       -d '{"messaging_product":"chat","to":"+15550100999","type":"template","template":{"name":"hello_world","language":"en_US"}}'

`, srv.PublicURL(), d.Email, d.Password, d.APIKey, d.PhoneNumberID, provider, demo.PhoneNumber)
	if address := srv.SimulatorURL(); address != "" {
		fmt.Fprintf(w, `  In another terminal:

  export PARLEY_API_URL=%[1]s PARLEY_API_KEY=%[2]s PARLEY_SIMULATOR_URL=%[5]s
  %[6]s send --from %[3]s --to %[4]s --text "Hi Ada"     # goes out; Ada answers by herself
  %[6]s simulate inbound --from +4915510000001 --text "Hello?"        # comes in, from anybody you like

`, srv.PublicURL(), d.APIKey, d.PhoneNumberID, simulatedPerson, address, callName(os.Args[0]))
	}
}

// callName is how the user can call the program again: by its name if the shell finds it, else by the path
// used.
func callName(called string) string {
	if found, err := exec.LookPath("parley"); err == nil {
		here, hereErr := os.Stat(called)
		there, thereErr := os.Stat(found)
		if hereErr == nil && thereErr == nil && os.SameFile(here, there) {
			return "parley"
		}
	}
	if !strings.ContainsRune(called, filepath.Separator) || filepath.Base(called) != "parley" { // found by the shell, or run by a test
		return "parley"
	}
	return called
}
