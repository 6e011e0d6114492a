package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Contact is a person with whom a business number exchanges messages.
type Contact struct {
	ID               string           `json:"id"`
	Object           string           `json:"object"`
	PhoneNumber      *string          `json:"phone_number"`
	BSUID            *string          `json:"bsuid"` // business-scoped user id
	ParentBSUID      *string          `json:"parent_bsuid"`
	Username         *string          `json:"username"`
	Name             *string          `json:"name"`
	Email            *string          `json:"email"`
	Metadata         map[string]any   `json:"metadata"` // nil when there is none; numbers are json.Number
	MarketingConsent MarketingConsent `json:"marketing_consent"`
	Labels           []LabelRef       `json:"labels"`
	ChatAccount      ChatAccount      `json:"chat_account"`
	CreatedAt        time.Time        `json:"created_at"`
	UpdatedAt        time.Time        `json:"updated_at"`
}

// MarketingConsent says whether a contact wants marketing messages.
type MarketingConsent string

const (
	ConsentUnknown  MarketingConsent = "unknown"
	ConsentOptedIn  MarketingConsent = "opted_in"
	ConsentOptedOut MarketingConsent = "opted_out"
)

// ContactFilter selects contacts.
type ContactFilter struct {
	Phone    string // exact, with or without +
	BSUID    string
	Username string // exact, in any case
	Search   string // part of the name, e-mail address, number or username
	LabelID  string
	PageOptions
}

func (f ContactFilter) query() query {
	return f.PageOptions.query().text("phone", f.Phone).text("bsuid", f.BSUID).text("username", f.Username).
		text("search", f.Search).text("label_id", f.LabelID)
}

// ListContacts returns a page of a number's contacts, newest first.
func (c *Client) ListContacts(ctx context.Context, phoneNumberID string, f ContactFilter, options ...CallOption) (*Page[Contact], error) {
	return list[Contact](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "contacts"), f.query())
}

// Contacts walks through all of a number's contacts, newest first.
func (c *Client) Contacts(ctx context.Context, phoneNumberID string, f ContactFilter) iter.Seq2[Contact, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Contact], error) {
		f.PageOptions = at
		return c.ListContacts(ctx, phoneNumberID, f)
	})
}

// GetContact returns a contact.
func (c *Client) GetContact(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Contact, error) {
	return one[Contact](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "contacts", id))
}

// NewContact is a contact to create. PhoneNumber or BSUID is required; empty fields are omitted.
type NewContact struct {
	PhoneNumber string         `json:"phone_number,omitempty"`
	BSUID       string         `json:"bsuid,omitempty"`
	Username    string         `json:"username,omitempty"`
	Name        string         `json:"name,omitempty"`
	Email       string         `json:"email,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	// MarketingConsent defaults to unknown.
	MarketingConsent MarketingConsent `json:"marketing_consent,omitempty"`
}

// CreateContact adds a contact to a number.
func (c *Client) CreateContact(ctx context.Context, phoneNumberID string, n NewContact, options ...CallOption) (*Contact, error) {
	return one[Contact](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "contacts").withJSON(n))
}

// ContactPatch is a change of a contact. All but the consent may be cleared.
type ContactPatch struct {
	Name             Patch[string]           `json:"name,omitzero"`
	Username         Patch[string]           `json:"username,omitzero"`
	Email            Patch[string]           `json:"email,omitzero"`
	Metadata         Patch[map[string]any]   `json:"metadata,omitzero"` // replaces all of it
	MarketingConsent Patch[MarketingConsent] `json:"marketing_consent,omitzero"`
}

// UpdateContact changes a contact. Its number cannot be changed.
func (c *Client) UpdateContact(ctx context.Context, phoneNumberID, id string, p ContactPatch, options ...CallOption) (*Contact, error) {
	return one[Contact](ctx, c, newCall(http.MethodPatch, options, phoneNumberID, "contacts", id).withJSON(p))
}

// DeleteContact deletes a contact with its conversation and messages.
func (c *Client) DeleteContact(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Deleted, error) {
	return c.remove(ctx, newCall(http.MethodDelete, options, phoneNumberID, "contacts", id), "contact", id)
}

// MergeContacts merges two contacts of a number, for a person who is known twice. Fields that both have keep
// the first one's value. The ids of the contact with the older conversation stay; the other's ids name the same
// contact.
func (c *Client) MergeContacts(ctx context.Context, phoneNumberID, id, otherID string, options ...CallOption) (*Contact, error) {
	body := struct {
		ContactID string `json:"contact_id"`
	}{otherID}
	return one[Contact](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "contacts", id, "merge").withJSON(body))
}

// ContactLabel says whether a label is attached to a contact.
type ContactLabel struct {
	ContactID string `json:"contact_id"`
	LabelID   string `json:"label_id"`
	Attached  bool   `json:"attached"`
}

// AttachContactLabel attaches a label of the number's team. Attaching it again changes nothing.
func (c *Client) AttachContactLabel(ctx context.Context, phoneNumberID, id, labelID string, options ...CallOption) (*ContactLabel, error) {
	cl := newCall(http.MethodPost, options, phoneNumberID, "contacts", id, "labels").withJSON(labelBody{labelID})
	return one[ContactLabel](ctx, c, cl)
}

// DetachContactLabel detaches a label. Detaching one that is not attached changes nothing.
func (c *Client) DetachContactLabel(ctx context.Context, phoneNumberID, id, labelID string, options ...CallOption) (*ContactLabel, error) {
	return one[ContactLabel](ctx, c, newCall(http.MethodDelete, options, phoneNumberID, "contacts", id, "labels", labelID))
}

// BulkLabel attaches a label to up to 1000 contacts, or detaches it.
type BulkLabel struct {
	ContactIDs []string       `json:"contact_ids"`
	LabelID    string         `json:"label_id"`
	Operation  LabelOperation `json:"operation"`
}

// LabelOperation is the operation of BulkLabelContacts.
type LabelOperation string

const (
	LabelAttach LabelOperation = "attach"
	LabelDetach LabelOperation = "detach"
)

// BulkLabelResult counts the contacts by result. The four counts add up to the distinct ids.
type BulkLabelResult struct {
	Object              string         `json:"object"`
	Operation           LabelOperation `json:"operation"`
	LabelID             string         `json:"label_id"`
	Applied             int            `json:"applied"`
	Already             int            `json:"already"`
	SkippedCrossOrg     int            `json:"skipped_cross_org"` // not contacts of this number
	SkippedTeamMismatch int            `json:"skipped_team_mismatch"`
}

// BulkLabelContacts attaches a label to many contacts at once, or detaches it: all or none.
func (c *Client) BulkLabelContacts(ctx context.Context, phoneNumberID string, b BulkLabel, options ...CallOption) (*BulkLabelResult, error) {
	return one[BulkLabelResult](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "contacts", "bulk_label").withJSON(b))
}
