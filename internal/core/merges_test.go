package core_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// strangers makes two contacts of Ada, one by her number and then one by her id, each with a message from her and one
// to her.
func (w *world) strangers() (byNumber, byID core.Accepted) {
	w.T.Helper()
	w.Apply(w.from(provider.Person{Phone: adaNumber}, "wamid.n"))
	byNumber = w.Send(chat.TypeText, `{"body":"x"}`)
	w.Clock.Advance(time.Second)
	w.Apply(w.from(provider.Person{UserID: adaID}, "wamid.i"))
	byID = w.SendAs(core.NewMessage{Recipient: adaID, Type: chat.TypeText, Content: json.RawMessage(`{"body":"y"}`), Source: chat.SourceAPI})
	w.Answered(byNumber, "wamid.to.n")
	w.Answered(byID, "wamid.to.i")
	w.Events()
	return byNumber, byID
}

// both is Ada as an update shows her with all identifiers.
func both() provider.Person { return provider.Person{Phone: adaNumber, UserID: adaID} }

// Any update that shows that a number and an id belong to one person merges the two contacts.
func TestUpdatesJoinContacts(t *testing.T) {
	const joined = chat.EventContactIdentityUpdated
	type showing struct {
		update func(w *world) provider.Update
		events []chat.EventType
		more   int // messages
	}
	eachCase(t, map[string]showing{
		"a message": {func(w *world) provider.Update { return w.from(both(), "wamid.3") }, []chat.EventType{joined, chat.EventMessageReceived}, 1},
		"a status of what went to the number": {func(w *world) provider.Update { return w.statusTo(both(), "wamid.to.n") },
			[]chat.EventType{joined, chat.EventMessageStatus}, 0},
		"a status of what went to the id": {func(w *world) provider.Update { return w.statusTo(both(), "wamid.to.i") },
			[]chat.EventType{joined, chat.EventMessageStatus}, 0},
		"an echo": {func(w *world) provider.Update {
			return provider.Echo{Origin: w.Origin(), Message: w.from(both(), "wamid.3").Message}
		},
			[]chat.EventType{joined, chat.EventMessageSent}, 1},
		"history": {func(w *world) provider.Update {
			return provider.HistoryChunk{Origin: w.Origin(), Messages: []provider.HistoryMessage{{Message: w.from(both(), "wamid.3").Message}}}
		}, []chat.EventType{joined}, 1},
		"the address book": {func(w *world) provider.Update { return provider.ContactSync{Origin: w.Origin(), Contact: both()} }, []chat.EventType{joined}, 0},
		"a wish": {func(w *world) provider.Update {
			return provider.Preference{Origin: w.Origin(), Contact: both(), Category: "marketing_messages", Value: provider.PreferenceStop}
		}, []chat.EventType{joined}, 0},
		"a change of id": {func(w *world) provider.Update {
			return provider.IdentityChange{Origin: w.Origin(), Previous: provider.Person{Phone: adaNumber}, Current: both()}
		}, []chat.EventType{joined}, 0},
	}, func(t *testing.T, w *world, s showing) {
		byNumber, byID := w.strangers()
		w.Apply(s.update(w), s.update(w)) // callbacks are repeated
		w.Expect(s.events...)
		if d := cmp.Diff([]known{{Phone: adaNumber, BSUID: adaID}}, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
		w.requireOneThread(byNumber.Contact.ID, byNumber.Conversation.ID, 4+s.more)
		w.requireMerged(byID, byNumber)
	})
}

func (w *world) statusTo(p provider.Person, id string) provider.StatusUpdate {
	s := w.Status(id, "", "delivered")
	s.Recipient = p
	return s
}

// requireOneThread fails the test unless there is one conversation, with this many messages, all with the contact.
func (w *world) requireOneThread(contactID, conversationID string, messages int) {
	w.T.Helper()
	conversations := w.Conversations()
	if len(conversations) != 1 || conversations[0].ID != conversationID || conversations[0].ContactID != contactID {
		w.T.Fatalf("there is not only %s with %s: %+v", conversationID, contactID, conversations)
	}
	all := w.Messages()
	if len(all) != messages {
		w.T.Fatalf("there are %d messages, want %d", len(all), messages)
	}
	for _, m := range all {
		if m.ConversationID != conversationID || m.ContactID != contactID {
			w.T.Errorf("%s is in %s with %s", m.ID, m.ConversationID, m.ContactID)
		}
	}
}

// requireMerged fails the test unless the ids of one thread name the other.
func (w *world) requireMerged(gone, stays core.Accepted) {
	w.T.Helper()
	contact, err := core.Contact(w.Read(), w.Account, gone.Contact.ID)
	w.Must(err)
	conversation, err := core.Conversation(w.Read(), w.Account, gone.Conversation.ID)
	w.Must(err)
	if contact.ID != stays.Contact.ID || conversation.ID != stays.Conversation.ID {
		w.T.Errorf("the old ids name %s and %s", contact.ID, conversation.ID)
	}
}

// The merged contact has everything that the two contacts had.
func TestJoinedContactsKeepAll(t *testing.T) {
	eachWorld(t, func(w *world) {
		byNumber, byID := w.strangers()
		shared, only := storetest.Label(t, w.Store, w.Org, "shared"), storetest.Label(t, w.Store, w.Org, "only")
		w.InTx(func(tx *store.Tx) error {
			for _, err := range []error{
				core.LabelContact(tx, w.Account, byNumber.Contact.ID, shared.ID), core.LabelContact(tx, w.Account, byID.Contact.ID, shared.ID),
				core.LabelContact(tx, w.Account, byID.Contact.ID, only.ID), core.LabelConversation(tx, w.Account, byID.Conversation.ID, only.ID, nil),
				core.LabelConversation(tx, w.Account, byID.Conversation.ID, shared.ID, nil), core.LabelConversation(tx, w.Account, byNumber.Conversation.ID, shared.ID, nil),
			} {
				w.Must(err)
			}
			resolved := chat.ConversationResolved
			_, err := core.UpdateConversation(tx, w.Account, byNumber.Conversation.ID, chat.ConversationPatch{Status: &resolved}, nil)
			w.Must(err)
			_, err = core.UpdateContact(tx, w.Account, byID.Contact.ID, chat.ContactPatch{
				Email: chat.To("ada@example.com"), Metadata: chat.To(json.RawMessage(`{"a":1}`)), Consent: new(chat.ConsentOptedOut),
			}, chat.Actor{})
			return err
		})
		w.Events()
		now := w.Clock.Advance(time.Minute)
		w.Apply(w.statusTo(both(), "wamid.to.n"))
		event := w.Expect(chat.EventContactIdentityUpdated, chat.EventMessageStatus)[0]
		w.golden("contact.identity_updated-merged", event.Payload)

		contact := w.Contacts()[0]
		if *contact.Email != "ada@example.com" || string(contact.Metadata) != `{"a":1}` || contact.Consent != chat.ConsentOptedOut || !contact.UpdatedAt.Equal(now) {
			t.Errorf("the contact is %+v", contact)
		}
		conversation := w.Conversations()[0]
		if conversation.UnreadCount != 2 || conversation.Status != chat.ConversationOpen || !conversation.UpdatedAt.Equal(now) ||
			!conversation.LastInboundAt.Equal(now.Add(-time.Minute)) {
			t.Errorf("the conversation is %+v", conversation)
		}
		labels, err := w.Read().LabelsOfContacts(w.Org.ID, []string{contact.ID, byID.Contact.ID})
		w.Must(err)
		more, err := w.Read().LabelsOfConversations(w.Org.ID, []string{conversation.ID, byID.Conversation.ID})
		w.Must(err)
		if len(labels) != 1 || len(more) != 1 || len(labels[contact.ID]) != 2 || len(more[conversation.ID]) != 2 {
			t.Errorf("the labels are %v and %v", labels, more)
		}
	})
}

// Three contacts are merged with one event.
func TestThreeContactsBecomeOne(t *testing.T) {
	eachWorld(t, func(w *world) {
		for i, p := range []provider.Person{{ParentUserID: "DE.ENT.ada"}, {UserID: adaID}, {Phone: adaNumber}} {
			w.Apply(w.from(p, fmt.Sprint("wamid.", i)))
			w.Clock.Advance(time.Second)
		}
		eldest := w.Conversations()[2]
		w.Events()
		w.Apply(w.from(provider.Person{Phone: adaNumber, UserID: adaID, ParentUserID: "DE.ENT.ada"}, "wamid.3"))
		w.Expect(chat.EventContactIdentityUpdated, chat.EventMessageReceived)
		w.requireOneThread(eldest.ContactID, eldest.ID, 4)
	})
}

// Contacts that contradict the update stay as they are; the rest is learnt.
func TestContradictionsStay(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(w.from(provider.Person{Phone: adaNumber}, "wamid.1"))
		w.Clock.Advance(time.Second)
		w.Apply(w.from(provider.Person{Phone: "+4915510000002", UserID: adaID}, "wamid.2"))
		w.Events()
		w.Apply(w.from(provider.Person{Phone: adaNumber, UserID: adaID, ProfileName: "Ada"}, "wamid.3"))
		w.Expect(chat.EventContactUpdated, chat.EventMessageReceived)
		want := []known{{"+4915510000002", adaID, "", "", ""}, {adaNumber, "", "", "", "Ada"}}
		if d := cmp.Diff(want, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
	})
}

