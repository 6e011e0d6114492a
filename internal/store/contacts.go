package store

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

const contactColumns = "org_id, id, account_id, phone_number, bsuid, parent_bsuid, username, name, email, metadata, marketing_consent, preference_at, created_at, updated_at"

func scanContact(row scanner) (c chat.Contact, err error) {
	var metadata *string
	var preferenceAt *int64
	var createdAt, updatedAt int64
	err = row.Scan(&c.OrgID, &c.ID, &c.AccountID, &c.PhoneNumber, &c.BSUID, &c.ParentBSUID, &c.Username, &c.Name, &c.Email,
		&metadata, &c.Consent, &preferenceAt, &createdAt, &updatedAt)
	if metadata != nil {
		c.Metadata = json.RawMessage(*metadata)
	}
	c.PreferenceAt, c.CreatedAt, c.UpdatedAt = toTimePtr(preferenceAt), toTime(createdAt), toTime(updatedAt)
	return c, err
}

var contactsByAge = order[chat.Contact]{alias: "c", column: "created_at", position: func(c chat.Contact) Position { return Position{c.CreatedAt, c.ID} }}

var contactList = labelledList[chat.Contact]{
	columns: prefixed("c", contactColumns),
	table:   "contacts", scan: scanContact, links: "contact_labels", owner: "contact_id", labelSearch: measuredSearch,
}

// ContactFilter narrows a list of contacts. Empty fields match all.
type ContactFilter struct {
	PhoneNumber string // with +
	BSUID       string
	Username    string // in any case
	Search      string // part of the name, address, number or username, in any case
	LabelID     string
}

// Contacts returns one page of an account's contacts. A number that no contact has is looked for in its other spelling.
func (r Reader) Contacts(orgID, accountID string, f ContactFilter, p Page) (Slice[chat.Contact], error) {
	if other := chat.OtherSpelling(f.PhoneNumber); other != "" {
		found, err := r.contacts(orgID, accountID, f, p)
		if err != nil || len(found.Rows) > 0 {
			return found, err
		}
		f.PhoneNumber = other
	}
	return r.contacts(orgID, accountID, f, p)
}

