package core

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// lateAfter is the delay after which a message gets the provider's time instead of ours. Up to that, ours is better:
// it is finer than a second and keeps answers behind questions.
const lateAfter = time.Minute

// inbound stores a message from a person.
func (a Applier) inbound(tx *store.Tx, account chat.Account, r round, u provider.InboundMessage) error {
	known, changed, err := tx.Arriving(account.OrgID, account.ID, u.ProviderID)
	if known || err != nil {
		return err
	}
	first := received(chat.Conversation{Status: chat.ConversationOpen}, u.Type, timeOf(tx, u.Message, nil))
	t, err := a.threadOf(tx, account, r, personOf(u.Contact), personOf(u.Contact), first)
	if err != nil {
		return err
	}
	m := a.newMessage(tx, account, t, u.Message, chat.Inbound)
	m.Status = chat.StatusDelivered
	if !waitsForFile(u.Message) {
		m.EventRow = tx.NewID(chat.KindEvent)
	}
	if err := tx.InsertMessage(m); err != nil {
		return err
	}
	if err := noteInbound(tx, account, &t, m); err != nil {
		return err
	}
	if waitsForFile(u.Message) {
		err = a.holdForFile(tx, m, u.Message)
	} else {
		err = messageReceived(tx, account, t, m, u.Raw, nil)
	}
	if err == nil {
		err = a.react(tx, account, r, &t, m)
	}
	if rules := r.rules[account.ID]; rules != nil && err == nil {
		err = setOff(tx, account, r, *rules, t, m)
	}
	if changed && err == nil {
		err = a.applyEarly(tx, account, m.ProviderID)
	}
	return err
}

// setOff runs the organization's rules for an incoming message.
func setOff(tx *store.Tx, account chat.Account, r round, rules chat.Settings, t thread, m chat.Message) error {
	if rules.RoundRobin && m.Type != chat.TypeReaction {
		r.arrivals.note(account, t.conversation)
	}
	return tellAway(tx, account, rules, t, m)
}

// timeOf is the time of an arriving message in a conversation with such a last message.
func timeOf(tx *store.Tx, u provider.Message, last *time.Time) time.Time {
	if u.Timestamp.Unix() > 0 && tx.Now().Sub(u.Timestamp) > lateAfter { // an id cannot hold a time before 1970
		return u.Timestamp
	}
	return tx.After(last) // even if the clock was turned back
}

func (a Applier) newMessage(tx *store.Tx, account chat.Account, t thread, u provider.Message, d chat.Direction) chat.Message {
	at := timeOf(tx, u, t.conversation.LastMessageAt)
	if t.begun {
		at = *t.conversation.LastMessageAt
	}
	content := u.Content
	if content == nil {
		content = json.RawMessage("{}")
	}
	return chat.Message{
		ID: tx.NewIDAt(chat.KindMessage, at), OrgID: account.OrgID, AccountID: account.ID,
		ConversationID: t.conversation.ID, ContactID: t.contact.ID, Direction: d, Type: u.Type,
		ProviderID: u.ProviderID, Content: content, Context: u.Context, Extra: u.Extra, CreatedAt: at, UpdatedAt: tx.Now(),
	}
}

// noteInbound raises the unread count, opens the window, and opens the conversation if it was resolved or snoozed. A
// reopened conversation whose user is not there goes back to the queue.
func noteInbound(tx *store.Tx, account chat.Account, t *thread, m chat.Message) error {
	if t.begun {
		t.begun = false // by this message; an answer to it is noted
		return nil
	}
	c := &t.conversation
	before := *c
	*c = received(before, m.Type, m.CreatedAt)
	c.UpdatedAt = tx.Now()
	var why chat.Why
	if before.Status == chat.ConversationResolved && before.AssignedTo != nil {
		var err error
		if why, err = absence(tx.Reader, account, *before.AssignedTo); err != nil {
			return err
		}
		if why != "" {
			c.AssignedTo = nil
		}
	}
	if err := storeInbound(tx, before, *c); err != nil {
		return err
	}
	return movedBy(tx, account, before, *c, why)
}

// received is a conversation after an incoming message.
func received(c chat.Conversation, kind chat.MessageType, at time.Time) chat.Conversation {
	waiting := c.WaitingSince
	c = c.Received(at)
	if kind == chat.TypeReaction { // nobody expects an answer to it
		c.WaitingSince = waiting
	}
	return c
}

// storeInbound writes the changes of an incoming message, which are usually few.
func storeInbound(tx *store.Tx, before, after chat.Conversation) error {
	if before.SnoozedUntil != nil || before.AssignedTo != after.AssignedTo {
		return tx.UpdateConversation(after)
	}
	return tx.NoteInbound(after, after.WaitingSince != before.WaitingSince)
}

