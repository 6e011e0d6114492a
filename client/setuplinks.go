package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// SetupLink lets a customer connect one business number.
type SetupLink struct {
	ID                 string          `json:"id"`
	Object             string          `json:"object"`
	CustomerID         string          `json:"customer_id"`
	Status             SetupLinkStatus `json:"status"`
	TokenLast4         string          `json:"token_last4"`
	ExpiresAt          time.Time       `json:"expires_at"`
	ConsumedAt         *time.Time      `json:"consumed_at"`
	SuccessRedirectURL *string         `json:"success_redirect_url"`
	FailureRedirectURL *string         `json:"failure_redirect_url"`
	CreatedAt          time.Time       `json:"created_at"`

	// SetupURL is the link itself. Only CreateSetupLink returns it.
	SetupURL string `json:"setup_url,omitempty"`
}

// SetupLinkStatus is the status of a setup link.
type SetupLinkStatus string

const (
	SetupLinkActive   SetupLinkStatus = "active"
	SetupLinkConsumed SetupLinkStatus = "consumed"
	SetupLinkExpired  SetupLinkStatus = "expired"
	SetupLinkRevoked  SetupLinkStatus = "revoked"
)

// SetupLinkFilter selects setup links.
type SetupLinkFilter struct {
	Status SetupLinkStatus // empty: all
	PageOptions
}

func (f SetupLinkFilter) query() query { return f.PageOptions.query().text("status", string(f.Status)) }

// ListSetupLinks returns a page of a customer's setup links, newest first.
func (c *Client) ListSetupLinks(ctx context.Context, customerID string, f SetupLinkFilter, options ...CallOption) (*Page[SetupLink], error) {
	return list[SetupLink](ctx, c, newCall(http.MethodGet, options, "customers", customerID, "setup_links"), f.query())
}

// SetupLinks walks through all setup links of a customer, newest first.
func (c *Client) SetupLinks(ctx context.Context, customerID string, f SetupLinkFilter) iter.Seq2[SetupLink, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[SetupLink], error) {
		f.PageOptions = at
		return c.ListSetupLinks(ctx, customerID, f)
	})
}

// GetSetupLink returns a setup link.
func (c *Client) GetSetupLink(ctx context.Context, customerID, id string, options ...CallOption) (*SetupLink, error) {
	return one[SetupLink](ctx, c, newCall(http.MethodGet, options, "customers", customerID, "setup_links", id))
}

// NewSetupLink is a setup link to generate.
type NewSetupLink struct {
	ExpiresInHours     int    `json:"expires_in_hours,omitempty"` // 168 when zero
	SuccessRedirectURL string `json:"success_redirect_url,omitempty"`
	FailureRedirectURL string `json:"failure_redirect_url,omitempty"`
}

// CreateSetupLink creates a setup link; send its SetupURL to the customer.
func (c *Client) CreateSetupLink(ctx context.Context, customerID string, n NewSetupLink, options ...CallOption) (*SetupLink, error) {
	return one[SetupLink](ctx, c, newCall(http.MethodPost, options, "customers", customerID, "setup_links").withJSON(n))
}

// SetupLinkPatch is a change of an active setup link.
type SetupLinkPatch struct {
	SuccessRedirectURL Patch[string] `json:"success_redirect_url,omitzero"`
	FailureRedirectURL Patch[string] `json:"failure_redirect_url,omitzero"`
}

// UpdateSetupLink changes where an active setup link redirects afterwards.
func (c *Client) UpdateSetupLink(ctx context.Context, customerID, id string, p SetupLinkPatch, options ...CallOption) (*SetupLink, error) {
	return one[SetupLink](ctx, c, newCall(http.MethodPatch, options, "customers", customerID, "setup_links", id).withJSON(p))
}

// RevokedLink is the answer to RevokeSetupLink.
type RevokedLink struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Revoked bool            `json:"revoked"`
	Status  SetupLinkStatus `json:"status"`
}

// RevokeSetupLink revokes an active setup link.
func (c *Client) RevokeSetupLink(ctx context.Context, customerID, id string, options ...CallOption) (*RevokedLink, error) {
	call := newCall(http.MethodDelete, options, "customers", customerID, "setup_links", id)
	done, err := one[RevokedLink](ctx, c, call)
	if call.unsure && IsCode(err, CodeSetupLinkInactive) { // an earlier attempt worked, unless it was inactive before
		link, lookErr := c.GetSetupLink(ctx, customerID, id)
		if lookErr == nil && link.Status == SetupLinkRevoked {
			return &RevokedLink{ID: id, Object: link.Object, Revoked: true, Status: link.Status}, nil
		}
	}
	return done, err
}
