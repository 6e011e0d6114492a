package client

import (
	"encoding/json"
	"fmt"
	"time"
)

// The types in this file are the contents of the events, one type for each. DecodeEvent and WebhookHandler
// return them.

// MessageSent is the event message.sent: the provider accepted a message, or one was sent from the phone app.
type MessageSent struct {
	PhoneNumberID string            `json:"session"`
	Direction     Direction         `json:"direction"`
	FromMe        bool              `json:"from_me"`
	Timestamp     time.Time         `json:"timestamp"`
	Message       SentMessage       `json:"message"`
	Conversation  EventConversation `json:"conversation"`
	Contact       ContactRef        `json:"contact"`
	ProviderMeta  ProviderMeta      `json:"provider_meta"`
}

// SentMessage is the message of a MessageSent.
type SentMessage struct {
	ID                string        `json:"id"`
	ProviderID        string        `json:"provider_id"`
	Type              MessageType   `json:"type"`
	Body              *string       `json:"body"` // the visible text, if there is one
	From              *string       `json:"from"`
	To                *string       `json:"to"` // nil when the recipient has no known number
	Status            MessageStatus `json:"status"`
	Source            MessageSource `json:"source"`
	ReplyToProviderID *string       `json:"reply_to_provider_id"`
	MediaURL          *string       `json:"media_url"`
	MediaStatus       *string       `json:"media_status"`
	Image             *SentMedia    `json:"image"`
	Document          *SentMedia    `json:"document"`
	Video             *SentMedia    `json:"video"`
	Audio             *SentMedia    `json:"audio"`
}

// SentMedia is the file of a SentMessage.
type SentMedia struct {
	Link    *string `json:"link"`
	Caption *string `json:"caption"`
}

// ProviderMeta names the business number.
type ProviderMeta struct {
	PhoneNumberID      string `json:"phone_number_id"`
	DisplayPhoneNumber string `json:"display_phone_number"`
	Provider           string `json:"provider"`
}

// EventConversation is a conversation as events name it.
type EventConversation struct {
	ID             string             `json:"id"`
	Object         string             `json:"object"`
	Status         ConversationStatus `json:"status"`
	PhoneNumberID  *string            `json:"phone_number_id"`
	ClosedByUserID *string            `json:"closed_by_user_id"` // of ConversationClosed; nil when an API key did it
}

// MessageSubject holds the fields that all events about a message share.
type MessageSubject struct {
	MessageID          string  `json:"message_id"`
	ProviderID         string  `json:"provider_id"`
	ConversationID     string  `json:"conversation_id"`
	ContactID          string  `json:"contact_id"`
	ContactPhoneNumber *string `json:"contact_phone_number"` // nil for a person without a known number
	PhoneNumberID      *string `json:"phone_number_id"`
	DisplayPhoneNumber *string `json:"display_phone_number"`
}

// MessageRevoked is the event message.revoked: the contact deleted a message for everyone.
type MessageRevoked struct {
	MessageSubject
	RevokedAt time.Time `json:"revoked_at"`
}

// MessageEdited is the event message.edited: the contact changed the text of a message.
type MessageEdited struct {
	MessageSubject
	NewContent      *string   `json:"new_content"`
	OriginalContent *string   `json:"original_content"` // its first content
	EditedAt        time.Time `json:"edited_at"`
	EditHistory     []Edition `json:"edit_history"` // earlier contents, oldest first
}

// Edition is an earlier content of a message.
type Edition struct {
	Content  *string   `json:"content"`
	EditedAt time.Time `json:"edited_at"`
}

// ConversationAssigned is the event conversation.assigned.
type ConversationAssigned struct {
	Conversation EventConversation `json:"conversation"`
	Assignee     struct {
		UserID         *string `json:"user_id"` // without usr_; nil if it was unassigned
		TeamID         string  `json:"team_id"`
		PreviousUserID *string `json:"previous_user_id"`
	} `json:"assignee"`
}

// ConversationClosed is the event conversation.closed: its status became resolved.
type ConversationClosed struct {
	Conversation EventConversation `json:"conversation"`
}

