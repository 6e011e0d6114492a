package server

import (
	"net"
	"net/http"
	"time"
)

// linger goes on serving for a while after a stop was asked for, so that nobody's request meets a closed connection:
// load balancers notice that the node is not ready, and clients that keep their connections are told to close them.
// Where nobody is connected there is nobody to wait for.
func (s *Server) linger() {
	s.draining.Store(true)
	delay, err := time.ParseDuration(s.cfg.DrainDelay)
	if err != nil || s.connected.Load() == 0 { // the setting was checked; a server made by a test may have none
		return
	}
	time.Sleep(delay)
}

// countConnections follows how many connections there are.
func (s *Server) countConnections(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connected.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connected.Add(-1)
	}
}

// partingWhileDraining has each connection end with its next answer once the node is told to stop. Closing them
// between requests, as the HTTP server would, cuts off a request that is on its way at that moment.
func (s *Server) partingWhileDraining(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
