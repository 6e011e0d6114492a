package sender_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptrace"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
)

// postBulk accepts a broadcast's message and hands it to the sender.
func (r *rig) postBulk(name, to string) core.Accepted {
	r.t.Helper()
	a := r.acceptContent(r.Account, name, node, core.NewMessage{
		To: to, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceBroadcast,
	})
	r.enqueue(r.Account, a)
	return a
}

// A broadcast's messages go out as fast as calls and the pace allow, not one handful at a time. A person's message does
// not wait for them, and what was finished meanwhile is not sent.
func TestHandfuls(t *testing.T) {
	const people, takes = 200, 50 * time.Millisecond
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(ctx context.Context, _ call) (provider.Sent, error) {
			select {
			case <-time.After(takes):
				return provider.Sent{}, nil
			case <-ctx.Done():
				return provider.Sent{}, ctx.Err()
			}
		}
		var all []core.Accepted
		for i := range people {
			all = append(all, r.postBulk(fmt.Sprint(i), person(i)))
		}
		r.InTx(func(tx *store.Tx) error { return tx.DropSendJobs(all[people-1].Job.OrgID, all[people-1].Job.MessageID) })
		own := r.post("own", person(people))
		pass(2 * time.Second)
		r.mu.Lock()
		defer r.mu.Unlock()
		at := slices.IndexFunc(r.calls, func(c call) bool { return c.Message == "own" })
		switch last := r.calls[len(r.calls)-1].At; {
		case len(r.calls) != people:
			t.Errorf("%d messages were sent", len(r.calls))
		case r.calls[at].At > takes:
			t.Errorf("a person's message was sent after %v, as number %d", r.calls[at].At, at)
		case r.most < 40 || last > 10*takes:
			t.Errorf("%d calls were under way at most, and the last began after %v", r.most, last)
		}
		for _, a := range append(all[:people-1], own) {
			if got := r.state(a); got != "sent" {
				t.Errorf("%s is %s", r.names[a.Message.ID], got)
			}
		}
	})
}

// Where the provider answers at once, only the number of calls holds broadcasts back. The pause between handfuls is for
// those that would be small.
func TestHandfulsOfAQuickProvider(t *testing.T) {
	const people, takes = 10 * 48, 5 * time.Millisecond
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(ctx context.Context, _ call) (provider.Sent, error) {
			httptrace.ContextClientTrace(ctx).WroteRequest(httptrace.WroteRequestInfo{})
			<-time.After(takes)
			return provider.Sent{}, nil
		}
		for i := range people {
			r.postBulk(fmt.Sprint(i), person(i))
		}
		pass(2 * time.Second)
		r.mu.Lock()
		defer r.mu.Unlock()
		if last := r.calls[len(r.calls)-1].At; len(r.calls) != people || last > 20*takes {
			t.Errorf("%d messages were sent, the last after %v", len(r.calls), last)
		}
	}, func(c *sender.Config) { c.PerSecond = 100_000 })
}
