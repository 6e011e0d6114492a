package client

import (
	"context"
	"iter"
	"net/http"
)

// Account is a connected business number.
type Account struct {
	ID             string        `json:"id"`
	Object         string        `json:"object"`
	PhoneNumberID  *string       `json:"phone_number_id"` // the number's id in calls; nil while onboarding
	PhoneNumber    *string       `json:"phone_number"`
	Name           *string       `json:"name"`
	Status         AccountStatus `json:"status"`
	StatusReason   *string       `json:"status_reason"`   // why it is not connected; nil if it is, or if unknown
	ProviderStatus *string       `json:"provider_status"` // nil if never fetched
	CustomerID     *string       `json:"customer_id"`     // nil for the organization's own numbers
}

// AccountStatus is the status of a number.
type AccountStatus string

const (
	AccountConnected    AccountStatus = "connected"
	AccountDisconnected AccountStatus = "disconnected"
	AccountDegraded     AccountStatus = "degraded"
	AccountOnboarding   AccountStatus = "onboarding"
)

// AccountFilter picks accounts.
type AccountFilter struct {
	All        bool // numbers in any status, not only connected ones
	CustomerID string
	PageOptions
}

func (f AccountFilter) query() query {
	q := f.PageOptions.query().text("customer_id", f.CustomerID)
	if f.All {
		q.text("status", "all")
	}
	return q
}

// ListAccounts returns business numbers, newest first. Without a Limit it returns all of them.
func (c *Client) ListAccounts(ctx context.Context, f AccountFilter, options ...CallOption) (*Page[Account], error) {
	return list[Account](ctx, c, newCall(http.MethodGet, options, "accounts"), f.query())
}

// Accounts walks through all business numbers, newest first.
func (c *Client) Accounts(ctx context.Context, f AccountFilter) iter.Seq2[Account, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Account], error) {
		f.PageOptions = at
		return c.ListAccounts(ctx, f)
	})
}

// Registration is the state of a number after RegisterNumber.
type Registration struct {
	Object         string        `json:"object"`
	PhoneNumberID  string        `json:"phone_number_id"`
	Registered     bool          `json:"registered"`
	Status         AccountStatus `json:"status"`
	ProviderStatus *string       `json:"provider_status"`
}

// RegisterNumber completes the onboarding of a number, or repairs a degraded one. The PIN is the
// number's six-digit PIN for two-step verification; if it has none yet, this becomes its PIN.
func (c *Client) RegisterNumber(ctx context.Context, phoneNumberID, pin string, options ...CallOption) (*Registration, error) {
	body := struct {
		PIN string `json:"pin"`
	}{pin}
	return one[Registration](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "register").withJSON(body))
}

// ChatAccount is the business number to which an object belongs.
type ChatAccount struct {
	PhoneNumber   *string      `json:"phone_number"`
	PhoneNumberID *string      `json:"phone_number_id"`
	Customer      *CustomerRef `json:"customer"` // nil for the organization's own numbers
}

// CustomerRef names an end-customer.
type CustomerRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
