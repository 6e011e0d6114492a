package onboard

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// However the wall clock jumps, no window lets more requests through than a burst plus the refill, and a
// request that waits for the refill passes.
func TestLimitKeepsEveryWindow(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	rapid.Check(t, func(t *rapid.T) {
		l := newLimiter(st.Moment)
		by := rapid.SampledFrom([]limit{perAddress, perLink, perMiss, {"small", 2, 3 * time.Millisecond}}).Draw(t, "limit")
		waits := rapid.OneOf(rapid.Just(by.every), rapid.Map(rapid.Int64Range(0, int64(by.every)), func(n int64) time.Duration { return time.Duration(n) }))
		var passed []store.Moment
		for range rapid.IntRange(1, 30).Draw(t, "visits") {
			clock.Step(rapid.SampledFrom([]time.Duration{0, 0, 0, -11 * time.Minute, -time.Minute, time.Minute, 11 * time.Minute}).Draw(t, "turn"))
			wait := waits.Draw(t, "wait")
			clock.Advance(wait)
			got := len(passed)
			for l.allow(by, "key") {
				passed = append(passed, st.Moment())
			}
			if wait >= by.every && len(passed) == got {
				t.Fatalf("after %v nobody is let in", wait)
			}
		}
		for i, first := range passed {
			for j, last := range passed[i:] {
				if most := by.burst + float64(last.Sub(first))/float64(by.every); float64(j+1) > most+1e-6 {
					t.Fatalf("%d were let in within %v", j+1, last.Sub(first))
				}
			}
		}
	})
}
