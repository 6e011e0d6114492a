package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Conversation returns one conversation of an account, as the inbox shows it. The id of one that has become
// one with another names that.
func Conversation(r store.Reader, account chat.Account, id string) (chat.ConversationDetail, error) {
	conversation, err := followMerge(r, account, id, r.ConversationDetail)
	return conversation, orNotFound(err, "conversation")
}

// Conversations returns a page of an account's conversations.
func Conversations(r store.Reader, account chat.Account, f store.ConversationFilter, p store.Page) (store.Slice[chat.ConversationDetail], error) {
	return listMerged(r, account.OrgID, &f.ContactID, func() (store.Slice[chat.ConversationDetail], error) {
		return r.Conversations(account.OrgID, account.ID, f, p)
	})
}

func lockConversation(tx *store.Tx, account chat.Account, id string) (chat.Conversation, error) {
	conversation, err := followMerge(tx.Reader, account, id, tx.Conversation)
	return conversation, orNotFound(err, "conversation")
}

// UpdateConversation changes a conversation. by is the user who does it, nil for an API key. A
// patch that changes nothing leaves updated_at alone.
func UpdateConversation(tx *store.Tx, account chat.Account, id string, patch chat.ConversationPatch, by *string) (chat.Conversation, error) {
	before, err := lockConversation(tx, account, id)
	if err != nil {
		return chat.Conversation{}, err
	}
	after, change, err := patch.Apply(before)
	if err != nil || !change.Any {
		return after, err
	}
	if change.Reassigned {
		if err := checkAssignee(tx.Reader, account, after.AssignedTo); err != nil {
			return chat.Conversation{}, err
		}
	}
	after.UpdatedAt = tx.Now()
	if err := tx.UpdateConversation(after); err != nil {
		return chat.Conversation{}, err
	}
	if change.Reassigned {
		if err := conversationAssigned(tx, account, after, before.AssignedTo); err != nil {
			return chat.Conversation{}, err
		}
	}
	if change.Closed {
		err = conversationClosed(tx, account, after, by)
	}
	return after, err
}

func checkAssignee(r store.Reader, account chat.Account, userID *string) error {
	if userID == nil {
		return nil
	}
	member, err := r.IsMember(account.OrgID, account.TeamID, *userID)
	if err == nil && !member {
		return chat.Invalid("assigned_to", "There is no such user in this number's team.")
	}
	return err
}

// LabelConversation puts a label of the account's team on a conversation. Doing it again changes
// nothing.
func LabelConversation(tx *store.Tx, account chat.Account, id, labelID string) error {
	conversation, err := lockConversation(tx, account, id)
	if err != nil {
		return err
	}
	if _, err := attachableLabel(tx.Reader, account, labelID); err != nil {
		return err
	}
	changed, err := tx.AttachToConversation(account.OrgID, conversation.ID, labelID)
	if err != nil || !changed {
		return err
	}
	return tx.TouchConversation(account.OrgID, conversation.ID)
}

// UnlabelConversation takes a label off a conversation. It need not have been there.
func UnlabelConversation(tx *store.Tx, account chat.Account, id, labelID string) error {
	conversation, err := lockConversation(tx, account, id)
	if err != nil {
		return err
	}
	if _, err := Label(tx.Reader, account.OrgID, labelID); err != nil {
		return err
	}
	changed, err := tx.DetachFromConversation(account.OrgID, conversation.ID, labelID)
	if err != nil || !changed {
		return err
	}
	return tx.TouchConversation(account.OrgID, conversation.ID)
}

type assignedData struct {
	Conversation assignedConversation `json:"conversation"`
	Assignee     assignedTo           `json:"assignee"`
}

type assignedConversation struct {
	ID            string                  `json:"id"`
	Object        string                  `json:"object"`
	Status        chat.ConversationStatus `json:"status"`
	PhoneNumberID *string                 `json:"phone_number_id"`
}

type assignedTo struct {
	UserID         *string `json:"user_id"`
	TeamID         string  `json:"team_id"`
	PreviousUserID *string `json:"previous_user_id"`
}

func conversationAssigned(tx *store.Tx, account chat.Account, c chat.Conversation, previous *string) error {
	return emit(tx, occurrence{
		orgID: c.OrgID, kind: chat.EventConversationAssigned, phoneNumberID: deref(account.PhoneNumberID), subject: c.ID,
		data: assignedPayload(account, c, previous),
	})
}

func assignedPayload(account chat.Account, c chat.Conversation, previous *string) assignedData {
	return assignedData{
		Conversation: assignedConversation{c.ID, "conversation", c.Status, account.PhoneNumberID},
		Assignee:     assignedTo{c.AssignedTo, account.TeamID, previous},
	}
}

type closedData struct {
	Conversation closedConversation `json:"conversation"`
}

type closedConversation struct {
	ID             string                  `json:"id"`
	Object         string                  `json:"object"`
	Status         chat.ConversationStatus `json:"status"`
	ClosedByUserID *string                 `json:"closed_by_user_id"`
	PhoneNumberID  *string                 `json:"phone_number_id"`
}

func conversationClosed(tx *store.Tx, account chat.Account, c chat.Conversation, by *string) error {
	return emit(tx, occurrence{
		orgID: c.OrgID, kind: chat.EventConversationClosed, phoneNumberID: deref(account.PhoneNumberID), subject: c.ID,
		data: closedPayload(account, c, by),
	})
}

func closedPayload(account chat.Account, c chat.Conversation, by *string) closedData {
	return closedData{closedConversation{c.ID, "conversation", c.Status, by, account.PhoneNumberID}}
}
