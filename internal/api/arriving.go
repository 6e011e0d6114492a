package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// A request holds a slot while it is worked on, and none while its body arrives: that can take as long as
// the client likes, and costs no more than an idle connection. What a body does hold is counted by what
// it is: bytes in memory, or a file.

const (
	// maxBody is the largest JSON body that is read.
	maxBody = 1 << 20
	// freeBody is what a body may have in memory without being counted, so that an ordinary request is
	// never refused for the large ones. A connection costs about as much.
	freeBody = 16 << 10
	// maxBodies bounds the bytes of all larger bodies, from when they arrive until they are answered.
	maxBodies       = 256 << 20
	maxBodiesPerOrg = maxBodies / 4
)

// enter takes a slot, and one of the organization's as soon as that is known. One that the request has
// already is not taken twice.
func (c *call) enter() error {
	if !c.inFlight {
		select {
		case c.api.inFlight <- struct{}{}:
			c.inFlight = true
		default:
			return overloaded()
		}
	}
	if c.known && !c.ofOrg {
		if c.ofOrg = c.api.perOrg.take(c.key.Key.OrgID, 1); !c.ofOrg {
			return overloaded()
		}
	}
	return nil
}

// leave gives back the slots that the request has.
func (c *call) leave() {
	if c.ofOrg {
		c.api.perOrg.give(c.key.Key.OrgID, 1)
	}
	if c.inFlight {
		<-c.api.inFlight
	}
	c.ofOrg, c.inFlight = false, false
}

// arriving reads what the client sends. The time for the work begins when it is there.
func (c *call) arriving(read func() error) error {
	c.leave()
	if err := read(); err != nil {
		return err
	}
	if time.Since(c.start) > time.Second {
		c.beginAnew()
	}
	return c.enter()
}

// beginAnew gives the work its whole time, although its body has used some of it up. The connection gets it
// too: when its time for reading is over, it ends the request.
func (c *call) beginAnew() {
	ctx, cancel := context.WithTimeout(c.r.Context(), requestTimeout)
	before := c.cancel
	c.ctx, c.cancel = ctx, func() { cancel(); before() }
	connection := http.NewResponseController(c.w)
	connection.SetReadDeadline(time.Now().Add(2 * requestTimeout))
	connection.SetWriteDeadline(time.Now().Add(2 * requestTimeout))
}

// finish gives back all that the request has.
func (c *call) finish() {
	c.leave()
	if c.held > 0 {
		c.api.bodies.give(c.key.Key.OrgID, c.held)
	}
}

// readBody reads the body within the limit. Operations without a body leave it unread.
func (b *inputBinder) readBody(c *call) (body []byte, err error) {
	if b.body == nil && c.r.Method != http.MethodPost {
		return nil, nil
	}
	if c.r.ContentLength > maxBody {
		return nil, tooLarge(c)
	}
	err = c.arriving(func() (err error) {
		body, err = c.readAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
		return err
	})
	return body, err
}

// readAll reads to the end. Memory is taken as the bytes come: what a client announces costs nothing.
func (c *call) readAll(from io.Reader) ([]byte, error) {
	body := make([]byte, 0, min(max(c.r.ContentLength, 0)+512, freeBody))
	for {
		if len(body) == cap(body) {
			more := min(2*cap(body), maxBody+512)
			if more > freeBody && !c.hold(more) {
				c.w.Header().Set("Connection", "close")
				return nil, overloaded()
			}
			body = append(make([]byte, 0, more), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case err == io.EOF:
			return body, nil
		case errors.As(err, new(*http.MaxBytesError)):
			return nil, tooLarge(c)
		case err != nil:
			return nil, chat.Fail(chat.CodeInvalidJSON, "The body could not be read to its end.")
		}
	}
}

// hold counts the bytes of the body, until the request ends.
func (c *call) hold(bytes int) bool {
	if !c.api.bodies.take(c.key.Key.OrgID, bytes-c.held) {
		return false
	}
	c.held = bytes
	return true
}

// tooLarge also gives the connection up: what is left of the body is not worth reading.
func tooLarge(c *call) error {
	c.w.Header().Set("Connection", "close")
	return chat.Fail(chat.CodePayloadTooLarge, "The body is larger than 1 MiB.")
}
