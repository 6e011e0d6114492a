package core_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// agent makes a user of the world's team.
func (w *world) agent(name string) chat.User {
	u := chat.User{OrgID: w.org.ID, Name: name, Role: chat.RoleAgent, Sees: chat.SeesAll}
	w.inTx(func(tx *store.Tx) error {
		u.ID = tx.NewID(chat.KindUser)
		u.Email = u.ID
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		return tx.PutMember(w.org.ID, w.account.TeamID, u.ID)
	})
	return u
}

// A wait ends with an answer of a human or of a program, from wherever, and not with a broadcast.
func TestWhatEndsTheWait(t *testing.T) {
	t.Parallel()
	type answer struct {
		give func(w *world)
		ends bool
	}
	by := func(m core.NewMessage) func(w *world) {
		return func(w *world) {
			m.To, m.Type, m.Content = adaNumber, chat.TypeText, json.RawMessage(`{"body":"x"}`)
			if m.Source == chat.SourceDashboard {
				m.By = new(w.agent("Uma"))
			}
			w.sendAs(m)
		}
	}
	eachCase(t, map[string]answer{
		"by a key":             {by(core.NewMessage{Source: chat.SourceAPI}), true},
		"in the dashboard":     {by(core.NewMessage{Source: chat.SourceDashboard}), true},
		"a broadcast":          {by(core.NewMessage{Source: chat.SourceBroadcast}), false},
		"from the phone's app": {func(w *world) { w.apply(provider.Echo{Origin: w.origin(), Message: w.text("wamid.2", "x").Message}) }, true},
		"another message":      {func(w *world) { w.apply(w.text("wamid.2", "hello?")) }, false},
	}, func(t *testing.T, w *world, a answer) {
		began := w.clock.Now()
		w.apply(w.text("wamid.1", "hello"))
		w.clock.Advance(time.Minute)
		a.give(w)
		c := w.conversations()[0]
		if a.ends != (c.WaitingSince == nil) || !a.ends && !c.WaitingSince.Equal(began) {
			t.Errorf("the person waits since %v", c.WaitingSince)
		}
	})
}

// Of users who answer at once one gets the conversation, and one event tells of it.
func TestOneOfManyClaims(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		w.apply(w.text("wamid.1", "hello"))
		w.events()
		var group sync.WaitGroup
		for _, name := range []string{"Uma", "Ina", "Eko", "Adi"} {
			u := w.agent(name)
			group.Go(func() {
				_, err := run(w.st, func(tx *store.Tx) (core.Accepted, error) {
					return core.AcceptSend(tx, w.account, chat.Plan{}, core.NewMessage{
						To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceDashboard, By: &u,
					})
				})
				if err != nil {
					w.t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		w.expect(chat.EventConversationAssigned)
	})
}

// Somebody who is not in the number's team can answer, if they see it, and the conversation stays nobody's.
func TestOnlyMembersClaim(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		w.apply(w.text("wamid.1", "hello"))
		w.events()
		outsider := w.agent("Eve")
		w.inTx(func(tx *store.Tx) error { return tx.DeleteMember(w.org.ID, w.account.TeamID, outsider.ID) })
		m := core.NewMessage{To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceDashboard, By: &outsider}
		w.sendAs(m)
		w.expect()
		if c := w.conversations()[0]; c.AssignedTo != nil || c.WaitingSince != nil {
			w.t.Errorf("the conversation is %+v", c)
		}
	})
}

// When two conversations become one, so does what was noted and done in them.
func TestMergedTimelines(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(w *world) {
		byID, byNumber := w.sendAs(core.NewMessage{Recipient: adaID, Type: chat.TypeText, Content: json.RawMessage(`{"body":"a"}`), Source: chat.SourceAPI}),
			w.sendAs(core.NewMessage{To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"b"}`), Source: chat.SourceAPI})
		u := w.agent("Uma")
		w.inTx(func(tx *store.Tx) error {
			for _, c := range []core.Accepted{byID, byNumber} {
				if _, err := core.AddNote(tx, u, c.Conversation.ID, "note", []string{u.ID}); err != nil {
					return err
				}
				if _, err := core.SaveDraft(tx, u, c.Conversation.ID, "draft of "+c.Conversation.ID, false); err != nil {
					return err
				}
				if _, err := core.ChangeSeen(tx, u, c.Conversation.ID, chat.ConversationPatch{Status: new(chat.ConversationResolved)}); err != nil {
					return err
				}
			}
			_, err := core.MergeContacts(tx, w.account, byNumber.Contact.ID, byID.Contact.ID)
			return err
		})
		for _, id := range []string{byID.Conversation.ID, byNumber.Conversation.ID} { // both name what is left
			timeline, err := core.ConversationTimeline(w.read(), u, id, "", store.Page{Limit: 10})
			if w.must(err); len(timeline.Items) != 6 {
				w.t.Errorf("the timeline has %d items", len(timeline.Items))
			}
			draft, err := core.Draft(w.read(), u, id)
			if w.must(err); draft.Body != "draft of "+byID.Conversation.ID {
				w.t.Errorf("the draft is %q", draft.Body)
			}
		}
		mentions, err := w.read().InboxCount(u, store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewMentions, Status: "resolved"}})
		if w.must(err); mentions.Open != 1 {
			w.t.Errorf("%d conversations have mentions", mentions.Open)
		}
	})
}
