package inbound

import (
	"container/list"
	"io"
	"sync"
	"time"
)

const (
	// promptBody is what fits into a moment of any line. Callbacks with more are rare: parts of a number's past.
	promptBody = 64 << 10
	// maxPrompt bounds the bytes of all bodies up to that size.
	maxPrompt = 8 << 20
)

// prompt reads bodies that say that they are of middle size. Nobody waits there for room: the body that began
// first makes it. The provider's callbacks are there within milliseconds, so that only who sends all the room's
// bytes anew in that time could keep one out.
type prompt struct {
	mu    sync.Mutex
	byAge *list.List // of *unproven
	bytes int
}

func newPrompt() *prompt { return &prompt{byAge: list.New()} }

// read reads a body of less than most bytes.
func (p *prompt) read(u *unproven, from io.Reader, most int) ([]byte, error) {
	p.mu.Lock()
	place := p.byAge.PushBack(u)
	u.allowTime()
	p.mu.Unlock()
	defer p.leave(place)
	return readAll(p, u, from, most)
}

func (p *prompt) leave(place *list.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := place.Value.(*unproven)
	if !u.givenUp {
		p.remove(place)
		u.conn.SetReadDeadline(time.Time{})
	}
}

// charge counts n more bytes of a body's buffers, and gives up the eldest bodies for them.
func (p *prompt) charge(u *unproven, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !u.givenUp && p.bytes+n > maxPrompt {
		eldest := p.byAge.Front()
		p.remove(eldest)
		eldest.Value.(*unproven).endNow()
	}
	if u.givenUp {
		return errCrowded
	}
	p.bytes += n
	u.charged += n
	return nil
}

func (p *prompt) refund(u *unproven, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !u.givenUp {
		p.bytes -= n
		u.charged -= n
	}
}

func (p *prompt) note(u *unproven, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return u.note(n)
}

func (p *prompt) remove(place *list.Element) {
	p.byAge.Remove(place)
	p.bytes -= place.Value.(*unproven).charged
}
