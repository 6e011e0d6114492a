package core

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Message returns a message with its contact.
func Message(r store.Reader, account chat.Account, id string) (chat.Message, chat.Contact, error) {
	m, err := r.Message(account.OrgID, account.ID, id)
	if err != nil {
		return chat.Message{}, chat.Contact{}, orNotFound(err, "message")
	}
	contact, err := followMerge(r, account, m.ContactID, r.Contact) // which may have become another since the message was read
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
		var contact chat.Contact // it has become another since the messages were read
		if contact, err = followMerge(r, account, id, r.Contact); err == nil {
			contacts[id] = contact
		}
		err = ignoreNotFound(err)
	}
	return slice, contacts, err
}

// MarkRead sends a read receipt, with a typing bubble if asked for, and notes it. It can be repeated. A user
// who does it must see the conversation.
func MarkRead(ctx context.Context, st *store.Store, client provider.Client, token func(chat.Account) (string, error),
	account chat.Account, providerID string, typing bool, by *chat.User,
) (chat.Message, error) {
	m, err := st.Read(ctx).MessageByProviderID(account.OrgID, account.ID, providerID)
	if err == nil && m.Direction != chat.Inbound {
		err = store.ErrNotFound
	}
	if err == nil && by != nil {
		_, err = st.Read(ctx).SeenConversation(*by, m.ConversationID)
	}
	if err != nil {
		return chat.Message{}, orNotFound(err, "inbound message")
	}
	if err := account.CheckConnected(); err != nil {
		return chat.Message{}, err
	}
	from, err := NumberOf(account, token)
	if err != nil {
		return chat.Message{}, err
	}
	if err := client.MarkRead(ctx, from, providerID, typing); err != nil {
		return chat.Message{}, callFailed(err)
	}
	err = st.InTx(ctx, func(tx *store.Tx) (err error) {
		m, err = noteRead(tx, account, m.ID)
		return err
	})
	return m, err
}

func noteRead(tx *store.Tx, account chat.Account, id string) (chat.Message, error) {
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

// NumberOf is an account as the provider's client wants it.
func NumberOf(account chat.Account, token func(chat.Account) (string, error)) (provider.Number, error) {
	text, err := token(account)
	return provider.Number{PhoneNumberID: deref(account.PhoneNumberID), WABAID: account.WABAID, Token: text}, err
}

// callFailed is a provider's refusal as the caller of the API sees it.
func callFailed(err error) error {
	e, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
		return err
	case e.HTTPStatus == 0 || e.HTTPStatus >= 500 || e.Transient || e.Class().Transient:
		return chat.Fail(chat.CodeProviderFailure, "The provider did not answer or is in trouble. Try again in a while.")
	default:
		return chat.Fail(chat.CodeUpstreamError, "The provider refused: %s", e.MessageError().Message)
	}
}
