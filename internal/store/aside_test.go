package store

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// While others are spared, pieces of work that take no longer than anybody waits happen one after another, and each
// happens once. Otherwise nothing holds them back.
func TestAside(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		starts := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 12).Draw(rt, "starts in ms")
		took := time.Duration(rapid.IntRange(1, int(asidePatience.Milliseconds())/13).Draw(rt, "took ms")) * time.Millisecond
		spare := rapid.Bool().Draw(rt, "spare")
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			s := &Store{aside: newAside(), elapsed: func() time.Duration { return time.Since(begin) }}
			if spare {
				s.Spare(time.Second)
			}
			var mu sync.Mutex
			var wg sync.WaitGroup
			busy, most, done := 0, 0, 0
			for _, start := range starts {
				wg.Go(func() {
					<-time.After(time.Duration(start) * time.Millisecond)
					if err := s.Aside(t.Context(), func() error {
						mu.Lock()
						busy++
						most = max(most, busy)
						mu.Unlock()
						<-time.After(took)
						mu.Lock()
						busy--
						done++
						mu.Unlock()
						return nil
					}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if done != len(starts) || spare && most > 1 {
				t.Errorf("%d of %d were done, up to %d at a time", done, len(starts), most)
			}
			if end := 20*time.Millisecond + took; !spare && time.Since(begin) > end {
				t.Errorf("it took %v with nobody to spare", time.Since(begin))
			}
		})
	})
}

// Work that hangs holds up the rest for no longer than the rest can wait, and nobody is spared for ever.
func TestAsideDoesNotHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := &Store{aside: newAside(), elapsed: func() time.Duration { return time.Since(begin) }}
		s.Spare(time.Second)
		release := make(chan struct{})
		go func() { _ = s.Aside(t.Context(), func() error { <-release; return nil }) }()
		synctest.Wait()
		waited := func(ctx context.Context) time.Duration {
			begin := time.Now()
			_ = s.Aside(ctx, func() error { return nil })
			return time.Since(begin)
		}
		if got := waited(t.Context()); got != asidePatience {
			t.Errorf("it waited for %v", got)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if got := waited(ended); got != 0 {
			t.Errorf("it waited for %v after its context had ended", got)
		}
		<-time.After(time.Second)
		if got := waited(t.Context()); got != 0 {
			t.Errorf("it waited for %v when nobody was to be spared any more", got)
		}
		close(release)
	})
}
