package core

import (
	"errors"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateContact adds a person to an account's contacts.
func CreateContact(tx *store.Tx, account chat.Account, in chat.NewContact) (chat.Contact, error) {
	contact, err := in.Contact()
	if err != nil {
		return chat.Contact{}, err
	}
	return addContact(tx, account, contact)
}

// addContact adds a contact without an id, unless one has another spelling of its number.
func addContact(tx *store.Tx, account chat.Account, contact chat.Contact) (chat.Contact, error) {
	_, err := lockSpellings(tx, account, deref(contact.PhoneNumber))
	if err == nil {
		return chat.Contact{}, contactExists("phone_number", "that number, in this spelling or another")
	}
	if !errors.Is(err, store.ErrNotFound) {
		return chat.Contact{}, err
	}
	contact.ID, contact.OrgID, contact.AccountID = tx.NewID(chat.KindContact), account.OrgID, account.ID
	contact.CreatedAt, contact.UpdatedAt = tx.Now(), tx.Now()
	err = tx.InsertContact(contact)
	if errors.Is(err, store.ErrDuplicate) {
		return chat.Contact{}, contactTaken(tx.Reader, contact)
	}
	if err != nil {
		return chat.Contact{}, err
	}
	return contact, contactCreated(tx, account, contact)
}

// CreateContactBy is CreateContact for a caller that may also set the person's marketing consent.
func CreateContactBy(tx *store.Tx, account chat.Account, in chat.NewContact, by chat.Actor) (chat.Contact, error) {
	contact, err := CreateContact(tx, account, in)
	if err != nil {
		return chat.Contact{}, err
	}
	return contact, errors.Join(consentChanged(tx, chat.ConsentUnknown, contact, by), auditPeople(tx, contact.OrgID, chat.AuditContactCreated, ofContact(contact)))
}

// contactTaken names the field by which another contact is already known.
func contactTaken(r store.Reader, contact chat.Contact) error {
	for _, identity := range []struct {
		param string
		value *string
		by    func(orgID, accountID, value string) (chat.Contact, error)
	}{{"phone_number", contact.PhoneNumber, r.ContactByNumber}, {"bsuid", contact.BSUID, r.ContactByBSUID}} {
		if identity.value == nil {
			continue
		}
		_, err := identity.by(contact.OrgID, contact.AccountID, *identity.value)
		if err == nil {
			return contactExists(identity.param, "that value")
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return usernameTaken()
}

// lockSpellings keeps others from making a contact with another spelling of a number, and returns the contact that has one
// by now. Numbers with one spelling have no contact here: the store itself refuses them twice.
func lockSpellings(tx *store.Tx, account chat.Account, number string) (chat.Contact, error) {
	if chat.OtherSpelling(number) == "" {
		return chat.Contact{}, store.ErrNotFound
	}
	if err := tx.LockNumber(account.ID, number); err != nil {
		return chat.Contact{}, err
	}
	contacts, err := tx.ContactsAt(account, []string{number})
	contact, known := contacts[number]
	if err == nil && !known {
		err = store.ErrNotFound
	}
	return contact, err
}

func contactExists(param, with string) error {
	return &chat.Error{Code: chat.CodeContactAlreadyExists, Param: param,
		Message: "This number's contacts have one with " + with + " already. Find it with GET /v1/{phone_number_id}/contacts."}
}

// Contact returns one contact of an account. The id of a merged contact names the remaining one.
func Contact(r store.Reader, account chat.Account, id string) (chat.Contact, error) {
	contact, err := followMerge(r, account, id, r.Contact)
	return contact, orNotFound(err, "contact")
}

// UpdateContact changes a contact. A patch that changes nothing leaves updated_at alone.
func UpdateContact(tx *store.Tx, account chat.Account, id string, patch chat.ContactPatch, by chat.Actor) (chat.Contact, error) {
	contact, err := Contact(tx.Reader, account, id)
	if err != nil {
		return chat.Contact{}, err
	}
	before := contact.Consent
	contact, changed, err := patch.Apply(contact)
	if err != nil || len(changed) == 0 {
		return contact, err
	}
	contact.UpdatedAt = tx.Now()
	err = tx.UpdateContact(contact)
	if errors.Is(err, store.ErrDuplicate) {
		return chat.Contact{}, usernameTaken()
	}
	if err == nil {
		err = errors.Join(consentChanged(tx, before, contact, by), auditContactFields(tx, contact, changed))
	}
	if err != nil {
		return chat.Contact{}, err
	}
	return contact, contactUpdated(tx, account, contact, changed)
}

// auditContactFields notes what was changed. A change of consent alone has an entry of its own already.
func auditContactFields(tx *store.Tx, contact chat.Contact, changed []string) error {
	if slices.Equal(changed, []string{"marketing_consent"}) {
		return nil
	}
	return auditPeople(tx, contact.OrgID, chat.AuditContactUpdated, ofContact(contact), "changed", strings.Join(changed, ", "))
}

func usernameTaken() error {
	return chat.Invalid("username", "Another contact of the number has this username. Usernames are compared without regard to case.")
}

// DeleteSomeMessages removes up to limit of a contact's oldest messages, and returns how many. It is called before
// DeleteContact, each time in its own transaction, because years of messages are too many for one.
func DeleteSomeMessages(tx *store.Tx, account chat.Account, id string, limit int) (int64, error) {
	contact, err := Contact(tx.Reader, account, id)
	if err != nil {
		return 0, err
	}
	conversation, err := tx.ConversationWith(account.OrgID, contact.ID)
	if err != nil {
		return 0, ignoreNotFound(err)
	}
	return tx.PurgeConversation(account.OrgID, conversation.ID, limit)
}

// DeleteContact removes a contact with its labels, its conversation, and all its messages with the files that came in.
func DeleteContact(tx *store.Tx, account chat.Account, id string) error {
	contact, err := Contact(tx.Reader, account, id)
	if err != nil {
		return err
	}
	conversation, err := tx.ConversationWith(account.OrgID, contact.ID)
	switch {
	case err == nil:
		err = tx.DeleteConversation(account.OrgID, conversation.ID)
	case errors.Is(err, store.ErrNotFound):
		err = nil
	}
	if err != nil {
		return err
	}
	if err := tx.DeleteContact(account.OrgID, contact.ID); err != nil { // waits for those who make it a recipient
		return err
	}
	return errors.Join(forgetRecipient(tx, contact), audit(tx, account.OrgID, chat.AuditContactDeleted, ofContact(contact)))
}

// LabelContact puts a label of the account's team on a contact. Doing it again changes nothing.
func LabelContact(tx *store.Tx, account chat.Account, id, labelID string) error {
	contact, err := Contact(tx.Reader, account, id)
	if err != nil {
		return err
	}
	if _, err := attachableLabel(tx.Reader, account, labelID); err != nil {
		return err
	}
	_, err = relabelContacts(tx, account, tx.AttachToContacts, labelID, []string{contact.ID})
	return err
}

// UnlabelContact takes a label off a contact. It need not have been there.
func UnlabelContact(tx *store.Tx, account chat.Account, id, labelID string) error {
	contact, err := Contact(tx.Reader, account, id)
	if err != nil {
		return err
	}
	if _, err := Label(tx.Reader, account.OrgID, labelID); err != nil {
		return err
	}
	_, err = relabelContacts(tx, account, tx.DetachFromContacts, labelID, []string{contact.ID})
	return err
}

// relabelContacts attaches or detaches a label, emits the events, and returns how many contacts changed.
func relabelContacts(tx *store.Tx, account chat.Account, change func(orgID, labelID string, contactIDs []string) ([]string, error), labelID string, ids []string) (int, error) {
	changed, err := change(account.OrgID, labelID, ids)
	if err != nil || len(changed) == 0 {
		return 0, err
	}
	contacts, err := tx.TouchContacts(account.OrgID, changed)
	if err != nil {
		return 0, err
	}
	for _, contact := range contacts {
		if err := contactUpdated(tx, account, contact, []string{"labels"}); err != nil {
			return 0, err
		}
	}
	return len(contacts), nil
}

// BulkLabel attaches a label to many contacts, or detaches it.
type BulkLabel struct {
	ContactIDs []string
	LabelID    string
	Detach     bool
}

// BulkLabelResult counts the outcomes of the distinct ids.
type BulkLabelResult struct {
	Applied             int
	Already             int // also a second id of a contact, from before a merge
	SkippedCrossOrg     int // not a contact of the account
	SkippedTeamMismatch int // the label is another team's
}

// BulkLabelContacts labels contacts of an account, all in the given transaction.
func BulkLabelContacts(tx *store.Tx, account chat.Account, in BulkLabel) (BulkLabelResult, error) {
	ids, err := followMerges(tx.Reader, account.OrgID, slices.Compact(slices.Sorted(slices.Values(in.ContactIDs))))
	if err != nil {
		return BulkLabelResult{}, err
	}
	own, err := tx.ContactsAmong(account.OrgID, account.ID, ids)
	if err != nil {
		return BulkLabelResult{}, err
	}
	label, err := Label(tx.Reader, account.OrgID, in.LabelID)
	if err != nil {
		return BulkLabelResult{}, err
	}
	found := 0
	for _, id := range ids {
		if _, ok := slices.BinarySearch(own, id); ok {
			found++
		}
	}
	result := BulkLabelResult{SkippedCrossOrg: len(ids) - found}
	if label.TeamID != account.TeamID {
		result.SkippedTeamMismatch = found
		return result, nil
	}
	change := tx.AttachToContacts
	if in.Detach {
		change = tx.DetachFromContacts
	}
	result.Applied, err = relabelContacts(tx, account, change, label.ID, own)
	result.Already = found - result.Applied
	return result, err
}
