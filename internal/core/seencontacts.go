package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// ContactItem is a contact with everything that the dashboard lists.
type ContactItem struct {
	chat.ContactEntry
	Labels []chat.Label
}

// ContactQuery finds the account of the number that a filter names. If there is none, there are no contacts to find.
func ContactQuery(r store.Reader, u chat.User, f chat.ContactFilter) (query store.ContactQuery, ok bool, err error) {
	query.ContactFilter = f
	query.AccountID, ok, err = accountNamed(r, u.OrgID, f.Number)
	return query, ok, err
}

// ListContacts returns a page of the contacts that a user sees.
func ListContacts(r store.Reader, u chat.User, f chat.ContactFilter, sort chat.ContactSort, p store.Page) (store.Slice[ContactItem], error) {
	query, ok, err := ContactQuery(r, u, f)
	if err != nil || !ok {
		return store.Slice[ContactItem]{}, err
	}
	entries, err := r.ListContacts(u, query, sort, p)
	if errors.Is(err, store.ErrNotFound) {
		return store.Slice[ContactItem]{}, &chat.Error{Code: chat.CodeInvalidCursor, Param: "cursor",
			Message: "The contact that the page before ended with is gone. Begin the list anew."}
	}
	if err != nil {
		return store.Slice[ContactItem]{}, err
	}
	items, err := withLabels(r, u.OrgID, entries.Rows)
	return store.Slice[ContactItem]{Rows: items, Next: entries.Next}, err
}

// CountContacts counts the contacts that a user sees, up to chat.MostContactsCounted.
func CountContacts(r store.Reader, u chat.User, f chat.ContactFilter) (int, error) {
	query, ok, err := ContactQuery(r, u, f)
	if err != nil || !ok {
		return 0, err
	}
	return r.CountContacts(u, query)
}

func withLabels(r store.Reader, orgID string, entries []chat.ContactEntry) ([]ContactItem, error) {
	items, ids := make([]ContactItem, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	labels, err := r.LabelsOfContacts(orgID, ids)
	for i, e := range entries {
		items[i] = ContactItem{e, labels[e.ID]}
	}
	return items, err
}

// SeenContact returns a contact that a user sees. The id of a merged contact names the remaining one.
func SeenContact(r store.Reader, u chat.User, id string) (ContactItem, error) {
	entry, err := follow(r, u.OrgID, id, func(id string) (chat.ContactEntry, error) { return r.ContactEntry(u, id) })
	if err != nil {
		return ContactItem{}, orNotFound(err, "contact")
	}
	items, err := withLabels(r, u.OrgID, []chat.ContactEntry{entry})
	if err != nil {
		return ContactItem{}, err
	}
	return items[0], nil
}

// Namesakes returns the contacts of other numbers that are the same person and that a user sees.
func Namesakes(r store.Reader, u chat.User, of chat.Contact) ([]ContactItem, error) {
	entries, err := r.Namesakes(u, of)
	if err != nil {
		return nil, err
	}
	return withLabels(r, u.OrgID, entries)
}

// maxContactNote is how long a note about a contact may be, in characters.
const maxContactNote = 10_000

// AddContactNote writes a note about a contact that the user sees.
func AddContactNote(tx *store.Tx, u chat.User, contactID, body string) (chat.ContactNote, error) {
	contact, err := SeenContact(tx.Reader, u, contactID)
	if err != nil {
		return chat.ContactNote{}, err
	}
	if err := chat.CheckText("body", body, maxContactNote); err != nil {
		return chat.ContactNote{}, err
	}
	note := chat.ContactNote{ID: tx.NewID(chat.KindContactNote), OrgID: u.OrgID, ContactID: contact.ID, AuthorID: u.ID, Body: body, CreatedAt: tx.Now()}
	return note, tx.InsertContactNote(note)
}

// EditContactNote changes one of the user's own notes.
func EditContactNote(tx *store.Tx, u chat.User, contactID, id, body string) (chat.ContactNote, error) {
	note, err := ownContactNote(tx, u, contactID, id)
	if err != nil {
		return chat.ContactNote{}, err
	}
	if err := chat.CheckText("body", body, maxContactNote); err != nil || note.Body == body {
		return note, err
	}
	note.Body, note.EditedAt = body, new(tx.Now())
	return note, tx.UpdateContactNote(note)
}

// DeleteContactNote removes one of the user's own notes.
func DeleteContactNote(tx *store.Tx, u chat.User, contactID, id string) error {
	note, err := ownContactNote(tx, u, contactID, id)
	if err != nil {
		return err
	}
	return tx.DeleteContactNote(note)
}

func ownContactNote(tx *store.Tx, u chat.User, contactID, id string) (chat.ContactNote, error) {
	contact, err := SeenContact(tx.Reader, u, contactID)
	if err != nil {
		return chat.ContactNote{}, err
	}
	note, err := tx.ContactNote(u.OrgID, contact.ID, id)
	if err != nil {
		return chat.ContactNote{}, orNotFound(err, "note")
	}
	if note.AuthorID != u.ID {
		return chat.ContactNote{}, chat.Fail(chat.CodeForbidden, "Only who wrote a note can change it.")
	}
	return note, nil
}
