package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
)

// net/http itself answers a request that it cannot read, as text, without calling a handler. An address like
// /v1/labels/%zz is enough for that. The types in this file replace that text with the API's envelope.

// envelopeListener accepts connections that answer unreadable requests with refuse.
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

// envelopeConn embeds the whole connection, so that files are still sent without copying.
type envelopeConn struct {
	*net.TCPConn
	refuse func(http.ResponseWriter)
}

// Write sends p, or the answer of refuse in place of net/http's own refusal.
func (c *envelopeConn) Write(p []byte) (int, error) {
	if !isOwnRefusal(p) {
		return c.TCPConn.Write(p)
	}
	answer := heldAnswer{header: http.Header{}}
	c.refuse(&answer)
	return len(p), answer.send(c.TCPConn)
}

// isOwnRefusal recognizes net/http's own 400. Our answers have more headers.
func isOwnRefusal(p []byte) bool {
	const status, headers = "HTTP/1.1 400 Bad Request", "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	if !bytes.HasPrefix(p, []byte(status)) {
		return false
	}
	line := bytes.IndexByte(p, '\r')
	return line > 0 && bytes.HasPrefix(p[line:], []byte(headers))
}

// heldAnswer collects an answer, to send it without net/http.
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
