package core

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// mergeAtOnce is how many messages a callback moves when it shows that two contacts are the same person. More would
// hold up all other writes, and are moved in steps.
const mergeAtOnce = 1000

// errTooLarge: the two contacts can be merged, but not in this transaction.
var errTooLarge = fmt.Errorf("%w: there are too many messages to move at once", store.ErrUnavailable)

// followMerge reads a contact or a conversation of an account. If the id is of a merged one, it reads the remaining
// one.
func followMerge[T any](r store.Reader, account chat.Account, id string, read func(orgID, accountID, id string) (T, error)) (T, error) {
	return follow(r, account.OrgID, id, func(id string) (T, error) { return read(account.OrgID, account.ID, id) })
}

// follow is followMerge for an organization.
func follow[T any](r store.Reader, orgID, id string, read func(id string) (T, error)) (T, error) {
	found, err := read(id)
	if !errors.Is(err, store.ErrNotFound) {
		return found, err
	}
	now, err := r.MergedInto(orgID, id)
	if err != nil {
		return found, err
	}
	return read(now)
}

// listMerged lists the rows of a contact or a conversation. If there are none, the id may be of a merged one, and the
// rows of the remaining one are listed.
func listMerged[T any](r store.Reader, orgID string, id *string, list func() (store.Slice[T], error)) (store.Slice[T], error) {
	slice, err := list()
	if err != nil || len(slice.Rows) > 0 || *id == "" {
		return slice, err
	}
	now, err := r.MergedInto(orgID, *id)
	if err != nil {
		return slice, ignoreNotFound(err)
	}
	*id = now
	return list()
}

// followMerges returns ids of contacts or conversations with the current ones in place of those of merged ones.
func followMerges(r store.Reader, orgID string, ids []string) ([]string, error) {
	merged, err := r.MergedAmong(orgID, ids)
	if err != nil {
		return nil, err
	}
	current := slices.Clone(ids)
	for i, id := range ids {
		if now, gone := merged[id]; gone {
			current[i] = now
		}
	}
	return current, nil
}

// party is a contact with its conversation, if it has one yet.
type party struct {
	contact      chat.Contact
	conversation *chat.Conversation
}

func partyOf(r store.Reader, contact chat.Contact) (party, error) {
	conversation, err := r.ConversationWith(contact.OrgID, contact.ID)
	if errors.Is(err, store.ErrNotFound) {
		return party{contact: contact}, nil
	}
	return party{contact, &conversation}, err
}

// elder puts the party that keeps its ids first: the one with the older conversation, because people have had links to
// its ids for longer.
func elder(a, b party) (stays, goes party) {
	switch {
	case a.conversation == nil && b.conversation == nil:
		if b.contact.ID < a.contact.ID {
			return b, a
		}
	case a.conversation == nil, b.conversation != nil && b.conversation.ID < a.conversation.ID:
		return b, a
	}
	return a, b
}

func mergeOf(stays, goes party) store.Merge {
	m := store.Merge{OrgID: stays.contact.OrgID, Stays: stays.contact.ID, Goes: goes.contact.ID}
	if goes.conversation != nil { // then the other has one too
		m.From, m.Into = goes.conversation.ID, stays.conversation.ID
	}
	return m
}

// merged are the ids of a merged contact and its conversation. They now name what they were merged into.
type merged struct {
	ContactID      string  `json:"contact_id"`
	ConversationID *string `json:"conversation_id"`
}

// join merges two contacts, except for the remaining row, which it returns to be stored. Where both have a value, the
// first one's is kept. join removes the contact that goes, and moves its data.
func join(tx *store.Tx, first, second chat.Contact) (chat.Contact, merged, store.Merge, error) {
	a, err := partyOf(tx.Reader, first)
	if err != nil {
		return chat.Contact{}, merged{}, store.Merge{}, err
	}
	b, err := partyOf(tx.Reader, second)
	if err != nil {
		return chat.Contact{}, merged{}, store.Merge{}, err
	}
	stays, goes := elder(a, b)
	m := mergeOf(stays, goes)
	if m.From != "" {
		more, err := tx.HasMoreMessages(m.OrgID, m.From, mergeAtOnce)
		if err == nil && more {
			err = errTooLarge
		}
		if err != nil {
			return chat.Contact{}, merged{}, m, err
		}
		conversation := stays.conversation.Absorb(*goes.conversation)
		conversation.UpdatedAt = tx.Now()
		if err := tx.UpdateConversation(conversation); err != nil {
			return chat.Contact{}, merged{}, m, err
		}
	}
	contact := first.Absorb(second)
	contact.ID, contact.CreatedAt, contact.UpdatedAt = stays.contact.ID, stays.contact.CreatedAt, tx.Now()
	if err := skipSecond(tx, first, second); err != nil {
		return chat.Contact{}, merged{}, m, err
	}
	return contact, merged{m.Goes, orNil(m.From)}, m, tx.MergeContacts(m)
}

