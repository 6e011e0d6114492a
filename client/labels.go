package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Label is a team's mark for conversations and contacts.
type Label struct {
	ID        string     `json:"id"`
	Object    string     `json:"object"`
	Name      string     `json:"name"`
	Color     LabelColor `json:"color"`
	TeamID    string     `json:"team_id"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// LabelRef is a label inside another object.
type LabelRef struct {
	ID    string     `json:"id"`
	Name  string     `json:"name"`
	Color LabelColor `json:"color"`
}

// LabelColor is the color of a label.
type LabelColor string

const (
	Gray    LabelColor = "gray"
	Red     LabelColor = "red"
	Orange  LabelColor = "orange"
	Amber   LabelColor = "amber"
	Yellow  LabelColor = "yellow"
	Lime    LabelColor = "lime"
	Green   LabelColor = "green"
	Emerald LabelColor = "emerald"
	Teal    LabelColor = "teal"
	Sky     LabelColor = "sky"
	Blue    LabelColor = "blue"
	Violet  LabelColor = "violet"
	Pink    LabelColor = "pink"
)

// labelBody names the label to attach.
type labelBody struct {
	LabelID string `json:"label_id"`
}

// LabelFilter selects labels.
type LabelFilter struct {
	TeamID string
	PageOptions
}

func (f LabelFilter) query() query { return f.PageOptions.query().text("team_id", f.TeamID) }

// ListLabels returns a page of labels, newest first.
func (c *Client) ListLabels(ctx context.Context, f LabelFilter, options ...CallOption) (*Page[Label], error) {
	return list[Label](ctx, c, newCall(http.MethodGet, options, "labels"), f.query())
}

// Labels walks through all labels, newest first.
func (c *Client) Labels(ctx context.Context, f LabelFilter) iter.Seq2[Label, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Label], error) {
		f.PageOptions = at
		return c.ListLabels(ctx, f)
	})
}

// GetLabel returns a label.
func (c *Client) GetLabel(ctx context.Context, id string, options ...CallOption) (*Label, error) {
	return one[Label](ctx, c, newCall(http.MethodGet, options, "labels", id))
}

// NewLabel is a label to create.
type NewLabel struct {
	Name   string     `json:"name"`
	Color  LabelColor `json:"color,omitempty"`   // gray when empty
	TeamID string     `json:"team_id,omitempty"` // required if there are several teams; Me lists them
}

// CreateLabel creates a label.
func (c *Client) CreateLabel(ctx context.Context, n NewLabel, options ...CallOption) (*Label, error) {
	return one[Label](ctx, c, newCall(http.MethodPost, options, "labels").withJSON(n))
}

// LabelPatch is a change of a label.
type LabelPatch struct {
	Name  Patch[string]     `json:"name,omitzero"`
	Color Patch[LabelColor] `json:"color,omitzero"`
}

// UpdateLabel changes a label.
func (c *Client) UpdateLabel(ctx context.Context, id string, p LabelPatch, options ...CallOption) (*Label, error) {
	return one[Label](ctx, c, newCall(http.MethodPatch, options, "labels", id).withJSON(p))
}

// DeleteLabel deletes a label and detaches it everywhere.
func (c *Client) DeleteLabel(ctx context.Context, id string, options ...CallOption) (*Deleted, error) {
	return c.remove(ctx, newCall(http.MethodDelete, options, "labels", id), "label", id)
}
