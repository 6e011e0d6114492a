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

// A request holds a slot while it is worked on, and none while its body arrives: a slow client may take as long
// as it likes, and costs no more than an idle connection. The body itself is counted by the memory or the file
// that it takes.

const (
	// MaxBody is the largest JSON body that is read.
	MaxBody = 1 << 20
	// FreeBody is the part of a body that is not counted, so that ordinary requests are never refused because
	// of large ones. A connection costs about as much.
	FreeBody = 16 << 10
)

// enter takes a slot, and a slot of the organization as soon as it is known. It does not take a slot that the
// request already has.
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

// leave gives the request's slots back.
func (c *Call) leave() {
	if c.ofOrg {
		c.surface.perOrg.give(c.OrgID(), 1)
	}
	if c.inFlight {
		<-c.surface.inFlight
	}
	c.ofOrg, c.inFlight = false, false
}

// Arriving runs read, which reads from the client, without a slot. The time limit for the work starts
// afterwards.
func (c *Call) Arriving(read func() error) error {
	c.leave()
	if err := read(); err != nil {
		return err
	}
	if time.Since(c.start) > time.Second {
		c.beginAnew()
	}
	if err := c.askAgain(); err != nil {
		return err
	}
	return c.enter()
}

// freshFor is how long a caller's rights hold while a body arrives, or a download is read.
const freshFor = time.Second

// askAgain checks again whether the caller may do this, unless that was checked a moment ago. Otherwise somebody who is about
// to lose a right could keep a request open by holding back a part of its body, or a download by reading it slowly, and use
// the right minutes after it was taken.
func (c *Call) askAgain() error {
	if !c.known {
		return nil
	}
	now := c.surface.store.Moment()
	if now.Sub(c.asked) <= freshFor {
		return nil
	}
	ctx := c.Ctx
	defer func() { c.Ctx = ctx }() // it names the caller already
	if err := c.surface.authority.Authenticate(c); err != nil {
		return err
	}
	if err := c.mayCall(); err != nil {
		return err
	}
	c.asked = now
	return nil
}

// beginAnew restarts the time limit, because the arrival of the body used up a part of it. It also extends the
// connection's read deadline, which would otherwise cancel the request.
func (c *Call) beginAnew() {
	ctx, cancel := context.WithTimeout(store.SameCaller(c.R.Context(), c.Ctx), RequestTimeout)
	before := c.cancel
	c.Ctx, c.cancel = ctx, func() { cancel(); before() }
	connection := http.NewResponseController(c.W)
	connection.SetReadDeadline(time.Now().Add(2 * RequestTimeout))
	connection.SetWriteDeadline(time.Now().Add(2 * RequestTimeout))
}

// Steps begins long work that the client waits for. As long as it moves, the request's time limit does not end it.
func (c *Call) Steps() func(work func(tx *store.Tx, limit int) (int64, error)) (more bool, err error) {
	steps := c.surface.store.Steps().Brisk()
	return func(work func(tx *store.Tx, limit int) (int64, error)) (more bool, err error) {
		if deadline, _ := c.Ctx.Deadline(); c.Ctx.Err() == nil && time.Until(deadline) < RequestTimeout/2 {
			c.beginAnew()
		}
		_, more, err = steps.Do(c.Ctx, work)
		return more, err
	}
}

// finish gives back everything that the request holds.
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

// readAll reads to the end. The buffer grows with the bytes that arrive, so a large Content-Length alone costs
// nothing.
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

// hold counts the bytes of the body until the request ends. It returns false if there is no room.
func (c *Call) hold(bytes int) bool {
	if !c.surface.bodies.take(c.OrgID(), bytes-c.held) {
		return false
	}
	c.held = bytes
	return true
}

// tooLarge also closes the connection, because the rest of the body would have to be read otherwise.
func tooLarge(c *Call) error {
	c.W.Header().Set("Connection", "close")
	return chat.Fail(chat.CodePayloadTooLarge, "The body is larger than 1 MiB.")
}
