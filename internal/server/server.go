// Package server wires the parts into a serving process and takes them down in order.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/housekeeping"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// drainTimeout is how long requests under way may take after a stop was asked for.
const drainTimeout = 25 * time.Second

// Server is a node.
type Server struct {
	cfg      config.Serve
	log      *slog.Logger
	store    *store.Store
	vault    *vault.Vault
	api      *api.API
	keeper   *housekeeping.Housekeeper
	public   *http.Server
	ops      *http.Server
	draining atomic.Bool
}

// New opens the store and builds the node. Nothing listens yet.
func New(ctx context.Context, cfg config.Serve, version string, log *slog.Logger) (*Server, error) {
	v, err := vault.Load(cfg.SecretKey, cfg.Data)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, store.Config{Dir: cfg.Data, URL: cfg.DatabaseURL, Exclusive: true})
	if err != nil {
		return nil, err
	}
	if err := core.CheckMasterKey(ctx, st, v); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s := &Server{cfg: cfg, log: log, store: st, vault: v}
	s.api = api.New(api.Config{
		Store: st, CursorKey: v.Derive("cursor"), Version: version, Log: log, Metrics: api.NewMetrics(registry),
	})
	s.public = s.httpServer(s.routes())
	s.ops = s.httpServer(s.opsRoutes(registry))
	s.ops.WriteTimeout = 0 // a profile takes as long as it was asked for
	return s, nil
}

// Demo seeds the demo organization, once.
func (s *Server) Demo(ctx context.Context) (core.Demo, error) {
	return core.SeedDemo(ctx, s.store, s.vault)
}

// httpServer bounds what a client can hold: slow headers, slow bodies, idle connections.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// Run serves until ctx ends, then drains. ready, when given, is called once the node listens.
func (s *Server) Run(ctx context.Context, ready func()) error {
	public, err := net.Listen("tcp", s.cfg.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --listen", s.cfg.Listen, err)
	}
	ops, err := net.Listen("tcp", s.cfg.OpsListen)
	if err != nil {
		return errors.Join(fmt.Errorf("cannot listen on %s: %w; choose another address with --ops-listen", s.cfg.OpsListen, err), public.Close())
	}
	if s.cfg.Has("worker") {
		s.keeper = housekeeping.Start(s.store, s.log)
	}
	failed := make(chan error, 2)
	go func() { failed <- s.public.Serve(public) }()
	go func() { failed <- s.ops.Serve(ops) }()
	s.log.Info("serving", "listen", public.Addr(), "ops", ops.Addr(), "store", s.store.Engine(), "role", s.cfg.Role)
	if ready != nil {
		ready()
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.log.Info("stopping", "drain_at_most", drainTimeout)
	}
	return errors.Join(err, s.drain())
}

// drain lets what is under way finish, then closes what it stands on.
func (s *Server) drain() error {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	err := s.public.Shutdown(ctx)
	if err != nil {
		s.log.Warn("requests were cut off", "error", err)
		s.public.Close()
	}
	return errors.Join(s.Close(), s.ops.Close())
}

// Close closes the parts behind the listeners.
func (s *Server) Close() error {
	if s.keeper != nil {
		s.keeper.Stop()
	}
	s.api.Close()
	return s.store.Close()
}
