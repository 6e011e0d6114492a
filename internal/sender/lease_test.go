package sender_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
)

// Without a lease nothing is sent and nothing is taken, because another node may have the messages. With a lease again,
// all messages continue.
func TestNothingGoesOutWithoutALease(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.holdLease(node, 0)
		a := r.post("own", person(1))
		b := r.accept("nobody's", person(2), "")
		pass(time.Minute)
		r.expect()
		if owner, err := r.Read().SendJobOwner(b.Job.OrgID, b.Job.MessageID); err != nil || owner != "" {
			t.Errorf("a job was taken by %q, %v", owner, err)
		}
		r.holdLease(node, time.Hour)
		pass(2 * time.Second)
		r.requireState(a, "sent", false)
		r.requireState(b, "sent", false)
	})
}

// A lease that runs out while a message is being prepared keeps the message from being sent.
func TestALeaseThatRunsOutInTheMiddle(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.holdLease(node, 10*time.Second)
		a := r.accept("slow", person(1), node)
		a.Message.MediaID = "med_slow"
		r.enqueue(r.Account, a)
		pass(time.Minute)
		r.expect()
		r.holdLease(node, time.Hour)
		pass(time.Minute)
		r.requireState(a, "sent", false)
		requireOrder(t, r.order(), "slow")
	}, func(c *sender.Config) {
		c.Media = func(context.Context, provider.Number, chat.Account, string) (string, string, error) {
			<-time.After(20 * time.Second)
			return "media.1", "https://parley.example/media/1", nil
		}
	})
}

// A node is declared dead while it is alive. Another node has its messages, and it sends none of them, whatever is
// still in its memory. The provider's answers that it got still count.
func TestTakenForDead(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			switch {
			case c.Message == "a1" || c.Message == "b1":
				<-release
			case c.Message == "c1" && c.At == 0:
				return provider.Sent{}, outage
			}
			if c.Message == "b1" && c.At == 0 {
				return provider.Sent{}, outage // known to this node alone
			}
			return provider.Sent{}, nil
		}
		for _, name := range []string{"a1", "a2", "a3"} {
			r.post(name, person(1))
		}
		for _, name := range []string{"b1", "b2"} {
			r.post(name, person(2))
		}
		for _, name := range []string{"c1", "c2"} { // these wait for another attempt
			r.post(name, person(3))
		}
		pass(time.Second)
		first := r.sender
		r.Dead(node)
		r.Alive("node_b", "node_c")
		r.start(func(c *sender.Config) { c.Lease = leaseFor("node_b") })
		r.holdLease("node_c", 24*time.Hour)
		pass(time.Second) // the other node has taken all messages, and waits for callbacks
		close(release)
		synctest.Wait()
		r.post("a4", person(1)) // accepted here, behind the other node's messages
		pass(10 * time.Minute)
		for _, want := range [][]string{{"a1", "a2", "a3", "a4"}, {"b1", "b1", "b2"}, {"c1", "c1", "c2"}} {
			requireOrder(t, slices.DeleteFunc(r.order(), func(name string) bool { return name[0] != want[0][0] }), want...)
		}
		if _, jobs := first.InMemory(); jobs != 0 {
			t.Errorf("%d jobs of its former life are in memory", jobs)
		}
		r.sender.Stop(context.Background())
		r.Dead("node_b")
		later := r.accept("later", person(4), "node_b") // it takes this one under its new name
		pass(10 * time.Second)
		r.requireState(later, "sent", false)
		first.Stop(context.Background())
	})
}

// A node that takes its own messages back under another name keeps their order, also while one has been under way since
// before.
func TestTakesItsOwnBack(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At == 0 {
				<-release
				return provider.Sent{}, outage
			}
			return provider.Sent{}, nil
		}
		r.post("a1", person(1))
		r.post("a2", person(1))
		synctest.Wait()
		r.Dead(node)
		r.Alive("node_c")
		r.holdLease("node_c", 24*time.Hour)
		pass(5 * time.Second)
		close(release)
		pass(time.Minute)
		requireOrder(t, r.order(), "a1", "a1", "a2")
	})
}

// A node that is declared dead at the very moment it puts a message off continues with all its messages under its new
// name.
func TestTakenForDeadInTheMiddle(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var answered atomic.Bool
		r.sender.Stop(context.Background())
		r.start(func(c *sender.Config) {
			c.Lease = func() store.Lease {
				if answered.CompareAndSwap(true, false) { // the sender checks whether the message is still its own
					r.holdLease("node_c", 24*time.Hour)
					<-time.After(3 * time.Second)
					return store.LeaseForGood(node)
				}
				return *r.lease.Load()
			}
		})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At == 0 {
				answered.Store(true)
				return provider.Sent{}, outage
			}
			return provider.Sent{}, nil
		}
		a := r.post("a1", person(1))
		pass(time.Second)
		r.Dead(node)
		r.Alive("node_c")
		pass(5 * time.Minute)
		r.requireState(a, "sent", false)
		b := r.accept("b1", person(2), "")
		pass(5 * time.Second)
		r.requireState(b, "sent", false)
	})
}
