package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// consentChanged notes who has changed what a contact wants of marketing, if it was changed. It belongs into
// the transaction that stores the contact.
func consentChanged(tx *store.Tx, before chat.Consent, now chat.Contact, by chat.Actor) error {
	if before == now.Consent {
		return nil
	}
	return tx.InsertConsentChange(chat.ConsentChange{
		ID: tx.NewID(chat.KindConsent), OrgID: now.OrgID, ContactID: now.ID, Previous: before, Consent: now.Consent, By: by, At: tx.Now(),
	})
}
