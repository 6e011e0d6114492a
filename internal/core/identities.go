package core

import (
	"errors"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// learn fills in a contact's fields from an update. A name given by hand stays. If the update shows that several
// contacts are the same person, they are merged; joined reports that, and then the returned contact may be another,
// with another conversation.
func (a Applier) learn(tx *store.Tx, account chat.Account, r round, c chat.Contact, p person) (now chat.Contact, joined bool, err error) {
	filled := p.complete(c)
	if sameIdentity(c, filled) {
		return c, false, nil
	}
	others, err := namesakes(tx.Reader, account, c.ID, newIdentifiers(c, filled))
	switch {
	case err != nil:
		return c, false, err
	case slices.ContainsFunc(others, filled.Contradicts): // keep the identifiers as they are
		filled.PhoneNumber, filled.BSUID, filled.ParentBSUID = c.PhoneNumber, c.BSUID, c.ParentBSUID
	case len(others) > 0:
		u, err := a.unite(tx, account, r, c, filled, others)
		if err != nil || len(u.gone) == 0 {
			return c, false, err
		}
		return u.now, true, contactIdentityUpdated(tx, account, u.was, u.now, u.gone...)
	}
	if sameIdentity(c, filled) {
		return c, false, nil
	}
	now, err = a.learnAlone(tx, account, c, filled)
	return now, false, err
}

// learnAlone stores a contact's new fields, and emits an event for a new name.
func (a Applier) learnAlone(tx *store.Tx, account chat.Account, c, filled chat.Contact) (chat.Contact, error) {
	now, err := storeIdentity(tx, c, filled)
	if errors.Is(err, store.ErrDuplicate) { // another transaction was faster: the next update brings it again
		return c, nil
	}
	if err != nil || deref(c.Name) == deref(now.Name) {
		return now, err
	}
	return now, contactUpdated(tx, account, now, []string{"name"})
}

// newIdentifiers is a contact with only the identifiers that it did not have before.
func newIdentifiers(before, after chat.Contact) (face chat.Contact) {
	if before.PhoneNumber == nil {
		face.PhoneNumber = after.PhoneNumber
	}
	if before.BSUID == nil {
		face.BSUID = after.BSUID
	}
	if before.ParentBSUID == nil {
		face.ParentBSUID = after.ParentBSUID
	}
	return face
}

// storeIdentity stores a contact with new identifiers. It returns ErrDuplicate if another contact has one of them. A
// username alone identifies nobody: if only the username is taken, the rest is stored.
func storeIdentity(tx *store.Tx, before, after chat.Contact) (chat.Contact, error) {
	after.UpdatedAt = tx.Now()
	err := tx.Rename(before, after)
	if errors.Is(err, store.ErrDuplicate) && deref(after.Username) != deref(before.Username) {
		after.Username = before.Username
		err = tx.Rename(before, after)
	}
	if err == nil && deref(after.PhoneNumber) != deref(before.PhoneNumber) { // a list may have it beside what was known
		err = skipSecond(tx, before, after)
	}
	return after, err
}

// union is the result of merging contacts that are one person.
type union struct {
	now  chat.Contact
	was  chat.Contact // the contact that stays, before the merge
	gone []merged
}

// unite merges a contact, whose new state is after, with others. If that is too much for one transaction, the merge is
// scheduled for later, and gone is empty.
func (a Applier) unite(tx *store.Tx, account chat.Account, r round, before, after chat.Contact, others []chat.Contact) (union, error) {
	u := union{now: after, was: before}
	var moves []store.Merge
	err := tx.Savepoint(func() (err error) {
		moves, err = u.join(tx, others)
		return err
	})
	if errors.Is(err, errTooLarge) {
		return union{}, mergeLater(tx, account, before, others)
	}
	for _, m := range moves {
		r.moved(m)
	}
	if err == nil {
		err = consentChanged(tx, u.was.Consent, u.now, chat.Actor{Source: chat.ConsentByMerge})
	}
	return u, err
}

// join merges the others one by one, and stores the resulting contact.
func (u *union) join(tx *store.Tx, others []chat.Contact) (moves []store.Merge, err error) {
	for _, other := range others {
		joined, gone, m, err := join(tx, u.now, other)
		if err != nil {
			return nil, err
		}
		if joined.ID == other.ID {
			u.was, joined = other, withIdentity(other.Absorb(u.now), joined)
		}
		u.now, u.gone, moves = joined, append(u.gone, gone), append(moves, m)
	}
	u.now, err = storeIdentity(tx, u.was, u.now)
	return moves, err
}

// withIdentity is a contact with the identifiers of another.
func withIdentity(c, from chat.Contact) chat.Contact {
	c.PhoneNumber, c.BSUID, c.ParentBSUID, c.Username = from.PhoneNumber, from.BSUID, from.ParentBSUID, from.Username
	return c
}

func mergeLater(tx *store.Tx, account chat.Account, c chat.Contact, others []chat.Contact) error {
	for _, other := range others {
		err := tx.InsertDueMerge(store.DueMerge{OrgID: account.OrgID, AccountID: account.ID, ContactID: c.ID, OtherID: other.ID})
		if err != nil {
			return err
		}
	}
	return nil
}

// namesakes finds the other contacts that have one of the identifiers in faces.
func namesakes(r store.Reader, account chat.Account, id string, faces ...chat.Contact) (found []chat.Contact, err error) {
	seen := map[string]bool{id: true}
	for _, face := range faces {
		for _, look := range identityLooks(r, face) {
			if look.value == "" {
				continue
			}
			other, err := look.by(account.OrgID, account.ID, look.value)
			if errors.Is(err, store.ErrNotFound) || err == nil && seen[other.ID] {
				continue
			}
			if err != nil {
				return nil, err
			}
			seen[other.ID] = true
			found = append(found, other)
		}
	}
	return found, nil
}

func fill(field **string, value string) {
	if *field == nil && value != "" {
		*field = &value
	}
}

func sameIdentity(a, b chat.Contact) bool {
	return deref(a.PhoneNumber) == deref(b.PhoneNumber) && deref(a.BSUID) == deref(b.BSUID) &&
		deref(a.ParentBSUID) == deref(b.ParentBSUID) && deref(a.Name) == deref(b.Name) && deref(a.Username) == deref(b.Username)
}

// identity moves a person to new identifiers.
func (a Applier) identity(tx *store.Tx, account chat.Account, r round, u provider.IdentityChange) error {
	was, is := personOf(u.Previous), personOf(u.Current)
	before, err := findContact(tx.Reader, account, was)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	previous, after := before, before
	fill(&previous.PhoneNumber, was.Number)
	fill(&previous.BSUID, was.BSUID)
	fill(&previous.ParentBSUID, was.ParentBSUID)
	replace(&after.PhoneNumber, is.Number)
	replace(&after.BSUID, is.BSUID)
	replace(&after.ParentBSUID, is.ParentBSUID)
	if sameIdentity(before, after) {
		return nil
	}
	others, err := namesakes(tx.Reader, account, before.ID, previous, after)
	if err != nil {
		return err
	}
	for _, other := range others {
		if previous.Contradicts(other) && after.Contradicts(other) {
			a.Log.Warn("a contact's new identity belongs to another contact", "contact", before.ID, "other", other.ID)
			return nil
		}
	}
	if len(others) == 0 {
		now, err := storeIdentity(tx, before, after)
		if err != nil {
			return err
		}
		return contactIdentityUpdated(tx, account, before, now)
	}
	united, err := a.unite(tx, account, r, before, after, others)
	if err != nil || len(united.gone) == 0 {
		return err
	}
	return contactIdentityUpdated(tx, account, before, united.now, united.gone...)
}

func replace(field **string, value string) {
	if value != "" {
		*field = &value
	}
}

// contactIdentityUpdated emits the event with a contact's identifiers, and the contacts that were merged into it.
func contactIdentityUpdated(tx *store.Tx, account chat.Account, before, now chat.Contact, gone ...merged) error {
	return emit(tx, occurrence{
		orgID: now.OrgID, kind: chat.EventContactIdentityUpdated, phoneNumberID: deref(account.PhoneNumberID), subject: now.ID,
		data: identityPayload(account, before, now, gone),
	})
}

func identityPayload(account chat.Account, before, now chat.Contact, gone []merged) map[string]any {
	type identified struct {
		contactData
		BSUID       *string `json:"bsuid"`
		ParentBSUID *string `json:"parent_bsuid"`
		Username    *string `json:"username"`
	}
	data := map[string]any{
		"contact": identified{contactPayload(account, now), now.BSUID, now.ParentBSUID, now.Username},
		"previous": map[string]any{
			"bsuid": before.BSUID, "parent_bsuid": before.ParentBSUID, "phone_number": before.PhoneNumber,
		},
		"phone_number_id": account.PhoneNumberID,
	}
	if len(gone) > 0 {
		data["merged"] = gone
	}
	return data
}
