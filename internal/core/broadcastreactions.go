package core

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// aboutBroadcast is how long after a broadcast's message a person's message counts as an answer to it, unless the
// person's message quotes what it answers.
const aboutBroadcast = 7 * 24 * time.Hour

// react does what an incoming message asks for, and counts the message for the broadcast that it answers.
func (a Applier) react(tx *store.Tx, account chat.Account, r round, t *thread, m chat.Message) error {
	optedOut, err := a.heed(tx, account, t, m)
	if err != nil || t.conversation.BroadcastMessage == nil || m.Type == chat.TypeReaction {
		return err
	}
	cause, err := causeOf(tx, account, t.conversation, m)
	if err != nil || cause == nil {
		return err
	}
	now := tx.Now()
	if cause.RepliedAt == nil {
		cause.RepliedAt = &now
		r.people.add(cause.BroadcastID, chat.CountReplied, 1)
	}
	if button := buttonOf(m); button != "" && cause.Clicked == "" {
		cause.Clicked = button
		r.people.add(cause.BroadcastID, chat.CountClicked, 1)
	}
	if optedOut && cause.OptedOutAt == nil {
		cause.OptedOutAt = &now
		r.people.add(cause.BroadcastID, chat.CountOptedOut, 1)
	}
	return tx.NoteReaction(*cause)
}

// causeOf is the recipient of the broadcast that a message answers; nil: it answers none.
func causeOf(tx *store.Tx, account chat.Account, c chat.Conversation, m chat.Message) (*chat.Recipient, error) {
	cause, quotes := *c.BroadcastMessage, false
	if m.Context != "" {
		id, source, err := tx.QuotedMessage(account.OrgID, account.ID, m.Context)
		if ignoreNotFound(err) != nil {
			return nil, err
		}
		if err == nil && source != chat.SourceBroadcast {
			return nil, nil // it answers another message
		}
		if quotes = err == nil; quotes {
			cause = id
		}
	}
	if !quotes && m.CreatedAt.Sub(chat.TimeOf(cause)) > aboutBroadcast {
		return nil, nil
	}
	recipient, err := tx.RecipientOfMessage(account.OrgID, cause)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &recipient, err
}

// buttonOf is the button that a person pressed; empty: none.
func buttonOf(m chat.Message) string {
	var c struct {
		Text        string `json:"text"`
		ButtonReply struct {
			Title string `json:"title"`
		} `json:"button_reply"`
	}
	if m.Type != chat.TypeButton && m.Type != chat.TypeInteractive || json.Unmarshal(m.Content, &c) != nil {
		return ""
	}
	if m.Type == chat.TypeButton {
		return firstRunes(c.Text, maxPreview)
	}
	return firstRunes(c.ButtonReply.Title, maxPreview)
}

// countOptOut counts an opt-out by the provider's own means for the last broadcast.
func countOptOut(tx *store.Tx, r round, contact chat.Contact) error {
	c, err := tx.ConversationWith(contact.OrgID, contact.ID)
	if err != nil || c.BroadcastMessage == nil || tx.Now().Sub(chat.TimeOf(*c.BroadcastMessage)) > aboutBroadcast {
		return ignoreNotFound(err)
	}
	cause, err := tx.RecipientOfMessage(contact.OrgID, *c.BroadcastMessage)
	if err != nil || cause.OptedOutAt != nil {
		return ignoreNotFound(err)
	}
	now := tx.Now()
	cause.OptedOutAt = &now
	r.people.add(cause.BroadcastID, chat.CountOptedOut, 1)
	return tx.NoteReaction(cause)
}
