package sender_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// postMany accepts one message to each of count people at once, and hands them to the sender.
func (r *rig) postMany(count int) {
	r.t.Helper()
	accepted := make([]core.Accepted, count)
	storetest.OwnedBy(r.Store, node)
	r.InTx(func(tx *store.Tx) (err error) {
		for i := range accepted {
			m := core.NewMessage{To: person(i), Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI}
			if accepted[i], err = core.AcceptSend(tx, r.Account, chat.Plan{}, m); err != nil {
				return err
			}
		}
		return nil
	})
	r.enqueue(r.Account, accepted...)
}

// callTimes are the times of the calls, in order.
func (r *rig) callTimes() (times []time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.calls {
		times = append(times, c.At)
	}
	return times
}

// requirePace fails the test if any window of time has more calls than the burst and the window's length allow.
func requirePace(t *testing.T, calls []time.Duration, perSecond int) {
	t.Helper()
	for i, first := range calls {
		for j, last := range calls[i:] {
			if beyond := j + 1 - perSecond/4; time.Duration(beyond)*time.Second > time.Duration(perSecond)*(last-first) {
				t.Fatalf("%d calls were made within %v of %v", j+1, last-first, first)
			}
		}
	}
}

// Two thousand messages queued at once leave at the number's pace from the first to the last, also while the wall clock
// is set back and forth.
func TestPaceOfManyMessages(t *testing.T) {
	t.Parallel()
	const count, perSecond = 2000, 80
	runRig(t, storetest.NewConfig(t, storetest.SQLite), func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			<-time.After(time.Millisecond + c.At%(37*time.Millisecond)) // makes the sender look at odd times
			return provider.Sent{}, nil
		}
		r.postMany(count)
		turns := []time.Duration{0, 0, 0, 0, 0, -time.Minute, time.Minute, -11 * time.Minute, 22 * time.Minute, -11 * time.Minute, -time.Millisecond}
		for second := range 24 {
			pass(time.Second - time.Nanosecond)
			r.Turn(turns[second%len(turns)])
			pass(time.Nanosecond)
			if n := len(r.order()); n < perSecond*(second+1) || n > perSecond*(second+1)+perSecond/4+1 {
				t.Errorf("after %d seconds %d messages were sent", second+1, n)
			}
		}
		pass(time.Second)
		calls := r.callTimes()
		if len(calls) != count {
			t.Errorf("%d messages were sent", len(calls))
		}
		requirePace(t, calls, perSecond)
	}, func(c *sender.Config) { c.PerSecond = perSecond }, slowSweeps)
}

// A message waits for its next attempt exactly as long as it should, whatever the wall clock is set to meanwhile.
func TestRetriesDoNotFollowTheWallClock(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-11 * time.Minute, -30 * time.Second, 30 * time.Second, 11 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer = func(_ context.Context, c call) (provider.Sent, error) {
					if c.At < 2*time.Minute {
						return provider.Sent{}, outage
					}
					return provider.Sent{}, nil
				}
				a := r.post("one", person(1))
				pass(time.Second)
				r.Turn(by)
				pass(4 * time.Minute)
				r.expect(call{"one", 0}, call{"one", time.Minute}, call{"one", 3 * time.Minute})
				r.requireState(a, "sent", false)
			}, slowSweeps)
		})
	}
}

// A pause lasts as long as the provider asked for.
func TestPausesDoNotFollowTheWallClock(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-11 * time.Minute, 11 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer = func(_ context.Context, c call) (provider.Sent, error) {
					if c.At == 0 {
						return provider.Sent{}, &provider.Error{HTTPStatus: 429, RetryAfter: 40 * time.Second}
					}
					return provider.Sent{}, nil
				}
				r.post("one", person(1))
				pass(time.Second)
				r.Turn(by)
				pass(time.Minute)
				r.expect(call{"one", 0}, call{"one", 40 * time.Second})
			}, slowSweeps)
		})
	}
}

// Messages that are only in the table are found after the wall clock was set back. One that was never tried is found at
// once, one that was tried after its longest possible wait.
func TestRowsFromBeforeAClockWasTurnedBack(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		fresh := r.accept("fresh", person(1), node) // committed, but not handed to the sender
		tried := r.accept("tried", person(2), node)
		r.InTx(func(tx *store.Tx) error {
			job := tried.Job
			job.Attempts, job.DueAt = 2, tx.Now().Add(2*time.Minute)
			_, err := tx.RetrySendJob(job)
			return err
		})
		r.Turn(-time.Hour)
		pass(3 * time.Second)
		r.requireState(fresh, "sent", false)
		r.requireState(tried, "queued", true)
		pass(2*time.Minute + time.Second)
		r.requireState(tried, "sent", false)
	})
}

// A number that was told to slow down does not start again at full speed after being idle.
func TestSlownessOutlivesIdleness(t *testing.T) {
	t.Parallel()
	const perSecond = 80
	runRig(t, storetest.NewConfig(t, storetest.SQLite), func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At == 0 {
				return provider.Sent{}, &provider.Error{HTTPStatus: 429, RetryAfter: time.Second}
			}
			return provider.Sent{}, nil
		}
		r.post("one", person(1))
		pass(3 * time.Minute)
		before := len(r.order())
		r.postMany(200)
		pass(time.Second)
		if n := len(r.order()) - before; n < 64 || n > 85 { // 40 + 80·3/10, and a quarter of that
			t.Errorf("%d messages were sent in a second, three minutes after a rate limit", n)
		}
		pass(20 * time.Minute)
		if numbers, _ := r.sender.InMemory(); numbers != 0 {
			t.Errorf("%d numbers stay in memory for ever", numbers)
		}
	}, func(c *sender.Config) { c.PerSecond = perSecond }, slowSweeps)
}
