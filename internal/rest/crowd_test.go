package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Counts never pass their limits, and an organization without a count is forgotten.
func TestCrowd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most, inAll := rapid.IntRange(1, 10).Draw(t, "most"), rapid.IntRange(1, 20).Draw(t, "in all")
		c := NewCrowd(most, inAll)
		has, sum := map[string]int{}, 0
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				org, n := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "org"), rapid.IntRange(1, 5).Draw(t, "n")
				fits := has[org]+n <= most && sum+n <= inAll
				if got := c.take(org, n); got != fits {
					t.Fatalf("%d more of %s: %t, with %v of %d and %d", n, org, got, has, most, inAll)
				}
				if fits {
					has[org], sum = has[org]+n, sum+n
				}
			},
			"give": func(t *rapid.T) {
				org := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "org")
				if has[org] > 0 {
					c.give(org, has[org])
					sum -= has[org]
					delete(has, org)
				}
			},
			"": func(t *rapid.T) {
				if got, orgs := c.Inside(); got != sum || orgs != len(has) {
					t.Fatalf("%d of %d organizations are counted, want %d of %v", got, orgs, sum, has)
				}
			},
		})
	})
}

// A body that arrives late does not shorten the time for the work.
func TestWorkBeginsWhenTheBodyIsThere(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithTimeout(context.Background(), 0)
	s := &Surface{}
	s.SetBounds(DefaultBounds)
	c := &Call{
		surface: s, W: httptest.NewRecorder(), R: httptest.NewRequest(http.MethodPost, "/", nil),
		Ctx: over, cancel: cancel, start: time.Now().Add(-RequestTimeout),
	}
	defer func() { c.finish(); c.cancel() }()
	if err := c.Arriving(func() error { return nil }); err != nil || c.Ctx.Err() != nil {
		t.Fatalf("it cannot go on: %v, %v", err, c.Ctx.Err())
	}
	if deadline, _ := c.Ctx.Deadline(); time.Until(deadline) < 20*time.Second {
		t.Errorf("%v are left", time.Until(deadline))
	}
}

// Work in many steps is not ended by the time limit as long as it moves.
func TestLongWorkGoesOn(t *testing.T) {
	t.Parallel()
	soon, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	c := &Call{
		surface: &Surface{store: storetest.Open(t, storetest.SQLite)}, W: httptest.NewRecorder(), R: httptest.NewRequest(http.MethodPost, "/", nil),
		Ctx: soon, cancel: cancel, start: time.Now(),
	}
	defer func() { c.cancel() }()
	if _, err := c.Steps()(func(*store.Tx, int) (int64, error) { return 0, nil }); err != nil {
		t.Fatal(err)
	}
	if deadline, _ := c.Ctx.Deadline(); time.Until(deadline) < 20*time.Second {
		t.Errorf("%v are left for the next step", time.Until(deadline))
	}
}
