package inbound

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	// maxBody is the largest callback that the provider sends.
	maxBody = 3 << 20
	// maxUnproven bounds the bytes of all bodies whose signature is yet to be checked, but for the eldest,
	// and maxReading how many such bodies there are: each also costs its connection.
	maxUnproven = 6 << 20
	maxReading  = 256
	firstBuffer = 4 << 10
	// smallBody is what costs no more than the connection it comes on. Such bodies need no room: most
	// callbacks are that small, and nobody can keep them out.
	smallBody = 4 << 10

	// A body has bodyPatience and the time it takes at slowestBody, in bytes a second.
	bodyPatience = 5 * time.Second
	slowestBody  = 128 << 10
	// Where there is no room for another body, one that is slower than crawling makes room. A body that
	// has just begun counts as fast.
	crawling  = 256 << 10
	headStart = 64 << 10
	warmUp    = 100 * time.Millisecond
	// A body waits roomPatience for room, and looks whether another has become slow every lookAgain.
	roomPatience = 10 * time.Second
	lookAgain    = 20 * time.Millisecond
)

var (
	errTooLarge  = errors.New("the body is larger than a callback can be")
	errTooSlow   = errors.New("the body comes too slowly")
	errCrowded   = errors.New("too much is arriving at once")
	errSignature = errors.New("the signature does not match")
)

// intake reads bodies of which nobody knows yet who sent them. What they hold together is bounded;
// when that is used up, the slowest makes room for the others. So whoever sends slowly, or much with a
// wrong signature, keeps out no callback of the provider, which sends at once what it has to say.
type intake struct {
	prompt  *prompt
	mu      sync.Mutex
	reading map[*unproven]bool
	begun   int // bodies, ever
	bytes   int
	waiting int
	changed chan struct{} // closed for those who wait, when there is more room or a body was given up
}

// unproven is a body on its way in.
type unproven struct {
	conn    interface{ SetReadDeadline(time.Time) error }
	number  int // in the order in which they begin
	begun   time.Time
	waits   time.Time // since when it waits for room; zero while it is read
	arrived int       // bytes
	charged int       // bytes of its buffers
	givenUp bool      // to make room
}

func newIntake() *intake {
	return &intake{prompt: newPrompt(), reading: map[*unproven]bool{}, changed: make(chan struct{})}
}

// read returns the body of a request if verify finds its signature right.
func (in *intake) read(w http.ResponseWriter, req *http.Request, verify func([]byte) bool) ([]byte, error) {
	most := maxBody + 1 // one more shows that there is more
	if req.ContentLength > maxBody {
		return nil, errTooLarge
	}
	if req.ContentLength >= 0 {
		most = int(req.ContentLength) + 1
	}
	u := &unproven{conn: http.NewResponseController(w), begun: time.Now()}
	readBody := in.readLarge
	switch {
	case most <= smallBody:
		readBody = readSmall
	case most <= promptBody+1:
		readBody = in.prompt.read
	}
	body, err := readBody(u, req.Body, most)
	if err == nil && !verify(body) {
		err = errSignature
	}
	return body, err
}

// readSmall reads a body of less than most bytes. Its connection alone bounds it.
func readSmall(u *unproven, from io.Reader, most int) ([]byte, error) {
	u.allowTime()
	defer u.conn.SetReadDeadline(time.Time{})
	body := make([]byte, most-1)
	if _, err := io.ReadFull(from, body); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, errTooSlow
	} else if err != nil {
		return nil, err
	}
	return body, nil
}

// readLarge reads a body of less than most bytes, when there is room for it.
func (in *intake) readLarge(u *unproven, from io.Reader, most int) ([]byte, error) {
	if err := in.enter(u); err != nil {
		return nil, err
	}
	defer in.leave(u)
	return readAll(in, u, from, most)
}

// room is what bounds the bytes of bodies.
type room interface {
	// charge counts n more bytes of a body's buffers, and refund gives them back.
	charge(u *unproven, n int) error
	refund(u *unproven, n int)
	// note counts what has arrived of a body, and gives it the time for more.
	note(u *unproven, n int) error
}

// readAll reads a body into a buffer that grows with what arrives, up to most bytes.
func readAll(in room, u *unproven, from io.Reader, most int) (body []byte, err error) {
	for {
		if len(body) == cap(body) {
			if body, err = grow(in, u, body, most); err != nil {
				return nil, err
			}
		}
		n, readErr := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err := in.note(u, n); err != nil {
			return nil, err
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return body, nil
		case errors.Is(readErr, os.ErrDeadlineExceeded):
			return nil, errTooSlow
		case readErr != nil:
			return nil, readErr
		}
	}
}

