package pgtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Gate stands between a program and its database. While it is shut the database is away: what was
// connected is cut off, and nobody connects.
type Gate struct {
	URL string // of the database, through the gate

	listener net.Listener
	server   string

	mu    sync.Mutex
	shut  bool
	conns map[net.Conn]bool
}

// NewGate opens a gate before a database. It ends with the test.
func NewGate(t testing.TB, database string) *Gate {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{listener: listener, server: u.Host, conns: map[net.Conn]bool{}}
	u.Host = listener.Addr().String()
	g.URL = u.String()
	go g.run()
	t.Cleanup(func() {
		listener.Close()
		g.Shut()
	})
	return g
}

// Shut takes the database away.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	for conn := range g.conns {
		conn.Close()
	}
	clear(g.conns)
}

// Open brings it back.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
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

// pass carries bytes in both directions until either side ends, or the gate is shut.
func (g *Gate) pass(conn net.Conn) {
	defer g.end(conn)
	if !g.admit(conn) {
		return
	}
	server, err := net.Dial("tcp", g.server)
	if err != nil {
		return
	}
	defer g.end(server)
	if !g.admit(server) {
		return
	}
	go func() {
		io.Copy(server, conn)
		server.Close()
	}()
	io.Copy(conn, server)
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
