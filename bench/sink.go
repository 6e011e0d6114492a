package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// sink is all endpoints that webhooks are delivered to: it reads a request, notes when it came and
// answers 200, with as little work as possible. Paths that begin with /hang are never answered.
type sink struct {
	listener net.Listener
	arrived  atomic.Int64

	mu        sync.Mutex
	latencies []time.Duration // from the event to its arrival
	conns     []net.Conn
}

func startSink() (*sink, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{listener: listener}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, conn)
			s.mu.Unlock()
			go s.serve(conn)
		}
	}()
	return s, nil
}

func (s *sink) url(path string) string { return "http://" + s.listener.Addr().String() + path }

func (s *sink) close() {
	s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
}

// count begins to count anew.
func (s *sink) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latencies = s.latencies[:0]
	s.arrived.Store(0)
}

func (s *sink) counted() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Duration(nil), s.latencies...)
}

func (s *sink) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 8<<10)
	for {
		path, body, err := readHook(in)
		if err != nil || strings.HasPrefix(path, "/hang") {
			if err == nil {
				_, _ = io.Copy(io.Discard, in) // until the other side gives up
			}
			return
		}
		s.note(time.Now(), body)
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); err != nil {
			return
		}
	}
}

// readHook reads one request; the body is valid until the next.
func readHook(in *bufio.Reader) (path string, body []byte, err error) {
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return "", nil, err
		}
		switch {
		case first:
			if parts := bytes.Fields(line); len(parts) > 1 {
				path = string(parts[1])
			}
		case len(line) <= 2:
			body, err = in.Peek(length)
			if err == nil {
				_, err = in.Discard(length)
			}
			return path, body, err
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(line[16:])))
		}
	}
}

var createdAt = []byte(`"created_at":"`)

// note counts an arrival. When the event happened is in its envelope.
func (s *sink) note(now time.Time, body []byte) {
	s.arrived.Add(1)
	i := bytes.Index(body, createdAt)
	if i < 0 || len(body) < i+len(createdAt)+24 {
		return
	}
	at, err := time.Parse(time.RFC3339, string(body[i+len(createdAt):][:24]))
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latencies = append(s.latencies, now.Sub(at))
}
