package sender_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const bsuid = "DE.ada"

// acceptByID is accept for a person known by a BSUID.
func (r *rig) acceptByID(name, owner string) core.Accepted {
	r.t.Helper()
	return r.acceptContent(r.Account, name, owner,
		core.NewMessage{Recipient: bsuid, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI})
}

// postByID accepts a message for a BSUID and hands it to the sender.
func (r *rig) postByID(name string) core.Accepted {
	a := r.acceptByID(name, node)
	r.enqueue(r.Account, a)
	return a
}

// show reports that the BSUID belongs to a phone number.
func (r *rig) show(number, bsuid string) {
	r.t.Helper()
	r.Receive(provider.ContactSync{Origin: r.Origin(), Contact: provider.Person{Phone: number, UserID: bsuid}})
}

// failUntil makes the provider fail for the named messages until the given time.
func failUntil(d time.Duration, names ...string) func(context.Context, call) (provider.Sent, error) {
	return func(_ context.Context, c call) (provider.Sent, error) {
		if c.At < d && slices.Contains(names, c.Message) {
			return provider.Sent{}, outage
		}
		return provider.Sent{}, nil
	}
}

// A message accepted after a merge of two conversations goes behind all messages that waited in either. Each message is
// sent once.
func TestOrderAfterAMerge(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = failUntil(90*time.Second, "i1")
		first := r.post("n1", person(1))
		r.postByID("i1")
		r.postByID("i2")
		pass(time.Second)
		r.show(person(1), bsuid)
		r.post("n2", person(1))
		last := r.postByID("i3")
		if last.Conversation.ID != first.Conversation.ID {
			t.Fatal("there are two conversations")
		}
		pass(5 * time.Minute)
		sent := r.order()
		requireOrder(t, sent[len(sent)-2:], "n2", "i3")
		if i := slices.Index(sent, "i2"); i < 0 || slices.Contains(sent[i:], "i1") {
			t.Errorf("i2 has overtaken i1: %v", sent)
		}
		for _, name := range []string{"i2", "n2", "i3"} {
			if i := slices.Index(sent, name); slices.Contains(sent[i+1:], name) {
				t.Errorf("%s was sent twice: %v", name, sent)
			}
		}
		r.requireState(last, "sent", false)
		r.post("n3", person(1)) // from here on the conversation is like any other
		pass(0)
		requireOrder(t, r.order()[len(sent):], "n3")
	}, slowSweeps)
}

// The order also holds for messages that another process left.
func TestOrderAfterAMergeAndARestart(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.sender.Stop(context.Background())
		r.accept("n1", person(1), "dead")
		r.acceptByID("i1", "dead")
		r.acceptByID("i2", "dead")
		r.show(person(1), bsuid)
		r.accept("n2", person(1), node)
		r.answer = failUntil(3*time.Minute, "i1")
		r.start(slowSweeps)
		pass(10 * time.Minute)
		sent := r.order()
		requireOrder(t, slices.Compact(sent[len(sent)-3:]), "i1", "i2", "n2")
	}, slowSweeps)
}

// However sends and the merge are mixed, nothing is lost or sent twice, each conversation keeps its order, and messages
// accepted after the merge go last.
func TestMergeProperty(t *testing.T) {
	t.Parallel()
	tried, failing := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		before, after := mergeSteps.Draw(rt, "before"), mergeSteps.Draw(rt, "after")
		first := rapid.Permutation([]mergeStep{{Do: "number"}, {Do: "id"}}).Draw(rt, "first") // two conversations
		first[rapid.IntRange(0, 1).Draw(rt, "troubled")].Troubled = true
		before = slices.Concat(first, before)
		if tried++; tried > 20 && !failing {
			return
		}
		var failure string
		runRig(t, storetest.NewConfig(t, storetest.SQLite), func(t *testing.T, r *rig) {
			failure = r.walkMerge(before, after)
		}, slowSweeps, func(c *sender.Config) { c.MaxHeld = 8 }) // so that some messages are only in the table
		if failing = failure != ""; failing {
			rt.Fatal(failure)
		}
	})
}

// mergeStep is something that happens. Messages in trouble are sent at the second attempt.
type mergeStep struct {
	Do       string
	Troubled bool
}

var mergeSteps = rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) mergeStep {
	return mergeStep{Do: rapid.SampledFrom([]string{"number", "id", "wait"}).Draw(rt, "do"), Troubled: rapid.Bool().Draw(rt, "troubled")}
}), 1, 8)

// walkMerge sends to a person before and after a merge, and returns what went wrong.
func (r *rig) walkMerge(before, after []mergeStep) string {
	all := slices.Concat(before, []mergeStep{{Do: "show"}}, after)
	var troubled []string
	for i, s := range all {
		if s.Troubled {
			troubled = append(troubled, fmt.Sprint(s.Do, i))
		}
	}
	r.answer = failUntil(30*time.Second, troubled...)
	queues := map[string][]string{}
	for i, s := range all {
		queue, name := s.Do, fmt.Sprint(s.Do, i)
		if i > len(before) {
			queue = "after"
		}
		switch s.Do {
		case "wait":
			pass(100 * time.Millisecond)
		case "show":
			r.show(person(1), bsuid)
		case "number":
			r.post(name, person(1))
			queues[queue] = append(queues[queue], name)
		case "id":
			r.postByID(name)
			queues[queue] = append(queues[queue], name)
		}
	}
	pass(30 * time.Minute) // two messages fit into memory, and a sweep per minute takes up more
	return wrongOrder(lastCalls(r.order()), queues)
}

// lastCalls are the messages in the order of their last calls.
func lastCalls(calls []string) (names []string) {
	for i, name := range calls {
		if !slices.Contains(calls[i+1:], name) {
			names = append(names, name)
		}
	}
	return names
}

// wrongOrder returns what is wrong unless every message was sent, each queue's messages in order, and those accepted
// after the merge behind all others.
func wrongOrder(sent []string, queues map[string][]string) string {
	var got []string
	for _, queue := range []string{"number", "id"} {
		for _, name := range sent {
			if slices.Contains(queues[queue], name) {
				got = append(got, name)
			}
		}
	}
	got = append(got, sent[min(len(got), len(sent)):]...)
	if want := slices.Concat(queues["number"], queues["id"], queues["after"]); !slices.Equal(got, want) {
		return fmt.Sprintf("sent %q of %q", sent, queues)
	}
	return ""
}
