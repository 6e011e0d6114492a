package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// conn is one keep-alive HTTP/1.1 connection. It exists because net/http's client costs about as much CPU as the server
// under test, and both share the machine: every microsecond saved here is one the server can use.
type conn struct {
	net.Conn
	r *bufio.Reader
}

func dial(ctx context.Context, addr string, deadline time.Time) (*conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := c.SetDeadline(deadline); err != nil {
		c.Close()
		return nil, err
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 16<<10)}, nil
}

// roundTrip sends a serialised request and reads the answer. The body is returned only if the status is not the wanted
// one; a wanted body is dropped without a copy.
func (c *conn) roundTrip(request []byte, want int) (head, []byte, error) {
	if _, err := c.Write(request); err != nil {
		return head{}, nil, err
	}
	h, err := readHead(c.r)
	if err != nil {
		return h, nil, err
	}
	if h.status == want {
		_, err = c.r.Discard(h.length)
		return h, nil, err
	}
	body := make([]byte, h.length)
	_, err = io.ReadFull(c.r, body)
	return h, body, err
}

// head is what a load generator needs to know of a response.
type head struct {
	status int
	length int
	closes bool // the server ends the connection after this answer
}

// maxBody bounds how much a broken Content-Length can make the client allocate.
const maxBody = 16 << 20

var (
	errChunked  = errors.New("chunked response: the generator reads only Content-Length bodies, set Content-Length in the server")
	errNoLength = errors.New("response without Content-Length")
)

// readHead consumes the status line and the headers, up to the body.
func readHead(r *bufio.Reader) (head, error) {
	line, err := readLine(r)
	if err != nil {
		return head{}, err
	}
	status, err := parseStatus(line)
	if err != nil {
		return head{}, err
	}
	h := head{status: status, length: -1}
	for {
		line, err := readLine(r)
		if err != nil {
			return h, err
		}
		if len(line) == 0 {
			break
		}
		if err := h.apply(line); err != nil {
			return h, err
		}
	}
	if h.status == 204 || h.status == 304 {
		h.length = 0
	}
	if h.length < 0 {
		return h, errNoLength
	}
	return h, nil
}

// readLine returns a line without its line end; it is valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == io.EOF && len(line) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

func parseStatus(line []byte) (int, error) {
	const prefix = "HTTP/1.1 "
	if len(line) < len(prefix)+3 || string(line[:len(prefix)]) != prefix {
		return 0, fmt.Errorf("not an HTTP/1.1 status line: %q", line)
	}
	status, err := strconv.Atoi(string(line[len(prefix) : len(prefix)+3]))
	if err != nil || status < 200 {
		return 0, fmt.Errorf("unusable status in %q", line)
	}
	return status, nil
}

func (h *head) apply(line []byte) error {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return fmt.Errorf("malformed header line: %q", line)
	}
	value = bytes.TrimSpace(value)
	switch {
	case isHeader(name, "Content-Length"):
		n, err := strconv.Atoi(string(value))
		if err != nil || n < 0 || n > maxBody {
			return fmt.Errorf("unusable Content-Length %q", value)
		}
		h.length = n
	case isHeader(name, "Transfer-Encoding"):
		return errChunked
	case isHeader(name, "Connection"):
		h.closes = isHeader(value, "close")
	}
	return nil
}

// isHeader compares lengths first, because most header lines are not the wanted one.
func isHeader(name []byte, want string) bool {
	return len(name) == len(want) && bytes.EqualFold(name, []byte(want))
}
