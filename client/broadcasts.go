package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Broadcast sends one template to many people.
type Broadcast struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	Name          string            `json:"name"`
	PhoneNumberID string            `json:"phone_number_id"`
	Status        BroadcastStatus   `json:"status"`
	StatusReason  *string           `json:"status_reason"` // why it is paused, stopped or failed
	Template      BroadcastTemplate `json:"template"`
	Audience      BroadcastLabels   `json:"audience"`
	PerSecond     *int64            `json:"per_second"` // nil: as fast as the number may
	ScheduledAt   *time.Time        `json:"scheduled_at"`
	TimeZone      *string           `json:"time_zone"`
	StartedAt     *time.Time        `json:"started_at"`
	CompletedAt   *time.Time        `json:"completed_at"`
	Counts        BroadcastCounts   `json:"counts"`
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`
}

// BroadcastStatus is the status of a broadcast.
type BroadcastStatus string

const (
	BroadcastDraft     BroadcastStatus = "draft"
	BroadcastScheduled BroadcastStatus = "scheduled"
	BroadcastSending   BroadcastStatus = "sending"
	BroadcastPaused    BroadcastStatus = "paused"
	BroadcastCompleted BroadcastStatus = "completed"
	BroadcastStopped   BroadcastStatus = "stopped"
	BroadcastFailed    BroadcastStatus = "failed"
)

// BroadcastTemplate is the template of a broadcast. The texts of its parameters may have variables:
// {{contact.name|fallback}}, {{contact.metadata.KEY}}, {{recipient.KEY}}.
type BroadcastTemplate struct {
	Name       string          `json:"name"`
	Language   string          `json:"language"`
	Components json.RawMessage `json:"components,omitempty"` // as in a message: a list
}

// BroadcastLabels are the labels whose contacts become recipients at the start.
type BroadcastLabels struct {
	LabelIDs []string `json:"label_ids"`
	Match    string   `json:"match,omitempty"` // any or all; any when empty
	// Filter selects the contacts instead of the labels.
	Filter *AudienceFilter `json:"filter,omitempty"`
}

// AudienceFilter selects contacts of the number. Empty fields match all.
type AudienceFilter struct {
	Search       string     `json:"search,omitempty"`
	Number       string     `json:"number,omitempty"`
	LabelIDs     []string   `json:"label_ids,omitempty"`
	AllLabels    bool       `json:"all_labels,omitempty"`
	Consent      string     `json:"consent,omitempty"`
	SeenAfter    *time.Time `json:"seen_after,omitempty"`
	NotSeenSince *time.Time `json:"not_seen_since,omitempty"`
	NeverSeen    bool       `json:"never_seen,omitempty"`
}

// BroadcastCounts are the numbers of recipients by status: Total = Skipped + Waiting + Sent + Failed; the
// others are parts of Sent.
type BroadcastCounts struct {
	Total     int64 `json:"total"`
	Skipped   int64 `json:"skipped"`
	Waiting   int64 `json:"waiting"`
	Sent      int64 `json:"sent"`
	Delivered int64 `json:"delivered"`
	Read      int64 `json:"read"`
	Replied   int64 `json:"replied"`
	Clicked   int64 `json:"clicked"`
	OptedOut  int64 `json:"opted_out"`
	Failed    int64 `json:"failed"`
}

// BroadcastFilter selects broadcasts.
type BroadcastFilter struct {
	Status BroadcastStatus
	PageOptions
}

func (f BroadcastFilter) query() query { return f.PageOptions.query().text("status", string(f.Status)) }

// ListBroadcasts returns a page of a number's broadcasts, newest first.
func (c *Client) ListBroadcasts(ctx context.Context, phoneNumberID string, f BroadcastFilter, options ...CallOption) (*Page[Broadcast], error) {
	return list[Broadcast](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "broadcasts"), f.query())
}

// Broadcasts walks through all broadcasts of a number, newest first.
func (c *Client) Broadcasts(ctx context.Context, phoneNumberID string, f BroadcastFilter) iter.Seq2[Broadcast, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Broadcast], error) {
		f.PageOptions = at
		return c.ListBroadcasts(ctx, phoneNumberID, f)
	})
}

// NewBroadcast is a broadcast to create.
type NewBroadcast struct {
	Name        string             `json:"name"`
	Template    BroadcastTemplate  `json:"template"`
	Audience    *BroadcastAudience `json:"audience,omitempty"`
	PerSecond   *int64             `json:"per_second,omitempty"`
	ScheduledAt *time.Time         `json:"scheduled_at,omitempty"` // without it, it is a draft
	TimeZone    *string            `json:"time_zone,omitempty"`
}

// BroadcastAudience says who gets a broadcast.
type BroadcastAudience struct {
	LabelIDs   []string        `json:"label_ids,omitempty"`
	Match      string          `json:"match,omitempty"`       // any or all of the labels
	Filter     *AudienceFilter `json:"filter,omitempty"`      // instead of labels; an empty one is all contacts
	ContactIDs []string        `json:"contact_ids,omitempty"` // up to 1,000
	Recipients []NewRecipient  `json:"recipients,omitempty"`  // up to 1,000
}

// NewRecipient is a recipient to add.
type NewRecipient struct {
	To        string            `json:"to,omitempty"`
	Recipient string            `json:"recipient,omitempty"` // BSUID or parent BSUID, without To
	Variables map[string]string `json:"variables,omitempty"` // for {{recipient.KEY}}
}

// CreateBroadcast creates a broadcast.
func (c *Client) CreateBroadcast(ctx context.Context, phoneNumberID string, n NewBroadcast, options ...CallOption) (*Broadcast, error) {
	return one[Broadcast](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "broadcasts").withJSON(n))
}

// GetBroadcast returns a broadcast with its current counts.
func (c *Client) GetBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return one[Broadcast](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "broadcasts", id))
}

// BroadcastPatch is a change of a broadcast that has not begun.
type BroadcastPatch struct {
	Name        Patch[string]            `json:"name,omitzero"`
	Template    Patch[BroadcastTemplate] `json:"template,omitzero"`
	Audience    Patch[BroadcastLabels]   `json:"audience,omitzero"`
	PerSecond   Patch[int64]             `json:"per_second,omitzero"`
	ScheduledAt Patch[time.Time]         `json:"scheduled_at,omitzero"`
	TimeZone    Patch[string]            `json:"time_zone,omitzero"`
}

// UpdateBroadcast changes a broadcast that has not begun.
func (c *Client) UpdateBroadcast(ctx context.Context, phoneNumberID, id string, p BroadcastPatch, options ...CallOption) (*Broadcast, error) {
	return one[Broadcast](ctx, c, newCall(http.MethodPatch, options, phoneNumberID, "broadcasts", id).withJSON(p))
}

// DeleteBroadcast deletes a broadcast that has not begun.
func (c *Client) DeleteBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Deleted, error) {
	return c.remove(ctx, newCall(http.MethodDelete, options, phoneNumberID, "broadcasts", id), "broadcast", id)
}

// move performs an action on a broadcast.
func (c *Client) move(ctx context.Context, phoneNumberID, id, name string, options []CallOption) (*Broadcast, error) {
	return one[Broadcast](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "broadcasts", id, name))
}

// StartBroadcast starts sending a broadcast.
func (c *Client) StartBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return c.move(ctx, phoneNumberID, id, "start", options)
}

// PauseBroadcast stops a broadcast until it is resumed.
func (c *Client) PauseBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return c.move(ctx, phoneNumberID, id, "pause", options)
}

// ResumeBroadcast resumes a paused broadcast.
func (c *Client) ResumeBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return c.move(ctx, phoneNumberID, id, "resume", options)
}

// StopBroadcast ends a broadcast for good.
func (c *Client) StopBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return c.move(ctx, phoneNumberID, id, "stop", options)
}

// RetryBroadcast sends again to recipients whose message failed.
func (c *Client) RetryBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return c.move(ctx, phoneNumberID, id, "retry", options)
}

// DuplicateBroadcast makes a draft with the same content.
func (c *Client) DuplicateBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return c.move(ctx, phoneNumberID, id, "duplicate", options)
}

// TestBroadcast sends a broadcast's message to one number, filled in as for its first recipient.
func (c *Client) TestBroadcast(ctx context.Context, phoneNumberID, id, to string, options ...CallOption) (*Message, error) {
	return one[Message](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "broadcasts", id, "test").withJSON(map[string]string{"to": to}))
}
