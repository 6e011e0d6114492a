package sender_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/store"
)

var lost = &provider.Error{OutcomeUnknown: true, Transient: true, Cause: context.DeadlineExceeded}

// If the answer is lost, a callback may show that the provider has the message. Then it is not sent again. Without a
// callback it is.
func TestUnknownOutcome(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At == 0 {
				return provider.Sent{}, lost
			}
			return provider.Sent{}, nil
		}
		settled, open := r.post("settled", person(1)), r.post("open", person(2))
		pass(10 * time.Second)
		r.requireState(settled, "pending", true)
		r.reported(settled, "delivered")
		pass(3 * time.Minute)
		got := r.order()
		slices.Sort(got)
		requireOrder(t, got, "open", "open", "settled")
		r.requireState(settled, "delivered", false)
		r.requireState(open, "sent", false)
		types := r.events()
		slices.Sort(types)
		if d := cmp.Diff([]chat.EventType{chat.EventMessageSent, chat.EventMessageSent, chat.EventMessageStatus}, types); d != "" {
			t.Errorf("other events (-want +got):\n%s", d)
		}
	}, slowSweeps)
}

// A job that has been finished meanwhile is not done again, however late it is handed to the sender.
func TestFinishedJobIsNotSent(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		a := r.accept("one", person(1), node)
		r.InTx(func(tx *store.Tx) error { return tx.DropSendJobs(a.Job.OrgID, a.Job.MessageID) })
		pass(time.Second)
		r.enqueue(r.Account, a)
		pass(time.Minute)
		r.expect()
	})
}

// The jobs of a dead node are taken over in order, after a wait for callbacks about messages it had sent. The jobs of a
// living node are not taken.
func TestTakeOver(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.Alive("node_b")
		mine := r.accept("living", person(3), "node_b")
		r.accept("a1", person(1), "node_dead")
		r.accept("a2", person(1), "node_dead")
		reported := r.accept("reported", person(2), "node_dead")
		pass(time.Second)
		r.reported(reported, "sent")
		r.expect()
		pass(10 * time.Second)
		requireOrder(t, r.order(), "a1", "a2")
		r.mu.Lock()
		at := r.calls[0].At
		r.mu.Unlock()
		if at < 3*time.Second || at > 5*time.Second {
			t.Errorf("it was taken over after %v", at)
		}
		r.requireState(mine, "queued", true)
		r.Dead("node_b")
		pass(10 * time.Second)
		r.requireState(mine, "sent", false)
	})
}

// Messages accepted while a dead node's jobs wait to be taken over go behind them.
func TestAcceptedDuringATakeOver(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.accept("a1", person(1), "node_dead")
		r.post("a2", person(1)) // before the jobs are claimed
		pass(1500 * time.Millisecond)
		r.post("a3", person(1)) // after they are claimed, while they wait
		pass(20 * time.Second)
		requireOrder(t, r.order(), "a1", "a2", "a3")
	})
}

// After a restart the work continues where it was: an attempt that is due later stays due later, and messages behind it
// wait.
func TestRestart(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At < time.Minute {
				return provider.Sent{}, outage
			}
			return provider.Sent{}, nil
		}
		r.post("a1", person(1))
		r.post("a2", person(1))
		pass(30 * time.Second)
		r.sender.Stop(context.Background())
		r.Dead(node)
		r.Alive("node_new")
		r.start(func(c *sender.Config) { c.Lease = leaseFor("node_new") })
		pass(2 * time.Minute)
		requireOrder(t, r.order(), "a1", "a1", "a2")
		r.mu.Lock()
		defer r.mu.Unlock()
		if at := r.calls[1].At; at < time.Minute || at > time.Minute+5*time.Second {
			t.Errorf("the second attempt was at %v", at)
		}
	})
}

