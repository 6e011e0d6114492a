package inbound_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	mostBodies = 256
	mostBytes  = 6<<20 + 3<<20 + 1 // of all bodies, plus the oldest beyond that
)

// sender sends a callback over a connection, at its own pace.
type sender struct {
	*httptest.ResponseRecorder
	near, far net.Conn // the server's end, and the sender's
	answered  chan struct{}
	took      time.Duration
}

// SetReadDeadline makes it work like a server's connection.
func (s *sender) SetReadDeadline(t time.Time) error { return s.near.SetReadDeadline(t) }

// begin sends the head of a callback without a declared length.
func (r *rig) begin(signature string) *sender { return r.beginWith(signature, -1) }

// beginWith sends the head of a callback.
func (r *rig) beginWith(signature string, length int) *sender {
	s := &sender{ResponseRecorder: httptest.NewRecorder(), answered: make(chan struct{})}
	s.near, s.far = net.Pipe()
	request := httptest.NewRequest(http.MethodPost, "/", s.near)
	request.ContentLength = int64(length)
	request.Header.Set("X-Hub-Signature-256", signature)
	begun := time.Now()
	go func() {
		r.receiver.ServeHTTP(s, request)
		s.took = time.Since(begun)
		s.near.Close()
		close(s.answered)
	}()
	return s
}

// send sends a body in portions, with a pause before each, and returns the status of the answer.
func (s *sender) send(body string, portion int, pause time.Duration) int {
	for len(body) > 0 {
		if pause > 0 {
			<-time.After(pause)
		}
		n, err := io.WriteString(s.far, body[:min(portion, len(body))])
		if err != nil { // the server no longer reads
			break
		}
		body = body[n:]
	}
	s.far.Close()
	<-s.answered
	return s.Code
}

// untouchable is a body that must not be read.
type untouchable struct{ t *testing.T }

func (u untouchable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// Nothing is read of a request that cannot be the provider's, and its connection is closed.
func TestNothingIsReadOfTheUnsigned(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		for name, change := range map[string]func(*http.Request){
			"unsigned":  func(q *http.Request) { q.Header.Del("X-Hub-Signature-256") },
			"malformed": func(q *http.Request) { q.Header.Set("X-Hub-Signature-256", "sha1=00") },
			"too large": func(q *http.Request) { q.ContentLength = 3<<20 + 1 },
		} {
			request := httptest.NewRequest(http.MethodPost, "/", untouchable{t})
			request.Header.Set("X-Hub-Signature-256", "of x")
			change(request)
			if answer := r.serve(request); answer.Code < 400 || answer.Code >= 500 || answer.Header().Get("Connection") != "close" {
				t.Errorf("%s got %d with %v", name, answer.Code, answer.Header())
			}
		}
	})
}

// A crawling body is cut off; a body that is merely slow is not.
func TestCrawlingBodiesAreCutOff(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		crawler := r.begin("of x")
		if code := crawler.send(strings.Repeat("x", 1000), 1, time.Second); code != http.StatusRequestTimeout || crawler.took > 6*time.Second {
			t.Errorf("a byte a second got %d after %v", code, crawler.took)
		}
		if silent := r.begin("of x"); true {
			<-silent.answered
			if silent.Code != http.StatusRequestTimeout || silent.took != 5*time.Second {
				t.Errorf("silence got %d after %v", silent.Code, silent.took)
			}
		}
		word := "blank:" + strings.Repeat("x", 2<<20)
		slow := r.begin("of " + word)
		if code := slow.send(word, 32<<10, 200*time.Millisecond); code != http.StatusOK || slow.took < 12*time.Second {
			t.Errorf("160 KiB a second got %d after %v", code, slow.took)
		}
	})
}

// Any number of slow senders hold little memory and do not keep out a callback of any size.
func TestSlowBodiesMakeRoom(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		var crowd sync.WaitGroup
		for range 2 * mostBodies {
			crawler := r.begin("of something else")
			crowd.Go(func() { crawler.send(strings.Repeat("x", 1<<20), 40<<10, time.Second) })
		}
		pass(1500 * time.Millisecond)
		if bodies, bytes := r.receiver.Unproven(); bodies == 0 || bodies > mostBodies || bytes < 4<<20 || bytes > mostBytes {
			t.Errorf("%d bodies hold %d bytes", bodies, bytes)
		}
		for _, size := range []int{1, 1000, 3<<20 - 6} {
			word := "blank:" + strings.Repeat("w", size)
			real := r.begin("of " + word)
			if code := real.send(word, 16<<10, 0); code != http.StatusOK || real.took > time.Second {
				t.Errorf("%d bytes got %d after %v", size, code, real.took)
			}
		}
		crowd.Wait()
		if bodies, bytes := r.receiver.Unproven(); bodies != 0 || bytes != 0 {
			t.Errorf("%d bodies hold %d bytes when all is over", bodies, bytes)
		}
	})
}

