package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// A request holds a slot while it is worked on, and none while its body arrives: that can take as long as
// the client likes, and costs no more than an idle connection. What a body does hold is counted by what
// it is: bytes in memory, or a file.

const (
	// MaxBody is the largest JSON body that is read.
	MaxBody = 1 << 20
	// FreeBody is what a body may have in memory without being counted, so that an ordinary request is
	// never refused for the large ones. A connection costs about as much.
	FreeBody = 16 << 10
)

// enter takes a slot, and one of the organization's as soon as that is known. One that the request has
// already is not taken twice.
func (c *Call) enter() error {
	if !c.inFlight {
		select {
		case c.surface.inFlight <- struct{}{}:
			c.inFlight = true
		default:
			return Overloaded()
		}
	}
	if c.known && !c.ofOrg {
		if c.ofOrg = c.surface.perOrg.take(c.OrgID(), 1); !c.ofOrg {
			return Overloaded()
		}
	}
	return nil
}

// leave gives back the slots that the request has.
func (c *Call) leave() {
	if c.ofOrg {
		c.surface.perOrg.give(c.OrgID(), 1)
	}
	if c.inFlight {
		<-c.surface.inFlight
	}
	c.ofOrg, c.inFlight = false, false
}

// Arriving reads what the client sends. The time for the work begins when it is there.
func (c *Call) Arriving(read func() error) error {
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
func (c *Call) beginAnew() {
	ctx, cancel := context.WithTimeout(store.SameCaller(c.R.Context(), c.Ctx), RequestTimeout)
	before := c.cancel
	c.Ctx, c.cancel = ctx, func() { cancel(); before() }
	connection := http.NewResponseController(c.W)
	connection.SetReadDeadline(time.Now().Add(2 * RequestTimeout))
	connection.SetWriteDeadline(time.Now().Add(2 * RequestTimeout))
}

// finish gives back all that the request has.
func (c *Call) finish() {
	c.leave()
	if c.held > 0 {
		c.surface.bodies.give(c.OrgID(), c.held)
	}
}

// readBody reads the body within the limit. Operations without a body leave it unread.
func (b *inputBinder) readBody(c *Call) (body []byte, err error) {
	if b.body == nil && c.R.Method != http.MethodPost {
		return nil, nil
	}
	if c.R.ContentLength > MaxBody {
		return nil, tooLarge(c)
	}
	err = c.Arriving(func() (err error) {
		body, err = c.readAll(http.MaxBytesReader(c.W, c.R.Body, MaxBody))
		return err
	})
	return body, err
}

// readAll reads to the end. Memory is taken as the bytes come: what a client announces costs nothing.
func (c *Call) readAll(from io.Reader) ([]byte, error) {
	body := make([]byte, 0, min(max(c.R.ContentLength, 0)+512, FreeBody))
	for {
		if len(body) == cap(body) {
			more := min(2*cap(body), MaxBody+512)
			if more > FreeBody && !c.hold(more) {
				c.W.Header().Set("Connection", "close")
				return nil, Overloaded()
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
func (c *Call) hold(bytes int) bool {
	if !c.surface.bodies.take(c.OrgID(), bytes-c.held) {
		return false
	}
	c.held = bytes
	return true
}

// tooLarge also gives the connection up: what is left of the body is not worth reading.
func tooLarge(c *Call) error {
	c.W.Header().Set("Connection", "close")
	return chat.Fail(chat.CodePayloadTooLarge, "The body is larger than 1 MiB.")
}