// A failure that concerns the account takes the account out of service. Queued messages fail without a call.
func TestFailuresOfTheAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err    *provider.Error
		status chat.AccountStatus
		state  string
	}{
		"token lost":     {&provider.Error{HTTPStatus: 401, Code: 190}, chat.AccountDegraded, "failed auth_expired"},
		"token lost, 0":  {&provider.Error{HTTPStatus: 401, CodeZero: true}, chat.AccountDegraded, "failed auth_expired"},
		"a proxy's 401":  {&provider.Error{HTTPStatus: 401, Foreign: true}, chat.AccountConnected, "pending"},
		"not registered": {&provider.Error{HTTPStatus: 400, Code: 133010}, chat.AccountDegraded, "failed upstream_error"},
		"number deleted": {&provider.Error{HTTPStatus: 400, Code: 33}, chat.AccountDisconnected, "failed upstream_error"},
		"locked":         {&provider.Error{HTTPStatus: 403, Code: 131031}, chat.AccountConnected, "failed account_locked"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer = func(_ context.Context, c call) (provider.Sent, error) {
					if c.Message == "first" {
						return provider.Sent{}, test.err
					}
					return provider.Sent{}, nil
				}
				first := r.post("first", person(1))
				pass(time.Second)
				next := r.post("next", person(2))
				pass(time.Second)
				r.requireState(first, test.state, test.state == "pending")
				account := r.Reload()
				if account.Status != test.status {
					t.Errorf("the account is %s", account.Status)
				}
				if reason := account.Reason(); (reason == nil) != (test.status == chat.AccountConnected) ||
					reason != nil && !strings.Contains(*reason, strconv.Itoa(test.err.Code)) {
					t.Errorf("the reason is %v", reason)
				}
				if test.status == chat.AccountConnected {
					r.requireState(next, "sent", false)
				} else {
					r.requireState(next, "failed upstream_error", false)
					requireOrder(t, r.order(), "first")
				}
			})
		})
	}
}

// A deliberate change of an account is not undone by a call that fails late.
func TestFailuresLeaveADisconnectedAccount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-release
			return provider.Sent{}, &provider.Error{HTTPStatus: 401, Code: 190}
		}
		r.post("one", person(1))
		synctest.Wait()
		r.change(func(a *chat.Account) { a.Status = chat.AccountDisconnected })
		close(release)
		pass(time.Second)
		if account := r.Reload(); account.Status != chat.AccountDisconnected {
			t.Errorf("the account is %s", account.Status)
		}
	})
}

// lastEvent is what the newest event says.
func (r *rig) lastEvent() string {
	r.t.Helper()
	events := r.Events()
	return string(events[len(events)-1].Payload)
}

func (r *rig) change(change func(*chat.Account)) {
	r.t.Helper()
	account := r.Reload()
	change(&account)
	r.InTx(func(tx *store.Tx) error { return tx.UpdateAccount(account) })
}

// If something forbids a message while it waits, it fails without a call, with code -1.
func TestRefusedWhileQueued(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		a := r.accept("one", person(1), node)
		r.change(func(a *chat.Account) { a.Restriction = new(chat.RestrictAll) })
		r.enqueue(r.Account, a)
		pass(time.Second)
		r.expect()
		r.requireState(a, "failed account_restricted", false)
		if last := r.lastEvent(); !strings.Contains(last, `"code":-1`) {
			t.Errorf("the last event is %s", last)
		}
	})
}

// An outcome that cannot be written does not keep others from being written, and its message is not lost.
func TestOutcomeThatCannotBeWritten(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		gate := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			<-gate
			if c.Message == "twin" && c.At < time.Minute {
				return provider.Sent{MessageID: "wamid.taken"}, nil // another message has this id
			}
			return provider.Sent{}, nil
		}
		taken := r.accept("taken", person(9), node)
		r.InTx(func(tx *store.Tx) error {
			_, err := tx.MarkSent(r.Org.ID, store.SentMessage{ID: taken.Message.ID, ProviderID: "wamid.taken"})
			return errors.Join(err, tx.DropSendJobs(r.Org.ID, taken.Message.ID))
		})
		twin := r.post("twin", person(1))
		var others []core.Accepted
		for i := range 5 {
			others = append(others, r.post("other", person(2+i)))
		}
		synctest.Wait()
		close(gate)
		pass(40 * time.Second)
		for _, a := range others {
			r.requireState(a, "sent", false)
		}
		r.requireState(twin, "queued", true)
		pass(2 * time.Minute)
		r.requireState(twin, "sent", false)
		if n := len(r.order()); n != 7 {
			t.Errorf("there were %d calls", n)
		}
	}, slowSweeps)
}

