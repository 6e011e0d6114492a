package e2e

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// door is an address of the test's own process. If only one server calls it, it knows when everything that the server sent
// has been read: on a busy machine that is later than the end of a killed process.
type door struct {
	listener net.Listener
	url      string
	mu       sync.Mutex
	open     int // how many connections there are
}

// newDoor takes an address. Who calls it waits until it is served.
func newDoor(t *testing.T) *door {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	return &door{listener: listener, url: "http://" + listener.Addr().String()}
}

func (d *door) serve(t *testing.T, handler http.Handler) {
	srv := &http.Server{Handler: handler, ConnState: d.count}
	go srv.Serve(d.listener)
	t.Cleanup(func() { srv.Close() })
}

func (d *door) count(_ net.Conn, state http.ConnState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch state {
	case http.StateNew:
		d.open++
	case http.StateClosed, http.StateHijacked:
		d.open--
	}
}

// quiet waits until the connections of a server that was killed have been read to their end, and handled.
func (d *door) quiet(t *testing.T) {
	t.Helper()
	// Connections are accepted in the order they were made: after one of our own none of the server's waits any longer.
	own := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := own.Get(d.url)
	must(t, err)
	response.Body.Close()
	empty := eventually(func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.open == 0
	})
	if !empty {
		t.Fatal("the provider or an endpoint still has connections of a killed server")
	}
}
