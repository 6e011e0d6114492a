package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// WebhookSubscription is an endpoint to which events are delivered.
type WebhookSubscription struct {
	ID                  string                    `json:"id"`
	Object              string                    `json:"object"`
	URL                 string                    `json:"url"`
	Description         *string                   `json:"description"`
	Events              []EventType               `json:"events"`
	Status              WebhookSubscriptionStatus `json:"status"`
	DisabledReason      *string                   `json:"disabled_reason"`
	ConsecutiveFailures int64                     `json:"consecutive_failures"`
	Secrets             []WebhookSecretRef        `json:"secrets"`          // the active ones
	PhoneNumberIDs      []string                  `json:"phone_number_ids"` // empty: every number
	CreatedAt           time.Time                 `json:"created_at"`
	UpdatedAt           time.Time                 `json:"updated_at"`
	// InitialSecret is the secret for VerifyWebhook. Only the answer to the creation has it.
	InitialSecret string `json:"initial_secret"`
}

// WebhookSubscriptionStatus says whether deliveries go out.
type WebhookSubscriptionStatus string

const (
	WebhookActive   WebhookSubscriptionStatus = "active"
	WebhookPaused   WebhookSubscriptionStatus = "paused"   // by you: deliveries wait
	WebhookDisabled WebhookSubscriptionStatus = "disabled" // by the service, after too many failures
)

// WebhookSecretRef is a signing secret without its text.
type WebhookSecretRef struct {
	ID        string     `json:"id"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// ListWebhookSubscriptions returns a page of subscriptions, newest first.
func (c *Client) ListWebhookSubscriptions(ctx context.Context, at PageOptions, options ...CallOption) (*Page[WebhookSubscription], error) {
	return list[WebhookSubscription](ctx, c, newCall(http.MethodGet, options, "webhook_subscriptions"), at.query())
}

// WebhookSubscriptions walks through all subscriptions, newest first.
func (c *Client) WebhookSubscriptions(ctx context.Context, from PageOptions) iter.Seq2[WebhookSubscription, error] {
	return walk(from, func(at PageOptions) (*Page[WebhookSubscription], error) { return c.ListWebhookSubscriptions(ctx, at) })
}

// GetWebhookSubscription returns a subscription.
func (c *Client) GetWebhookSubscription(ctx context.Context, id string, options ...CallOption) (*WebhookSubscription, error) {
	return one[WebhookSubscription](ctx, c, newCall(http.MethodGet, options, "webhook_subscriptions", id))
}

// NewWebhookSubscription is an endpoint to subscribe.
type NewWebhookSubscription struct {
	URL            string      `json:"url"`
	Events         []EventType `json:"events"` // AllEvents for all
	Description    string      `json:"description,omitempty"`
	PhoneNumberIDs []string    `json:"phone_number_ids,omitempty"` // none: every number
}

// CreateWebhookSubscription subscribes an endpoint. Keep the InitialSecret of the answer: it is not
// shown again.
func (c *Client) CreateWebhookSubscription(ctx context.Context, n NewWebhookSubscription, options ...CallOption) (*WebhookSubscription, error) {
	return one[WebhookSubscription](ctx, c, newCall(http.MethodPost, options, "webhook_subscriptions").withJSON(n))
}

// WebhookSubscriptionPatch is a change of a subscription. Status can be set to WebhookActive and
// WebhookPaused.
type WebhookSubscriptionPatch struct {
	URL            Patch[string]                    `json:"url,omitzero"`
	Events         Patch[[]EventType]               `json:"events,omitzero"`
	Description    Patch[string]                    `json:"description,omitzero"`
	PhoneNumberIDs Patch[[]string]                  `json:"phone_number_ids,omitzero"`
	Status         Patch[WebhookSubscriptionStatus] `json:"status,omitzero"`
}

// UpdateWebhookSubscription changes a subscription.
func (c *Client) UpdateWebhookSubscription(ctx context.Context, id string, p WebhookSubscriptionPatch, options ...CallOption) (*WebhookSubscription, error) {
	return one[WebhookSubscription](ctx, c, newCall(http.MethodPatch, options, "webhook_subscriptions", id).withJSON(p))
}

// DeleteWebhookSubscription deletes a subscription. Its open deliveries are dropped.
func (c *Client) DeleteWebhookSubscription(ctx context.Context, id string, options ...CallOption) (*Deleted, error) {
	return c.remove(ctx, newCall(http.MethodDelete, options, "webhook_subscriptions", id), "webhook_subscription", id)
}

type testWebhookBody struct {
	EventType EventType `json:"event_type,omitempty"`
}

// TestWebhookSubscription sends a sample event to a subscription. If the type is empty, it is the first that
// the subscription wants. It returns the delivery.
func (c *Client) TestWebhookSubscription(ctx context.Context, id string, kind EventType, options ...CallOption) (*WebhookDelivery, error) {
	return one[WebhookDelivery](ctx, c, newCall(http.MethodPost, options, "webhook_subscriptions", id, "test").withJSON(testWebhookBody{kind}))
}

// WebhookSecret is a new signing secret.
type WebhookSecret struct {
	ID        string     `json:"id"`
	Object    string     `json:"object"`
	Secret    string     `json:"secret"` // for VerifyWebhook; not shown again
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// NewWebhookSecret says how long secrets sign.
type NewWebhookSecret struct {
	ExpiresInHours      *int `json:"expires_in_hours,omitempty"`       // nil: never
	ExpireOthersInHours *int `json:"expire_others_in_hours,omitempty"` // nil: the others stay; 0: they end at once
}

// CreateWebhookSecret makes another signing secret. Deliveries are signed with all active secrets.
func (c *Client) CreateWebhookSecret(ctx context.Context, subscriptionID string, n NewWebhookSecret, options ...CallOption) (*WebhookSecret, error) {
	return one[WebhookSecret](ctx, c, newCall(http.MethodPost, options, "webhook_subscriptions", subscriptionID, "secrets").withJSON(n))
}

// Revoked answers a call that revokes.
type Revoked struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Revoked bool   `json:"revoked"`
}

// RevokeWebhookSecret revokes a secret. The last one cannot be revoked.
func (c *Client) RevokeWebhookSecret(ctx context.Context, subscriptionID, id string, options ...CallOption) (*Revoked, error) {
	cl := newCall(http.MethodDelete, options, "webhook_subscriptions", subscriptionID, "secrets", id)
	revoked, err := one[Revoked](ctx, c, cl)
	if cl.unsure && IsCode(err, CodeResourceNotFound) { // an earlier attempt worked, but its answer was lost
		return &Revoked{ID: id, Object: "webhook_secret", Revoked: true}, nil
	}
	return revoked, err
}
