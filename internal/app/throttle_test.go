package app

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/rest"
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
