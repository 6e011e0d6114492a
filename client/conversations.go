package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Conversation holds all messages between a business number and a contact.
type Conversation struct {
	ID            string             `json:"id"`
	Object        string             `json:"object"`
	Status        ConversationStatus `json:"status"`
	Contact       ContactRef         `json:"contact"`
	ChatAccount   ChatAccount        `json:"chat_account"`
	Assignee      *Assignee          `json:"assignee"`
	Labels        []LabelRef         `json:"labels"`
	UnreadCount   int64              `json:"unread_count"`
	LastMessageAt *time.Time         `json:"last_message_at"`
	LastInboundAt *time.Time         `json:"last_inbound_at"`
	CreatedAt     time.Time          `json:"created_at"`
	UpdatedAt     time.Time          `json:"updated_at"`
}

// ConversationStatus says whether a conversation needs attention.
type ConversationStatus string

const (
	ConversationOpen     ConversationStatus = "open"
	ConversationResolved ConversationStatus = "resolved"
	ConversationPending  ConversationStatus = "pending"
)

// ContactRef names a contact.
type ContactRef struct {
	ID          string  `json:"id"`
	PhoneNumber *string `json:"phone_number"`
	Name        *string `json:"name"`
}

// Assignee is the user who handles a conversation.
type Assignee struct {
	ID    string  `json:"id"`
	Name  *string `json:"name"`
	Email *string `json:"email"`
}

// ConversationFilter selects conversations.
type ConversationFilter struct {
	Status       ConversationStatus
	ContactID    string
	UpdatedSince time.Time // exclusive; also sorts by update
	LabelID      string
	AssignedTo   string
	PageOptions
}

func (f ConversationFilter) query() query {
	return f.PageOptions.query().text("status", string(f.Status)).text("contact_id", f.ContactID).
		instant("updated_since", f.UpdatedSince).text("label_id", f.LabelID).text("assigned_to", f.AssignedTo)
}

// ListConversations returns a page of a number's conversations, latest message first. It supports IfNoneMatch.
func (c *Client) ListConversations(ctx context.Context, phoneNumberID string, f ConversationFilter, options ...CallOption) (*Page[Conversation], error) {
	return list[Conversation](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "conversations"), f.query())
}

// Conversations walks through all of a number's conversations.
func (c *Client) Conversations(ctx context.Context, phoneNumberID string, f ConversationFilter) iter.Seq2[Conversation, error] {
	return walk(f.PageOptions, func(at PageOptions) (*Page[Conversation], error) {
		f.PageOptions = at
		return c.ListConversations(ctx, phoneNumberID, f)
	})
}

// GetConversation returns a conversation.
func (c *Client) GetConversation(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Conversation, error) {
	return one[Conversation](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "conversations", id))
}

// ConversationPatch is a change of a conversation.
type ConversationPatch struct {
	Status     Patch[ConversationStatus] `json:"status,omitzero"`
	AssignedTo Patch[string]             `json:"assigned_to,omitzero"` // a user of the number's team; may be cleared
}

// UpdateConversation changes a conversation's status or assignee.
func (c *Client) UpdateConversation(ctx context.Context, phoneNumberID, id string, p ConversationPatch, options ...CallOption) (*Conversation, error) {
	return one[Conversation](ctx, c, newCall(http.MethodPatch, options, phoneNumberID, "conversations", id).withJSON(p))
}

// ConversationLabel says whether a label is attached to a conversation.
type ConversationLabel struct {
	ConversationID string `json:"conversation_id"`
	LabelID        string `json:"label_id"`
	Attached       bool   `json:"attached"`
}

// AttachConversationLabel attaches a label of the number's team. Attaching it again changes nothing.
func (c *Client) AttachConversationLabel(ctx context.Context, phoneNumberID, id, labelID string, options ...CallOption) (*ConversationLabel, error) {
	cl := newCall(http.MethodPost, options, phoneNumberID, "conversations", id, "labels").withJSON(labelBody{labelID})
	return one[ConversationLabel](ctx, c, cl)
}

// DetachConversationLabel detaches a label. Detaching one that is not attached changes nothing.
func (c *Client) DetachConversationLabel(ctx context.Context, phoneNumberID, id, labelID string, options ...CallOption) (*ConversationLabel, error) {
	return one[ConversationLabel](ctx, c, newCall(http.MethodDelete, options, phoneNumberID, "conversations", id, "labels", labelID))
}