// In some countries the network writes a number with a digit more or less than people do. It is one person all the same,
// whichever spelling comes first, and two contacts of before become one when their id shows.
func TestNumbersWithTwoSpellings(t *testing.T) {
	type spelling struct{ people, network string }
	eachCase(t, map[string]spelling{"Brazil": {"+5531987654321", "+553187654321"}, "Mexico": {"+525512345678", "+5215512345678"}}, func(t *testing.T, w *world, s spelling) {
		send := func(to string) core.Accepted {
			return w.SendAs(core.NewMessage{To: to, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI})
		}
		w.Apply(w.from(provider.Person{Phone: s.network}, "wamid.1"))
		first := send(s.people)
		w.requireOneThread(first.Contact.ID, first.Conversation.ID, 2)
		if *first.Contact.PhoneNumber != s.network {
			t.Errorf("the contact's number became %s", *first.Contact.PhoneNumber)
		}

		w = newWorld(t, w.Store, w.Clock)
		first = send(s.people)
		w.Apply(w.from(provider.Person{Phone: s.network}, "wamid.1"))
		w.requireOneThread(first.Contact.ID, first.Conversation.ID, 2)

		w = newWorld(t, w.Store, w.Clock)
		w.Apply(w.from(provider.Person{Phone: s.network, UserID: adaID}, "wamid.1"))
		eldest := w.Conversations()[0]
		w.Clock.Advance(time.Second)
		storetest.Contact(w.T, w.Store, w.Account, s.people)
		w.Answered(send(s.people), "wamid.2")
		w.Events()
		w.Apply(w.statusTo(provider.Person{Phone: s.network, UserID: adaID}, "wamid.2"))
		w.Expect(chat.EventContactIdentityUpdated, chat.EventMessageStatus)
		w.requireOneThread(eldest.ContactID, eldest.ID, 2)
	})
}

