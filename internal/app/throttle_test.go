package app

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// from is a call from an address.
func from(address string) *rest.Call {
	r := httptest.NewRequest("POST", "/app/api/session", nil)
	r.RemoteAddr = address
	return &rest.Call{R: r}
}

// Whoever has an IPv6 address has very many, and all of them are one place.
func TestOnePlaceOfManyAddresses(t *testing.T) {
	t.Parallel()
	throttle := newThrottle(time.Now)
	for i := range triesFromPlace {
		if wait := throttle.take(keysOf(fmt.Sprint(i, "@example.com"), "", from(fmt.Sprintf("[2001:db8::%x]:1000", i)))); wait > 0 {
			t.Fatalf("attempt %d has to wait for %s", i, wait)
		}
	}
	if wait := throttle.take(keysOf("x@example.com", "", from("[2001:db8::1:1]:1000"))); wait == 0 {
		t.Error("the next address of the same network is another place")
	}
	if wait := throttle.take(keysOf("x@example.com", "", from("[2001:db8:0:1::1]:1000"))); wait > 0 {
		t.Errorf("another network has to wait for %s", wait)
	}
}

// What was counted against an address stays while others fill the table, and the table stays small.
func TestFullThrottleKeepsWhatIsFull(t *testing.T) {
	t.Parallel()
	now := time.Now()
	throttle := newThrottle(func() time.Time { return now })
	victim := map[string]float64{"code victim@example.com": triesOfCode}
	for range triesOfCode {
		throttle.take(victim)
	}
	for i := range 2 * throttleEntries {
		throttle.take(map[string]float64{fmt.Sprint("address ", i): triesOfAddress})
		if len(throttle.tries) > throttleEntries {
			t.Fatalf("%d are remembered", len(throttle.tries))
		}
	}
	if wait := throttle.take(victim); wait == 0 {
		t.Error("the attempts are forgotten")
	}
}

// However many want to sign in, only so many wait: the others hear at once that there is no room, and their attempt does
// not count.
func TestFewWaitForTheHash(t *testing.T) {
	t.Parallel()
	throttle, done := newThrottle(time.Now), make(chan struct{})
	var begun, all sync.WaitGroup
	begun.Add(hashing)
	attempt := func(i int, check func() error) error {
		c := from(fmt.Sprintf("192.0.%d.%d:1000", i/250, i%250))
		c.Ctx = t.Context()
		return throttle.guard(c, keysOf("x@example.com", "", c), check)
	}
	for i := range hashing {
		all.Go(func() {
			attempt(i, func() error {
				begun.Done()
				<-done
				return nil
			})
		})
	}
	begun.Wait()
	for range waiting { // as those who wait
		throttle.waiting <- struct{}{}
	}
	for i := range 2 * triesOfAddress {
		err := attempt(1000+i, func() error { return nil })
		if code, _ := chat.CodeOf(err); code != chat.CodeServiceUnavailable {
			t.Fatalf("attempt %d: %v", i, err)
		}
	}
	close(done)
	all.Wait()
}

// While the store is away nobody knows whether a password is right, and nobody uses up attempts.
func TestFailuresOfTheStoreAreNoGuesses(t *testing.T) {
	t.Parallel()
	now, c := time.Now(), from("192.0.2.1:1000")
	throttle := newThrottle(func() time.Time { return now })
	c.Ctx, c.W = t.Context(), httptest.NewRecorder()
	attempt := func(err error) error {
		return throttle.guard(c, keysOf("x@example.com", "123456", c), func() error { return err })
	}
	for i := range 2 * triesOfAddress {
		if err := attempt(store.ErrUnavailable); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("attempt %d: %v", i, err)
		}
	}
	wrong := chat.Fail(chat.CodeInvalidSecondStep, "wrong")
	for i := range triesOfCode + 1 {
		code, _ := chat.CodeOf(attempt(wrong))
		if limited := code == chat.CodeRateLimitExceeded; limited != (i == triesOfCode) {
			t.Errorf("wrong code %d: %s", i, code)
		}
	}
}
