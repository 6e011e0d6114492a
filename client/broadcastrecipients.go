package client

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// AddedRecipients counts the recipients that were added and skipped.
type AddedRecipients struct {
	Object    string `json:"object"`
	Added     int    `json:"added"`
	Duplicate int    `json:"duplicate"`
	Invalid   int    `json:"invalid"`
}

// AddBroadcastRecipients adds up to 1,000 recipients to a broadcast that has not begun.
func (c *Client) AddBroadcastRecipients(ctx context.Context, phoneNumberID, id string, recipients []NewRecipient, options ...CallOption) (*AddedRecipients, error) {
	body := map[string][]NewRecipient{"recipients": recipients}
	return one[AddedRecipients](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "broadcasts", id, "recipients").withJSON(body))
}

// RemoveBroadcastRecipients removes all recipients from a broadcast that has not begun.
func (c *Client) RemoveBroadcastRecipients(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Broadcast, error) {
	return one[Broadcast](ctx, c, newCall(http.MethodDelete, options, phoneNumberID, "broadcasts", id, "recipients"))
}

// BroadcastRecipient is one recipient of a broadcast.
type BroadcastRecipient struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	To            string            `json:"to"`
	Variables     map[string]string `json:"variables"`
	Status        string            `json:"status"` // waiting, skipped, sent or failed
	Reason        *string           `json:"reason"` // why it was skipped or failed
	ContactID     *string           `json:"contact_id"`
	Name          *string           `json:"name"` // the contact's name
	Conversation  *string           `json:"conversation_id"`
	MessageID     *string           `json:"message_id"`
	MessageStatus *string           `json:"message_status"`
	RepliedAt     *time.Time        `json:"replied_at"`
	Clicked       *string           `json:"clicked"` // the first button that was pressed
	OptedOutAt    *time.Time        `json:"opted_out_at"`
}

// RecipientFilter selects recipients.
type RecipientFilter struct {
	Status   string // waiting, skipped, sent, delivered, read or failed
	Reason   string
	Reaction string // replied or opted_out
	PageOptions
}

func (f RecipientFilter) query() query {
	return f.PageOptions.query().text("status", f.Status).text("reason", f.Reason).text("reaction", f.Reaction)
}

// ListBroadcastRecipients returns a page of a broadcast's recipients, in the order in which they were added.
func (c *Client) ListBroadcastRecipients(ctx context.Context, phoneNumberID, id string, f RecipientFilter, options ...CallOption) (*Page[BroadcastRecipient], error) {
	return list[BroadcastRecipient](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "broadcasts", id, "recipients"), f.query())
}

// BroadcastRecipients walks through all recipients of a broadcast, in the order in which they were added.
func (c *Client) BroadcastRecipients(ctx context.Context, phoneNumberID, id string, f RecipientFilter) iter.Seq2[BroadcastRecipient, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[BroadcastRecipient], error) {
		f.PageOptions = at
		return c.ListBroadcastRecipients(ctx, phoneNumberID, id, f)
	})
}

// ExportBroadcastRecipients writes a broadcast's recipients to w as a CSV file. It makes one attempt, for as
// long as ctx lasts, and ignores the filter's limit and cursor.
func (c *Client) ExportBroadcastRecipients(ctx context.Context, phoneNumberID, id string, f RecipientFilter, w io.Writer, options ...CallOption) error {
	f.PageOptions = PageOptions{}
	cl := newCall(http.MethodGet, options, phoneNumberID, "broadcasts", id, "recipients.csv")
	cl.query = url.Values(f.query())
	return c.download(ctx, cl, w)
}

// ExportBroadcastLeftOut writes those who would get no message if a broadcast started now to w as a CSV file, with the
// reason. It makes one attempt, for as long as ctx lasts.
func (c *Client) ExportBroadcastLeftOut(ctx context.Context, phoneNumberID, id string, w io.Writer, options ...CallOption) error {
	return c.download(ctx, newCall(http.MethodGet, options, phoneNumberID, "broadcasts", id, "left_out.csv"), w)
}

