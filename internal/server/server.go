// Package server wires the parts into a serving process and stops them in order.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/contactjobs"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/housekeeping"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/mail"
	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
	"github.com/parleyhq/parley/internal/vault"
)

// drainTimeout is how long running requests may take after a stop was requested.
const drainTimeout = 25 * time.Second

// brokenTimeout is the same if nothing can be written any more: there is little to wait for.
const brokenTimeout = 3 * time.Second

// Server is a node.
type Server struct {
	cfg          config.Serve
	log          *slog.Logger
	throttle     *logging.Throttle // of log
	drainTimeout time.Duration
	registry     *prometheus.Registry

	store     *store.Store
	vault     *vault.Vault
	api       *api.API
	dashboard *app.App
	live      *live.Hub
	contacts  *contactjobs.Worker // nil if the node is no worker
	index     *store.SearchIndex

	messaging  messaging
	onboarding onboarding
	tracer     *tracing.Tracer
	parts      part.List

	public    face
	ops       face
	doors     *doors // of both
	draining  atomic.Bool
	connected atomic.Int64 // connections to the public address
}

// face is an address on which the node serves.
type face struct {
	listener net.Listener
	http     *http.Server
}

// New opens the store, opens the addresses and builds the node. Nothing is answered before Run; an earlier connection
// waits. A node that is not run must be closed.
func New(ctx context.Context, cfg config.Serve, version string, log *slog.Logger) (*Server, error) {
	throttle := logging.NewThrottle(log.Handler())
	log = slog.New(throttle)
	s := &Server{cfg: cfg, log: log, throttle: throttle, drainTimeout: drainTimeout, registry: prometheus.NewRegistry()}
	tracer, err := tracing.New(tracing.Config{Endpoint: cfg.OTELEndpoint, Headers: cfg.OTELHeaders, Share: cfg.OTELShare, Version: version, Log: log})
	if err != nil {
		return nil, err
	}
	s.tracer = tracer
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.listen(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.startMessaging(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.startSurfaces(ctx, version); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.registry.MustRegister(accountGauge{s.store}, queueGauge{s.store}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.public.listener = envelopeListener{s.public.listener, s.api.RefuseUnreadable}
	s.public.http = s.httpServer(clientaddr.Behind(s.cfg.TrustedProxy, s.parting(s.tracer.Handler(s.routes(), s.traceName))))
	s.public.http.ConnState = s.countConnections
	s.public.http.RegisterOnShutdown(func() { s.parts.Drain() })
	s.ops.http = s.httpServer(s.guardOps(s.opsRoutes(s.registry)))
	s.ops.http.WriteTimeout = 0 // a profile takes as long as requested
	return s, nil
}

// startSurfaces makes the handlers of requests, and starts their parts.
func (s *Server) startSurfaces(ctx context.Context, version string) error {
	postman := s.newPostman()
	if err := s.newOnboarding(ctx); err != nil {
		return err
	}
	s.newDashboard(version, postman)
	s.api = api.New(api.Config{
		Store: s.store, CursorKey: s.vault.Derive("cursor"), Version: version, Stopping: s.draining.Load, Log: s.log, Metrics: api.NewMetrics(s.registry),
		Provider: s.messaging.client, Token: s.token, Blobs: s.messaging.blobs, PublicURL: s.cfg.PublicURL,
		Templates: s.messaging.templates, Dashboard: s.dashboard.Surface(),
		Vault: s.vault, CheckURL: netguard.New(s.cfg.AllowNetwork...).CheckURL,
	})
	s.dashboard.Finish()
	return s.parts.Start(ctx, s.surfaceParts(postman)...)
}

// surfaceParts are the parts of the handlers, each after those that it needs.
func (s *Server) surfaceParts(postman *mail.Postman) (parts []part.Part) {
	parts = append(parts, s.api, s.live)
	if postman != nil {
		parts = append(parts, postman)
	}
	if s.phones() != nil {
		parts = append(parts, newPhoneNews(s))
	}
	if s.onboarding.worker != nil {
		parts = append(parts, s.onboarding.worker)
	}
	return append(parts, newEars(s))
}

// upkeep are the parts that follow the writes of the others, and clean up after them.
func (s *Server) upkeep() []part.Part {
	worker := s.cfg.Has("worker")
	parts := []part.Part{figures.New(figures.Config{Store: s.store, Metrics: s.registry, Log: s.log, Sweep: worker})}
	if worker {
		parts = append(parts, housekeeping.New(s.store, s.messaging.blobs, s.log), s.contacts,
			search.New(search.Config{Store: s.store, Index: s.index, Metrics: s.registry, Log: s.log}))
	}
	return parts
}

// open opens the store, the vault and the search index.
func (s *Server) open(ctx context.Context) (err error) {
	if s.store, err = store.Open(ctx, store.Config{
		Dir: s.cfg.Data, URL: s.cfg.DatabaseURL, DirectURL: s.cfg.DatabaseDirectURL, Exclusive: true, Now: wallClock, Log: s.log, Metrics: s.registry,
	}); err != nil {
		return err
	}
	s.tellOfNewStore(ctx)
	if s.vault, err = masterkey.Load(ctx, s.store, s.cfg.SecretKey, s.cfg.Data); err != nil {
		return err
	}
	s.warnOfOpenFolder()
	s.warnOfHeldMessages(ctx)
	s.index, err = s.store.OpenSearch(ctx)
	return err
}

// tellOfNewStore says that there was no store, which is a mistake unless this is the first start. A demo begins with none as a
// rule.
func (s *Server) tellOfNewStore(ctx context.Context) {
	level := slog.LevelWarn
	if s.cfg.Demo {
		level = slog.LevelInfo
	}
	if s.store.Made() {
		s.log.Log(ctx, level, "a new store was made: if there should be one already, look at --data and --database-url", "store", s.store.Engine(), "place", s.store.Place())
	}
}

// warnOfOpenFolder warns the operator if other users of the machine can read the data. The store and the vault close
// their own files to others, but the folder may have been opened on purpose.
func (s *Server) warnOfOpenFolder() {
	for _, path := range []string{s.cfg.Data, filepath.Join(s.cfg.Data, vault.KeyFile)} {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o077 != 0 {
			s.log.Warn("other users of this machine can get at the data folder or the master key: close it to them with chmod go-rwx",
				"path", path, "mode", info.Mode().Perm().String())
		}
	}
}

// mostHeldNamed is how many held broadcasts the log names.
const mostHeldNamed = 20

// warnOfHeldMessages reminds the operator of held messages and broadcasts that a restore has left to decide on.
func (s *Server) warnOfHeldMessages(ctx context.Context) {
	if n, err := s.store.Read(ctx).CountHeldSends(); err == nil && n > 0 {
		s.log.Warn("messages are held since the store was restored: `parley held send` sends them, `parley held discard` gives them up", "count", n)
	}
	held, err := s.store.Read(ctx).HeldBroadcasts(mostHeldNamed)
	if err != nil || len(held) == 0 {
		return
	}
	names := make([]string, len(held))
	for i, b := range held {
		names[i] = b.ID + " " + b.Name
	}
	s.log.Warn("broadcasts are held since the store was restored: start or resume those that have not gone out, and stop or delete the others", "broadcasts", names)
}

func (s *Server) listen() (err error) {
	if s.public.listener, err = config.Listen(s.cfg.Listen, "--listen"); err != nil {
		return err
	}
	if s.ops.listener, err = config.Listen(s.cfg.OpsListen, "--ops-listen"); err != nil {
		return err
	}
	files := filesAllowed()
	s.doors = newDoors(files, clientsAllowed(files), s.log, s.registry)
	s.public.listener, s.ops.listener = forClients{s.public.listener, s.doors}, forOperator{s.ops.listener, s.doors}
	if s.cfg.PublicURL == "" { // the port was left to the system
		s.cfg.PublicURL = config.LocalURL(s.public.listener.Addr().String())
	}
	return nil
}

// PublicURL is the address at which others reach the node.
func (s *Server) PublicURL() string { return s.cfg.PublicURL }

// httpServer limits what a client can hold up: slow headers, slow bodies, idle connections.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// "OPTIONS *" is answered like any other unknown path.
		DisableGeneralOptionsHandler: true,
	}
}

// leaveAddress leaves the public address in the store, for the links that commands print. A node that cannot is not worse
// for it.
func (s *Server) leaveAddress(ctx context.Context) {
	known, err := s.store.Read(ctx).Setting(core.PublicURLSetting)
	if err == nil && known == s.cfg.PublicURL {
		return
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error { return tx.PutSetting(core.PublicURLSetting, s.cfg.PublicURL) })
	if err != nil {
		s.log.Warn("the public address could not be left in the store: commands that print links need --public-url", "error", err)
	}
}

// warnOfProvider tells an operator what will not work, although nothing fails at the start.
func (s *Server) warnOfProvider() {
	switch {
	case s.messaging.simulator != nil && !s.cfg.Demo:
		s.log.Warn("messages go to the built-in simulator and reach nobody: give --provider-url for a real provider, or --demo to try things out")
	case s.messaging.simulator == nil && s.cfg.ProviderVerifyToken == "":
		s.log.Warn("the provider cannot verify the callback address: give --provider-verify-token, the token that you enter with the address at the provider",
			"callback_url", s.cfg.PublicURL+callbackPath)
	}
}

// Run serves until ctx ends, then drains. ready, when given, is called once the node serves.
func (s *Server) Run(ctx context.Context, ready func()) error {
	if err := s.parts.Start(ctx, s.upkeep()...); err != nil {
		return errors.Join(err, s.drain())
	}
	failed := make(chan error, 2)
	for _, f := range []face{s.public, s.ops} {
		go func() { failed <- f.http.Serve(f.listener) }()
	}
	s.log.Info("serving", "listen", s.public.listener.Addr().String(), "ops", s.ops.listener.Addr().String(),
		"public_url", s.cfg.PublicURL, "store", s.store.Engine(), "place", s.store.Place(), "provider", s.providerName(), "role", s.cfg.Role)
	s.warnOfProvider()
	s.leaveAddress(ctx)
	s.inviteSetup(ctx)
	if ready != nil {
		ready()
	}
	go func() {
		settle()
		collectLessOften()
	}()
	var err error
	select {
	case err = <-failed:
	case err = <-s.store.Broken():
		s.drainTimeout = min(s.drainTimeout, brokenTimeout)
		s.log.Error("the store is lost to this process, which ends", "error", err)
	case <-ctx.Done():
		s.log.Info("stopping", "drain_at_most", s.drainTimeout.String())
		s.linger()
	}
	return errors.Join(err, s.drain())
}

// garbagePercent is how much garbage there may be for what is in use. A busy server spends less on collecting it than with
// Go's own 100 percent, and has a fifth more memory or, where much stays in use, up to half more (decision 88).
const garbagePercent = 200

// collectLessOften leaves alone what the operator has chosen. It comes after the start, whose garbage is better collected
// soon.
func collectLessOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}

// drain lets running requests finish, then closes everything.
func (s *Server) drain() error {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), s.drainTimeout)
	defer cancel()
	if err := s.public.http.Shutdown(ctx); err != nil {
		s.log.Warn("requests were cut off", "error", err)
		s.public.http.Close()
	}
	return errors.Join(s.ops.http.Close(), s.Close())
}

// stopTracer sends the last traces, if the collector answers.
func (s *Server) stopTracer() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.tracer.Stop(ctx); err != nil {
		s.log.Warn("the last traces were not sent", "error", err)
	}
}

// Close closes the addresses and stops the parts, as far as they were opened.
func (s *Server) Close() error {
	defer s.throttle.Flush()
	for _, f := range []face{s.public, s.ops} {
		if f.listener != nil {
			f.listener.Close() // fails only if the HTTP server has closed it
		}
	}
	if s.messaging.simulator != nil {
		defer s.messaging.simulator.listener.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.drainTimeout)
	defer cancel()
	s.parts.Stop(ctx)
	s.stopTracer()
	var indexErr error
	if s.index != nil {
		indexErr = s.index.Close()
	}
	if s.store == nil {
		return nil
	}
	return errors.Join(indexErr, s.store.Close())
}
