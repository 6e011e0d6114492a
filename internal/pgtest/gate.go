package pgtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Gate stands between a program and its database. While it is shut, the database is unavailable: open connections are
// cut, and new ones are refused.
type Gate struct {
	URL string // address of the database through the gate

	listener net.Listener
	server   string

	mu    sync.Mutex
	moved *sync.Cond // uses mu
	shut  bool
	still bool
	conns map[net.Conn]bool
}

// NewGate opens a gate in front of a database. It ends with the test.
func NewGate(t testing.TB, database string) *Gate {
	t.Helper()
	u, err := url.Parse(database)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	g := &Gate{listener: listener, server: u.Host, conns: map[net.Conn]bool{}}
	g.moved = sync.NewCond(&g.mu)
	u.Host = listener.Addr().String()
	g.URL = u.String()
	go g.run()
	t.Cleanup(func() {
		listener.Close()
		g.Shut()
	})
	return g
}

// Shut makes the database unavailable.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	for conn := range g.conns {
		conn.Close()
	}
	clear(g.conns)
	g.still = false
	g.moved.Broadcast()
}

// Still stops all traffic in both directions, while connections stay open, like a paused database.
func (g *Gate) Still() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.still = true
}

// Lead sends new connections to another server.
func (g *Gate) Lead(server string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.server = server
}

// Open makes the database available again.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut, g.still = false, false
	g.moved.Broadcast()
}

func (g *Gate) run() {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return
		}
		go g.pass(conn)
	}
}

// pass copies bytes in both directions until either side ends, or the gate is shut.
func (g *Gate) pass(conn net.Conn) {
	defer g.end(conn)
	if !g.admit(conn) {
		return
	}
	g.mu.Lock()
	to := g.server
	g.mu.Unlock()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer g.end(server)
	if !g.admit(server) {
		return
	}
	go func() {
		io.Copy(waiting{server, g}, conn)
		server.Close()
	}()
	io.Copy(waiting{conn, g}, server)
}

// waiting is a writer that waits while the gate is still.
type waiting struct {
	io.Writer
	gate *Gate
}

func (w waiting) Write(b []byte) (int, error) {
	w.gate.mu.Lock()
	for w.gate.still {
		w.gate.moved.Wait()
	}
	w.gate.mu.Unlock()
	return w.Writer.Write(b)
}

func (g *Gate) admit(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.conns[conn] = true
	}
	return !g.shut
}

func (g *Gate) end(conn net.Conn) {
	conn.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, conn)
}
