package inbound_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Each number's updates are applied in their order, whatever other updates come with them.
func TestUpdatesGoByTheirOwnNumber(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(2)
		pass(time.Second)
		for i, body := range []string{"2/x1 1/a 3/m", "1/b 2/x2", "3/n 1/c", "1/d"} {
			if code := r.deliver(body); code != http.StatusOK {
				t.Errorf("callback %d got %d", i, code)
			}
		}
		for number, want := range map[int]string{1: "a b c d", 2: "", 3: "m n"} {
			if got := strings.Join(r.applied(number), " "); got != want {
				t.Errorf("while number 2 is stuck, number %d has %q, want %q", number, got, want)
			}
		}
		r.require("a b c d", "2/held, attempt 0, in -3s", "2/x1 1/a 3/m, attempt 0, in -2s", "1/b 2/x2, attempt 0, in 0s")
		release()
		if got := strings.Join(r.applied(2), " "); got != "held x1 x2" {
			t.Errorf("number 2 has %q", got)
		}
		r.require("a b c d")
	})
}

// A callback of the largest size holds up no other number. Later updates of its own number wait behind it.
func TestBulkHoldsUpNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.hold(1)
		var words []string
		for i := range 1000 {
			words = append(words, fmt.Sprintf("w%03d", i))
		}
		before := time.Now()
		if code := r.deliver(strings.Join(words, " ")); code != http.StatusOK {
			t.Errorf("the bulk got %d", code)
		}
		for number := 2; number <= numbers; number++ {
			if code := r.deliver(fmt.Sprintf("%d/beside", number)); code != http.StatusOK || len(r.applied(number)) != 1 {
				t.Errorf("number %d got %d and has %q", number, code, r.applied(number))
			}
		}
		if took := time.Since(before); took > 0 {
			t.Errorf("that took %v", took)
		}
		var last sync.WaitGroup
		last.Go(func() { r.deliver("last") })
		synctest.Wait()
		release()
		last.Wait()
		r.require("held " + strings.Join(words, " ") + " last")
	})
}

// A partly applied callback stays a row until the rest is applied. The other updates are not held up.
func TestPartsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	for name, updates := range map[string]int{"small": 2, "large": 300} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.setAway(2, true)
				var words, first, second []string
				for i := range updates {
					id := fmt.Sprintf("w%03d", i)
					if i%2 == 0 {
						words, first = append(words, id), append(first, id)
					} else {
						words, second = append(words, "2/"+id), append(second, id)
					}
				}
				if code := r.deliver(strings.Join(words, " ")); code != http.StatusOK {
					t.Errorf("got %d", code)
				}
				pass(5 * time.Second)
				if got := r.stored(node); len(got) != 1 {
					t.Errorf("stored are %q", got)
				}
				r.receiver.Stop(context.Background())
				r.setAway(2, false)
				r.start()
				pass(time.Second)
				r.require(strings.Join(first, " "))
				if got := strings.Join(r.applied(2), " "); got != strings.Join(second, " ") {
					t.Errorf("number 2 has %q", got)
				}
			})
		})
	}
}

// Callbacks of an earlier process come before new ones, even while they are still being read.
func TestRestartKeepsTheOrder(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.receiver.Stop(context.Background())
		r.put("a", "node_dead", 0)
		r.put("b", "node_dead", 0)
		open := r.shut(books) // it cannot read the table yet
		r.receiver = parttest.Start(t, inbound.New(r.cfg))
		var delivery sync.WaitGroup
		delivery.Go(func() {
			if code := r.deliver("c"); code != http.StatusOK {
				t.Errorf("got %d", code)
			}
		})
		synctest.Wait()
		r.require("")
		open()
		delivery.Wait()
		pass(time.Second)
		r.deliver("d")
		r.require("a b c d")
	})
}

// Callbacks of an earlier process come before new ones, even if the store fails while they are being taken over.
func TestRestartKeepsTheOrderWhileTheStoreFails(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]int32{"at the first claim": 1, "between two claims": 2} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.receiver.Stop(context.Background())
				var want []string
				for i := range 250 { // more than one claim takes
					want = append(want, fmt.Sprintf("w%03d", i))
					r.put(want[i], "node_dead", 0)
				}
				var claims atomic.Int32
				r.cfg = inbound.Around(r.cfg, func(updates []provider.Update, run func() error) error {
					if updates == nil && claims.Add(1) == failing {
						return store.ErrUnavailable
					}
					return r.pastGates(updates, run)
				})
				r.start()
				if code := r.deliver("last"); code != http.StatusOK {
					t.Errorf("got %d", code)
				}
				pass(5 * time.Second)
				r.require(strings.Join(append(want, "last"), " "))
			})
		})
	}
}

