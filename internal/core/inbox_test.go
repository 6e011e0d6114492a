package core_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// agent makes a user in the world's team.
func (w *world) agent(name string) chat.User {
	u := chat.User{OrgID: w.Org.ID, Name: name, Role: chat.RoleAgent, Sees: chat.SeesAll}
	w.InTx(func(tx *store.Tx) error {
		u.ID = tx.NewID(chat.KindUser)
		u.Email = u.ID
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		return tx.PutMember(w.Org.ID, w.Account.TeamID, u.ID)
	})
	return u
}

// An answer by a user or a program, from anywhere, ends the wait; a broadcast does not.
func TestWhatEndsTheWait(t *testing.T) {
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
			w.SendAs(m)
		}
	}
	eachCase(t, map[string]answer{
		"by a key":             {by(core.NewMessage{Source: chat.SourceAPI}), true},
		"in the dashboard":     {by(core.NewMessage{Source: chat.SourceDashboard}), true},
		"a broadcast":          {by(core.NewMessage{Source: chat.SourceBroadcast}), false},
		"from the phone's app": {func(w *world) { w.Apply(provider.Echo{Origin: w.Origin(), Message: w.Text("wamid.2", "x").Message}) }, true},
		"another message":      {func(w *world) { w.Apply(w.Text("wamid.2", "hello?")) }, false},
	}, func(t *testing.T, w *world, a answer) {
		began := w.Clock.Now()
		w.Apply(w.Text("wamid.1", "hello"))
		w.Clock.Advance(time.Minute)
		a.give(w)
		c := w.Conversations()[0]
		if a.ends != (c.WaitingSince == nil) || !a.ends && !c.WaitingSince.Equal(began) {
			t.Errorf("the person waits since %v", c.WaitingSince)
		}
	})
}

// A message begins the wait. A reaction does not, because it asks for no answer.
func TestReactionsWaitForNothing(t *testing.T) {
	eachWorld(t, func(w *world) {
		reaction := w.Text("wamid.1", "")
		reaction.Type, reaction.Content = chat.TypeReaction, json.RawMessage(`{"message_id":"wamid.0","emoji":"👍"}`)
		w.Apply(reaction)
		if c := w.Conversations()[0]; c.WaitingSince != nil || c.UnreadCount != 1 {
			w.T.Errorf("after a reaction the conversation is %+v", c)
		}
		w.Apply(w.Text("wamid.2", "hello"))
		reaction.ProviderID = "wamid.3"
		w.Apply(reaction)
		if c := w.Conversations()[0]; c.WaitingSince == nil {
			w.T.Errorf("a reaction ended the wait: %+v", c)
		}
	})
}

func TestPreview(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind          chat.MessageType
		content, want string
	}{
		{chat.TypeText, `{"body":"Hello\n  there"}`, "Hello there"},
		{chat.TypeText, `{"body":"` + strings.Repeat("ä", 200) + `"}`, strings.Repeat("ä", 160)},
		{chat.TypeImage, `{"link":"https://x.example/a.png"}`, ""},
		{chat.TypeImage, `{"caption":"Look"}`, "Look"},
		{chat.TypeDocument, `{"filename":"a.pdf"}`, "a.pdf"},
		{chat.TypeReaction, `{"message_id":"x","emoji":"👍"}`, "👍"},
		{chat.TypeTemplate, `{"name":"hello","preview":{"body":"Hello Ada"}}`, "Hello Ada"},
		{chat.TypeInteractive, `{"type":"button","body":{"text":"Choose"}}`, "Choose"},
		{chat.TypeInteractive, `{"type":"button_reply","button_reply":{"id":"1","title":"Yes"}}`, "Yes"},
		{chat.TypeInteractive, `{"type":"list_reply","list_reply":{"id":"1","title":"Monday"}}`, "Monday"},
		{chat.TypeButton, `{"text":"Stop","payload":"x"}`, "Stop"},
		{chat.TypeLocation, `{"latitude":1,"longitude":2,"name":"Office"}`, "Office"},
		{chat.TypeContacts, `[{"name":{"formatted_name":"Ada Lovelace"}}]`, "Ada Lovelace"},
		{chat.TypeUnsupported, `{"type":"poll"}`, ""},
		{chat.TypeText, `no JSON`, ""},
	} {
		if got := core.Preview(chat.Message{Type: test.kind, Content: json.RawMessage(test.content)}); got != test.want {
			t.Errorf("%s %s shows %q, want %q", test.kind, test.content, got, test.want)
		}
	}
}

