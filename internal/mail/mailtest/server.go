// Package mailtest is an SMTP server on a loopback address that keeps the mails it gets. Only tests may import
// it.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
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

// Mail is a received mail, with the state of its connection.
type Mail struct {
	From, To, Subject, Text string
	Secure                  bool   // over TLS
	User                    string // the authenticated user
}

// Server speaks SMTP.
type Server struct {
	URL   string
	Taken chan Mail

	refusals    chan string
	certificate *tls.Certificate
	fromStart   bool   // TLS from the first byte
	login       string // what AUTH PLAIN must send; empty: nothing
	abrupt      bool   // ends the connection once a mail is taken
}

// Option is a requirement of the server.
type Option func(*Server)

// TLS makes the server offer STARTTLS, and refuse mail without it.
func TLS(c tls.Certificate) Option { return func(s *Server) { s.certificate = &c } }

// Smtps makes the connection start with TLS.
func Smtps(c tls.Certificate) Option {
	return func(s *Server) { s.certificate, s.fromStart = &c, true }
}

// Login makes the server accept mail only after authentication.
func Login(user, password string) Option {
	return func(s *Server) {
		s.login = base64.StdEncoding.EncodeToString([]byte("\x00" + user + "\x00" + password))
	}
}

// Abrupt makes the server end the connection once it has taken a mail, without waiting for QUIT.
func Abrupt() Option { return func(s *Server) { s.abrupt = true } }

// Start starts the server until the end of the test.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &Server{URL: "smtp://" + l.Addr().String(), Taken: make(chan Mail, 100), refusals: make(chan string, 100)}
	for _, option := range options {
		option(s)
	}
	if s.fromStart {
		s.URL = "smtps" + strings.TrimPrefix(s.URL, "smtp")
	}
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

// Refuse makes the server answer the next recipient with this line.
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

// visit is one client's connection.
type visit struct {
	server *Server
	conn   net.Conn
	r      *bufio.Reader
	mail   Mail
}

func (s *Server) serve(conn net.Conn) {
	v := &visit{server: s, conn: conn}
	defer func() { v.conn.Close() }()
	if s.fromStart {
		v.secure()
	}
	v.r = bufio.NewReader(v.conn)
	v.say("220 mailtest")
	for {
		line, err := v.r.ReadString('\n')
		if err != nil || !v.obey(line) {
			return
		}
	}
}

func (v *visit) secure() {
	v.conn = tls.Server(v.conn, &tls.Config{Certificates: []tls.Certificate{*v.server.certificate}})
	v.r, v.mail.Secure = bufio.NewReader(v.conn), true
}

func (v *visit) say(line string) { fmt.Fprint(v.conn, line+"\r\n") }

// obey executes a command; false ends the connection.
func (v *visit) obey(line string) bool {
	s := v.server
	switch verb := strings.ToUpper(strings.TrimSpace(line)); {
	case strings.HasPrefix(verb, "EHLO"):
		v.greet()
	case verb == "STARTTLS" && s.certificate != nil:
		v.say("220 go on")
		v.secure()
	case strings.HasPrefix(verb, "AUTH PLAIN "):
		v.signIn(strings.TrimSpace(line)[len("AUTH PLAIN "):])
	case strings.HasPrefix(verb, "MAIL FROM:"):
		if s.certificate != nil && !v.mail.Secure || s.login != "" && v.mail.User == "" {
			v.say("530 not like this")
			return true
		}
		v.mail.From = address(line)
		v.say("250 ok")
	case strings.HasPrefix(verb, "RCPT TO:"):
		v.mail.To = address(line)
		v.say(s.answer())
	case verb == "DATA":
		v.say("354 go on")
		s.take(v.r, v.mail)
		v.say("250 taken")
		return !s.abrupt
	case verb == "QUIT":
		v.say("221 bye")
		return false
	default:
		v.say("250 mailtest")
	}
	return true
}

func (v *visit) greet() {
	v.say("250-mailtest")
	if v.server.certificate != nil && !v.mail.Secure {
		v.say("250-STARTTLS")
	}
	if v.server.login != "" {
		v.say("250-AUTH PLAIN")
	}
	v.say("250 8BITMIME")
}

func (v *visit) signIn(login string) {
	if login != v.server.login {
		v.say("535 wrong")
		return
	}
	text, _ := base64.StdEncoding.DecodeString(login)
	v.mail.User = strings.Split(string(text), "\x00")[1]
	v.say("235 welcome")
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

// take reads a message up to the line with a single dot.
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
