package sender_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// tell tells the sender about a message that another node accepted, as the store does.
func (r *rig) tell(a core.Accepted) {
	r.sender.Recall(store.SendQueue{Owner: a.Job.Owner, OrgID: a.Job.OrgID, AccountID: a.Job.AccountID, ConversationID: a.Job.ConversationID})
}

// A message that another node accepts behind a message of this node is sent right after that one, and so is a message
// that this node accepts behind it. No sweep is needed.
func TestMessagesBehindThoseOfAnotherNode(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-release
			return provider.Sent{}, nil
		}
		r.Alive("node_b")
		r.post("a1", person(1))
		a2 := r.accept("a2", person(1), "node_b")
		if a2.Job.Owner != node {
			t.Fatalf("it belongs to %s", a2.Job.Owner)
		}
		r.post("a3", person(1)) // before the sender has heard of a2
		a4 := r.accept("a4", person(1), "node_b")
		r.tell(a4)
		r.tell(a2)
		theirs := r.accept("b1", person(2), "node_b")
		r.tell(theirs) // not ours
		synctest.Wait()
		if _, jobs := r.sender.InMemory(); jobs != 4 {
			t.Errorf("%d messages are in memory", jobs)
		}
		close(release)
		pass(0)
		requireOrder(t, r.order(), "a1", "a2", "a3", "a4")
		r.requireState(theirs, "queued", true)
	}, func(c *sender.Config) { c.SweepEvery = time.Hour })
}

// Messages are accepted here and on another node, come to Enqueue late or never, and are announced late, twice or
// never. In every order, each message is sent once, and those of a conversation in order.
func TestRecallProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 5, 60).Draw(rt, "steps")
		var failure string
		runRig(t, storetest.NewConfig(t, storetest.SQLite), func(t *testing.T, r *rig) { failure = r.walk(steps) })
		if failure != "" {
			rt.Fatal(failure)
		}
	})
}

// step is something that happens: a message is accepted, or an accepted one is passed on.
type step struct {
	Do     string
	Person int
	Which  int
	Wait   time.Duration
}

func drawStep(rt *rapid.T) step {
	return step{
		Do:     rapid.SampledFrom([]string{"here", "there", "there", "enqueue", "enqueue", "tell", "tell", "wait"}).Draw(rt, "do"),
		Person: rapid.IntRange(1, 2).Draw(rt, "person"),
		Which:  rapid.IntRange(0, 9).Draw(rt, "which"),
		Wait:   rapid.SampledFrom([]time.Duration{0, 10 * time.Millisecond, 400 * time.Millisecond, 2 * time.Second}).Draw(rt, "wait"),
	}
}

// walk goes through the steps and returns what went wrong.
func (r *rig) walk(steps []step) string {
	r.Alive("node_b")
	r.answer = func(_ context.Context, c call) (provider.Sent, error) {
		<-time.After(time.Duration(len(c.Message)%3) * 20 * time.Millisecond)
		return provider.Sent{}, nil
	}
	var here, there []core.Accepted // on their way to Enqueue, or to be announced
	accepted := map[int][]string{}
	for i, s := range steps {
		name := fmt.Sprintf("%d/%*d", s.Person, 1+s.Which%3, i)
		switch s.Do {
		case "here":
			here = append(here, r.accept(name, person(s.Person), node))
			accepted[s.Person] = append(accepted[s.Person], name)
		case "there": // behind a message of this node; otherwise this node does not send it
			if a := r.accept(name, person(s.Person), "node_b"); a.Job.Owner == node {
				there = append(there, a)
				accepted[s.Person] = append(accepted[s.Person], name)
			} else {
				r.InTx(func(tx *store.Tx) error { return tx.DropSendJobs(a.Job.OrgID, a.Job.MessageID) })
			}
		case "enqueue":
			if len(here) > 0 {
				i := s.Which % len(here)
				r.enqueue(r.Account, here[i])
				here = slices.Delete(here, i, i+1)
			}
		case "tell":
			if len(there) > 0 {
				r.tell(there[s.Which%len(there)])
			}
		}
		pass(s.Wait)
	}
	pass(time.Minute)
	r.enqueue(r.Account, here...) // far too late
	pass(time.Minute)
	got := map[int][]string{}
	for _, name := range r.order() {
		got[int(name[0]-'0')] = append(got[int(name[0]-'0')], name)
	}
	for person, want := range accepted {
		if !slices.Equal(got[person], want) {
			return fmt.Sprintf("%d got %q of %q", person, got[person], want)
		}
	}
	return ""
}
