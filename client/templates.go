package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// MessageTemplate is one language of a message template. It belongs to all numbers of the same
// business account at the provider.
type MessageTemplate struct {
	ID                 string           `json:"id"`
	Object             string           `json:"object"`
	Name               string           `json:"name"`
	Language           string           `json:"language"`
	Status             TemplateStatus   `json:"status"`
	ProviderStatus     string           `json:"provider_status"` // the provider's own word, PAUSED for example
	RejectedReason     *string          `json:"rejected_reason"`
	Category           TemplateCategory `json:"category"` // empty if unknown
	Quality            *string          `json:"quality"`  // GREEN, YELLOW, RED or UNKNOWN
	Content            string           `json:"content"`  // the text of the body
	Variables          []string         `json:"variables"`
	ParameterFormat    string           `json:"parameter_format"` // positional or named
	TTLSeconds         *int             `json:"message_send_ttl_seconds"`
	Components         json.RawMessage  `json:"components"` // in the provider's shape
	ChatAccount        ChatAccount      `json:"chat_account"`
	ProviderTemplateID *string          `json:"provider_template_id"`
	CreatedAt          time.Time        `json:"created_at"`
	UpdatedAt          time.Time        `json:"updated_at"`
}

// TemplateStatus is the status of a template's review.
type TemplateStatus string

const (
	TemplatePending  TemplateStatus = "pending"
	TemplateApproved TemplateStatus = "approved"
	TemplateRejected TemplateStatus = "rejected"
	AnyTemplate      TemplateStatus = "all" // in a filter
)

// TemplateCategory is what a template is for.
type TemplateCategory string

const (
	CategoryMarketing      TemplateCategory = "MARKETING"
	CategoryUtility        TemplateCategory = "UTILITY"
	CategoryAuthentication TemplateCategory = "AUTHENTICATION"
)

// TemplateFilter selects templates; without a Status, approved ones.
type TemplateFilter struct {
	Status   TemplateStatus
	Language string
	Category TemplateCategory
	Name     string // matches all its languages
	Search   string // a part of the name, or of a text
	PageOptions
}

func (f TemplateFilter) query() query {
	return f.PageOptions.query().text("status", string(f.Status)).text("language", f.Language).
		text("category", string(f.Category)).text("name", f.Name).text("search", f.Search)
}

// ListTemplates returns a page of a number's templates, newest first.
func (c *Client) ListTemplates(ctx context.Context, phoneNumberID string, f TemplateFilter, options ...CallOption) (*Page[MessageTemplate], error) {
	return list[MessageTemplate](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "templates"), f.query())
}

// Templates walks through all of a number's templates, newest first.
func (c *Client) Templates(ctx context.Context, phoneNumberID string, f TemplateFilter) iter.Seq2[MessageTemplate, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[MessageTemplate], error) {
		f.PageOptions = at
		return c.ListTemplates(ctx, phoneNumberID, f)
	})
}

// TemplateVariant selects a language of a template. If it is empty, a read returns the newest, and a deletion
// deletes all.
type TemplateVariant struct{ Language string }

func (v TemplateVariant) query() query { return query{}.text("language", v.Language) }

// GetTemplate returns a template.
func (c *Client) GetTemplate(ctx context.Context, phoneNumberID, name string, v TemplateVariant, options ...CallOption) (*MessageTemplate, error) {
	return one[MessageTemplate](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "templates", name).with(v.query()))
}

// NewTemplate is a template to create.
type NewTemplate struct {
	Name            string           `json:"name"` // lowercase letters, digits and underscores
	Language        string           `json:"language"`
	Category        TemplateCategory `json:"category"`
	Components      []TemplatePart   `json:"components"`
	Variables       []string         `json:"variables,omitempty"`
	ParameterFormat string           `json:"parameter_format,omitempty"` // positional when empty
	TTLSeconds      *int             `json:"message_send_ttl_seconds,omitempty"`
}

// TemplatePart is a component of a template.
type TemplatePart struct {
	Type                      string           `json:"type"`             // HEADER, BODY, FOOTER, BUTTONS or CAROUSEL
	Format                    string           `json:"format,omitempty"` // of a header: TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION
	Text                      string           `json:"text,omitempty"`
	Example                   *TemplateExample `json:"example,omitempty"`
	Buttons                   []TemplateButton `json:"buttons,omitempty"`
	Cards                     []CarouselCard   `json:"cards,omitempty"`
	AddSecurityRecommendation *bool            `json:"add_security_recommendation,omitempty"`
	CodeExpirationMinutes     *int             `json:"code_expiration_minutes,omitempty"`
}

// CarouselCard is a card of a carousel: a header with a file, a text, and buttons.
type CarouselCard struct {
	Components []TemplatePart `json:"components"`
}

