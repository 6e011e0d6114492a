package server

import (
	"context"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parleyhq/parley/docs"
	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/web"
)

// routes serves the public address. An unknown path gets the API's 404, and in a browser a page that says so.
func (s *Server) routes() http.Handler {
	pages, manual := web.Handler(), docs.Handler(s.api.Description)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.cfg.Has("dashboard") && strings.HasPrefix(r.URL.Path, app.Base+"/"):
			s.dashboard.ServeHTTP(w, r)
		case r.URL.Path == callbackPath:
			s.messaging.receiver.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/media/"):
			s.serveFile(w, r)
		case strings.HasPrefix(r.URL.Path, core.OnboardPath):
			s.onboarding.page.ServeHTTP(w, r)
		case r.URL.Path == simulatedDialog:
			s.serveSimulatedDialog(w, r)
		case docs.Owns(r.URL.Path):
			manual.ServeHTTP(w, r)
		case s.cfg.Has("dashboard") && (web.Owns(r.URL.Path) || byBrowser(r)) && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			pages.ServeHTTP(w, r)
		default:
			s.api.ServeHTTP(w, r)
		}
	})
}

// byBrowser tells whether a person's browser asks for a page. What is below /v1 is for programs, whoever asks.
func byBrowser(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/v1/")
}

// traceName is the name of a request in a trace. Requests of operations get the operation's name instead.
func (s *Server) traceName(r *http.Request) string {
	switch {
	case r.URL.Path == callbackPath:
		return "callback"
	case strings.HasPrefix(r.URL.Path, "/media/"):
		return "file"
	case strings.HasPrefix(r.URL.Path, core.OnboardPath):
		return "connect a number"
	}
	return "request"
}

const readyPath = "/ready"

// opsRoutes serves the operator, on its own listener.
func (s *Server) opsRoutes(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET "+readyPath, s.ready)
	if sim := s.messaging.simulator; sim != nil {
		mux.Handle(simulatorPath+"/", sim.Under(simulatorPath))
	}
	// pprof.Cmdline is left out, because the command line may contain a database's password.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// ready tells a load balancer whether to send requests here, that is, whether connections are taken and a write can succeed.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	if s.draining.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	err := s.doors.why()
	if err == nil {
		err = s.store.Writable(ctx)
	}
	if err != nil {
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Write([]byte("ready\n"))
}