// Fast callbacks wait for each other, and none is refused.
func TestFastBodiesWaitForRoom(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		var all sync.WaitGroup
		for i := range 20 {
			word := "blank:" + strings.Repeat(fmt.Sprint(i%10), 3<<20-6-i)
			s := r.begin("of " + word)
			all.Go(func() {
				if code := s.send(word, 128<<10, time.Millisecond); code != http.StatusOK {
					t.Errorf("one got %d after %v", code, s.took)
				}
			})
		}
		all.Wait()
	})
}

// A body with a small declared length needs no room among others that are too fast to make any.
func TestSmallBodiesNeedNoRoom(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		var crowd sync.WaitGroup
		for range mostBodies {
			s := r.begin("of something else")
			crowd.Go(func() { s.send(strings.Repeat("x", 16<<10), 1<<10, time.Millisecond) })
		}
		pass(5 * time.Millisecond)
		if bodies, _ := r.receiver.Unproven(); bodies != mostBodies {
			t.Errorf("%d bodies are on their way", bodies)
		}
		word := "blank:" + strings.Repeat("w", 1000)
		real := r.beginWith("of "+word, len(word))
		if code := real.send(word, 1000, 0); code != http.StatusOK || real.took != 0 {
			t.Errorf("a small body got %d after %v", code, real.took)
		}
		crowd.Wait()
	})
}

// Any number of senders begin a callback, send much of it, stall, and come back when they are cut off. A real callback
// of a usual size still comes through at once.
func TestFloodsKeepOutNoCallback(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		// The attackers fill the room anew within 20 ms, but not between two packets: with pauses that all begin at the
		// same instant they could.
		const attackers, pause = 1000, 20 * time.Millisecond
		over := make(chan struct{})
		var crowd sync.WaitGroup
		for i := range attackers {
			crowd.Go(func() {
				length := []int{-1, 3 << 20, 20 << 10, 60 << 10}[i%4]
				<-time.After(time.Duration(i) * pause / attackers)
				for {
					s := r.beginWith("of something else", length)
					io.WriteString(s.far, strings.Repeat("x", 18<<10))
					select {
					case <-s.answered:
					case <-over:
						s.far.Close()
						<-s.answered
						return
					}
					s.far.Close()
					<-time.After(pause)
				}
			})
		}
		for i := range 3 {
			pass(400 * time.Millisecond)
			if bytes := r.receiver.PromptBytes(); bytes == 0 || bytes > inbound.MaxPrompt {
				t.Errorf("bodies of middle size hold %d bytes", bytes)
			}
			for _, size := range []int{5 << 10, 20 << 10, 60 << 10} {
				word := "blank:" + strings.Repeat(fmt.Sprint(i), size)
				real := r.beginWith("of "+word, len(word))
				if code := real.send(word, 1400, time.Millisecond); code != http.StatusOK || real.took > 200*time.Millisecond {
					t.Errorf("%d bytes got %d after %v", size, code, real.took)
				}
			}
		}
		close(over)
		crowd.Wait()
		if bytes := r.receiver.PromptBytes(); bytes != 0 {
			t.Errorf("%d bytes are held when all is over", bytes)
		}
	})
}

// A small body has time, but not forever.
func TestSmallBodiesHaveTheirTime(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		word := "blank:" + strings.Repeat("w", 1000)
		for pause, want := range map[time.Duration]int{time.Second: http.StatusOK, 2 * time.Second: http.StatusRequestTimeout} {
			s := r.beginWith("of "+word, len(word))
			if code := s.send(word, 300, pause); code != want || s.took > 5*time.Second {
				t.Errorf("300 bytes every %v got %d after %v", pause, code, s.took)
			}
		}
	})
}

// For any senders and speeds, the bounds hold, and a valid callback at a good pace comes through.
func TestIntakeProperty(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) {
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) { // a bubble has no deadline that could be asked for
			var all sync.WaitGroup
			for i := range rapid.IntRange(1, 60).Draw(t, "senders") {
				word := "blank:" + strings.Repeat("x", rapid.IntRange(0, 1<<20).Draw(t, "size"))
				portion := rapid.IntRange(1<<10, 64<<10).Draw(t, "portion")
				pause := time.Duration(rapid.IntRange(0, 400).Draw(t, "pause")) * time.Millisecond
				good := pause*16 < time.Duration(portion)*time.Second/(1<<20) // faster than 16 MiB a second
				right := rapid.Bool().Draw(t, "right")
				signature := "of something else"
				if right {
					signature = "of " + word
				}
				s := r.begin(signature)
				all.Go(func() {
					code := s.send(word, portion, pause)
					if right && good && code != http.StatusOK || !right && code == http.StatusOK {
						t.Errorf("sender %d got %d after %v", i, code, s.took)
					}
				})
				if bodies, bytes := r.receiver.Unproven(); bodies > mostBodies || bytes > mostBytes {
					t.Errorf("%d bodies hold %d bytes", bodies, bytes)
				}
			}
			all.Wait()
			if bodies, bytes := r.receiver.Unproven(); bodies != 0 || bytes != 0 {
				t.Errorf("%d bodies hold %d bytes when all is over", bodies, bytes)
			}
		})
	})
}
