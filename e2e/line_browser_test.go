//go:build browser

package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// line is a connection between a browser and a server that can be cut and restored.
type line struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	ends   map[net.Conn]bool
	left   int64 // how many more bytes go to the server until it is cut; negative if it is not to be cut
	down   bool
}

func newLine(t *testing.T, srv *Server) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, target: strings.TrimPrefix(srv.URL(), "http://"), ends: map[net.Conn]bool{}, left: -1}
	go l.serve()
	t.Cleanup(func() {
		listener.Close()
		l.cut()
	})
	return l
}

func (l *line) url() string { return "http://" + l.listener.Addr().String() }

func (l *line) serve() {
	for {
		browser, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.join(browser)
	}
}

func (l *line) join(browser net.Conn) {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil || !l.keep(browser, server) {
		browser.Close()
		return
	}
	go func() {
		_, _ = io.Copy(browser, server) // this ends with the connection
		browser.Close()
	}()
	_, _ = io.Copy(server, io.TeeReader(browser, l))
	server.Close()
}

// keep remembers both ends, unless the line is cut.
func (l *line) keep(browser, server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		server.Close()
		return false
	}
	l.ends[browser], l.ends[server] = true, true
	return true
}

// Write counts the bytes to the server, and cuts the line after the set number.
func (l *line) Write(b []byte) (int, error) {
	l.mu.Lock()
	enough := l.left >= 0 && l.left <= int64(len(b))
	if l.left >= 0 {
		l.left = max(0, l.left-int64(len(b)))
	}
	l.mu.Unlock()
	if enough {
		l.cut()
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// cutAfter cuts the line after the given number of further bytes to the server.
func (l *line) cutAfter(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = bytes
}

// cut ends all connections, and allows no new ones.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for end := range l.ends {
		end.Close()
	}
	clear(l.ends)
}

// lead makes new connections go to another server.
func (l *line) lead(srv *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = strings.TrimPrefix(srv.URL(), "http://")
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down, l.left = false, -1
}
