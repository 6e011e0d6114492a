package chat

import (
	"strings"
	"time"
)

// EventType names what happened.
type EventType string

const (
	EventMessageReceived        EventType = "message.received"
	EventMessageStatus          EventType = "message.status"
	EventMessageSent            EventType = "message.sent"
	EventMessageRevoked         EventType = "message.revoked"
	EventMessageEdited          EventType = "message.edited"
	EventConversationAssigned   EventType = "conversation.assigned"
	EventConversationClosed     EventType = "conversation.closed"
	EventContactCreated         EventType = "contact.created"
	EventContactUpdated         EventType = "contact.updated"
	EventContactIdentityUpdated EventType = "contact.identity_updated"
	EventCustomerCreated        EventType = "customer.created"
	EventCustomerUpdated        EventType = "customer.updated"
	EventCustomerArchived       EventType = "customer.archived"
	EventCustomerOnboarded      EventType = "customer.onboarded"
	EventSetupLinkCreated       EventType = "customer.setup_link.created"
	EventSetupLinkConsumed      EventType = "customer.setup_link.consumed"
)

// EventTypes is the catalogue, in its documented order.
var EventTypes = []EventType{
	EventMessageReceived, EventMessageStatus, EventMessageSent, EventMessageRevoked, EventMessageEdited,
	EventConversationAssigned, EventConversationClosed, EventContactCreated, EventContactUpdated,
	EventContactIdentityUpdated, EventCustomerCreated, EventCustomerUpdated, EventCustomerArchived,
	EventCustomerOnboarded, EventSetupLinkCreated, EventSetupLinkConsumed,
}

// AboutCustomers reports whether the event belongs to platform mode.
func (t EventType) AboutCustomers() bool { return strings.HasPrefix(string(t), "customer.") }

// EventSource says whether an event passes on a report of the provider or is our own.
type EventSource string

const (
	SourceProvider EventSource = "provider"
	SourceService  EventSource = "svc"
)

// Event is something that happened, with the exact bytes that webhooks deliver.
type Event struct {
	ID            string // evt_, ours
	OrgID         string
	EventID       string // receivers recognize a repetition by it
	Type          EventType
	Source        EventSource
	PhoneNumberID string // empty where no number is concerned
	Subject       string // conversation, contact or customer: its events stay in order
	Payload       []byte
	CreatedAt     time.Time
}
