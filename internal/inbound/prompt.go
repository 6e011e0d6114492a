package inbound

import (
	"container/list"
	"io"
	"sync"
	"time"
)

const (
	// promptBody is the size that arrives in a moment over any line. Larger callbacks are rare: they are parts of a
	// number's history.
	promptBody = 64 << 10
	// maxPrompt bounds the bytes of all such bodies.
	maxPrompt = 8 << 20
)

// prompt reads bodies with a declared middle size. No body waits for room: the body that began first makes room. The
// provider's callbacks arrive within milliseconds, so only a sender that fills all the room anew in that time could
// keep one out.
type prompt struct {
	mu    sync.Mutex
	byAge *list.List // elements are *unproven
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

// charge counts n more bytes of a body's buffers, and gives up the oldest bodies for them.
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
