package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sink is a server for the program's requests: it reads a request, notes when it came and answers 200, with as little
// work as possible. Paths that begin with /hang are never answered.
type sink struct {
	listener net.Listener
	take     func(now time.Time, body []byte) (answer string)

	mu    sync.Mutex
	conns []net.Conn
}

func startSink(take func(now time.Time, body []byte) (answer string)) (*sink, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{listener: listener, take: take}
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
		answer := templateList
		if !strings.Contains(path, "/message_templates?") {
			answer = s.take(time.Now(), body)
		}
		_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(answer))+"\r\n\r\n"+answer)
		if err != nil {
			return
		}
	}
}

// templateList is what a played provider knows of templates. Without it a send would ask once a minute.
const templateList = `{"data":[{"id":"1","name":"hello_world","language":"en_US","status":"APPROVED","category":"UTILITY","components":[{"type":"BODY","text":"Hello World"}]}],"paging":{}}`

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