func (r Reader) contacts(orgID, accountID string, f ContactFilter, p Page) (Slice[chat.Contact], error) {
	var c conditions
	c.add("c.org_id = ?", orgID)
	c.add("c.account_id = ?", accountID)
	c.addIf("c.phone_number = ?", f.PhoneNumber)
	c.addIf("c.bsuid = ?", f.BSUID)
	c.addIf("c.username_key = ?", chat.FoldCase(f.Username))
	if f.Search != "" {
		c.add(`c.search_key LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(chat.FoldCase(f.Search))+"%")
	}
	if f.PhoneNumber != "" || f.BSUID != "" || f.Username != "" {
		return contactList.single(r, c, contactsByAge, f.LabelID, p)
	}
	return contactList.page(r, c, contactsByAge, f.LabelID, p)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Contact returns a contact of an account, or ErrNotFound.
func (r Reader) Contact(orgID, accountID, id string) (chat.Contact, error) {
	if c, known := r.foreseen.contact(contactKey{orgID, id}); known && c.AccountID == accountID {
		return c, nil
	}
	return one(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND id = $2 AND account_id = $3"+r.forUpdate(),
		orgID, id, accountID)
}

// ContactByNumber finds an account's contact by its number, or ErrNotFound.
func (r Reader) ContactByNumber(orgID, accountID, number string) (chat.Contact, error) {
	if r.foreseen.lacks(ThreadKey{orgID, accountID, number}) || r.foreseen.isFree(nameKey{orgID, accountID, number}) {
		return chat.Contact{}, ErrNotFound
	}
	return one(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND account_id = $2 AND phone_number = $3"+r.forUpdate(),
		orgID, accountID, number)
}

// LockNumber keeps other transactions from making a contact with a number of two spellings until this one ends, and waits
// for one that is at it. No constraint does: the spellings are two values. The embedded store has one writer.
func (tx *Tx) LockNumber(accountID, number string) error {
	other := chat.OtherSpelling(number)
	if tx.dialect.lock == "" || other == "" {
		return nil
	}
	_, err := tx.exec(tx.dialect.lock, "number "+accountID+" "+min(number, other))
	return err
}

// ContactByBSUID finds an account's contact by its business-scoped user id, or ErrNotFound.
func (r Reader) ContactByBSUID(orgID, accountID, bsuid string) (chat.Contact, error) {
	if r.foreseen.isFree(nameKey{orgID, accountID, bsuid}) {
		return chat.Contact{}, ErrNotFound
	}
	return one(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND account_id = $2 AND bsuid = $3"+r.forUpdate(),
		orgID, accountID, bsuid)
}

// ContactsAmong returns the ids that are contacts of the account. Inside a transaction it locks them, always in
// the same order, so that two transactions with common contacts do not deadlock.
func (r Reader) ContactsAmong(orgID, accountID string, ids []string) ([]string, error) {
	return many(r, scanText, "SELECT id FROM contacts WHERE org_id = $1 AND account_id = $2 AND "+r.dialect.oneOf("id", "$3")+
		" ORDER BY id"+r.forUpdate(), orgID, accountID, r.dialect.list(ids))
}

// InsertContact stores a new contact; ErrDuplicate when its number, BSUID or username is taken.
func (tx *Tx) InsertContact(c chat.Contact) error {
	tx.noteChange(ChangedContacts, c.OrgID, "")
	const text = "INSERT INTO contacts (" + contactColumns + `, username_key, search_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`
	args := []any{c.OrgID, c.ID, c.AccountID, c.PhoneNumber, c.BSUID, c.ParentBSUID, c.Username, c.Name, c.Email,
		textPtr(c.Metadata), string(c.Consent), msPtr(c.PreferenceAt), c.CreatedAt.UnixMilli(), c.UpdatedAt.UnixMilli(), foldPtr(c.Username), c.SearchKey()}
	if tx.foreseen.addContact(c) {
		return tx.later(text, args...)
	}
	return tx.insert(text+" ON CONFLICT DO NOTHING", args...)
}

const updateContact = `UPDATE contacts SET phone_number = $3, bsuid = $4, parent_bsuid = $5, username = $6, name = $7, email = $8,
		metadata = $9, marketing_consent = $10, updated_at = $11, username_key = $12, search_key = $13, preference_at = $14
	WHERE org_id = $1 AND id = $2`

func contactArgs(c chat.Contact) []any {
	return []any{c.OrgID, c.ID, c.PhoneNumber, c.BSUID, c.ParentBSUID, c.Username, c.Name, c.Email,
		textPtr(c.Metadata), string(c.Consent), c.UpdatedAt.UnixMilli(), foldPtr(c.Username), c.SearchKey(), msPtr(c.PreferenceAt)}
}

// UpdateContact stores the changeable fields of a contact; ErrDuplicate when a new value is taken.
func (tx *Tx) UpdateContact(c chat.Contact) error {
	tx.noteContacts(c.OrgID)
	if err := tx.execOne(updateContact, contactArgs(c)...); err != nil {
		return err
	}
	return tx.SearchAgain(c.OrgID, c.ID)
}

// searchRenamed is SearchAgain for a contact, if anything has changed by which it is found. The provider's own identifiers
// of a person, which the first status of a message brings, are not among that.
func (tx *Tx) searchRenamed(before, after chat.Contact) error {
	foundBy := func(c chat.Contact) [4]string {
		return [4]string{deref(c.Name), deref(c.Username), deref(c.Email), deref(c.PhoneNumber)}
	}
	if foundBy(before) == foundBy(after) {
		return nil
	}
	return tx.SearchAgain(after.OrgID, after.ID)
}

// Rename is UpdateContact for changed identifiers. If one is taken, only this statement is undone, not the
// transaction.
func (tx *Tx) Rename(before, after chat.Contact) error {
	if tx.foreseen.takes(before, after) {
		tx.noteChange(ChangedContacts, after.OrgID, "")
		return errors.Join(tx.later(updateContact, contactArgs(after)...), tx.searchRenamed(before, after))
	}
	return tx.Savepoint(func() error {
		tx.noteContacts(after.OrgID)
		if err := tx.execOne(updateContact, contactArgs(after)...); err != nil {
			return err
		}
		return tx.searchRenamed(before, after)
	})
}

// TouchContacts sets the update time of contacts, and returns them in order of their ids.
func (tx *Tx) TouchContacts(orgID string, ids []string) ([]chat.Contact, error) {
	tx.noteContacts(orgID)
	contacts, err := many(tx.Reader, scanContact, "UPDATE contacts SET updated_at = $2 WHERE org_id = $1 AND "+tx.dialect.oneOf("id", "$3")+
		" RETURNING "+contactColumns, orgID, tx.now.UnixMilli(), tx.dialect.list(ids))
	slices.SortFunc(contacts, func(a, b chat.Contact) int { return strings.Compare(a.ID, b.ID) })
	return contacts, err
}

// DeleteContact removes a contact with its labels and notes, or returns ErrNotFound.
func (tx *Tx) DeleteContact(orgID, id string) error {
	if err := tx.execOne("DELETE FROM contacts WHERE org_id = $1 AND id = $2", orgID, id); err != nil {
		return err
	}
	if err := errors.Join(tx.forgetNames(orgID, id), tx.SearchAgain(orgID, id)); err != nil {
		return err
	}
	for _, table := range hangOnContacts {
		if err := tx.later("DELETE FROM "+table+" WHERE org_id = $1 AND contact_id = $2", orgID, id); err != nil {
			return err
		}
	}
	tx.noteContacts(orgID)
	return nil
}

// hangOnContacts are the tables whose rows are deleted with the contact.
var hangOnContacts = []string{"contact_labels", "contact_notes", "consent_changes"}

func foldPtr(s *string) *string {
	if s == nil {
		return nil
	}
	folded := chat.FoldCase(*s)
	return &folded
}

func textPtr(raw json.RawMessage) *string {
	if raw == nil {
		return nil
	}
	s := string(raw)
	return &s
}

// ContactByParent finds an account's contact by its parent BSUID, or ErrNotFound.
func (r Reader) ContactByParent(orgID, accountID, bsuid string) (chat.Contact, error) {
	if r.foreseen.isFree(nameKey{orgID, accountID, bsuid}) {
		return chat.Contact{}, ErrNotFound
	}
	return one(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND account_id = $2 AND parent_bsuid = $3"+r.forUpdate(),
		orgID, accountID, bsuid)
}

// ContactsByID returns the existing contacts, by id.
func (r Reader) ContactsByID(orgID string, ids map[string]bool) (map[string]chat.Contact, error) {
	rows, err := many(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND "+r.dialect.oneOf("id", "$2"),
		orgID, r.dialect.list(slices.Collect(maps.Keys(ids))))
	found := make(map[string]chat.Contact, len(rows))
	for _, contact := range rows {
		found[contact.ID] = contact
	}
	return found, err
}
