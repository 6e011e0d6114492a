package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Message returns a message with its contact.
func Message(r store.Reader, account chat.Account, id string) (chat.Message, chat.Contact, error) {
	m, err := r.Message(account.OrgID, account.ID, id)
	if err != nil {
		return chat.Message{}, chat.Contact{}, orNotFound(err, "message")
	}
	contact, err := followMerge(r, account, m.ContactID, r.Contact) // it may have been merged since
	return m, contact, orNotFound(err, "message")
}

// Messages returns a page of messages and the contacts in it, by id.
func Messages(r store.Reader, account chat.Account, f store.MessageFilter, p store.Page) (store.Slice[chat.Message], map[string]chat.Contact, error) {
	slice, err := listMerged(r, account.OrgID, &f.ConversationID, func() (store.Slice[chat.Message], error) {
		return r.Messages(account.OrgID, account.ID, f, p)
	})
	if err != nil {
		return slice, nil, err
	}
	ids := map[string]bool{}
	for _, m := range slice.Rows {
		ids[m.ContactID] = true
	}
	contacts, err := r.ContactsByID(account.OrgID, ids)
	for id := range ids {
		if _, there := contacts[id]; there || err != nil {
			continue
		}
		var contact chat.Contact // it was merged since the messages were read
		if contact, err = followMerge(r, account, id, r.Contact); err == nil {
			contacts[id] = contact
		}
		err = ignoreNotFound(err)
	}
	return slice, contacts, err
}

// SeenMessage is a message of an account in a conversation that a user sees.
func SeenMessage(r store.Reader, account chat.Account, u chat.User, id string) (chat.Message, error) {
	m, err := r.Message(account.OrgID, account.ID, id)
	if err == nil {
		_, err = r.SeenConversation(u, m.ConversationID)
	}
	return m, orNotFound(err, "message")
}

// MessageToRead is the inbound message of a read receipt. A user who sends one must see the conversation.
func MessageToRead(r store.Reader, account chat.Account, providerID string, by *chat.User) (chat.Message, error) {
	m, err := r.MessageByProviderID(account.OrgID, account.ID, providerID)
	if err == nil && m.Direction != chat.Inbound {
		err = store.ErrNotFound
	}
	if err == nil && by != nil {
		_, err = r.SeenConversation(*by, m.ConversationID)
	}
	if err != nil {
		return chat.Message{}, orNotFound(err, "inbound message")
	}
	return m, account.CheckConnected()
}

// NoteRead records that a message, and with it its conversation, was read.
func NoteRead(tx *store.Tx, account chat.Account, id string) (chat.Message, error) {
	m, err := tx.Message(account.OrgID, account.ID, id)
	if err != nil {
		return chat.Message{}, orNotFound(err, "inbound message")
	}
	if status, changed := m.Status.Advance(chat.StatusRead); changed {
		m.Status, m.UpdatedAt = status, tx.Now()
		if err := tx.UpdateMessage(m); err != nil {
			return m, err
		}
	}
	conversation, err := tx.Conversation(m.OrgID, m.AccountID, m.ConversationID)
	if err != nil || conversation.UnreadCount == 0 {
		return m, ignoreNotFound(err)
	}
	conversation.UnreadCount, conversation.UpdatedAt = 0, tx.Now()
	return m, tx.UpdateConversation(conversation)
}
