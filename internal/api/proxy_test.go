package api_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// wire stands between a store and its PostgreSQL, and can be cut.
type wire struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// wiredStore is a configuration for a store behind a wire.
func wiredStore(t *testing.T) (*wire, store.Config) {
	t.Helper()
	place := storetest.NewConfig(t, storetest.Postgres)
	address, err := url.Parse(place.URL)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	w := &wire{listener: listener, server: address.Host, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		listener.Close()
		w.Cut()
	})
	go w.accept()
	address.Host = listener.Addr().String()
	place.URL = address.String()
	return w, place
}

func (w *wire) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.join(conn)
	}
}

func (w *wire) join(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer far.Close()
	if !w.hold(near, far) {
		return
	}
	go func() {
		io.Copy(far, near)
		far.Close()
	}()
	io.Copy(near, far)
}

func (w *wire) hold(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range conns {
		w.conns[conn] = true
	}
	return !w.cut
}

// Cut ends every connection, and each new one as soon as it is made.
func (w *wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for conn := range w.conns {
		conn.Close()
	}
	clear(w.conns)
}

// Mend lets connections through again.
func (w *wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = false
}
