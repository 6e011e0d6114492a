package server

import (
	"context"
	_ "embed"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/core"
)

//go:embed home.html
var homePage []byte

// routes is the public face. What no part claims gets the API's 404.
func (s *Server) routes() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			serveHome(w)
			return
		}
		switch {
		case strings.HasPrefix(r.URL.Path, app.Base+"/"):
			s.dashboard.ServeHTTP(w, r)
		case r.URL.Path == callbackPath:
			s.messaging.receiver.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/media/"):
			s.serveFile(w, r)
		case strings.HasPrefix(r.URL.Path, core.OnboardPath):
			s.onboarding.page.ServeHTTP(w, r)
		case r.URL.Path == simulatedDialog:
			s.serveSimulatedDialog(w, r)
		default:
			s.api.ServeHTTP(w, r)
		}
	})
}

func serveHome(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Write(homePage)
}

const readyPath = "/ready"

// opsRoutes is for the operator: it is on a listener of its own.
func (s *Server) opsRoutes(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET "+readyPath, s.ready)
	if sim := s.messaging.simulator; sim != nil {
		mux.Handle(simulatorPath+"/", sim.Under(simulatorPath))
	}
	// pprof.Cmdline is left out: the command line may hold a database's password.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// ready tells a load balancer whether to send requests here: whether a write can succeed.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	if s.draining.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
	} else if err := s.store.Writable(ctx); err != nil {
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
	} else {
		w.Write([]byte("ready\n"))
	}
}
