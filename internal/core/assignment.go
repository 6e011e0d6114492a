package core

import (
	"errors"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// checkAssignee refuses a user who cannot have conversations of a number.
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

// absence is why somebody whose conversation begins again cannot go on with it; empty: they can.
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

// arrivals are conversations of nobody to which messages came, for whom it is the turn of somebody to have.
type arrivals struct{ all []arrival }

type arrival struct {
	account        chat.Account
	conversationID string
}

// note has a conversation handed out once everything is applied.
func (a *arrivals) note(account chat.Account, c chat.Conversation) {
	if c.AssignedTo == nil && c.Status == chat.ConversationOpen {
		a.all = append(a.all, arrival{account, c.ID})
	}
}

// handOut gives each conversation to the member of its number's team whose turn it is. It comes after all else
// of a transaction, and takes the teams in the same order everywhere, so that none waits for another in a ring.
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

// handOut gives a conversation that is locked to somebody, if it is nobody's and somebody is there.
func handOut(tx *store.Tx, account chat.Account, c chat.Conversation) error {
	if c.AssignedTo != nil || c.Status != chat.ConversationOpen {
		return nil
	}
	userID, err := tx.TakeTurn(account.OrgID, account.TeamID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it waits in the queue
	}
	if err != nil {
		return err
	}
	return moveTo(tx, account, c, &userID, chat.ByTurns)
}

// moveTo gives a conversation to somebody, or to nobody, for a reason that is no user's will.
func moveTo(tx *store.Tx, account chat.Account, before chat.Conversation, userID *string, why chat.Why) error {
	after := before
	after.AssignedTo, after.UpdatedAt = userID, tx.Now()
	if err := tx.UpdateConversation(after); err != nil {
		return err
	}
	return movedBy(tx, account, before, after, why)
}

// movedBy records that a conversation has come to somebody else by itself.
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

// releasedAtOnce is how many conversations of somebody who leaves are taken off them in the same transaction.
// Housekeeping takes the rest.
const releasedAtOnce = 200

// Release takes up to limit conversations that are not resolved off somebody who has left, and returns how
// many. They go to whose turn it is where the organization wants that, else to the queue.
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
