package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/simulator"
)

// simulatedVersion is the version of the provider's API in the printed address. The simulator accepts any.
const simulatedVersion = "v24.0"

type simulateCommand struct {
	Listen       string `default:"127.0.0.1:9465" placeholder:"ADDR" help:"Address to listen on."`
	CallbackURL  string `name:"callback-url" placeholder:"URL" help:"Where to deliver callbacks, like http://localhost:8080/provider/webhook. Empty: nowhere."`
	AppID        string `name:"app-id" variable:"PARLEY_PROVIDER_APP_ID" placeholder:"ID" help:"Id of the simulated app."`
	AppSecret    string `variable:"PARLEY_PROVIDER_APP_SECRET" placeholder:"SECRET" secret:"" help:"Secret that callbacks are signed with. Empty: one is made up and printed."`
	ControlToken string `placeholder:"TOKEN" help:"Bearer token that the control API asks for. Empty: none."`
	Strict       bool   `help:"Refuse numbers and tokens that the control API has not made."`
	LogFormat    string `variable:"PARLEY_LOG_FORMAT" default:"text" enum:"text,json" placeholder:"FORMAT" help:"text or json."`
	LogLevel     string `variable:"PARLEY_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"debug, info, warn or error."`
}

// Validate is called by kong.
func (cmd *simulateCommand) Validate() error {
	if cmd.CallbackURL == "" {
		return nil
	}
	u, err := url.Parse(cmd.CallbackURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("--callback-url must be like http://localhost:8080/provider/webhook")
	}
	return nil
}

func (cmd *simulateCommand) Run(c *console) error {
	log := newLogger(c.stderr, cmd.LogFormat, cmd.LogLevel)
	listener, err := config.Listen(cmd.Listen, "--listen")
	if err != nil {
		return err
	}
	origin := "http://" + reachable(listener.Addr().String())
	secret := cmd.AppSecret
	if secret == "" {
		secret = rand.Text()
	}
	sim := simulator.New(simulator.Config{
		AppID: cmd.AppID, AppSecret: secret, CallbackURL: cmd.CallbackURL, BaseURL: origin,
		ControlToken: cmd.ControlToken, Strict: cmd.Strict, Log: log,
	})
	if err := cmd.printReady(c, origin, secret); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serveSimulator(c.ctx, sim, listener, log)
}

// reachable is the address under which programs on this machine reach a listener.
func reachable(addr string) string {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsUnspecified() {
		return addr
	}
	return fmt.Sprintf("localhost:%d", at.Port())
}

// serveSimulator serves until ctx ends. Requests that the simulator holds open end with it.
func serveSimulator(ctx context.Context, sim *simulator.Simulator, listener net.Listener, log *slog.Logger) error {
	server := &http.Server{Handler: sim, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	if err := sim.Start(ctx); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("stopping")
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	sim.Stop(drain)
	return errors.Join(err, server.Shutdown(drain))
}

// printReady prints the simulator's address and how to point a server to it. It does not repeat a secret that was
// given. The server wants a verify token too, but any will do: the simulator does not verify its --callback-url.
func (cmd *simulateCommand) printReady(c *console, origin, secret string) error {
	callbacks := cmd.CallbackURL
	if callbacks == "" {
		callbacks = "none; --callback-url gives an address"
	}
	if cmd.AppSecret != "" {
		secret = "…"
	}
	_, err := fmt.Fprintf(c.stdout, `
The provider simulator is ready.

  Base URL   %[1]s/%[2]s
  Callbacks  %[3]s
  Control    %[1]s/_sim lists what you can make happen

  parley serve --provider-url %[1]s/%[2]s --provider-app-id %[6]s --provider-app-secret %[4]s --provider-verify-token %[5]s

`, origin, simulatedVersion, callbacks, secret, rand.Text(), cmp.Or(cmd.AppID, simulator.DefaultAppID))
	return err
}