// grow moves a body into a buffer of twice the size.
func grow(in room, u *unproven, body []byte, most int) ([]byte, error) {
	size := min(max(2*cap(body), firstBuffer), most)
	if size <= len(body) {
		return nil, errTooLarge
	}
	if err := in.charge(u, size); err != nil {
		return nil, err
	}
	larger := append(make([]byte, 0, size), body...)
	in.refund(u, cap(body))
	return larger, nil
}

// enter begins a body.
func (in *intake) enter(u *unproven) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	err := in.awaitRoom(u, func() bool { return len(in.reading) < maxReading })
	if err == nil {
		in.begun++
		u.number = in.begun
		in.reading[u] = true
		u.allowTime()
	}
	return err
}

// charge: the eldest body always has room: else bodies that
// have all room together would wait for each other.
func (in *intake) charge(u *unproven, n int) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	err := in.awaitRoom(u, func() bool { return in.bytes+n <= maxUnproven || u == in.eldest() })
	if err == nil {
		in.bytes += n
		u.charged += n
	}
	return err
}

func (in *intake) refund(u *unproven, n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if u.givenUp { // what it held was counted back then
		return
	}
	in.bytes -= n
	u.charged -= n
	in.tell()
}

func (in *intake) note(u *unproven, n int) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return u.note(n)
}

func (u *unproven) note(n int) error {
	if u.givenUp {
		return errCrowded
	}
	u.arrived += n
	u.allowTime()
	return nil
}

// leave ends a body. What is done with it from here on has time limits of its own.
func (in *intake) leave(u *unproven) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if u.givenUp {
		return
	}
	in.remove(u)
	u.conn.SetReadDeadline(time.Time{})
}

// awaitRoom returns when there is room. Until then it gives up bodies that crawl, the slowest first; if
// none does, they will soon be done. The time of the body itself stands still.
func (in *intake) awaitRoom(u *unproven, room func() bool) error {
	if !u.givenUp && room() {
		return nil
	}
	u.waits = time.Now()
	for !u.givenUp && !room() {
		if slowest := in.slowest(); slowest != nil && slowest.speed() < crawling {
			in.giveUp(slowest)
			continue
		}
		if time.Since(u.waits) > roomPatience {
			return errCrowded
		}
		in.wait()
	}
	if u.givenUp {
		return errCrowded
	}
	u.begun, u.waits = u.begun.Add(time.Since(u.waits)), time.Time{}
	u.allowTime()
	return nil
}

// wait lets go of the lock until something changes, or a body may have become slow.
func (in *intake) wait() {
	changed := in.changed
	in.waiting++
	in.mu.Unlock()
	again := time.NewTimer(lookAgain)
	select {
	case <-changed:
	case <-again.C:
	}
	again.Stop()
	in.mu.Lock()
	in.waiting--
}

func (in *intake) eldest() (eldest *unproven) {
	for u := range in.reading {
		if eldest == nil || u.number < eldest.number {
			eldest = u
		}
	}
	return eldest
}

func (in *intake) slowest() (slowest *unproven) {
	for u := range in.reading {
		if slowest == nil || u.speed() < slowest.speed() {
			slowest = u
		}
	}
	return slowest
}

func (in *intake) giveUp(u *unproven) {
	in.remove(u)
	u.endNow()
}

// endNow ends a body from outside: its reader finds that its time is over.
func (u *unproven) endNow() {
	u.givenUp = true
	u.conn.SetReadDeadline(time.Unix(1, 0))
}

func (in *intake) remove(u *unproven) {
	delete(in.reading, u)
	in.bytes -= u.charged
	in.tell()
}

func (in *intake) tell() {
	if in.waiting > 0 {
		close(in.changed)
		in.changed = make(chan struct{})
	}
}

// speed is in bytes a second.
func (u *unproven) speed() float64 {
	until := u.waits
	if until.IsZero() {
		until = time.Now()
	}
	return float64(u.arrived+headStart) / (until.Sub(u.begun) + warmUp).Seconds()
}

// deadline is when the next byte must be there. A connection that cannot be timed has its server's.
func (u *unproven) deadline() time.Time {
	return u.begun.Add(bodyPatience + time.Duration(u.arrived)*time.Second/slowestBody)
}

func (u *unproven) allowTime() { u.conn.SetReadDeadline(u.deadline()) }
