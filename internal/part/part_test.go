package part_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/part"
)

// step is a part that records its calls.
type step struct {
	name  string
	notes *[]string
	fails error
}

func (s step) note(what string) { *s.notes = append(*s.notes, what+" "+s.name) }

func (s step) Start(context.Context) error { s.note("start"); return s.fails }
func (s step) Stop(context.Context)        { s.note("stop") }

// waiting is a part that holds requests.
type waiting struct{ step }

func (w waiting) Drain() { w.note("drain") }

func TestListStopsInTheReverseOrder(t *testing.T) {
	t.Parallel()
	var notes []string
	var list part.List
	broken := errors.New("broken")
	err := list.Start(t.Context(), step{"a", &notes, nil}, waiting{step{"b", &notes, nil}}, step{"c", &notes, broken}, step{"d", &notes, nil})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	list.Drain()
	list.Stop(t.Context())
	if want := []string{"start a", "start b", "start c", "drain b", "stop b", "stop a"}; !slices.Equal(notes, want) {
		t.Errorf("got %q, want %q", notes, want)
	}
}

// sweeper counts its sweeps.
type sweeper struct {
	part.Life
	part.Bell
	sweeps  atomic.Int64
	reports atomic.Int64
	fails   error
}

func (s *sweeper) Sweep(context.Context) error { s.sweeps.Add(1); return s.fails }

func TestSweepsComeAtOnceByTheClockAndWhenWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sweeper{Life: part.NewLife(), Bell: part.NewBell(), fails: errors.New("no")}
		s.SweepEvery(time.Minute, s.Bell, s, func(err error) {
			if !errors.Is(err, s.fails) {
				t.Errorf("reported %v", err)
			}
			s.reports.Add(1)
		})
		for want, happens := range []func(){func() {}, func() { <-time.After(time.Minute) }, s.Wake} {
			happens()
			synctest.Wait()
			if sweeps, reports := s.sweeps.Load(), s.reports.Load(); sweeps != int64(want)+1 || reports != int64(want)+1 {
				t.Errorf("%d sweeps and %d reports, want %d", sweeps, reports, want+1)
			}
		}
		for range 2 { // calling it again does no harm
			s.Stop(t.Context())
		}
		s.Wake()
		<-time.After(time.Hour)
		if sweeps := s.sweeps.Load(); sweeps != 3 {
			t.Errorf("%d sweeps after a stop", sweeps)
		}
	})
}

// Several rings that nobody has heard count as one.
func TestBellRemembersOneRing(t *testing.T) {
	t.Parallel()
	bell := part.NewBell()
	for range 3 {
		bell.Wake()
	}
	if len(bell) != 1 {
		t.Errorf("%d rings wait", len(bell))
	}
}

// Work that cannot be cancelled is waited for, as long as the context of Stop lasts.
func TestStopWaitsWithPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, patience := range []time.Duration{time.Second, time.Hour} {
			life, begun := part.NewLife(), time.Now()
			life.Go(func(ctx context.Context) { <-ctx.Done(); <-time.After(time.Minute) })
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			life.Stop(ctx)
			cancel()
			if took := time.Since(begun); took != min(patience, time.Minute) {
				t.Errorf("with %v of patience it took %v", patience, took)
			}
		}
		<-time.After(time.Minute)
	})
}
