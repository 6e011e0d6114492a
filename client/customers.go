package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Customer is an end-customer of the platform: a business on whose behalf the organization sends.
type Customer struct {
	ID         string         `json:"id"`
	Object     string         `json:"object"`
	Name       string         `json:"name"`
	Email      *string        `json:"email"`
	Status     CustomerStatus `json:"status"`
	Metadata   map[string]any `json:"metadata"` // numbers in it are json.Number
	ArchivedAt *time.Time     `json:"archived_at"`
	TeamID     string         `json:"team_id"`
	CreatedAt  time.Time      `json:"created_at"`
	UpdatedAt  time.Time      `json:"updated_at"`

	// Accounts are its business numbers, newest first; only GetCustomer returns them.
	Accounts []CustomerAccount `json:"whatsapp_accounts,omitempty"`
}

// CustomerAccount is a business number of a customer.
type CustomerAccount struct {
	PhoneNumberID *string       `json:"phone_number_id"`
	PhoneNumber   *string       `json:"phone_number"`
	Name          *string       `json:"name"`
	Status        AccountStatus `json:"status"`
	OnboardedAt   time.Time     `json:"onboarded_at"`
}

// CustomerStatus is the status of a customer.
type CustomerStatus string

const (
	CustomerPending   CustomerStatus = "pending" // has not connected a number yet
	CustomerActive    CustomerStatus = "active"
	CustomerSuspended CustomerStatus = "suspended" // its numbers do not send
	CustomerArchived  CustomerStatus = "archived"  // its numbers do not send either
)

// CustomerFilter selects customers.
type CustomerFilter struct {
	Status CustomerStatus // empty: all
	TeamID string
	Search string // part of the name or e-mail address
	PageOptions
}

func (f CustomerFilter) query() query {
	return f.PageOptions.query().text("status", string(f.Status)).text("team_id", f.TeamID).text("search", f.Search)
}

// ListCustomers returns a page of customers, newest first.
func (c *Client) ListCustomers(ctx context.Context, f CustomerFilter, options ...CallOption) (*Page[Customer], error) {
	return list[Customer](ctx, c, newCall(http.MethodGet, options, "customers"), f.query())
}

// Customers walks through all customers, newest first.
func (c *Client) Customers(ctx context.Context, f CustomerFilter) iter.Seq2[Customer, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Customer], error) {
		f.PageOptions = at
		return c.ListCustomers(ctx, f)
	})
}

// GetCustomer returns a customer with its business numbers.
func (c *Client) GetCustomer(ctx context.Context, id string, options ...CallOption) (*Customer, error) {
	return one[Customer](ctx, c, newCall(http.MethodGet, options, "customers", id))
}

// NewCustomer is a customer to create.
type NewCustomer struct {
	TeamID   string         `json:"team_id,omitempty"` // required if there are several teams; Me lists them
	Name     string         `json:"name"`
	Email    string         `json:"email,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// CreateCustomer creates a customer. It is pending until it connects its first number.
func (c *Client) CreateCustomer(ctx context.Context, n NewCustomer, options ...CallOption) (*Customer, error) {
	return one[Customer](ctx, c, newCall(http.MethodPost, options, "customers").withJSON(n))
}

// CustomerPatch is a change of a customer. A status takes it out of the archive.
type CustomerPatch struct {
	Name     Patch[string]         `json:"name,omitzero"`
	Email    Patch[string]         `json:"email,omitzero"`
	Metadata Patch[map[string]any] `json:"metadata,omitzero"`
	Status   Patch[CustomerStatus] `json:"status,omitzero"`
}

// UpdateCustomer changes a customer.
func (c *Client) UpdateCustomer(ctx context.Context, id string, p CustomerPatch, options ...CallOption) (*Customer, error) {
	return one[Customer](ctx, c, newCall(http.MethodPatch, options, "customers", id).withJSON(p))
}

// ArchiveCustomer archives a customer; its numbers can no longer send.
func (c *Client) ArchiveCustomer(ctx context.Context, id string, options ...CallOption) (*Customer, error) {
	return one[Customer](ctx, c, newCall(http.MethodDelete, options, "customers", id))
}

// Disconnection is the answer to DisconnectAccount.
type Disconnection struct {
	PhoneNumberID string `json:"phone_number_id"`
	Object        string `json:"object"`
	Disconnected  bool   `json:"disconnected"`
}

// DisconnectAccount disconnects a customer's business number and deletes all its data.
func (c *Client) DisconnectAccount(ctx context.Context, customerID, phoneNumberID string, options ...CallOption) (*Disconnection, error) {
	call := newCall(http.MethodDelete, options, "customers", customerID, "whatsapp_accounts", phoneNumberID)
	done, err := one[Disconnection](ctx, c, call)
	if call.unsure && IsCode(err, CodeResourceNotFound) { // an earlier attempt worked
		return &Disconnection{PhoneNumberID: phoneNumberID, Object: "whatsapp_account", Disconnected: true}, nil
	}
	return done, err
}