// If several users answer at once, one gets the conversation, with one event.
func TestOneOfManyClaims(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.Text("wamid.1", "hello"))
		w.Events()
		var group sync.WaitGroup
		for _, name := range []string{"Uma", "Ina", "Eko", "Adi"} {
			u := w.agent(name)
			group.Go(func() {
				_, err := run(w.Store, func(tx *store.Tx) (core.Accepted, error) {
					return core.AcceptSend(tx, w.Account, chat.Plan{}, core.NewMessage{
						To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceDashboard, By: &u,
					})
				})
				if err != nil {
					w.T.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		w.Expect(chat.EventConversationAssigned)
	})
}

// A user outside the number's team can answer if they see the conversation, which stays unassigned.
func TestOnlyMembersClaim(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.Text("wamid.1", "hello"))
		w.Events()
		outsider := w.agent("Eve")
		w.InTx(func(tx *store.Tx) error { return tx.DeleteMember(w.Org.ID, w.Account.TeamID, outsider.ID) })
		m := core.NewMessage{To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceDashboard, By: &outsider}
		w.SendAs(m)
		w.Expect()
		if c := w.Conversations()[0]; c.AssignedTo != nil || c.WaitingSince != nil {
			w.T.Errorf("the conversation is %+v", c)
		}
	})
}

// When two conversations are merged, so are their notes and happenings.
func TestMergedTimelines(t *testing.T) {
	eachWorld(t, func(w *world) {
		byID, byNumber := w.SendAs(core.NewMessage{Recipient: adaID, Type: chat.TypeText, Content: json.RawMessage(`{"body":"a"}`), Source: chat.SourceAPI}),
			w.SendAs(core.NewMessage{To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"b"}`), Source: chat.SourceAPI})
		u := w.agent("Uma")
		w.InTx(func(tx *store.Tx) error {
			for _, c := range []core.Accepted{byID, byNumber} {
				if _, err := core.AddNote(tx, u, c.Conversation.ID, "note", []string{u.ID}); err != nil {
					return err
				}
				if _, err := core.SaveDraft(tx, u, c.Conversation.ID, "draft of "+c.Conversation.ID, false); err != nil {
					return err
				}
				if _, err := core.SaveDraft(tx, u, byNumber.Conversation.ID, "note", true); err != nil {
					return err
				}
				if _, err := core.ChangeSeen(tx, u, c.Conversation.ID, chat.ConversationPatch{Status: new(chat.ConversationResolved)}); err != nil {
					return err
				}
			}
			_, err := core.MergeContacts(tx, w.Account, byNumber.Contact.ID, byID.Contact.ID, "")
			return err
		})
		for _, id := range []string{byID.Conversation.ID, byNumber.Conversation.ID} { // both ids name the remaining one
			timeline, err := core.ConversationTimeline(w.Read(), u, id, core.TimelinePlace{}, store.Page{Limit: 10})
			if w.Must(err); len(timeline.Items) != 6 {
				w.T.Errorf("the timeline has %d items", len(timeline.Items))
			}
			drafts, err := core.DraftsOf(w.Read(), u, id)
			if w.Must(err); drafts.Reply.Body != "draft of "+byID.Conversation.ID || drafts.Note.Body != "note" {
				w.T.Errorf("the drafts are %+v", drafts)
			}
		}
		mentions, err := w.Read().InboxCount(u, store.InboxQuery{InboxFilter: chat.InboxFilter{View: chat.ViewMentions, Status: "resolved"}})
		if w.Must(err); mentions.Open != 1 {
			w.T.Errorf("%d conversations have mentions", mentions.Open)
		}
	})
}