// Library media is uploaded to the provider first; message.sent shows its URL.
func TestLibraryMedia(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		media := func(name, id string) core.Accepted {
			a := r.acceptContent(r.Account, name, node, core.NewMessage{To: person(1), Type: chat.TypeImage, Content: json.RawMessage(`{"id":"x"}`), Source: chat.SourceAPI})
			a.Message.MediaID = id
			r.enqueue(r.Account, a)
			return a
		}
		good := media("good", "med_good")
		pass(time.Second)
		r.requireState(good, "sent", false)
		if last := r.lastEvent(); !strings.Contains(last, `"media_url":"https://parley.example/media/1"`) {
			t.Errorf("the last event is %s", last)
		}
		bad := media("bad", "med_bad")
		pass(time.Second)
		r.requireState(bad, "failed media_upload_failed", false)
		requireOrder(t, r.order(), "good")
	}, func(c *sender.Config) {
		c.Media = func(_ context.Context, _ provider.Number, _ chat.Account, id string) (string, string, error) {
			if id == "med_bad" {
				return "", "", &provider.Error{Code: 131053}
			}
			return "media.1", "https://parley.example/media/1", nil
		}
	})
}

// A message whose library file the provider has deleted is tried again, with the file uploaded anew. Nothing is tried again
// for uploads that are new, and for other refusals.
func TestLibraryMediaThatIsGone(t *testing.T) {
	template := `{"name":"hello_world","language":"en_US","components":[{"type":"header","parameters":[{"type":"image","image":{"id":"med_01KJMMA2G0E9RGWQSFQ7CT4JBY"}}]}]}`
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			switch {
			case c.Message == "other":
				return provider.Sent{}, &provider.Error{HTTPStatus: 400, Code: 131051}
			case c.Message == "new" || c.At < 30*time.Second:
				return provider.Sent{}, &provider.Error{HTTPStatus: 400, Code: 100, Message: "Param image['id'] is not a valid media attachment"}
			}
			return provider.Sent{}, nil
		}
		post := func(name, mediaID string, person string, m core.NewMessage) core.Accepted {
			m.To, m.Source = person, chat.SourceAPI
			a := r.acceptContent(r.Account, name, node, m)
			a.Message.MediaID = mediaID
			r.enqueue(r.Account, a)
			return a
		}
		image := core.NewMessage{Type: chat.TypeImage, Content: json.RawMessage(`{"id":"x"}`)}
		gone, fresh, other := post("gone", "med_gone", person(1), image), post("new", "med_new", person(2), image), post("other", "med_gone", person(3), image)
		card := post("card", "", person(4), core.NewMessage{Type: chat.TypeTemplate, Content: json.RawMessage(template)})
		text := post("gone", "", person(5), core.NewMessage{Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`)})
		pass(10 * time.Second)
		r.requireState(gone, "pending", true)
		r.requireState(card, "pending", true)
		for _, a := range []core.Accepted{fresh, text} {
			r.requireState(a, "failed upstream_error", false)
		}
		r.requireState(other, "failed unsupported_message_type", false)
		pass(time.Minute)
		r.requireState(gone, "sent", false)
		r.requireState(card, "sent", false)
		r.mu.Lock()
		defer r.mu.Unlock()
		slices.Sort(r.forgotten)
		if want := []string{"med_01KJMMA2G0E9RGWQSFQ7CT4JBY", "med_gone", "med_new"}; !slices.Equal(r.forgotten, want) {
			t.Errorf("asked to forget %q, want %q", r.forgotten, want)
		}
	})
}

// Stop waits for the calls under way and records how they ended. Messages not yet begun stay in the table for the next
// start.
func TestStopDrains(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-time.After(5 * time.Second)
			return provider.Sent{}, nil
		}
		first, behind := r.post("first", person(1)), r.post("behind", person(1))
		pass(time.Second)
		begin := time.Now()
		r.sender.Stop(context.Background())
		if took := time.Since(begin); took != 4*time.Second {
			t.Errorf("it took %v", took)
		}
		r.requireState(first, "sent", false)
		r.requireState(behind, "queued", true)
		after := r.post("after", person(2))
		r.sender.Stop(context.Background()) // a second Stop does no harm
		pass(time.Minute)
		requireOrder(t, r.order(), "first")
		r.requireState(after, "queued", true)
	})
}

// Stop does not wait longer than it may. A hanging message is tried again by the next start.
func TestStopGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.answer = func(context.Context, call) (provider.Sent, error) {
			<-release
			return provider.Sent{}, nil
		}
		a := r.post("one", person(1))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		begin := time.Now()
		r.sender.Stop(ctx)
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("it took %v", took)
		}
		r.requireState(a, "queued", true)
		close(release) // the bubble ends when everything in it has ended
		synctest.Wait()
		r.requireState(a, "sent", false)
	})
}
