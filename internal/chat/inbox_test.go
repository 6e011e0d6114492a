package chat_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
)

// After any sequence of changes, only pending conversations are snoozed, nobody waits in a resolved one, and a
// wait begins with the first message since the last answer or resolution.
func TestConversationStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, now := chat.Conversation{Status: chat.ConversationOpen}, time.UnixMilli(0).UTC()
		var waits *time.Time
		patch := func(p chat.ConversationPatch) {
			after, _, err := p.Apply(c)
			if err != nil {
				t.Fatal(err)
			}
			c = after
		}
		status := func(s chat.ConversationStatus) func(*rapid.T) {
			return func(*rapid.T) { patch(chat.ConversationPatch{Status: &s}) }
		}
		t.Repeat(map[string]func(*rapid.T){
			"a message comes in": func(*rapid.T) {
				if waits == nil {
					waits = new(now)
				}
				before := c
				c = c.Received(now)
				if before.Status == chat.ConversationPending && before.SnoozedUntil == nil && c.Status != chat.ConversationPending {
					t.Fatal("a pending conversation that is not snoozed was opened")
				}
				if (before.SnoozedUntil != nil || before.Status == chat.ConversationResolved) && c.Status != chat.ConversationOpen {
					t.Fatalf("it stays %s", c.Status)
				}
			},
			"a user answers": func(*rapid.T) {
				waits = nil
				if c = c.AnsweredBy("usr_a", true); c.AssignedTo == nil || c.Status == chat.ConversationResolved {
					t.Fatalf("answered, it is %+v", c)
				}
			},
			"its time comes": func(*rapid.T) { c = c.Woken() },
			"open":           status(chat.ConversationOpen),
			"pending":        status(chat.ConversationPending),
			"resolved": func(r *rapid.T) {
				waits = nil
				status(chat.ConversationResolved)(r)
			},
			"snooze": func(*rapid.T) { patch(chat.ConversationPatch{SnoozedUntil: chat.To(now.Add(time.Hour))}) },
			"wake": func(*rapid.T) {
				snoozed := c.SnoozedUntil != nil
				if patch(chat.ConversationPatch{SnoozedUntil: chat.Cleared[time.Time]()}); snoozed && c.Status != chat.ConversationOpen {
					t.Fatalf("woken, it is %s", c.Status)
				}
			},
			"": func(*rapid.T) {
				now = now.Add(time.Second)
				if c.SnoozedUntil != nil && c.Status != chat.ConversationPending {
					t.Fatalf("snoozed and %s", c.Status)
				}
				if (c.WaitingSince == nil) != (waits == nil) || waits != nil && !c.WaitingSince.Equal(*waits) {
					t.Fatalf("a person waits since %v, not %v", c.WaitingSince, waits)
				}
			},
		})
	})
}

func TestHappenings(t *testing.T) {
	t.Parallel()
	hour := time.UnixMilli(3_600_000).UTC()
	open := chat.Conversation{Status: chat.ConversationOpen}
	pending, resolved := chat.Conversation{Status: chat.ConversationPending}, chat.Conversation{Status: chat.ConversationResolved}
	snoozed := chat.Conversation{Status: chat.ConversationPending, SnoozedUntil: &hour}
	longer := chat.Conversation{Status: chat.ConversationPending, SnoozedUntil: &chat.Forever}
	of := func(c chat.Conversation, user string) chat.Conversation {
		c.AssignedTo = &user
		return c
	}
	for _, test := range []struct {
		before, after chat.Conversation
		want          []chat.What
	}{
		{open, open, nil},
		{open, pending, nil},
		{pending, open, nil},
		{open, resolved, []chat.What{chat.Resolved}},
		{snoozed, resolved, []chat.What{chat.Resolved}},
		{resolved, open, []chat.What{chat.Reopened}},
		{resolved, pending, []chat.What{chat.Reopened}},
		{open, snoozed, []chat.What{chat.Snoozed}},
		{resolved, snoozed, []chat.What{chat.Snoozed}},
		{snoozed, longer, []chat.What{chat.Snoozed}},
		{snoozed, snoozed, nil},
		{snoozed, open, []chat.What{chat.Woken}},
		{open, of(open, "a"), []chat.What{chat.Assigned}},
		{of(open, "a"), of(open, "b"), []chat.What{chat.Assigned}},
		{of(open, "a"), of(open, "a"), nil},
		{of(open, "a"), open, []chat.What{chat.Unassigned}},
		{resolved, of(open, "a"), []chat.What{chat.Assigned, chat.Reopened}},
	} {
		var got []chat.What
		for _, h := range chat.Happenings(test.before, test.after) {
			got = append(got, h.What)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("from %+v to %+v: %v, want %v", test.before, test.after, got, test.want)
		}
	}
}

func TestTimeOf(t *testing.T) {
	t.Parallel()
	if got, want := chat.TimeOf("hap_01ARYZ6S41TSV4RRFFQ69G5FAV"), time.UnixMilli(1469918176385).UTC(); !got.Equal(want) {
		t.Errorf("it is of %v, want %v", got, want)
	}
}