// While the store is unavailable for one number, nothing of it is lost or overtaken, and the others go on.
func TestTheStoreIsAwayForANumber(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.setAway(1, true)
		for _, body := range []string{"a", "b 2/x", "c"} {
			if code := r.deliver(body); code != http.StatusOK {
				t.Errorf("%q got %d", body, code)
			}
		}
		if got := strings.Join(r.applied(2), " "); got != "x" {
			t.Errorf("number 2 has %q", got)
		}
		if got := r.stored(node); len(got) != 3 {
			t.Errorf("stored are %q", got)
		}
		r.setAway(1, false)
		pass(2 * time.Second)
		r.require("a b c")
	})
}

// Rows from before a turn of the wall clock come before rows from after it.
func TestOrderOutlivesATurnOfTheClock(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := r.crowd(1)
		r.Turn(-3 * time.Second)
		r.deliver("c")
		release()
		pass(100 * time.Millisecond)
		r.deliver("d")
		pass(10 * time.Second)
		r.require("held a b c d")
	})
}

// A node that continues under another name takes its rows back before it applies new callbacks.
func TestOrderOutlivesANewName(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		rename := r.renamable()
		release := r.crowd(1)
		rename()
		release()
		synctest.Wait()
		r.deliver("c")
		pass(10 * time.Second)
		if got := strings.Join(r.applied(1), " "); got != "held a b c" {
			t.Errorf("taken in: %q", got)
		}
	})
}

// A callback whose row is written under the old name, after the node has taken over the rows of that name, is not
// overtaken by those that come after its acknowledgement.
func TestOrderOutlivesANewNameWhileStoring(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var slow atomic.Bool
		written := make(chan struct{})
		r.cfg = inbound.Around(r.cfg, func(updates []provider.Update, run func() error) error {
			if updates == nil && slow.CompareAndSwap(true, false) {
				<-written
			}
			return r.pastGates(updates, run)
		})
		rename := r.renamable()
		release := r.crowd(2000) // enough that rows are read back as soon as there is room
		slow.Store(true)
		var client sync.WaitGroup
		client.Go(func() {
			for _, body := range []string{"c", "d"} {
				for r.deliver(body) != http.StatusOK {
					<-time.After(300 * time.Millisecond)
				}
			}
		})
		synctest.Wait()
		rename()
		pass(1500 * time.Millisecond)
		if left := r.stored("node_new"); len(left) != 2 {
			t.Errorf("under the new name are %q", left)
		}
		close(written)
		client.Wait()
		release()
		pass(10 * time.Second)
		if got := strings.Join(r.applied(1), " "); got != "held a b c d" {
			t.Errorf("taken in: %q", got)
		}
		if left := append(r.stored(node), r.stored("node_new")...); len(left) != 0 {
			t.Errorf("left are %q", left)
		}
	})
}

// renamable makes a configuration whose node continues under another name, node_new, once rename is called.
func (r *rig) renamable() (rename func()) {
	var renamed atomic.Bool
	r.cfg.Lease = func() store.Lease {
		if renamed.Load() {
			return store.LeaseForGood("node_new")
		}
		return store.LeaseForGood(node)
	}
	return func() {
		r.Alive("node_new")
		r.Dead(node)
		renamed.Store(true)
	}
}

// crowd starts a receiver without room in memory, of this many bytes, beyond the update that it holds: a and b are rows.
func (r *rig) crowd(bytes int) (release func()) {
	r.t.Helper()
	r.receiver.Stop(context.Background())
	r.cfg = inbound.Small(r.cfg, bytes)
	r.start()
	release = r.hold(1)
	for _, body := range []string{"a", "b"} {
		if code := r.deliver(body); code != http.StatusOK {
			r.t.Errorf("%s got %d", body, code)
		}
	}
	return release
}

// A number whose rows are locked holds up no other, and keeps its order. If the lock is permanent, it does not even
// hold up its own number.
func TestALockedNumberHoldsUpNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var release []func()
		for number := 3; number < 3+inbound.Workers; number++ {
			release = append(release, r.hold(number))
		}
		var words []string
		for i := range 20 {
			words = append(words, fmt.Sprintf("w%02d", i))
			r.deliver(words[i])
		}
		r.deliver("2/beside")
		r.setLocked(1, true)
		for _, open := range release {
			open()
		}
		pass(2 * time.Minute)
		if got := r.applied(2); len(got) != 1 {
			t.Errorf("number 2 has %q", got)
		}
		r.setLocked(1, false)
		pass(2 * time.Minute)
		r.require(strings.Join(words, " "))

		r.setLocked(1, true)
		r.deliver("never")
		pass(10 * time.Minute)
		if got := r.stored(node); len(got) != 1 || strings.Contains(got[0], "attempt 0") {
			t.Errorf("left are %q", got)
		}
	})
}
