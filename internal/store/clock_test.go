package store_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Moments follow the elapsed time, and nothing else.
func TestMomentsDoNotFollowTheWallClock(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	hours := rapid.Int64Range(-1000, 1000)
	rapid.Check(t, func(t *rapid.T) {
		begin, due := st.Moment(), st.MomentOf(clock.Now().Add(time.Minute))
		if got := due.Sub(begin); got != time.Minute {
			t.Fatalf("in a minute is in %v", got)
		}
		var passed time.Duration
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			clock.Step(time.Duration(hours.Draw(t, "step")) * time.Hour)
			wait := time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "wait"))
			clock.Advance(wait)
			passed += wait
		}
		if got := st.Moment().Sub(begin); got != passed {
			t.Fatalf("%v went by, and %v were measured", passed, got)
		}
		if st.Moment().Before(due) != (passed < time.Minute) {
			t.Fatalf("after %v the minute is over: %v", passed, passed < time.Minute)
		}
	})
}

// A store without its own clock uses the monotonic one, which runs.
func TestMomentsGoOn(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	begin, started := st.Moment(), time.Now()
	for time.Since(started) == 0 {
	}
	if !st.Moment().After(begin) {
		t.Error("time does not go by")
	}
}

func TestMomentsAtTheEndsOfTheScale(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	now := st.Moment()
	for name, m := range map[string]store.Moment{
		"the zero time": st.MomentOf(time.Time{}), "a long time ago": now.Add(math.MinInt64), "the zero moment": 0,
	} {
		if !m.Before(now) || now.Sub(m) < 10*365*24*time.Hour {
			t.Errorf("%s is %v before now", name, now.Sub(m))
		}
		if m.IsZero() != (m == 0) || m < 0 {
			t.Errorf("%s is %d", name, m)
		}
	}
	far := st.MomentOf(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	if !far.After(now) || far.Add(math.MaxInt64) != math.MaxInt64 {
		t.Errorf("the far future is %v from now", far.Sub(now))
	}
}
