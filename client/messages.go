package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Message is a message, sent or received. Its content is in the field that Type names.
type Message struct {
	ID             string          `json:"id"`
	Object         string          `json:"object"`
	Direction      Direction       `json:"direction"`
	From           *string         `json:"from"` // number in E.164
	To             *string         `json:"to"`   // nil when the recipient has no known number
	BSUID          *string         `json:"bsuid"`
	ParentBSUID    *string         `json:"parent_bsuid"`
	Username       *string         `json:"username"`
	Type           MessageType     `json:"type"`
	Status         MessageStatus   `json:"status"`
	Source         *MessageSource  `json:"source"` // how an outbound message was made
	ConversationID string          `json:"conversation_id"`
	MessageID      string          `json:"message_id,omitempty"` // the provider's id; empty until it is known
	Context        *MessageContext `json:"context,omitempty"`    // the message it replies to, and whether it was forwarded
	IsRevoked      bool            `json:"is_revoked"`           // its author deleted it for everyone
	Error          *MessageError   `json:"error,omitempty"`      // why it failed
	PlayedAt       *time.Time      `json:"played_at,omitempty"`  // when a voice note was first played
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`

	Text        *TextContent        `json:"text,omitempty"`
	Image       *MediaContent       `json:"image,omitempty"`
	Document    *MediaContent       `json:"document,omitempty"`
	Video       *MediaContent       `json:"video,omitempty"`
	Audio       *MediaContent       `json:"audio,omitempty"`
	Template    *TemplateContent    `json:"template,omitempty"`
	Preview     *TemplatePreview    `json:"preview,omitempty"` // what the recipient of a template sees
	Interactive *InteractiveContent `json:"interactive,omitempty"`
	Reaction    *ReactionContent    `json:"reaction,omitempty"`
	Location    *LocationContent    `json:"location,omitempty"`
	Contacts    json.RawMessage     `json:"contacts,omitempty"` // cards, as the provider gives them
	Button      *ButtonContent      `json:"button,omitempty"`
	Unsupported *UnsupportedContent `json:"unsupported,omitempty"`

	// Parts of an inbound message beside its content, as the provider sends them.
	Referral json.RawMessage `json:"referral,omitempty"` // the advertisement that led to it
	Order    json.RawMessage `json:"order,omitempty"`    // what was ordered from a catalogue
	Errors   json.RawMessage `json:"errors,omitempty"`   // why there is no content, or none that can be shown
}

// Direction says who wrote a message.
type Direction string

const (
	Inbound  Direction = "inbound"
	Outbound Direction = "outbound"
)

// MessageType is the kind of a message's content.
type MessageType string

const (
	TypeText        MessageType = "text"
	TypeImage       MessageType = "image"
	TypeDocument    MessageType = "document"
	TypeVideo       MessageType = "video"
	TypeAudio       MessageType = "audio"
	TypeTemplate    MessageType = "template"
	TypeInteractive MessageType = "interactive"
	TypeReaction    MessageType = "reaction"

	// The remaining types are received only.
	TypeLocation    MessageType = "location"
	TypeContacts    MessageType = "contacts"
	TypeButton      MessageType = "button"
	TypeUnsupported MessageType = "unsupported"
)

// MessageStatus is the status of a message.
type MessageStatus string

const (
	StatusQueued    MessageStatus = "queued"
	StatusPending   MessageStatus = "pending"
	StatusSent      MessageStatus = "sent"
	StatusDelivered MessageStatus = "delivered"
	StatusRead      MessageStatus = "read"
	StatusFailed    MessageStatus = "failed"
)

// MessageSource says how an outbound message was made.
type MessageSource string

const (
	SourceAPI       MessageSource = "api"
	SourceDashboard MessageSource = "dashboard"
	SourceApp       MessageSource = "app"
	SourceBroadcast MessageSource = "broadcast"
	SourceAutomatic MessageSource = "automatic"
)

// MessageContext names the message that this one replies to, by the provider's id, and says how it arrived.
type MessageContext struct {
	MessageID           string          `json:"message_id,omitempty"`
	Forwarded           bool            `json:"forwarded,omitempty"`
	FrequentlyForwarded bool            `json:"frequently_forwarded,omitempty"`
	ReferredProduct     json.RawMessage `json:"referred_product,omitempty"` // the product of a catalogue that it asks about
}

// MessageError says why a message failed.
type MessageError struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	ProviderCode *int   `json:"provider_code"`
}

// MessageFilter selects messages.
type MessageFilter struct {
	ConversationID string
	Direction      Direction
	Status         MessageStatus
	Type           MessageType
	MessageID      string    // the provider's id
	CreatedAfter   time.Time // exclusive
	CreatedBefore  time.Time // exclusive
	PageOptions
}

func (f MessageFilter) query() query {
	return f.PageOptions.query().text("conversation_id", f.ConversationID).text("direction", string(f.Direction)).
		text("status", string(f.Status)).text("type", string(f.Type)).text("message_id", f.MessageID).
		instant("created_after", f.CreatedAfter).instant("created_before", f.CreatedBefore)
}

// ListMessages returns a page of a number's messages, newest first.
func (c *Client) ListMessages(ctx context.Context, phoneNumberID string, f MessageFilter, options ...CallOption) (*Page[Message], error) {
	return list[Message](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "messages"), f.query())
}

// Messages walks through all of a number's messages, newest first.
func (c *Client) Messages(ctx context.Context, phoneNumberID string, f MessageFilter) iter.Seq2[Message, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Message], error) {
		f.PageOptions = at
		return c.ListMessages(ctx, phoneNumberID, f)
	})
}

// GetMessage returns a message by its msg_ id. It supports IfNoneMatch.
func (c *Client) GetMessage(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Message, error) {
	return one[Message](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "messages", id))
}

// MessageMediaURL returns the permanent address of a message's file. It needs no key. The call
// fails with resource_not_found when the message has no file, or while it is still being fetched.
func (c *Client) MessageMediaURL(ctx context.Context, phoneNumberID, id string, options ...CallOption) (string, error) {
	cl := newCall(http.MethodGet, options, phoneNumberID, "messages", id, "media")
	cl.found = true
	err := c.do(ctx, cl, &struct{}{})
	return cl.location, err
}

// SendMessage sends a message. It returns once the message is stored, with the status queued; webhooks and
// GetMessage report its further statuses.
func (c *Client) SendMessage(ctx context.Context, phoneNumberID string, m NewMessage, options ...CallOption) (*Message, error) {
	body := struct {
		Product string `json:"messaging_product"`
		NewMessage
	}{"chat", m}
	return one[Message](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "messages").withJSON(body))
}

// ReadReceipt tells the author of an inbound message that it was read.
type ReadReceipt struct {
	MessageID string // the provider's id of the message
	Typing    bool   // also show a typing indicator, for up to 25 seconds
}

// ReadResult is the marked message.
type ReadResult struct {
	ID        string        `json:"id"`
	Object    string        `json:"object"`
	Status    MessageStatus `json:"status"`
	MessageID string        `json:"message_id"`
}

// MarkRead marks an inbound message as read.
func (c *Client) MarkRead(ctx context.Context, phoneNumberID string, r ReadReceipt, options ...CallOption) (*ReadResult, error) {
	type typing struct {
		Type string `json:"type"`
	}
	body := struct {
		Product   string  `json:"messaging_product"`
		Status    string  `json:"status"`
		MessageID string  `json:"message_id"`
		Typing    *typing `json:"typing_indicator,omitempty"`
	}{Product: "chat", Status: "read", MessageID: r.MessageID}
	if r.Typing {
		body.Typing = &typing{"text"}
	}
	return one[ReadResult](ctx, c, newCall(http.MethodPost, options, phoneNumberID, "messages").withJSON(body))
}
