package core

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// sinceInbound is how long after a person's message we may write to them freely.
const sinceInbound = 24 * time.Hour

// tellAway sends the away message to a person who writes while nobody is there, once per absence. If it cannot be
// sent, the person's message is still stored.
func tellAway(tx *store.Tx, account chat.Account, rules chat.Settings, t thread, m chat.Message) error {
	if !rules.Away.On || !expectsAnswer(tx, t, m) {
		return nil
	}
	since, closed := rules.ClosedSince(tx.Now())
	if !closed {
		return nil
	}
	told, err := tx.AwayReply(m.OrgID, m.ConversationID)
	if err == nil && !told.Before(since) || ignoreNotFound(err) != nil {
		return ignoreNotFound(err)
	}
	content, err := json.Marshal(chat.TextContent{Body: rules.Away.Text})
	if err != nil {
		return err
	}
	err = sendBySelf(tx, account, t, NewMessage{Type: chat.TypeText, Content: content, Source: chat.SourceAutomatic})
	if _, refused := errors.AsType[*chat.Error](err); refused {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.PutAwayReply(m.OrgID, m.ConversationID)
}

// expectsAnswer reports whether a program may answer the message. It may not if the person has opted out, if the
// message is a reaction, or if it came in so late that the window is closed.
func expectsAnswer(tx *store.Tx, t thread, m chat.Message) bool {
	return t.contact.Consent != chat.ConsentOptedOut && m.Type != chat.TypeReaction && tx.Now().Sub(m.CreatedAt) < sinceInbound
}

// sendBySelf accepts a message that no user wrote, under the same rules as any other.
func sendBySelf(tx *store.Tx, account chat.Account, t thread, in NewMessage) error {
	org, err := tx.PeekOrganization(account.OrgID)
	if err != nil {
		return err
	}
	if org.Suspended || org.Lapsed(tx.Now()) {
		return chat.Fail(chat.CodeSubscriptionInactive, "The organization may not send now.")
	}
	if err := account.CheckSend(tx.Now(), false); err != nil {
		return err
	}
	plan, err := tx.PeekPlan(org.Plan)
	if err != nil {
		return err
	}
	if err := takeQuota(tx, account.OrgID, plan, 1); err != nil {
		return err
	}
	_, err = queueMessage(tx, account, t, in)
	return err
}