// EventContact is a contact as events show it.
type EventContact struct {
	ID            string         `json:"id"`
	Object        string         `json:"object"`
	PhoneNumber   *string        `json:"phone_number"` // nil for a person without a known number
	Name          *string        `json:"name"`
	Email         *string        `json:"email"`
	Metadata      map[string]any `json:"metadata"`
	PhoneNumberID *string        `json:"phone_number_id"`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`
}

// ContactCreated is the event contact.created.
type ContactCreated struct {
	Contact EventContact `json:"contact"`
}

// ContactUpdated is the event contact.updated.
type ContactUpdated struct {
	Contact       EventContact `json:"contact"`
	ChangedFields []string     `json:"changed_fields"` // name, email, labels, metadata
}

// ContactIdentityUpdated is the event contact.identity_updated: the contact's user id or number changed, or
// contacts turned out to be one person.
type ContactIdentityUpdated struct {
	Contact struct {
		EventContact
		BSUID       *string `json:"bsuid"`
		ParentBSUID *string `json:"parent_bsuid"`
		Username    *string `json:"username"`
	} `json:"contact"`
	Previous struct {
		BSUID       *string `json:"bsuid"`
		ParentBSUID *string `json:"parent_bsuid"`
		PhoneNumber *string `json:"phone_number"`
	} `json:"previous"`
	Merged []struct { // contacts merged into this one; their ids still name it
		ContactID      string  `json:"contact_id"`
		ConversationID *string `json:"conversation_id"`
	} `json:"merged"`
	PhoneNumberID *string `json:"phone_number_id"`
}

// CustomerCreatedEvent is the event customer.created.
type CustomerCreatedEvent struct {
	Customer Customer `json:"customer"`
}

// CustomerUpdatedEvent is the event customer.updated.
type CustomerUpdatedEvent struct {
	Customer      Customer `json:"customer"`
	ChangedFields []string `json:"changed_fields"`
}

// CustomerArchivedEvent is the event customer.archived.
type CustomerArchivedEvent struct {
	Customer Customer `json:"customer"`
}

// CustomerOnboardedEvent is the event customer.onboarded: a customer has connected a number.
type CustomerOnboardedEvent struct {
	CustomerID    string `json:"customer_id"`
	AccountID     string `json:"account_id"`
	PhoneNumberID string `json:"phone_number_id"` // what sends take
	PhoneNumber   string `json:"phone_number"`    // as people write it
}

// SetupLinkCreatedEvent is the event customer.setup_link.created.
type SetupLinkCreatedEvent struct {
	CustomerID string    `json:"customer_id"`
	SetupLink  SetupLink `json:"setup_link"`
}

// SetupLinkConsumedEvent is the event customer.setup_link.consumed.
type SetupLinkConsumedEvent struct {
	CustomerID string    `json:"customer_id"`
	SetupLink  SetupLink `json:"setup_link"`
	AccountID  string    `json:"account_id"`
}

// newEvent makes an empty value of an event's type; nil for an unknown type.
func newEvent(kind EventType) any {
	switch kind {
	case EventMessageReceived:
		return new(MessageReceived)
	case EventMessageStatus:
		return new(MessageStatusChanged)
	case EventMessageSent:
		return new(MessageSent)
	case EventMessageRevoked:
		return new(MessageRevoked)
	case EventMessageEdited:
		return new(MessageEdited)
	case EventConversationAssigned:
		return new(ConversationAssigned)
	case EventConversationClosed:
		return new(ConversationClosed)
	case EventContactCreated:
		return new(ContactCreated)
	case EventContactUpdated:
		return new(ContactUpdated)
	case EventContactIdentityUpdated:
		return new(ContactIdentityUpdated)
	default:
		return newCustomerEvent(kind)
	}
}

func newCustomerEvent(kind EventType) any {
	switch kind {
	case EventCustomerCreated:
		return new(CustomerCreatedEvent)
	case EventCustomerUpdated:
		return new(CustomerUpdatedEvent)
	case EventCustomerArchived:
		return new(CustomerArchivedEvent)
	case EventCustomerOnboarded:
		return new(CustomerOnboardedEvent)
	case EventSetupLinkCreated:
		return new(SetupLinkCreatedEvent)
	case EventSetupLinkConsumed:
		return new(SetupLinkConsumedEvent)
	default:
		return nil
	}
}

// DecodeEvent decodes an event's payload into a pointer to its type: *MessageReceived for message.received, and
// so on. The result is nil for a type that this client does not know.
func DecodeEvent(kind EventType, payload []byte) (any, error) {
	v := newEvent(kind)
	if v == nil {
		return nil, nil
	}
	target := v
	switch v.(type) {
	case *MessageReceived, *MessageStatusChanged: // they read the provider's envelope themselves
	default:
		target = &struct {
			Data any `json:"data"`
		}{v}
	}
	if err := json.Unmarshal(payload, target); err != nil {
		return nil, fmt.Errorf("client: the event %s cannot be read: %w", kind, err)
	}
	return v, nil
}

// Value is the decoded event: *MessageReceived, *ContactCreated and so on; nil for a type that this client does
// not know.
func (e WebhookEvent) Value() (any, error) { return DecodeEvent(e.Type, e.Body) }

// Value is the decoded event, like WebhookEvent.Value. It is nil if the payload was deleted with its message.
func (e Event) Value() (any, error) {
	if len(e.Payload) == 0 || string(e.Payload) == "null" {
		return nil, nil
	}
	return DecodeEvent(e.Type, e.Payload)
}
