package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// status applies a status to an outbound message.
func (a Applier) status(tx *store.Tx, account chat.Account, r round, u provider.StatusUpdate) error {
	m, err := a.statusTarget(tx, account, r, u)
	if errors.Is(err, store.ErrNotFound) {
		return nil // not our message: sent with another tool, or purged
	}
	if err != nil {
		return err
	}
	before := m.Status
	if err := a.learnProviderID(tx, account, r, &m, u); err != nil {
		return err
	}
	r.ledger.note(m.Message, before)
	if err := a.learnRecipient(tx, account, r, &m, personOf(u.Recipient).identifiers()); err != nil {
		return err
	}
	if u.Status == "failed" && m.ProviderID != u.ProviderID {
		return nil // it was sent twice, and the row stands for the other copy
	}
	before = m.Status
	if !hear(tx, &m.Message, u) {
		return nil
	}
	r.ledger.note(m.Message, before)
	m.UpdatedAt = tx.Now()
	r.states[m.ID] = m
	if err := tx.UpdateMessageStatus(m.Message); err != nil {
		return err
	}
	return messageStatus(tx, account, m.Message, u)
}

// learnRecipient stores what a status shows about the recipient of its message. The message's next status in this round
// shows the same.
func (a Applier) learnRecipient(tx *store.Tx, account chat.Account, r round, m *store.MessageState, p person) error {
	if m.Unknown&p.known() == 0 {
		return nil
	}
	m.Unknown &^= p.known()
	defer func() { r.states[m.ID] = *m }()
	contact, err := tx.Contact(m.OrgID, m.AccountID, m.ContactID)
	if err != nil {
		return ignoreNotFound(err)
	}
	contact, joined, err := a.learn(tx, account, r, contact, p)
	if err != nil || !joined {
		return err
	}
	conversation, err := tx.ConversationWith(m.OrgID, contact.ID)
	m.ConversationID, m.ContactID = conversation.ID, contact.ID
	return err
}

// statusTarget finds the message of a status: by the provider's id, or by our own id, which the provider returns and
// which helps when the answer to the send was lost.
func (a Applier) statusTarget(tx *store.Tx, account chat.Account, r round, u provider.StatusUpdate) (store.MessageState, error) {
	// The messages that were read ahead do not say whether they are voice notes, which is needed for "played".
	if m, ok := r.state(messageKey{AccountID: account.ID, ProviderID: u.ProviderID}, u.CallbackData); ok && u.Status != "played" {
		return m, nil
	}
	if w, ok := r.unsent[u.CallbackData]; ok && w.Message.AccountID == account.ID {
		return store.MessageState{Message: w.Message, Unknown: w.Unknown()}, nil
	}
	m, err := tx.MessageByProviderID(account.OrgID, account.ID, u.ProviderID)
	if errors.Is(err, store.ErrNotFound) && chat.KindMessage.Valid(u.CallbackData) {
		m, err = tx.Message(account.OrgID, account.ID, u.CallbackData)
	}
	return store.MessageState{Message: m}, err
}

// learnProviderID completes a send whose answer was not seen: the status proves that the provider has the message.
func (a Applier) learnProviderID(tx *store.Tx, account chat.Account, r round, m *store.MessageState, u provider.StatusUpdate) error {
	if m.ProviderID != "" {
		return nil
	}
	work, row, err := markSentBy(tx, r, m.Message, u.ProviderID)
	if err != nil || row == "" {
		return err
	}
	m.ProviderID, m.Unknown = u.ProviderID, work.Unknown()
	if m.Status == chat.StatusQueued || m.Status == chat.StatusPending {
		m.Status = chat.StatusSent
	}
	if err := tx.DropSendJobs(m.OrgID, m.ID); err != nil {
		return err
	}
	if work.MediaURL, err = libraryURL(tx.Reader, m.Message, a.PublicURL); err != nil {
		return err
	}
	sent := m.Message
	sent.Status, sent.EventRow = chat.StatusSent, row
	recipientID, err := recipientOf(tx, sent)
	if err != nil {
		return err
	}
	return messageSent(tx, account, work, sent, recipientID)
}

// markSentBy records that the provider has a message, and returns the row of its message.sent event; empty if the send
// was known.
func markSentBy(tx *store.Tx, r round, m chat.Message, providerID string) (work store.SendWork, row string, err error) {
	row = tx.NewID(chat.KindEvent)
	if work, ok := r.unsent[m.ID]; ok {
		delete(r.unsent, m.ID)
		return work, row, tx.MarkUnsent(work, providerID, row)
	}
	work, err = tx.SendWork(store.SendJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID})
	if err != nil {
		return work, "", err
	}
	first, err := tx.MarkSent(m.OrgID, store.SentMessage{ID: m.ID, ProviderID: providerID, EventRow: row})
	if err != nil || !first {
		return work, "", err
	}
	return work, row, nil
}

// recipientOf is the recipient of a message in a broadcast, if a broadcast made it.
func recipientOf(tx *store.Tx, m chat.Message) (id string, err error) {
	if m.Source != chat.SourceBroadcast {
		return "", nil
	}
	recipient, err := tx.RecipientOfMessage(m.OrgID, m.ID)
	return recipient.ID, ignoreNotFound(err)
}

// hear applies a status to a message and reports whether that changed it.
func hear(tx *store.Tx, m *chat.Message, u provider.StatusUpdate) bool {
	if !m.Hear(u.Status) {
		return false
	}
	switch {
	case u.Status == "failed":
		m.Error = statusError(u)
	case u.Status == "played" && m.VoiceNote():
		m.PlayedAt = new(orNow(u.Timestamp, tx))
	}
	return true
}

func statusError(u provider.StatusUpdate) *chat.MessageError {
	if len(u.Errors) == 0 {
		return unexplained()
	}
	e := u.Errors[0].MessageError()
	return &e
}

// unexplained is the error of a message that failed for a reason that nobody told.
func unexplained() *chat.MessageError {
	return &chat.MessageError{Code: chat.FailUndeliverable, Message: "The provider could not deliver the message and did not say why."}
}
