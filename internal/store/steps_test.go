package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// stepTimes are how long others may wait for a step.
var stepTimes = map[storetest.Engine]time.Duration{storetest.SQLite: 3 * time.Millisecond, storetest.Postgres: 25 * time.Millisecond}

// For any cost of a row and any waiting time, steps become as large as fits, at most twice as large as the
// previous one, and each is followed by a rest of four times its length.
func TestStepsFitAndRest(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		rapid.Check(t, func(rt *rapid.T) {
			perRow := time.Duration(rapid.IntRange(0, 2000).Draw(rt, "microseconds a row")) * time.Microsecond
			wait := time.Duration(rapid.SampledFrom([]int{0, 1, 20, 2000}).Draw(rt, "milliseconds of waiting")) * time.Millisecond
			steps, rests := st.Steps(), time.Duration(4)
			if rapid.Bool().Draw(rt, "brisk") {
				steps, rests = steps.Brisk(), 1
			}
			var rested time.Duration
			steps.OnRest(func(d time.Duration) { rested = d })
			inTx := func(fn func(*store.Tx) error) error {
				clock.Advance(wait)
				return st.InTx(context.Background(), fn)
			}
			last, took := 0, time.Duration(0)
			for i := range 12 {
				_, more, err := steps.DoIn(context.Background(), inTx, func(_ *store.Tx, rows int) (int64, error) {
					if rows < 10 || rows > 500 || i > 0 && rows > 2*last {
						rt.Fatalf("a step of %d rows follows one of %d", rows, last)
					}
					if want := min(rests*took, 2*time.Second); rested != want {
						rt.Fatalf("after a step of %v it rested for %v", took, rested)
					}
					clock.Advance(time.Duration(rows) * perRow)
					last, took = rows, wait+time.Duration(rows)*perRow
					return int64(rows), nil
				})
				if err != nil || !more {
					rt.Fatalf("more: %v, %v", more, err)
				}
			}
			worked := time.Duration(last) * perRow
			if st.Engine() == string(storetest.Postgres) { // nobody waits for the work itself
				worked += wait
			}
			if limit := stepTimes[storetest.Engine(st.Engine())]; worked > limit && last > 10 || worked < limit/3 && last < 500 {
				rt.Fatalf("a step has become %d rows and takes %v", last, worked)
			}
		})
	})
}

func TestStepsEnd(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t, storetest.SQLite)
	steps := st.Steps()
	broken := errors.New("broken")
	if _, more, err := steps.Do(t.Context(), func(*store.Tx, int) (int64, error) { return 500, broken }); more || !errors.Is(err, broken) {
		t.Errorf("one that fails: %v, %v", more, err)
	}
	if n, more, err := steps.Do(t.Context(), func(_ *store.Tx, rows int) (int64, error) { return int64(rows - 1), nil }); n == 0 || more || err != nil {
		t.Errorf("one that did all there was: %d, %v, %v", n, more, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	steps.OnRest(func(time.Duration) { cancel() })
	_, more, err := steps.Do(ctx, func(*store.Tx, int) (int64, error) {
		t.Error("a step was taken after the end")
		return 0, nil
	})
	if more || !errors.Is(err, context.Canceled) {
		t.Errorf("at the end of the context: %v, %v", more, err)
	}
}

// Beside others who write, a purge on SQLite takes a third of the time for a step and rests four times as long, for an hour. Other
// work does not, and on PostgreSQL they do not share a journal that can be full.
func TestPurgeIsCourteousToOthers(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		const perRow = 100 * time.Microsecond
		last := func(steps *store.Steps, others bool) (worked, rests time.Duration) {
			steps.OnRest(func(d time.Duration) {
				rests += d
				if others {
					storetest.InTx(t, st, func(*store.Tx) error { return nil })
				}
			})
			for range 12 {
				before := worked
				worked, rests = 0, 0
				_, _, err := steps.Do(t.Context(), func(_ *store.Tx, rows int) (int64, error) {
					if before > 0 {
						rests /= before
					}
					worked = time.Duration(rows) * perRow
					clock.Advance(worked)
					return int64(rows), nil
				})
				requireNoError(t, err)
			}
			return worked, rests
		}
		type pace struct{ worked, rests time.Duration }
		usual := pace{3 * time.Millisecond, 4}
		courteous := pace{time.Millisecond, 16}
		if st.Engine() == string(storetest.Postgres) {
			usual.worked = 25 * time.Millisecond
			courteous = usual
		}
		late := st.Steps().Purge()
		clock.Advance(time.Hour)
		again := st.Steps().Purge()
		clock.Advance(time.Hour)
		again.Turn()
		for _, c := range []struct {
			name   string
			steps  *store.Steps
			others bool
			want   pace
		}{
			{"a purge alone", st.Steps().Purge(), false, usual},
			{"a purge beside others", st.Steps().Purge(), true, courteous},
			{"one that takes an hour", late, true, usual},
			{"another after an hour", again, true, courteous},
			{"other work", st.Steps(), true, usual},
			{"work that somebody waits for", st.Steps().Brisk(), true, pace{usual.worked, 1}},
		} {
			worked, rests := last(c.steps, c.others)
			if got := (pace{worked, rests}); got != c.want {
				t.Errorf("%s: %v and rests of %d times, want %v and %d times", c.name, got.worked, got.rests, c.want.worked, c.want.rests)
			}
		}
	})
}
