package fair

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// at makes callers of one key enter, one after the other. It returns those that are inside, and those that gave up.
func at(ctx context.Context, d *Doors[string], key string, callers int) (inside, left *[]int) {
	inside, left = new([]int), new([]int)
	var mu sync.Mutex
	for i := range callers {
		go func() {
			list := left
			if d.Enter(ctx, key) {
				list = inside
			}
			mu.Lock()
			defer mu.Unlock()
			*list = append(*list, i)
		}()
		synctest.Wait() // one after the other
	}
	return inside, left
}

func TestDoorsOfOneThatIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDoors[string](2)
		if inside, _ := at(t.Context(), d, "busy", 10); len(*inside) != 10 {
			t.Errorf("%v are inside", *inside)
		}
	})
}

// While another comes too, two of the busy one are inside at a time, in their order, and nobody holds up the other.
func TestDoorsBesideOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDoors[string](2)
		quiet, _ := at(t.Context(), d, "quiet", 1)
		ctx, cancel := context.WithCancel(t.Context())
		inside, left := at(ctx, d, "busy", 5)
		later, _ := at(t.Context(), d, "busy", 1)
		if again, _ := at(t.Context(), d, "quiet", 1); len(*quiet)+len(*again) != 2 {
			t.Error("the quiet one waits")
		}
		d.Leave("busy")
		synctest.Wait()
		if want := []int{0, 1, 2}; !slices.Equal(*inside, want) || len(*later) > 0 {
			t.Errorf("%v and %v are inside, want %v", *inside, *later, want)
		}
		cancel()
		synctest.Wait()
		slices.Sort(*left)
		if want := []int{3, 4}; !slices.Equal(*left, want) {
			t.Errorf("%v have given up, want %v", *left, want)
		}
		d.Leave("busy")
		synctest.Wait()
		if len(*later) != 1 {
			t.Error("nobody has the place of those who gave up")
		}
		for _, key := range []string{"busy", "busy", "quiet", "quiet"} {
			d.Leave(key)
		}
		if len(d.doors) != 0 {
			t.Errorf("%d doors are kept", len(d.doors))
		}
	})
}

func TestDoorsOnceTheOtherIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDoors[string](2)
		at(t.Context(), d, "quiet", 1)
		<-time.After(aloneAfter)
		if inside, _ := at(t.Context(), d, "busy", 3); len(*inside) != 2 {
			t.Errorf("%v are inside", *inside)
		}
		<-time.After(time.Nanosecond)
		if inside, _ := at(t.Context(), d, "busy", 3); len(*inside) != 3 {
			t.Errorf("%v are inside", *inside)
		}
		for range 6 {
			d.Leave("busy")
		}
		synctest.Wait() // the one that waited is through
	})
}

// One that was alone with many inside has two at a time soon after another comes.
func TestDoorsOnceAnotherComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDoors[string](2)
		at(t.Context(), d, "busy", 5)
		at(t.Context(), d, "quiet", 1)
		behind, _ := at(t.Context(), d, "busy", 2)
		for i, want := range []int{0, 0, 0, 1, 2} {
			d.Leave("busy")
			synctest.Wait()
			if len(*behind) != want {
				t.Errorf("when %d have left, %d of those behind are inside, want %d", i+1, len(*behind), want)
			}
		}
		for range 2 {
			d.Leave("busy")
		}
		if len(d.doors) != 1 {
			t.Errorf("%d doors are kept", len(d.doors))
		}
	})
}

// Somebody is in company for two seconds after another came.
func TestCompany(t *testing.T) {
	t.Parallel()
	var c Company[string]
	if !c.Alone() {
		t.Error("nobody has come, and they are not alone")
	}
	begin := time.Now()
	for _, step := range []struct {
		key   string
		after time.Duration
		alone bool
	}{{"a", 0, true}, {"a", time.Second, true}, {"b", 2 * time.Second, false}, {"b", 3 * time.Second, false}, {"b", 5 * time.Second, true}, {"a", 6 * time.Second, false}} {
		if c.Note(step.key, begin.Add(step.after)); c.Alone() != step.alone {
			t.Errorf("%q after %v is alone: %v", step.key, step.after, c.Alone())
		}
	}
}
