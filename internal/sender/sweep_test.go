package sender_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A number that cannot send fills its share of the memory. Another number continues, and when the first can send again
// all its messages are sent in order.
func TestAStuckNumberLeavesRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.Message[0] == 's' {
				<-release
			}
			return provider.Sent{}, nil
		}
		var want []string
		for i := range 30 {
			r.post(fmt.Sprint("s", i), person(1))
			want = append(want, fmt.Sprint("s", i))
		}
		other := r.Number()
		for i := range 5 {
			a := r.acceptFrom(other, fmt.Sprint("free", i), person(1), node)
			r.enqueue(other, a)
			pass(0)
			r.requireState(a, "sent", false)
		}
		if _, jobs := r.sender.InMemory(); jobs != 4 {
			t.Errorf("%d jobs are in memory", jobs)
		}
		close(release)
		pass(time.Minute)
		var got []string
		for _, name := range r.order() {
			if name[0] == 's' {
				got = append(got, name)
			}
		}
		requireOrder(t, got, want...)
	}, func(c *sender.Config) { c.MaxHeld = 16 }) // four per number
}

// Two nodes that take over one conversation, a page at a time, do not split it.
func TestTwoNodesTakeOver(t *testing.T) {
	small := func(c *sender.Config) { c.MaxHeld = 40 } // a page has two
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-time.After(300 * time.Millisecond)
			return provider.Sent{}, nil
		}
		first := r.sender
		r.Alive("node_b")
		r.start(small, func(c *sender.Config) { c.Lease = leaseFor("node_b") })
		defer first.Stop(context.Background())
		var want []string
		for i := range 20 {
			r.accept(fmt.Sprint("a", i), person(1), "node_dead")
			want = append(want, fmt.Sprint("a", i))
		}
		pass(time.Minute)
		requireOrder(t, r.order(), want...)
	}, small)
}

// A dead node's jobs are taken over a page at a time. If only a part of a page fits into memory, neither the next page
// nor messages accepted meanwhile overtake the rest.
func TestPagesThatDoNotFitKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for _, held := range []int{80, 88, 100} { // a page is a twentieth of it, a number's share a quarter
		t.Run(fmt.Sprint(held), func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer = func(context.Context, call) (provider.Sent, error) {
					<-time.After(700 * time.Millisecond)
					return provider.Sent{}, nil
				}
				want := map[byte][]string{}
				accept := func(i int, owner string) {
					for p, name := range "ab" {
						name := fmt.Sprint(string(name), i)
						r.enqueue(r.Account, r.accept(name, person(p), owner))
						want[name[0]] = append(want[name[0]], name)
					}
				}
				for i := range 30 {
					accept(i, "node_dead")
				}
				for i := range 10 {
					pass(1300 * time.Millisecond)
					accept(30+i, node)
				}
				pass(3 * time.Minute)
				got := map[byte][]string{}
				for _, name := range r.order() {
					got[name[0]] = append(got[name[0]], name)
				}
				requireOrder(t, got['a'], want['a']...)
				requireOrder(t, got['b'], want['b']...)
			}, func(c *sender.Config) { c.MaxHeld = held })
		})
	}
}

// After a start, a message that may have been sent waits for callbacks for as long as nobody was there to take them.
func TestDoubtLastsAsLongAsTheAbsence(t *testing.T) {
	t.Parallel()
	for absence, want := range map[time.Duration]time.Duration{
		100 * time.Millisecond: 3 * time.Second,
		8 * time.Second:        8 * time.Second,
		time.Hour:              15 * time.Second,
	} {
		t.Run(absence.String(), func(t *testing.T) {
			t.Parallel()
			runRig(t, storetest.NewConfig(t, storetest.SQLite), func(t *testing.T, r *rig) {
				r.sender.Stop(context.Background())
				r.accept("old", person(1), "node_dead")
				<-time.After(time.Minute)
				newest := time.Since(r.begin)
				r.accept("new", person(1), "node_dead")
				<-time.After(absence)
				r.start()
				pass(time.Minute)
				sent := newest + absence + want
				r.expect(call{"old", sent}, call{"new", sent})
			})
		})
	}
}

// A node that was there to take the callbacks waits only for those that are on their way.
func TestDoubtIsShortOnANodeThatWasThere(t *testing.T) {
	t.Parallel()
	runRig(t, storetest.NewConfig(t, storetest.SQLite), func(t *testing.T, r *rig) {
		pass(time.Hour)
		r.Alive("node_b")
		r.accept("a", person(1), "node_b")
		pass(31 * time.Second)
		r.InTx(func(tx *store.Tx) error { return tx.DeleteNode("node_b") })
		r.sender.Wake()
		pass(time.Minute)
		r.expect(call{"a", time.Hour + 34*time.Second})
	})
}

// A message that a node without a sender accepted cannot have been sent, so it does not wait for callbacks.
func TestNobodysMessagesGoAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		a := r.accept("a", person(1), "")
		pass(1500 * time.Millisecond)
		r.requireState(a, "sent", false)
	})
}

// A callback that settles a message whose answer was lost lets the conversation continue, whichever node received the
// callback.
func TestSettledDoubtHoldsNobodyUp(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.Message == "a1" {
				return provider.Sent{}, lost
			}
			return provider.Sent{}, nil
		}
		a1, a2 := r.post("a1", person(1)), r.post("a2", person(1))
		pass(5 * time.Second)
		r.requireState(a2, "queued", true)
		r.reported(a1, "sent")
		pass(1500 * time.Millisecond)
		r.requireState(a1, "sent", false)
		r.requireState(a2, "sent", false)
		requireOrder(t, r.order(), "a1", "a2")
	})
}

// When it is told of a message that no node owns, the sender does not wait for its next sweep.
func TestWake(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		pass(0) // the first sweep is over
		a := r.accept("a", person(1), "")
		pass(time.Minute)
		r.requireState(a, "queued", true)
		r.sender.Wake()
		pass(0)
		r.requireState(a, "sent", false)
	}, func(c *sender.Config) { c.SweepEvery = time.Hour })
}