// noteReply moves a conversation to the top after a message to the person, who then no longer waits. by is the user
// who wrote it, if one did.
func noteReply(tx *store.Tx, account chat.Account, c *chat.Conversation, m chat.Message, by *chat.User) error {
	if m.Source == chat.SourceBroadcast {
		return tx.NoteBroadcast(c.OrgID, c.ID, m.ID, m.CreatedAt)
	}
	if by == nil {
		if c.WaitingSince == nil || !m.Source.Answers() {
			return tx.NoteMessage(c.OrgID, c.ID, m.CreatedAt)
		}
		return tx.NoteReply(c.OrgID, c.ID, m.CreatedAt)
	}
	member, err := tx.IsMember(account.OrgID, account.TeamID, by.ID)
	if err != nil {
		return err
	}
	before := *c
	*c = before.AnsweredBy(by.ID, member)
	c.LastMessageAt, c.UpdatedAt = latest(c.LastMessageAt, m.CreatedAt), tx.Now()
	if err := tx.UpdateConversation(*c); err != nil {
		return err
	}
	if before.WaitingSince != nil {
		if err := took(tx, *c, chat.OutcomeAnswered, *before.WaitingSince, &by.ID); err != nil {
			return err
		}
	}
	return tellOfConversation(tx, account, before, *c, &by.ID)
}

func latest(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.After(b) {
		return a
	}
	return &b
}

// messageReceived emits the event of an incoming message, with what we know beyond the provider.
func messageReceived(tx *store.Tx, account chat.Account, t thread, m chat.Message, raw provider.Raw, mediaURL *string) error {
	labels, err := tx.ConversationLabels(m.OrgID, m.ConversationID)
	if err != nil {
		return err
	}
	svc := &enrichment{
		identifiers:  identifiersOf(account, m),
		Labels:       make([]labelRef, 0, len(labels)),
		Conversation: enrichmentConversation{t.conversation.Status, t.conversation.AssignedTo},
		Contact:      enrichmentContact{t.contact.Name, t.contact.PhoneNumber},
		MediaURL:     mediaURL,
	}
	for _, l := range labels {
		svc.Labels = append(svc.Labels, labelRef{l.ID, l.Name, l.Color})
	}
	if mediaURL != nil {
		svc.MediaStatus = new("ready")
	}
	value := providerValue{Metadata: raw.Metadata, Messages: []json.RawMessage{raw.Item}}
	if raw.Contact != nil {
		value.Contacts = []json.RawMessage{raw.Contact}
	}
	row, err := carrierOf(tx, m)
	if err != nil {
		return err
	}
	e := chat.Event{ID: row, EventID: m.ProviderID, Type: chat.EventMessageReceived, Subject: m.ConversationID}
	return emitProvider(tx, account, e, value, svc)
}

// waitsForFile reports whether the event of a message waits for its file.
func waitsForFile(u provider.Message) bool { return u.Media != nil && u.Media.ID != "" }

// FileHold is how long the event of a message waits for its file.
const FileHold = 10 * time.Second

// holdForFile queues the download of the file. The event waits for it for a limited time; what is needed to build it
// then is stored.
func (a Applier) holdForFile(tx *store.Tx, m chat.Message, u provider.Message) error {
	if err := tx.InsertHeldEvent(m.OrgID, m.ID, heldRaw(u.Raw), tx.Now().Add(FileHold)); err != nil {
		return err
	}
	return a.mediaJob(tx, m, *u.Media)
}

// heldRaw is the part of a callback that a held event will need.
func heldRaw(raw provider.Raw) json.RawMessage {
	text, err := json.Marshal(raw)
	if err != nil {
		return json.RawMessage("{}")
	}
	return text
}

// echo stores a message that the business sent from its phone app.
func (a Applier) echo(tx *store.Tx, account chat.Account, r round, u provider.Echo) error {
	known, changed, err := tx.Arriving(account.OrgID, account.ID, u.ProviderID)
	if known || err != nil {
		return err
	}
	first := chat.Conversation{Status: chat.ConversationOpen, LastMessageAt: new(timeOf(tx, u.Message, nil))}
	t, err := a.threadOf(tx, account, r, personOf(u.Contact), personOf(u.Contact).identifiers(), first)
	if err != nil {
		return err
	}
	m := a.newMessage(tx, account, t, u.Message, chat.Outbound)
	m.Status, m.Source = chat.StatusSent, chat.SourceApp
	if !waitsForFile(u.Message) {
		m.EventRow = tx.NewID(chat.KindEvent)
	}
	err = tx.InsertMessage(m)
	if err == nil && !t.begun {
		err = noteReply(tx, account, &t.conversation, m, nil)
	}
	if err != nil {
		return err
	}
	if waitsForFile(u.Message) {
		err = a.holdForFile(tx, m, u.Message)
	} else {
		err = messageSent(tx, account, workFor(t, m), m, "")
	}
	if changed && err == nil {
		err = a.applyEarly(tx, account, m.ProviderID)
	}
	return err
}

func workFor(t thread, m chat.Message) store.SendWork {
	return store.SendWork{Message: m, To: t.contact.PhoneNumber, Name: t.contact.Name, ConversationStatus: t.conversation.Status}
}
