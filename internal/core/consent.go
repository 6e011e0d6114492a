package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// consentChanged notes who has changed a contact's marketing consent, if it changed. It must run in the transaction
// that stores the contact.
func consentChanged(tx *store.Tx, before chat.Consent, now chat.Contact, by chat.Actor) error {
	if before == now.Consent {
		return nil
	}
	change := chat.ConsentChange{
		ID: tx.NewID(chat.KindConsent), OrgID: now.OrgID, ContactID: now.ID, Previous: before, Consent: now.Consent, By: by, At: tx.Now(),
	}
	if by.Source != chat.ConsentByUser && by.Source != chat.ConsentByKey { // other changes are logged with their cause
		return tx.InsertConsentChange(change)
	}
	return errors.Join(tx.InsertConsentChange(change),
		audit(tx, now.OrgID, chat.AuditConsent, ofContact(now), "before", string(before), "consent", string(now.Consent)))
}
