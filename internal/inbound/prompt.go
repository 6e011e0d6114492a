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
	// promptStep is how much of a body must arrive for the body to count as moving. A packet has more.
	promptStep = 1 << 10
)

// prompt reads bodies with a declared middle size. No body waits for room: the body that has stood still for longest
// makes room. The provider's callbacks do not pause, so only a sender that fills all the room anew between two packets
// could keep one out.
type prompt struct {
	mu      sync.Mutex
	byPause *list.List // elements are *unproven, those that stand still first
	bytes   int
}

func newPrompt() *prompt { return &prompt{byPause: list.New()} }

// read reads a body of less than most bytes.
func (p *prompt) read(u *unproven, from io.Reader, most int) ([]byte, error) {
	p.mu.Lock()
	u.place = p.byPause.PushBack(u)
	u.allowTime()
	p.mu.Unlock()
	defer p.leave(u)
	return readAll(p, u, from, most)
}

func (p *prompt) leave(u *unproven) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !u.givenUp {
		p.remove(u)
		u.conn.SetReadDeadline(time.Time{})
	}
}

// charge counts n more bytes of a body's buffers, and gives up the bodies for them that stand still.
func (p *prompt) charge(u *unproven, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !u.givenUp && p.bytes+n > maxPrompt {
		still := p.byPause.Front().Value.(*unproven)
		p.remove(still)
		still.endNow()
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
	if u.stepped += n; u.stepped >= promptStep && !u.givenUp {
		u.stepped = 0
		p.byPause.MoveToBack(u.place)
	}
	return u.note(n)
}

func (p *prompt) remove(u *unproven) {
	p.byPause.Remove(u.place)
	p.bytes -= u.charged
}
