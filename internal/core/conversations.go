package core

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Conversation returns one conversation of an account, as the inbox shows it. The id of a merged conversation names
// the remaining one.
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

// ContactOfConversation is the contact of a conversation of an account.
func ContactOfConversation(r store.Reader, account chat.Account, id string) (chat.Contact, error) {
	conversation, err := followMerge(r, account, id, r.Conversation)
	if err != nil {
		return chat.Contact{}, orNotFound(err, "conversation")
	}
	contact, err := r.Contact(account.OrgID, account.ID, conversation.ContactID)
	return contact, orNotFound(err, "conversation")
}

func lockConversation(tx *store.Tx, account chat.Account, id string) (chat.Conversation, error) {
	conversation, err := followMerge(tx.Reader, account, id, tx.Conversation)
	return conversation, orNotFound(err, "conversation")
}

// UpdateConversation changes a conversation. by is the user who changes it, nil for an API key. A patch that changes
// nothing leaves updated_at alone.
func UpdateConversation(tx *store.Tx, account chat.Account, id string, patch chat.ConversationPatch, by *string) (chat.Conversation, error) {
	before, err := lockConversation(tx, account, id)
	if err != nil {
		return chat.Conversation{}, err
	}
	return patchConversation(tx, account, before, patch, by)
}

// patchConversation changes a locked conversation.
func patchConversation(tx *store.Tx, account chat.Account, before chat.Conversation, patch chat.ConversationPatch, by *string) (chat.Conversation, error) {
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
	return after, tellOfConversation(tx, account, before, after, by)
}

// tellOfConversation records the changes of a conversation in its timeline, and as events.
func tellOfConversation(tx *store.Tx, account chat.Account, before, after chat.Conversation, by *string) error {
	for _, h := range chat.Happenings(before, after) {
		if err := happened(tx, after, h, by); err != nil {
			return err
		}
		var err error
		switch h.What {
		case chat.Assigned, chat.Unassigned:
			err = conversationAssigned(tx, account, after, before.AssignedTo)
		case chat.Resolved:
			err = conversationClosed(tx, account, after, by)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func happened(tx *store.Tx, c chat.Conversation, h chat.Happening, by *string) error {
	if h.What == chat.Resolved {
		if err := resolved(tx, c, by); err != nil {
			return err
		}
	}
	h.ID, h.OrgID, h.ConversationID, h.By = tx.NewIDAt(chat.KindHappening, tx.After(c.LastMessageAt)), c.OrgID, c.ID, by
	return tx.InsertHappening(h)
}

// resolved stores how long a conversation was open since it was last opened.
func resolved(tx *store.Tx, c chat.Conversation, by *string) error {
	since, err := tx.LastHappening(c.ID, chat.Reopened)
	if errors.Is(err, store.ErrNotFound) {
		since, err = tx.FirstMessageAt(c.ID) // a message that came late is older than its conversation
	}
	if errors.Is(err, store.ErrNotFound) {
		since, err = c.CreatedAt, nil
	}
	if err != nil {
		return err
	}
	return took(tx, c, chat.OutcomeResolved, since, by)
}

// took stores how long an outcome took since an instant.
func took(tx *store.Tx, c chat.Conversation, what chat.OutcomeKind, since time.Time, by *string) error {
	return tx.InsertOutcome(store.Outcome{
		OrgID: c.OrgID, ID: tx.NewID(chat.KindHappening), AccountID: c.AccountID, What: what, UserID: by,
		At: tx.Now(), Took: max(0, tx.Now().Sub(since)),
	})
}

// LabelConversation puts a label of the account's team on a conversation. Doing it again changes
// nothing.
func LabelConversation(tx *store.Tx, account chat.Account, id, labelID string, by *string) error {
	conversation, err := lockConversation(tx, account, id)
	if err != nil {
		return err
	}
	_, err = label(tx, account, conversation, labelID, by)
	return err
}

// label puts a label on a locked conversation, and reports whether it was new there.
func label(tx *store.Tx, account chat.Account, c chat.Conversation, labelID string, by *string) (bool, error) {
	label, err := attachableLabel(tx.Reader, account, labelID)
	if err != nil {
		return false, err
	}
	changed, err := tx.AttachToConversation(account.OrgID, c.ID, labelID)
	if err != nil || !changed {
		return false, err
	}
	return true, labelled(tx, c, chat.Labelled, label, by)
}

// UnlabelConversation takes a label off a conversation. It need not have been there.
func UnlabelConversation(tx *store.Tx, account chat.Account, id, labelID string, by *string) error {
	conversation, err := lockConversation(tx, account, id)
	if err != nil {
		return err
	}
	_, err = unlabel(tx, conversation, labelID, by)
	return err
}

// unlabel takes a label off a locked conversation, and reports whether it was there.
func unlabel(tx *store.Tx, c chat.Conversation, labelID string, by *string) (bool, error) {
	label, err := Label(tx.Reader, c.OrgID, labelID)
	if err != nil {
		return false, err
	}
	changed, err := tx.DetachFromConversation(c.OrgID, c.ID, labelID)
	if err != nil || !changed {
		return false, err
	}
	return true, labelled(tx, c, chat.Unlabelled, label, by)
}

func labelled(tx *store.Tx, c chat.Conversation, what chat.What, l chat.Label, by *string) error {
	if err := happened(tx, c, chat.Happening{What: what, LabelName: &l.Name, LabelColor: &l.Color}, by); err != nil {
		return err
	}
	return tx.TouchConversation(c.OrgID, c.ID)
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
