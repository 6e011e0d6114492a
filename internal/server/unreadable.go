package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
)

// net/http answers a request that it cannot read by itself, as text: no handler is asked. An address like
// /v1/labels/%zz is enough for that. The types in this file put the API's envelope in the place of that text.

// envelopeListener accepts connections that answer unreadable requests as refuse does.
type envelopeListener struct {
	net.Listener
	refuse func(http.ResponseWriter)
}

func (l envelopeListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &envelopeConn{tcp, l.refuse}, err
	}
	return conn, err
}

// envelopeConn embeds the connection whole, so that files still go out without being copied.
type envelopeConn struct {
	*net.TCPConn
	refuse func(http.ResponseWriter)
}

// Write sends p, or another answer in the place of net/http's own refusal.
func (c *envelopeConn) Write(p []byte) (int, error) {
	if !isOwnRefusal(p) {
		return c.TCPConn.Write(p)
	}
	answer := heldAnswer{header: http.Header{}}
	c.refuse(&answer)
	return len(p), answer.send(c.TCPConn)
}

// isOwnRefusal tells net/http's own 400 from an answer of ours, which has more headers.
func isOwnRefusal(p []byte) bool {
	const status, headers = "HTTP/1.1 400 Bad Request", "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	if !bytes.HasPrefix(p, []byte(status)) {
		return false
	}
	line := bytes.IndexByte(p, '\r')
	return line > 0 && bytes.HasPrefix(p[line:], []byte(headers))
}

// heldAnswer keeps an answer, to be sent where net/http does not do it.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *heldAnswer) Header() http.Header         { return a.header }
func (a *heldAnswer) WriteHeader(status int)      { a.status = status }
func (a *heldAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *heldAnswer) send(w io.Writer) error {
	return (&http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header, Close: true,
		Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()),
	}).Write(w)
}
