package webhook

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// turns are the changes made to the wall clock.
var turns = []time.Duration{-11 * time.Minute, -time.Minute, time.Minute, 11 * time.Minute}

// onEachTurn runs a test on each engine, for each of the turns.
func onEachTurn(t *testing.T, test func(w *world, turn func())) {
	t.Helper()
	t.Parallel()
	for _, by := range turns {
		t.Run(by.String(), func(t *testing.T) {
			onEachEngine(t, func(w *world) {
				test(w, func() {
					w.Clock.Step(by)
					w.notice(w.engine)
					w.idle(w.engine)
				})
			})
		})
	}
}

// notBefore checks that the next request comes after the wait, and no earlier.
func (w *world) notBefore(wait time.Duration, s *sink) call {
	w.t.Helper()
	w.advance(wait - time.Millisecond)
	w.idle(w.engine)
	w.quiet(s)
	w.advance(time.Millisecond)
	return w.next(s)
}

// A retry that waits in memory waits as long as it should, whatever the wall clock is set to.
func TestRetriesDoNotFollowTheWallClock(t *testing.T) {
	onEachTurn(t, func(w *world, turn func()) {
		s := w.sink(status(http.StatusBadRequest))
		id := w.deliver(w.subscribe(s.URL), "a")[0]
		w.next(s)
		w.settles(id, 1)
		w.idle(w.engine)
		turn()
		w.notBefore(defaultSchedule[0], s)
		w.settles(id, 2)
		w.idle(w.engine)
		turn()
		w.notBefore(defaultSchedule[1], s)
	})
}

// The breaker's probes come at the right time.
func TestBreakerDoesNotFollowTheWallClock(t *testing.T) {
	onEachTurn(t, func(w *world, turn func()) {
		s := w.sink(status(http.StatusInternalServerError))
		ids := w.deliver(w.subscribe(s.URL), slices.Repeat([]string{"a"}, 7)...)
		for _, id := range ids[:5] {
			w.next(s)
			w.ends(id, chat.DeliveryFailed)
		}
		for i, wait := range []time.Duration{firstProbe, 2 * firstProbe} {
			w.idle(w.engine)
			turn()
			if got := w.notBefore(wait, s).header.Get("X-Svc-Delivery-Id"); got != ids[5+i] {
				w.t.Fatalf("probe %d is %s", i, got)
			}
			w.ends(ids[5+i], chat.DeliveryFailed)
		}
	})
}

// An endpoint that asks to be left alone is left alone for that long, and no longer.
func TestRetryAfterDoesNotFollowTheWallClock(t *testing.T) {
	onEachTurn(t, func(w *world, turn func()) {
		s := w.sink(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "50")
			rw.WriteHeader(http.StatusServiceUnavailable)
		})
		sub := w.subscribe(s.URL)
		w.settles(w.deliver(sub, "a")[0], 1)
		w.next(s)
		s.answers(status(http.StatusOK))
		behind := w.deliver(sub, "b")[0]
		w.idle(w.engine)
		turn()
		w.notBefore(50*time.Second, s)
		w.ends(behind, chat.DeliverySucceeded)
	})
}

// More deliveries than fit into memory were written before the clock was set back. All of them arrive, and so do those
// written afterwards.
func TestBacklogFromBeforeAClockWasTurnedBack(t *testing.T) {
	onEachEngine(t, func(w *world) {
		gate := make(chan struct{})
		s := w.sink(func(http.ResponseWriter, *http.Request) { <-gate })
		sub := w.subscribe(s.URL)
		var ids []string
		for range 4 {
			ids = append(ids, w.deliver(sub, slices.Repeat([]string{""}, leastReady)...)...)
			w.Clock.Advance(time.Second)
		}
		w.Clock.Step(-time.Hour)
		ids = append(ids, w.deliver(sub, "", "")...)
		close(gate)
		for _, id := range ids {
			w.ends(id, chat.DeliverySucceeded)
		}
	})
}

// The deliveries of an earlier process are found, even if they seem to be from the future.
func TestRowsFromBeforeAClockWasTurnedBack(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s := w.sink()
		sub := w.subscribe(s.URL)
		w.fromElsewhere()
		var ids []string
		for range 3 {
			ids = append(ids, w.deliver(sub, "a")...)
			w.Clock.Advance(time.Second)
		}
		w.Clock.Step(-time.Hour)
		w.notice(w.engine)
		for _, id := range ids {
			if got := w.next(s).header.Get("X-Svc-Delivery-Id"); got != id {
				w.t.Errorf("got %s, want %s", got, id)
			}
			w.ends(id, chat.DeliverySucceeded)
		}
	})
}

// A change that another process makes after both clocks were set back is noticed.
func TestChangesAfterAClockWasTurnedBack(t *testing.T) {
	onEachEngine(t, func(w *world) {
		s, other := w.sink(), w.sink()
		sub := w.subscribe(s.URL)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.advance(2 * pollOverlap)
		w.idle(w.engine)
		w.deafen()
		w.Clock.Step(-11 * time.Minute)
		w.patch(sub.ID, chat.WebhookSubscriptionPatch{URL: &other.URL})
		w.notice(w.engine)
		w.idle(w.engine)
		w.ends(w.deliver(sub, "a")[0], chat.DeliverySucceeded)
		w.next(other)
	})
}
