package simulator

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Faults is misbehaviour on demand, for everything or for one number. Rates are shares from 0 to 1.
type Faults struct {
	// Code is the code that messages are refused with, or fail with later if Async, at Rate. A code with a rate of 0
	// means always.
	Code  int     `json:"code,omitempty"`
	Async bool    `json:"async,omitempty"`
	Rate  float64 `json:"rate,omitempty"`
	// HTTPStatus answers with a bare status instead of an error object.
	HTTPStatus int      `json:"http_status,omitempty"`
	Latency    duration `json:"latency,omitempty"` // before every answer
	HangRate   float64  `json:"hang_rate,omitempty"`
	// DropAnswerRate is how often a message is accepted and the connection closed without an answer.
	DropAnswerRate float64 `json:"drop_answer_rate,omitempty"`
	MaxPerSecond   int     `json:"max_per_second,omitempty"` // above this rate messages are refused with 130429

	SkipDeliveredRate float64 `json:"skip_delivered_rate,omitempty"`
	SilentRate        float64 `json:"silent_rate,omitempty"` // no statuses at all
	DuplicateRate     float64 `json:"duplicate_rate,omitempty"`
	ReorderRate       float64 `json:"reorder_rate,omitempty"` // the statuses of a message come in reverse order
	// ShuffleCallbacks sends each batch of callbacks in random order. Like the fields below, it is global only.
	ShuffleCallbacks bool   `json:"shuffle_callbacks,omitempty"`
	BatchSize        int    `json:"batch_size,omitempty"` // the most callbacks per request; 0 means 1,000
	Grouping         string `json:"grouping,omitempty"`   // change (default), value, entry
	// HoldCallbacks lets callbacks gather for a while, so that requests are large at any rate.
	HoldCallbacks duration `json:"hold_callbacks,omitempty"`
}

// duration is written as "1.5s" in JSON; a number is milliseconds.
type duration time.Duration

func (d duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

func (d *duration) UnmarshalJSON(b []byte) error {
	var ms float64
	if json.Unmarshal(b, &ms) == nil {
		*d = duration(ms * float64(time.Millisecond))
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	*d = duration(parsed)
	return err
}

// faultsFor is a number's own faults, or else the global ones.
func (s *Simulator) faultsFor(n *number) *Faults {
	if f := n.faults.Load(); f != nil {
		return f
	}
	return s.faults.Load()
}

func (s *Simulator) strikes(f *Faults) bool {
	return f.Rate == 0 || s.ids.Chance(f.Rate)
}

func (s *Simulator) asyncFault(n *number) int {
	if f := s.faultsFor(n); f.Async && f.Code != 0 && s.strikes(f) {
		return f.Code
	}
	return 0
}

// misbehave applies the faults asked for by the recipient's number or by Faults, before the message is checked. done
// means that nothing more is to be done.
func (s *Simulator) misbehave(c *call, n *number, to recipient, trick magic) (a answer, done bool) {
	switch trick.mode {
	case magicRefuse:
		return s.failure(wire.Refuse(trick.value, "Refused because the recipient's number asks for it")), true
	case magicHTTP:
		return bareStatus(trick.value), true
	case magicHang:
		return s.hang(c, trick.duration()), true
	case magicSlow:
		if s.sched.sleep(c.Context(), trick.duration()) != nil {
			return answer{abort: true}, true
		}
	case magicFlaky:
		times, code := trick.flaky()
		tries := s.flaky.Update(recent.Pair{Scope: n.id, User: to.phone}, func(n int) int { return n + 1 })
		if tries <= times {
			return s.failure(wire.Refuse(code, "Refused %d of %d times because the recipient's number asks for it", tries, times)), true
		}
	}
	return s.applyFaults(c, s.faultsFor(n))
}

func (s *Simulator) applyFaults(c *call, f *Faults) (a answer, done bool) {
	if f.Latency > 0 && s.sched.sleep(c.Context(), time.Duration(f.Latency)) != nil {
		return answer{abort: true}, true
	}
	if s.ids.Chance(f.HangRate) {
		return s.hang(c, 0), true
	}
	if f.HTTPStatus != 0 && s.strikes(f) {
		return bareStatus(f.HTTPStatus), true
	}
	if f.Code != 0 && !f.Async && s.strikes(f) {
		return s.failure(wire.Refuse(f.Code, "Refused because the simulator was told to")), true
	}
	return answer{}, false
}

// hang keeps the caller waiting and then closes the connection. 0 means until the caller gives up.
func (s *Simulator) hang(c *call, d time.Duration) answer {
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	if d == 0 {
		<-ctx.Done()
	} else {
		_ = s.sched.sleep(ctx, d) // there is no answer either way
	}
	return answer{abort: true}
}

// bareStatus is an answer without JSON, as proxies in front of the upstream give.
func bareStatus(status int) answer {
	if status < 200 || status > 599 {
		status = http.StatusServiceUnavailable
	}
	a := answer{status: status, contentType: "text/html", body: []byte("<html><body><h1>" + http.StatusText(status) + "</h1></body></html>")}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		a.retryAfter = 2 * time.Second
	}
	return a
}

// rateBucket allows a number of messages per second, counted in whole seconds.
type rateBucket struct {
	mu     sync.Mutex
	second int64
	used   int
}

func (b *rateBucket) take(now time.Time, limit int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if sec := now.Unix(); sec != b.second {
		b.second, b.used = sec, 0
	}
	b.used++
	return b.used <= limit
}
