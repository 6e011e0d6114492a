// Package mailtest is an SMTP server on a loopback address that keeps what it gets. Only tests may import it.
package mailtest

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"
)

// Mail is one that was taken.
type Mail struct{ From, To, Subject, Text string }

// Server speaks SMTP.
type Server struct {
	URL   string
	Taken chan Mail

	refusals chan string
}

// Start begins to listen; the test ends it.
func Start(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &Server{URL: "smtp://" + l.Addr().String(), Taken: make(chan Mail, 100), refusals: make(chan string, 100)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

// Refuse has the server answer the next recipient so.
func (s *Server) Refuse(line string) { s.refusals <- line }

// Next waits for a mail.
func (s *Server) Next(t testing.TB) Mail {
	t.Helper()
	select {
	case m := <-s.Taken:
		return m
	case <-time.After(time.Minute):
		t.Fatal("no mail came")
		return Mail{}
	}
}

func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	say := func(line string) { fmt.Fprint(conn, line+"\r\n") }
	var m Mail
	say("220 mailtest")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.TrimSpace(line)); {
		case strings.HasPrefix(verb, "MAIL FROM:"):
			m.From = address(line)
			say("250 ok")
		case strings.HasPrefix(verb, "RCPT TO:"):
			m.To = address(line)
			say(s.answer())
		case verb == "DATA":
			say("354 go on")
			s.take(r, m)
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 mailtest")
		}
	}
}

func (s *Server) answer() string {
	select {
	case line := <-s.refusals:
		return line
	default:
		return "250 ok"
	}
}

func address(line string) string {
	_, rest, _ := strings.Cut(line, "<")
	found, _, _ := strings.Cut(rest, ">")
	return found
}

// take reads a message up to the line with a dot alone.
func (s *Server) take(r *bufio.Reader, m Mail) {
	var text strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil || line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	parsed, err := mail.ReadMessage(strings.NewReader(text.String()))
	if err != nil {
		m.Text = err.Error()
		s.Taken <- m
		return
	}
	m.Subject, _ = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	body, _ := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	m.Text = strings.ReplaceAll(string(body), "\r\n", "\n")
	s.Taken <- m
}
