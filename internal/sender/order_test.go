package sender_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
)

func requireOrder(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("sent in the order %v, want %v", got, want)
	}
}

// The messages of a conversation are sent in the order they were accepted, also if the first has to be tried again.
// Other conversations do not wait for it.
func TestOrderWithinAConversation(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.Message == "a1" && c.At < time.Minute {
				return provider.Sent{}, outage
			}
			return provider.Sent{}, nil
		}
		r.post("a1", person(1))
		r.post("a2", person(1))
		r.post("b1", person(2))
		a3 := r.post("a3", person(1))
		pass(30 * time.Second)
		got := r.order()
		slices.Sort(got)
		requireOrder(t, got, "a1", "b1")
		r.requireState(a3, "queued", true)
		pass(time.Minute)
		requireOrder(t, r.order()[2:], "a1", "a2", "a3")
	}, slowSweeps)
}

// A conversation has one call under way at a time; many conversations have calls at once.
func TestConversationsSideBySide(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-time.After(time.Second)
			return provider.Sent{}, nil
		}
		for i := range 10 {
			r.post(fmt.Sprint("a", i), person(1))
			r.post(fmt.Sprint("other", i), person(2+i))
		}
		pass(500 * time.Millisecond)
		if n := len(r.order()); n != 11 {
			t.Errorf("%d calls are under way", n)
		}
		pass(20 * time.Second)
		var ofA []string
		r.mu.Lock()
		for _, c := range r.calls {
			if c.Message[0] == 'a' {
				ofA = append(ofA, fmt.Sprint(c.Message, "@", c.At))
			}
		}
		r.mu.Unlock()
		for i, got := range ofA {
			if want := fmt.Sprint("a", i, "@", time.Duration(i)*time.Second); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
}

// If the provider hangs on one number, only that number's calls wait. A call that is never answered ends, and its
// outcome is unknown.
func TestHangingCallsHoldTheirNumberOnly(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(ctx context.Context, c call) (provider.Sent, error) {
			if c.Message != "elsewhere" && c.At < time.Minute {
				<-ctx.Done()
				return provider.Sent{}, &provider.Error{OutcomeUnknown: true, Transient: true, Cause: ctx.Err()}
			}
			return provider.Sent{}, nil
		}
		for i := range sender.MaxPerNumber + 10 {
			r.post(fmt.Sprint(i), person(i))
		}
		pass(time.Second)
		other := r.Number()
		elsewhere := r.acceptFrom(other, "elsewhere", person(1), node)
		r.enqueue(other, elsewhere)
		pass(0)
		r.requireState(elsewhere, "sent", false)
		r.mu.Lock()
		flying, most := r.flying, r.most
		r.mu.Unlock()
		if flying != sender.MaxPerNumber || most > sender.MaxPerNumber+1 {
			t.Errorf("%d calls hang, at most %d were under way", flying, most)
		}
		pass(10 * time.Minute)
		if n := len(r.order()); n != 2*(sender.MaxPerNumber+10)+1 {
			t.Errorf("there were %d calls", n)
		}
		if numbers, jobs := r.sender.InMemory(); numbers != 0 || jobs != 0 {
			t.Errorf("%d numbers and %d jobs stay in memory", numbers, jobs)
		}
	}, slowSweeps)
}

// A number sends at its pace, with a small burst at the beginning.
func TestPace(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for i := range 60 {
			r.post(fmt.Sprint(i), person(i))
		}
		for second := range 4 {
			pass(time.Second)
			if n, want := len(r.order()), 5+20*second; second < 3 && (n < 15+want || n > 25+want) {
				t.Errorf("after %d seconds %d messages were sent", second+1, n)
			}
		}
		if n := len(r.order()); n != 60 {
			t.Errorf("at the end %d messages were sent", n)
		}
	}, func(c *sender.Config) { c.PerSecond = 20 })
}

// Messages that do not fit into memory wait in the table, and nothing overtakes them.
func TestMemoryIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.Message == "a1" || c.Message == "b1" {
				<-release
			}
			return provider.Sent{}, nil
		}
		r.post("a1", person(1))
		r.post("b1", person(2))
		for i := range 5 {
			r.post(fmt.Sprint("a", i+2), person(1)) // no room
			r.post(fmt.Sprint("c", i+1), person(3))
		}
		pass(5 * time.Second)
		if _, jobs := r.sender.InMemory(); jobs != 2 {
			t.Errorf("%d jobs are in memory", jobs)
		}
		close(release)
		synctest.Wait()
		last := r.post("a7", person(1)) // there is room now, but others come first
		pass(30 * time.Second)
		r.requireState(last, "sent", false)
		var ofA, ofC []string
		for _, name := range r.order() {
			switch name[0] {
			case 'a':
				ofA = append(ofA, name)
			case 'c':
				ofC = append(ofC, name)
			}
		}
		requireOrder(t, ofA, "a1", "a2", "a3", "a4", "a5", "a6", "a7")
		requireOrder(t, ofC, "c1", "c2", "c3", "c4", "c5")
	}, func(c *sender.Config) { c.MaxHeld = 8 }) // two per number
}

// A job that is not in memory is found, even behind pages of jobs in the table that are in memory.
func TestJobsBehindManyOthersAreFound(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.Message == "slow" {
				<-release
			}
			return provider.Sent{}, nil
		}
		for range 7 {
			r.post("slow", person(1))
		}
		lost := r.accept("lost", person(2), node) // committed, but not handed to the sender
		pass(3 * time.Second)
		r.requireState(lost, "sent", false)
		close(release)
	}, func(c *sender.Config) { c.MaxHeld = 40 }) // ten per number; a page has two
}

// A node that accepts a message behind another node's message leaves it to that node. That node also keeps the order
// with messages it accepts itself.
func TestOrderBetweenNodes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-time.After(500 * time.Millisecond)
			return provider.Sent{}, nil
		}
		r.Alive("node_b")
		r.post("m1", person(1))
		pass(100 * time.Millisecond)
		foreign := r.accept("m2", person(1), "node_b")
		if foreign.Job.Owner != node {
			t.Fatalf("m2 is %s's", foreign.Job.Owner)
		}
		r.post("m3", person(1))
		pass(600 * time.Millisecond)
		r.post("m4", person(1)) // m1 is done, m2 is not in memory yet
		pass(time.Minute)
		requireOrder(t, r.order(), "m1", "m2", "m3", "m4")
	})
}

// The messages of a conversation keep their order even if a later one was accepted by a node whose clock is behind: in
// memory, and after the node that had them died.
func TestOrderWithClocksThatDiffer(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-release
			return provider.Sent{}, nil
		}
		first := r.post("a1", person(1))
		for _, name := range []string{"a2", "a3"} {
			r.Turn(-100 * time.Millisecond)
			behind := r.accept(name, person(1), "another node")
			if behind.Job.Owner != node {
				t.Errorf("%s belongs to %s", name, behind.Job.Owner)
			}
		}
		r.sender.Recall(store.SendQueue{Owner: node, OrgID: first.Job.OrgID, AccountID: first.Job.AccountID, ConversationID: first.Job.ConversationID})
		synctest.Wait()
		close(release)
		synctest.Wait()
		requireOrder(t, r.order(), "a1", "a2", "a3")

		for i, name := range []string{"b1", "b2", "b3"} {
			r.Turn(time.Duration(1-i) * 100 * time.Millisecond)
			r.accept(name, person(2), "node_dead")
		}
		pass(10 * time.Second)
		requireOrder(t, r.order()[3:], "b1", "b2", "b3")
	})
}