// MergeContacts merges two contacts of an account. Where both have a value, the first one's is kept; of their
// marketing consents, the stricter. Contacts that are already merged stay as they are.
func MergeContacts(tx *store.Tx, account chat.Account, firstID, secondID string, by string) (chat.Contact, error) {
	contact, err := mergeContacts(tx, account, firstID, secondID, by, true)
	if err != nil {
		return contact, err
	}
	return contact, audit(tx, account.OrgID, chat.AuditContactMerged, ofContact(contact), "merged", firstID+" "+secondID)
}

// mergeContacts is MergeContacts. If the merge is not by hand, the person's last word on marketing counts.
func mergeContacts(tx *store.Tx, account chat.Account, firstID, secondID, by string, byHand bool) (chat.Contact, error) {
	first, second, err := mergeable(tx.Reader, account, firstID, secondID)
	if err != nil || first.ID == second.ID {
		return first, err
	}
	contact, gone, _, err := join(tx, first, second)
	if err != nil {
		return chat.Contact{}, err
	}
	if byHand {
		contact.Consent = first.Consent.Stricter(second.Consent)
	}
	if err := tx.UpdateContact(contact); err != nil {
		return chat.Contact{}, err
	}
	before := first
	if contact.ID == second.ID {
		before = second
	}
	if err := consentChanged(tx, before.Consent, contact, chat.Actor{Source: chat.ConsentByMerge, ID: by}); err != nil {
		return chat.Contact{}, err
	}
	return contact, contactIdentityUpdated(tx, account, before, contact, gone)
}

// MergeSomeMessages moves up to limit messages of the contact that goes, and returns how many. It is called before
// MergeContacts, each time in its own transaction, because years of messages are too many for one.
func MergeSomeMessages(tx *store.Tx, account chat.Account, firstID, secondID string, limit int) (int64, error) {
	first, second, err := mergeable(tx.Reader, account, firstID, secondID)
	if err != nil || first.ID == second.ID {
		return 0, err
	}
	a, err := partyOf(tx.Reader, first)
	if err != nil {
		return 0, err
	}
	b, err := partyOf(tx.Reader, second)
	if err != nil {
		return 0, err
	}
	m := mergeOf(elder(a, b))
	if m.From == "" {
		return 0, nil
	}
	return tx.MoveMessages(m, limit)
}

// mergeable reads two contacts that are to be merged.
func mergeable(r store.Reader, account chat.Account, firstID, secondID string) (first, second chat.Contact, err error) {
	if first, err = Contact(r, account, firstID); err != nil {
		return first, second, err
	}
	if second, err = Contact(r, account, secondID); err != nil {
		return first, second, err
	}
	if first.Contradicts(second) {
		err = chat.Invalid("contact_id", "The two contacts have different numbers or different business-scoped ids, and a contact has one of each.")
	}
	return first, second, err
}

// MoveForMerge is MergeSomeMessages for contacts that a callback has shown to be the same person. If they can no
// longer be merged, nothing is moved.
func MoveForMerge(tx *store.Tx, account chat.Account, due store.DueMerge, limit int) (int64, error) {
	moved, err := MergeSomeMessages(tx, account, due.ContactID, due.OtherID, limit)
	if _, refused := errors.AsType[*chat.Error](err); refused {
		return 0, nil
	}
	return moved, err
}

// FinishMerge merges the contacts, after MoveForMerge has moved most of the messages.
func FinishMerge(tx *store.Tx, account chat.Account, due store.DueMerge) error {
	_, err := mergeContacts(tx, account, due.ContactID, due.OtherID, "", false)
	if errors.Is(err, errTooLarge) {
		return nil // many messages came since: another round is needed
	}
	if _, refused := errors.AsType[*chat.Error](err); err != nil && !refused {
		return err
	}
	return tx.DropDueMerge(due)
}
