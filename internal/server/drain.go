package server

import (
	"net/http"
	"time"
)

// linger keeps serving for a while after a stop was requested, so that no request meets a closed connection: load
// balancers notice that the node is not ready, and clients with kept connections are told to close them. Without
// connections there is nothing to wait for.
func (s *Server) linger() {
	s.draining.Store(true)
	delay, err := time.ParseDuration(s.cfg.DrainDelay)
	if err != nil || s.connected.Load() == 0 { // the setting was checked; a test's server may have none
		return
	}
	time.Sleep(delay)
}

// parting closes each connection with its next answer once the node was told to stop, and while others wait for a
// connection. Closing connections between requests, as the HTTP server would, cuts off a request that arrives at that
// moment.
func (s *Server) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() || s.doors.full.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
