package store

import "github.com/parleyhq/parley/internal/chat"

const contactNoteColumns = "org_id, id, contact_id, author_id, body, created_at, edited_at"

func scanContactNote(row scanner) (n chat.ContactNote, err error) {
	var createdAt int64
	var editedAt *int64
	err = row.Scan(&n.OrgID, &n.ID, &n.ContactID, &n.AuthorID, &n.Body, &createdAt, &editedAt)
	n.CreatedAt, n.EditedAt = toTime(createdAt), toTimePtr(editedAt)
	return n, err
}

// mostContactNotes is how many notes of a contact are read.
const mostContactNotes = 500

// ContactNotes returns the notes about a contact, newest first.
func (r Reader) ContactNotes(orgID, contactID string) ([]chat.ContactNote, error) {
	return many(r, scanContactNote, "SELECT "+contactNoteColumns+" FROM contact_notes WHERE org_id = $1 AND contact_id = $2 ORDER BY id DESC LIMIT $3",
		orgID, contactID, mostContactNotes)
}

// ContactNote returns a note about a contact, or ErrNotFound.
func (r Reader) ContactNote(orgID, contactID, id string) (chat.ContactNote, error) {
	return one(r, scanContactNote, "SELECT "+contactNoteColumns+" FROM contact_notes WHERE org_id = $1 AND id = $2 AND contact_id = $3"+r.forUpdate(), orgID, id, contactID)
}

// InsertContactNote stores a new note.
func (tx *Tx) InsertContactNote(n chat.ContactNote) error {
	tx.noteContacts(n.OrgID)
	return tx.later("INSERT INTO contact_notes ("+contactNoteColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)",
		n.OrgID, n.ID, n.ContactID, n.AuthorID, n.Body, n.CreatedAt.UnixMilli(), msPtr(n.EditedAt))
}

// UpdateContactNote stores the changeable fields of a note.
func (tx *Tx) UpdateContactNote(n chat.ContactNote) error {
	tx.noteContacts(n.OrgID)
	return tx.execOne("UPDATE contact_notes SET body = $3, edited_at = $4 WHERE org_id = $1 AND id = $2", n.OrgID, n.ID, n.Body, msPtr(n.EditedAt))
}

// DeleteContactNote removes a note.
func (tx *Tx) DeleteContactNote(n chat.ContactNote) error {
	tx.noteContacts(n.OrgID)
	return tx.execOne("DELETE FROM contact_notes WHERE org_id = $1 AND id = $2", n.OrgID, n.ID)
}

const consentChangeColumns = "org_id, id, contact_id, previous, consent, source, by_id, at"

// ConsentChanges returns the changes of a contact's consent, latest first.
func (r Reader) ConsentChanges(orgID, contactID string, limit int) ([]chat.ConsentChange, error) {
	return many(r, func(row scanner) (c chat.ConsentChange, err error) {
		var by *string
		var at int64
		err = row.Scan(&c.OrgID, &c.ID, &c.ContactID, &c.Previous, &c.Consent, &c.By.Source, &by, &at)
		if c.At = toTime(at); by != nil {
			c.By.ID = *by
		}
		return c, err
	}, "SELECT "+consentChangeColumns+" FROM consent_changes WHERE org_id = $1 AND contact_id = $2 ORDER BY id DESC LIMIT $3", orgID, contactID, limit)
}

// InsertConsentChange records a change of a contact's consent.
func (tx *Tx) InsertConsentChange(c chat.ConsentChange) error {
	var by *string
	if c.By.ID != "" {
		by = &c.By.ID
	}
	return tx.later("INSERT INTO consent_changes ("+consentChangeColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		c.OrgID, c.ID, c.ContactID, string(c.Previous), string(c.Consent), string(c.By.Source), by, c.At.UnixMilli())
}