// The contact with the older conversation stays, and one without a conversation goes.
func TestWhichContactStays(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.Apply(provider.ContactSync{Origin: w.Origin(), Contact: provider.Person{Phone: adaNumber, ProfileName: "Ada L"}})
		w.Clock.Advance(time.Second)
		w.Apply(w.from(provider.Person{UserID: adaID, ProfileName: "Ada"}, "wamid.1"))
		stays := w.Conversations()[0]
		w.Apply(w.from(both(), "wamid.2"))
		w.requireOneThread(stays.ContactID, stays.ID, 2)
		if d := cmp.Diff([]known{{adaNumber, adaID, "", "", "Ada"}}, w.known()); d != "" {
			t.Errorf("other contacts (-want +got):\n%s", d)
		}
	})
}

// Of two contacts without a conversation the older one stays, whichever an update names first.
func TestOlderContactStays(t *testing.T) {
	number, id := provider.Person{Phone: adaNumber}, provider.Person{UserID: adaID}
	eachCase(t, map[string][]provider.Person{"the number": {number, id}, "the id": {id, number}}, func(t *testing.T, w *world, known []provider.Person) {
		for _, p := range known {
			w.Apply(provider.ContactSync{Origin: w.Origin(), Contact: p})
			w.Clock.Advance(time.Second)
		}
		contacts := w.Contacts()
		oldest := min(contacts[0].ID, contacts[1].ID)
		w.Apply(provider.ContactSync{Origin: w.Origin(), Contact: both()})
		if left := w.Contacts(); len(left) != 1 || left[0].ID != oldest {
			t.Errorf("left are %+v, want %s alone", left, oldest)
		}
	})
}

// Whoever asks what has changed since the merge is told of the conversation.
func TestMergedConversationHasChanged(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.strangers()
		w.Clock.Advance(time.Minute)
		w.Apply(provider.ContactSync{Origin: w.Origin(), Contact: both()})
		if all := w.Conversations(); len(all) != 1 || !all[0].UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("at %s the conversations are %+v", w.Clock.Now(), all)
		}
	})
}

// A message that was read just before its contact was merged has the remaining contact.
func TestMessagesReadBesideAMerge(t *testing.T) {
	eachWorld(t, func(w *world) {
		byNumber, byID := w.strangers()
		w.Apply(w.from(both(), "wamid.3"))
		late := byID.Message
		late.ID, late.ProviderID = w.Store.NewID(chat.KindMessage), "wamid.late"
		w.InTx(func(tx *store.Tx) error { return tx.InsertMessage(late) }) // as it was read, with the contact that is gone
		_, contact, err := core.Message(w.Read(), w.Account, late.ID)
		if err != nil || contact.ID != byNumber.Contact.ID {
			t.Errorf("the contact is %s, want %s: %v", contact.ID, byNumber.Contact.ID, err)
		}
		_, contacts, err := core.Messages(w.Read(), w.Account, store.MessageFilter{}, store.Page{Limit: 100})
		if err != nil || contacts[late.ContactID].ID != byNumber.Contact.ID {
			t.Errorf("in the list the contact is %s, want %s: %v", contacts[late.ContactID].ID, byNumber.Contact.ID, err)
		}
	})
}
