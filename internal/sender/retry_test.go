package sender_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

var outage = &provider.Error{HTTPStatus: 500, Code: 131000, Message: "Something went wrong", Transient: true}

func TestSendsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		a := r.post("one", person(1))
		pass(0)
		r.expect(call{"one", 0})
		r.requireState(a, "sent", false)
		if d := cmp.Diff([]chat.EventType{chat.EventMessageSent}, r.events()); d != "" {
			t.Errorf("other events (-want +got):\n%s", d)
		}
	})
}

// A message that the provider cannot take at the moment is tried again after 1, 2, 4 and 8 minutes, and then fails.
func TestRetrySchedule(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) { return provider.Sent{}, outage }
		a := r.post("one", person(1))
		pass(0)
		r.requireState(a, "pending", true)
		pass(15*time.Minute - time.Second)
		r.requireState(a, "pending", true)
		pass(time.Minute)
		r.expect(call{"one", 0}, call{"one", time.Minute}, call{"one", 3 * time.Minute}, call{"one", 7 * time.Minute}, call{"one", 15 * time.Minute})
		r.requireState(a, "failed upstream_error", false)
		if d := cmp.Diff([]chat.EventType{chat.EventMessageStatus}, r.events()); d != "" {
			t.Errorf("other events (-want +got):\n%s", d)
		}
	}, slowSweeps)
}

func TestRetrySucceeds(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At < 2*time.Minute {
				return provider.Sent{}, outage
			}
			return provider.Sent{}, nil
		}
		a := r.post("one", person(1))
		pass(4 * time.Minute)
		r.expect(call{"one", 0}, call{"one", time.Minute}, call{"one", 3 * time.Minute})
		r.requireState(a, "sent", false)
	}, slowSweeps)
}

// A message that the provider refuses for good fails at once, with the reason.
func TestRefusal(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) {
			return provider.Sent{}, &provider.Error{HTTPStatus: 400, Code: 131026}
		}
		a := r.post("one", person(1))
		pass(2 * time.Minute)
		r.expect(call{"one", 0})
		r.requireState(a, "failed recipient_unavailable", false)
	}, slowSweeps)
}

// A rate limit pauses the number without costing its messages an attempt, and pauses no other number.
func TestThrottlePausesTheNumber(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		limited := &provider.Error{HTTPStatus: 400, Code: 130429, Throttled: true, Transient: true}
		longer := &provider.Error{HTTPStatus: 429, RetryAfter: 40 * time.Second}
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			switch {
			case c.Message == "elsewhere":
			case c.At == 0:
				return provider.Sent{}, limited
			case c.At < 12*time.Second:
				<-time.After(100 * time.Millisecond) // both are tried before one of them pauses the number again
				return provider.Sent{}, longer
			}
			return provider.Sent{}, nil
		}
		first := r.post("first", person(1))
		pass(0)
		second := r.post("second", person(2))
		other := r.Number()
		r.enqueue(other, r.acceptFrom(other, "elsewhere", person(1), node))
		pass(9 * time.Second)
		r.expect(call{"first", 0}, call{"elsewhere", 0})
		r.requireState(first, "queued", true)
		pass(30 * time.Second)
		r.requireState(first, "queued", true)
		pass(time.Minute)
		r.requireState(first, "sent", false)
		r.requireState(second, "sent", false)
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.calls) != 6 {
			t.Fatalf("the calls are %v", r.calls)
		}
		for _, c := range r.calls[2:4] { // the pause is over for both
			if c.At != 10*time.Second {
				t.Errorf("%s was tried at %v", c.Message, c.At)
			}
		}
		for _, c := range r.calls[4:] {
			if c.At < 50*time.Second || c.At > 51*time.Second {
				t.Errorf("%s was sent at %v", c.Message, c.At)
			}
		}
	}, slowSweeps)
}

// The pair limit pauses the conversation for 1, 4, 16, … seconds, and starts at one again once a message went through.
func TestPairLimitPausesTheConversation(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		hits := map[string]int{"first": 3, "second": 1}
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if hits[c.Message] > 0 {
				hits[c.Message]--
				return provider.Sent{}, &provider.Error{HTTPStatus: 400, Code: 131056}
			}
			return provider.Sent{}, nil
		}
		first, second := r.post("first", person(1)), r.post("second", person(1))
		other := r.post("other", person(2))
		pass(0)
		r.requireState(other, "sent", false)
		r.requireState(first, "queued", true)
		pass(time.Minute)
		r.requireState(first, "sent", false)
		r.requireState(second, "sent", false)
		var got []call
		r.mu.Lock()
		for _, c := range r.calls {
			if c.Message != "other" {
				got = append(got, c)
			}
		}
		r.mu.Unlock()
		if d := cmp.Diff([]call{
			{"first", 0}, {"first", time.Second}, {"first", 5 * time.Second}, {"first", 21 * time.Second}, {"second", 21 * time.Second}, {"second", 22 * time.Second},
		}, got); d != "" {
			t.Errorf("other calls (-want +got):\n%s", d)
		}
	}, slowSweeps)
}

// A rate limit that does not end counts as an outage after an hour.
func TestThrottleDoesNotHoldForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) {
			return provider.Sent{}, &provider.Error{HTTPStatus: 429}
		}
		a := r.post("one", person(1))
		pass(time.Hour - time.Second)
		r.requireState(a, "queued", true)
		pass(15*time.Minute + 30*time.Second)
		r.requireState(a, "failed account_rate_limited", false)
	}, slowSweeps)
}