// download writes the answer to one attempt of a call to w.
func (c *Client) download(ctx context.Context, cl *call, w io.Writer) error {
	if cl.err != nil {
		return cl.err
	}
	request, err := c.request(ctx, cl)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &networkError{err}
	}
	defer response.Body.Close()
	cl.note(response)
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		return newError(response, text)
	}
	_, err = io.Copy(w, response.Body)
	return err
}

// BroadcastPreview shows who would get a broadcast, and samples of its messages.
type BroadcastPreview struct {
	Object       string            `json:"object"`
	Total        int64             `json:"total"`
	Sendable     int64             `json:"sendable"`
	Skipped      []ReasonCount     `json:"skipped"`
	Unchecked    int64             `json:"unchecked"`   // of very many people, those who were counted and not looked at
	DailyLimit   *int64            `json:"daily_limit"` // people in 24 hours; nil: not known, or no limit
	ExceedsLimit bool              `json:"exceeds_daily_limit"`
	MessagesLeft *int64            `json:"messages_left"` // the rest of the plan's quota of this month; nil: no limit
	Samples      []BroadcastSample `json:"samples"`
}

// ReasonCount is the number of recipients with a reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// BroadcastSample is the message of one recipient, or why there is none.
type BroadcastSample struct {
	To      string           `json:"to"`
	Name    *string          `json:"name"`
	Preview *TemplatePreview `json:"preview"`
	Reason  *string          `json:"reason"`
}

// PreviewBroadcast previews a broadcast.
func (c *Client) PreviewBroadcast(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*BroadcastPreview, error) {
	return one[BroadcastPreview](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "broadcasts", id, "preview"))
}

// BroadcastReport sums up the results of a broadcast.
type BroadcastReport struct {
	Object  string          `json:"object"`
	Counts  BroadcastCounts `json:"counts"`
	Skipped []ReasonCount   `json:"skipped"`
	Failed  []ReasonCount   `json:"failed"`
	Clicked []ClickCount    `json:"clicked"`
}

// ClickCount is the number of recipients who pressed a button first.
type ClickCount struct {
	Button string `json:"button"`
	Count  int64  `json:"count"`
}

// GetBroadcastReport returns the results of a broadcast.
func (c *Client) GetBroadcastReport(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*BroadcastReport, error) {
	return one[BroadcastReport](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "broadcasts", id, "report"))
}

// OptOutWords are the words by which people opt out of marketing, or in again.
type OptOutWords struct {
	Object    string                `json:"object"`
	Languages []LanguageOptOutWords `json:"languages"`
}

// LanguageOptOutWords are the words of one language, and the answers to them.
type LanguageOptOutWords struct {
	Language   string   `json:"language"`
	Default    bool     `json:"default"` // not changed by the organization
	Stop       []string `json:"stop"`
	Start      []string `json:"start"`
	StopReply  string   `json:"stop_reply"` // empty: none
	StartReply string   `json:"start_reply"`
}

// OptOutWordsPatch sets the words of a language.
type OptOutWordsPatch struct {
	Stop       Patch[[]string] `json:"stop,omitzero"`
	Start      Patch[[]string] `json:"start,omitzero"`
	StopReply  Patch[string]   `json:"stop_reply,omitzero"`
	StartReply Patch[string]   `json:"start_reply,omitzero"`
}

// GetOptOutWords returns the words of all languages.
func (c *Client) GetOptOutWords(ctx context.Context, options ...CallOption) (*OptOutWords, error) {
	return one[OptOutWords](ctx, c, newCall(http.MethodGet, options, "opt_out_words"))
}

// SetOptOutWords sets the words of a language.
func (c *Client) SetOptOutWords(ctx context.Context, language string, p OptOutWordsPatch, options ...CallOption) (*OptOutWords, error) {
	return one[OptOutWords](ctx, c, newCall(http.MethodPatch, options, "opt_out_words", language).withJSON(p))
}

// ResetOptOutWords restores the default words of a language.
func (c *Client) ResetOptOutWords(ctx context.Context, language string, options ...CallOption) (*OptOutWords, error) {
	return one[OptOutWords](ctx, c, newCall(http.MethodDelete, options, "opt_out_words", language))
}
