package core

import (
	"errors"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// checkAssignee refuses a user who cannot be assigned conversations of a number.
func checkAssignee(r store.Reader, account chat.Account, userID *string) error {
	if userID == nil {
		return nil
	}
	who, err := r.Assignee(account.OrgID, account.TeamID, *userID)
	switch {
	case err != nil:
		return err
	case !who.Member:
		return chat.Invalid("assigned_to", "There is no such user in this number's team. Only its members can have its conversations.")
	case who.Left:
		return chat.Invalid("assigned_to", "This user has left. Choose somebody who is there.")
	}
	return nil
}

// absence says why a user cannot go on with their reopened conversation; empty: they can.
func absence(r store.Reader, account chat.Account, userID string) (chat.Why, error) {
	who, err := r.Assignee(account.OrgID, account.TeamID, userID)
	switch {
	case err != nil:
		return "", err
	case who.Left || !who.Member:
		return chat.HasLeft, nil
	case who.Away:
		return chat.IsAway, nil
	}
	return "", nil
}

// arrivals are unassigned conversations with new messages. Each is to be assigned to the member whose turn it is.
type arrivals struct{ all []arrival }

type arrival struct {
	account        chat.Account
	conversationID string
}

// note remembers a conversation, to hand it out once all updates are applied.
func (a *arrivals) note(account chat.Account, c chat.Conversation) {
	if c.AssignedTo == nil && c.Status == chat.ConversationOpen {
		a.all = append(a.all, arrival{account, c.ID})
	}
}

// handOut assigns each conversation to the member of its number's team whose turn it is. It runs last in a
// transaction, and locks the teams in the same order everywhere, so that transactions do not deadlock.
func (a *arrivals) handOut(tx *store.Tx) error {
	slices.SortStableFunc(a.all, func(x, y arrival) int { return strings.Compare(x.account.TeamID, y.account.TeamID) })
	for _, one := range a.all {
		conversation, err := followMerge(tx.Reader, one.account, one.conversationID, tx.Conversation)
		if err == nil {
			err = handOut(tx, one.account, conversation)
		}
		if ignoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// handOut assigns a locked conversation, if it is unassigned and a member is available.
func handOut(tx *store.Tx, account chat.Account, c chat.Conversation) error {
	if c.AssignedTo != nil || c.Status != chat.ConversationOpen {
		return nil
	}
	userID, err := tx.TakeTurn(account.OrgID, account.TeamID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the conversation stays in the queue
	}
	if err != nil {
		return err
	}
	return moveTo(tx, account, c, &userID, chat.ByTurns)
}

// moveTo assigns a conversation to a user, or to nobody, when no user asked for it.
func moveTo(tx *store.Tx, account chat.Account, before chat.Conversation, userID *string, why chat.Why) error {
	after := before
	after.AssignedTo, after.UpdatedAt = userID, tx.Now()
	if err := tx.UpdateConversation(after); err != nil {
		return err
	}
	return movedBy(tx, account, before, after, why)
}

// movedBy records that a conversation was reassigned without a user asking for it.
func movedBy(tx *store.Tx, account chat.Account, before, after chat.Conversation, why chat.Why) error {
	for _, h := range chat.Happenings(before, after) {
		moved := h.What == chat.Assigned || h.What == chat.Unassigned
		if moved {
			h.Why = why
			if h.To == nil {
				h.To = before.AssignedTo
			}
		}
		if err := happened(tx, after, h, nil); err != nil {
			return err
		}
		if moved {
			if err := conversationAssigned(tx, account, after, before.AssignedTo); err != nil {
				return err
			}
		}
	}
	return nil
}

// releasedAtOnce is how many conversations of a leaving user are taken from them in the same transaction. Housekeeping
// takes the rest.
const releasedAtOnce = 200

// Release takes up to limit unresolved conversations from a user who has left, and returns how many. If the
// organization hands conversations out in turn, the next member gets them, else they go to the queue.
func Release(tx *store.Tx, orgID, userID string, limit int) (int64, error) {
	conversations, err := tx.InWorkOf(orgID, userID, limit)
	if err != nil || len(conversations) == 0 {
		return 0, err
	}
	org, err := tx.PeekOrganization(orgID)
	if err != nil {
		return 0, err
	}
	var free arrivals
	for _, c := range conversations {
		account, err := tx.PeekAccount(orgID, c.AccountID)
		if ignoreNotFound(err) != nil {
			return 0, err
		}
		if err := moveTo(tx, account, c, nil, chat.HasLeft); err != nil {
			return 0, err
		}
		if c.AssignedTo = nil; org.Settings.RoundRobin && account.ID != "" {
			free.note(account, c)
		}
	}
	return int64(len(conversations)), free.handOut(tx)
}