// TemplateExample holds the samples that reviewers see in place of placeholders and files.
type TemplateExample struct {
	HeaderText      []string       `json:"header_text,omitempty"`
	HeaderTextNamed []NamedExample `json:"header_text_named_params,omitempty"`
	HeaderURL       []string       `json:"header_url,omitempty"` // one public https address
	HeaderHandle    []string       `json:"header_handle,omitempty"`
	BodyText        [][]string     `json:"body_text,omitempty"`
	BodyTextNamed   []NamedExample `json:"body_text_named_params,omitempty"`
}

// NamedExample is the sample of a named placeholder.
type NamedExample struct {
	Name    string `json:"param_name"`
	Example string `json:"example"`
}

// TemplateButton is a button of a template.
type TemplateButton struct {
	Type             string        `json:"type"` // QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE or OTP
	Text             string        `json:"text,omitempty"`
	URL              string        `json:"url,omitempty"`
	PhoneNumber      string        `json:"phone_number,omitempty"`
	Example          []string      `json:"example,omitempty"`
	OTPType          string        `json:"otp_type,omitempty"` // COPY_CODE, ONE_TAP or ZERO_TAP
	AutofillText     string        `json:"autofill_text,omitempty"`
	SupportedApps    []TemplateApp `json:"supported_apps,omitempty"`
	ZeroTapTermsOkay *bool         `json:"zero_tap_terms_accepted,omitempty"`
}

// TemplateApp is an app that reads a code without the user's help.
type TemplateApp struct {
	PackageName   string `json:"package_name"`
	SignatureHash string `json:"signature_hash"`
}

// CreateTemplate submits a template for review. It is pending until the provider has decided.
func (c *Client) CreateTemplate(ctx context.Context, phoneNumberID string, n NewTemplate, options ...CallOption) (*MessageTemplate, error) {
	return one[MessageTemplate](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "templates").withJSON(n))
}

// TemplatePatch is a change of a template. Language is required if it exists in several.
type TemplatePatch struct {
	Language   string           `json:"language,omitempty"`
	Components []TemplatePart   `json:"components,omitempty"` // replace all earlier ones
	Category   TemplateCategory `json:"category,omitempty"`
	TTLSeconds *int             `json:"message_send_ttl_seconds,omitempty"`
}

// UpdateTemplate changes a template, which is then reviewed again.
func (c *Client) UpdateTemplate(ctx context.Context, phoneNumberID, name string, p TemplatePatch, options ...CallOption) (*MessageTemplate, error) {
	return one[MessageTemplate](ctx, c, newCall(http.MethodPatch, options, phoneNumberID, "templates", name).withJSON(p))
}

// DeletedTemplate answers DeleteTemplate.
type DeletedTemplate struct {
	ID      string `json:"id"` // of the newest deleted language
	Object  string `json:"object"`
	Name    string `json:"name"`
	Deleted bool   `json:"deleted"`
}

// DeleteTemplate deletes a template, in one language or in all.
func (c *Client) DeleteTemplate(ctx context.Context, phoneNumberID, name string, v TemplateVariant, options ...CallOption) (*DeletedTemplate, error) {
	cl := newCall(http.MethodDelete, options, phoneNumberID, "templates", name).with(v.query())
	deleted, err := one[DeletedTemplate](ctx, c, cl)
	if cl.unsure && IsCode(err, CodeResourceNotFound) {
		return &DeletedTemplate{Object: "template", Name: name, Deleted: true}, nil
	}
	return deleted, err
}

// TemplateSync is the result of SyncTemplates.
type TemplateSync struct {
	Object  string `json:"object"`
	Created int    `json:"created"`
	Updated int    `json:"updated"`
	Removed int    `json:"removed"`
	Synced  int    `json:"synced"` // how many templates the provider has
}

// SyncTemplates reads all templates from the provider, which the service also does by itself.
func (c *Client) SyncTemplates(ctx context.Context, phoneNumberID string, options ...CallOption) (*TemplateSync, error) {
	return one[TemplateSync](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "templates", "sync"))
}

// TemplatePreview is what the recipient sees of a template message.
type TemplatePreview struct {
	Header  *PreviewHeader  `json:"header,omitempty"`
	Body    string          `json:"body"`
	Footer  string          `json:"footer,omitempty"`
	Buttons []PreviewButton `json:"buttons,omitempty"`
	Cards   []PreviewCard   `json:"cards,omitempty"`
}

// PreviewHeader is the text, file or place above the body.
type PreviewHeader struct {
	Format string `json:"format"`
	Text   string `json:"text,omitempty"`
	Link   string `json:"link,omitempty"`
	ID     string `json:"id,omitempty"`
}

// PreviewButton is a button below the body.
type PreviewButton struct {
	Type        string `json:"type"`
	Text        string `json:"text,omitempty"`
	URL         string `json:"url,omitempty"`
	PhoneNumber string `json:"phone_number,omitempty"`
	Code        string `json:"code,omitempty"`
}

// PreviewCard is a card of a carousel.
type PreviewCard struct {
	Header  *PreviewHeader  `json:"header,omitempty"`
	Body    string          `json:"body,omitempty"`
	Buttons []PreviewButton `json:"buttons,omitempty"`
}
