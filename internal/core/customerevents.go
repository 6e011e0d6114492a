package core

import (
	"encoding/json"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// customerData is a customer as events show it.
type customerData struct {
	ID         string              `json:"id"`
	Object     string              `json:"object"`
	Name       string              `json:"name"`
	Email      *string             `json:"email"`
	Status     chat.CustomerStatus `json:"status"`
	Metadata   json.RawMessage     `json:"metadata"`
	ArchivedAt *string             `json:"archived_at"`
	TeamID     string              `json:"team_id"`
	CreatedAt  string              `json:"created_at"`
	UpdatedAt  string              `json:"updated_at"`
}

func customerPayload(c chat.Customer) customerData {
	d := customerData{
		ID: c.ID, Object: "customer", Name: c.Name, Email: c.Email, Status: c.Status, Metadata: c.Metadata, ArchivedAt: formatted(c.ArchivedAt),
		TeamID: c.TeamID, CreatedAt: chat.FormatTime(c.CreatedAt), UpdatedAt: chat.FormatTime(c.UpdatedAt),
	}
	if d.Metadata == nil {
		d.Metadata = json.RawMessage("null")
	}
	return d
}

func formatted(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(chat.FormatTime(*t))
}

func emitCustomer(tx *store.Tx, c chat.Customer, kind chat.EventType, data any) error {
	return emit(tx, occurrence{orgID: c.OrgID, kind: kind, subject: c.ID, data: data})
}

func customerCreated(tx *store.Tx, c chat.Customer) error {
	return emitCustomer(tx, c, chat.EventCustomerCreated, map[string]any{"customer": customerPayload(c)})
}

func customerUpdated(tx *store.Tx, c chat.Customer, changed []string) error {
	return emitCustomer(tx, c, chat.EventCustomerUpdated, struct {
		Customer      customerData `json:"customer"`
		ChangedFields []string     `json:"changed_fields"`
	}{customerPayload(c), changed})
}

func customerArchived(tx *store.Tx, c chat.Customer) error {
	return emitCustomer(tx, c, chat.EventCustomerArchived, map[string]any{"customer": customerPayload(c)})
}

// setupLinkData is a setup link as events show it.
type setupLinkData struct {
	ID                 string               `json:"id"`
	Object             string               `json:"object"`
	CustomerID         *string              `json:"customer_id"`
	Status             chat.SetupLinkStatus `json:"status"`
	TokenLast4         string               `json:"token_last4"`
	ExpiresAt          string               `json:"expires_at"`
	ConsumedAt         *string              `json:"consumed_at"`
	SuccessRedirectURL *string              `json:"success_redirect_url"`
	FailureRedirectURL *string              `json:"failure_redirect_url"`
	CreatedAt          string               `json:"created_at"`
}

func setupLinkPayload(l chat.SetupLink) setupLinkData {
	return setupLinkData{
		ID: l.ID, Object: "customer_setup_link", CustomerID: l.CustomerID, Status: l.Status, TokenLast4: l.TokenLast4,
		ExpiresAt: chat.FormatTime(l.ExpiresAt), ConsumedAt: formatted(l.ConsumedAt), SuccessRedirectURL: l.SuccessRedirectURL,
		FailureRedirectURL: l.FailureRedirectURL, CreatedAt: chat.FormatTime(l.CreatedAt),
	}
}

func setupLinkCreated(tx *store.Tx, l chat.SetupLink) error {
	return emit(tx, occurrence{
		orgID: l.OrgID, kind: chat.EventSetupLinkCreated, subject: deref(l.CustomerID),
		data: struct {
			CustomerID string        `json:"customer_id"`
			SetupLink  setupLinkData `json:"setup_link"`
		}{deref(l.CustomerID), setupLinkPayload(l)},
	})
}

// customerOnboarded emits the events for a number that was connected through a link: always two. display is the number
// as people write it.
func customerOnboarded(tx *store.Tx, l chat.SetupLink, account chat.Account, display string) error {
	o := occurrence{orgID: l.OrgID, kind: chat.EventCustomerOnboarded, phoneNumberID: deref(account.PhoneNumberID), subject: deref(l.CustomerID)}
	o.data = struct {
		CustomerID    string `json:"customer_id"`
		AccountID     string `json:"account_id"`
		PhoneNumberID string `json:"phone_number_id"`
		PhoneNumber   string `json:"phone_number"`
	}{o.subject, account.ID, o.phoneNumberID, display}
	if err := emit(tx, o); err != nil {
		return err
	}
	o.kind = chat.EventSetupLinkConsumed
	o.data = struct {
		CustomerID string        `json:"customer_id"`
		SetupLink  setupLinkData `json:"setup_link"`
		AccountID  string        `json:"account_id"`
	}{o.subject, setupLinkPayload(l), account.ID}
	return emit(tx, o)
}
