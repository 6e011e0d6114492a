package core

import (
	"encoding/json"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// contactData is a contact as events show it.
type contactData struct {
	ID            string          `json:"id"`
	Object        string          `json:"object"`
	PhoneNumber   *string         `json:"phone_number"`
	Name          *string         `json:"name"`
	Email         *string         `json:"email"`
	Metadata      json.RawMessage `json:"metadata"`
	PhoneNumberID *string         `json:"phone_number_id"`
	CreatedAt     string          `json:"created_at"`
	UpdatedAt     string          `json:"updated_at"`
}

func contactPayload(account chat.Account, c chat.Contact) contactData {
	d := contactData{
		ID: c.ID, Object: "contact", PhoneNumber: c.PhoneNumber, Name: c.Name, Email: c.Email, Metadata: c.Metadata,
		PhoneNumberID: account.PhoneNumberID, CreatedAt: chat.FormatTime(c.CreatedAt), UpdatedAt: chat.FormatTime(c.UpdatedAt),
	}
	if d.Metadata == nil {
		d.Metadata = json.RawMessage("null")
	}
	return d
}

func contactCreated(tx *store.Tx, account chat.Account, c chat.Contact) error {
	return emit(tx, occurrence{
		orgID: c.OrgID, kind: chat.EventContactCreated, phoneNumberID: deref(account.PhoneNumberID), subject: c.ID,
		data: map[string]any{"contact": contactPayload(account, c)},
	})
}

// toldOfContact are the fields whose change emits contact.updated.
var toldOfContact = []string{"name", "email", "labels", "metadata"}

func contactUpdated(tx *store.Tx, account chat.Account, c chat.Contact, changed []string) error {
	changed = slices.DeleteFunc(slices.Clone(changed), func(field string) bool { return !slices.Contains(toldOfContact, field) })
	if len(changed) == 0 {
		return nil
	}
	return emit(tx, occurrence{
		orgID: c.OrgID, kind: chat.EventContactUpdated, phoneNumberID: deref(account.PhoneNumberID), subject: c.ID,
		data: contactChange{contactPayload(account, c), changed},
	})
}

type contactChange struct {
	Contact       contactData `json:"contact"`
	ChangedFields []string    `json:"changed_fields"`
}
