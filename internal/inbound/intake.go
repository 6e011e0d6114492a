package inbound

import (
	"container/list"
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
	// maxUnproven bounds the bytes of all bodies with unchecked signatures, except for the oldest body. maxReading
	// bounds the number of such bodies, because each also costs its connection.
	maxUnproven = 6 << 20
	maxReading  = 256
	firstBuffer = 4 << 10
	// smallBody is the size up to which a body costs no more than its connection. Small bodies need no room: most
	// callbacks are that small, and nobody can keep them out.
	smallBody = 4 << 10

	// A body must arrive within bodyPatience plus its time at slowestBody, in bytes a second.
	bodyPatience = 5 * time.Second
	slowestBody  = 128 << 10
	// When there is no room for another body, a body slower than crawling makes room. A body that has just begun
	// counts as fast.
	crawling  = 256 << 10
	headStart = 64 << 10
	warmUp    = 100 * time.Millisecond
	// A body waits roomPatience for room, and checks every lookAgain whether another has become slow.
	roomPatience = 10 * time.Second
	lookAgain    = 20 * time.Millisecond
)

var (
	errTooLarge  = errors.New("the body is larger than a callback can be")
	errTooSlow   = errors.New("the body comes too slowly")
	errCrowded   = errors.New("too much is arriving at once")
	errSignature = errors.New("the signature does not match")
)

// intake reads bodies from unknown senders. Their total size is bounded; when there is no room, the slowest body makes
// room for the others. So a sender that is slow, or sends much with a wrong signature, cannot keep out the provider,
// which sends its callbacks fast.
type intake struct {
	prompt  *prompt
	mu      sync.Mutex
	reading map[*unproven]bool
	begun   int // number of bodies so far
	bytes   int
	waiting int
	changed chan struct{} // closed to wake waiting bodies, when there is more room or a body was given up
}

// unproven is a body that is being read, with its signature still unchecked.
type unproven struct {
	conn    interface{ SetReadDeadline(time.Time) error }
	number  int // in the order in which bodies begin
	begun   time.Time
	waits   time.Time // since when it waits for room; zero while it is being read
	arrived int       // bytes
	charged int       // bytes of its buffers
	givenUp bool      // to make room

	// Of a body of middle size:
	place   *list.Element
	stepped int // bytes since it took this place
}

func newIntake() *intake {
	return &intake{prompt: newPrompt(), reading: map[*unproven]bool{}, changed: make(chan struct{})}
}

// read returns the body of a request if verify accepts its signature.
func (in *intake) read(w http.ResponseWriter, req *http.Request, verify func([]byte) bool) ([]byte, error) {
	most := maxBody + 1 // one byte more shows that the body is too large
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

// readSmall reads a body of less than most bytes. Only the number of connections bounds such bodies.
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

// readLarge reads a body of less than most bytes, once there is room for it.
func (in *intake) readLarge(u *unproven, from io.Reader, most int) ([]byte, error) {
	if err := in.enter(u); err != nil {
		return nil, err
	}
	defer in.leave(u)
	return readAll(in, u, from, most)
}

// room bounds the bytes of bodies.
type room interface {
	// charge counts n more bytes of a body's buffers, and refund gives them back.
	charge(u *unproven, n int) error
	refund(u *unproven, n int)
	// note counts n arrived bytes of a body, and extends its deadline.
	note(u *unproven, n int) error
}

// readAll reads a body of up to most bytes into a growing buffer.
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

// enter registers a body, once there is room.
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

// charge always has room for the oldest body. Otherwise bodies that together hold all room would wait for each other.
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
	if u.givenUp { // its bytes were counted back then
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

// leave removes a body. What happens with it next has its own time limits.
func (in *intake) leave(u *unproven) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if u.givenUp {
		return
	}
	in.remove(u)
	u.conn.SetReadDeadline(time.Time{})
}

// awaitRoom returns when there is room. Until then it gives up crawling bodies, the slowest first; if no body crawls,
// they will be done soon. The waiting does not count against the body's own time.
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

// wait releases the lock until something changes, or a body may have become slow.
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

// endNow ends a body from another goroutine: its reader meets an expired deadline.
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

// speed is the body's speed in bytes a second.
func (u *unproven) speed() float64 {
	until := u.waits
	if until.IsZero() {
		until = time.Now()
	}
	return float64(u.arrived+headStart) / (until.Sub(u.begun) + warmUp).Seconds()
}

// deadline is when the next byte must have arrived. A connection without deadlines has only its server's limits.
func (u *unproven) deadline() time.Time {
	return u.begun.Add(bodyPatience + time.Duration(u.arrived)*time.Second/slowestBody)
}

func (u *unproven) allowTime() { u.conn.SetReadDeadline(u.deadline()) }
