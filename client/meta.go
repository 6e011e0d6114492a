package client

import (
	"context"
	"net/http"
	"time"
)

// Health is the state of the service.
type Health struct {
	Status string `json:"status"`
}

// Health asks for the state of the service. It fails with service_unavailable if the service cannot work.
func (c *Client) Health(ctx context.Context, options ...CallOption) (*Health, error) {
	return one[Health](ctx, c, newCall(http.MethodGet, options, "health"))
}

// KeyContext is a key's organization and its rights.
type KeyContext struct {
	Object       string        `json:"object"`
	Organization Organization  `json:"organization"`
	APIKey       APIKey        `json:"api_key"`
	RateLimits   KeyRateLimits `json:"rate_limits"`
	Teams        []Team        `json:"teams"`
}

// Organization is the owner of a key.
type Organization struct {
	ID                 string             `json:"id"`
	Object             string             `json:"object"`
	Name               string             `json:"name"`
	Plan               string             `json:"plan"`
	SubscriptionStatus SubscriptionStatus `json:"subscription_status"`
}

// SubscriptionStatus is the status of an organization's subscription.
type SubscriptionStatus string

const (
	SubscriptionActive   SubscriptionStatus = "active"
	SubscriptionTrialing SubscriptionStatus = "trialing"
	SubscriptionInactive SubscriptionStatus = "inactive"
)

// APIKey is a key without its secret.
type APIKey struct {
	ID        string     `json:"id"`
	Object    string     `json:"object"`
	Name      string     `json:"name"`
	Last4     string     `json:"last4"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"` // nil: never
}

// KeyRateLimits is how many requests the organization may make.
type KeyRateLimits struct {
	WritePerMinute int64 `json:"write_per_minute"`
	ReadPerMinute  int64 `json:"read_per_minute"`
}

// Team is a part of an organization. Labels belong to one.
type Team struct {
	ID     string `json:"id"`
	Object string `json:"object"`
	Name   string `json:"name"`
}

// Me describes the client's own key.
func (c *Client) Me(ctx context.Context, options ...CallOption) (*KeyContext, error) {
	return one[KeyContext](ctx, c, newCall(http.MethodGet, options, "me"))
}
