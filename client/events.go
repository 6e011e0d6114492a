package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// EventType names a type of event.
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

	// AllEvents subscribes to every type, including future ones.
	AllEvents EventType = "*"
)

// Event is something that happened.
type Event struct {
	ID            string          `json:"id"`
	Object        string          `json:"object"`
	Type          EventType       `json:"type"`
	Source        string          `json:"source"`   // provider or svc
	EventID       string          `json:"event_id"` // what deliveries carry as X-Svc-Event-Id
	PhoneNumberID *string         `json:"phone_number_id"`
	Payload       json.RawMessage `json:"payload"` // the delivered bytes
	CreatedAt     time.Time       `json:"created_at"`
}

// EventFeed is the events after a cursor.
type EventFeed struct {
	Object  string  `json:"object"`
	Events  []Event `json:"events"` // oldest first
	Cursor  string  `json:"cursor"` // for the next call
	HasMore bool    `json:"has_more"`
}

// EventFeedFilter says which events to follow, and from where.
type EventFeedFilter struct {
	Types []EventType // none: all
	// Wait is how long to wait for an event, up to 20 seconds.
	Wait time.Duration
	// Without a cursor the answer has no events, but the cursor from now on.
	PageOptions
}

func (f EventFeedFilter) query() query {
	names := make([]string, len(f.Types))
	for i, t := range f.Types {
		names[i] = string(t)
	}
	q := f.PageOptions.query().text("types", strings.Join(names, ","))
	if f.Wait > 0 {
		q = q.text("wait", strconv.Itoa(int(f.Wait/time.Second)))
	}
	return q
}

// FollowEvents returns the events after a cursor. It is for development tools; services subscribe with
// webhooks.
func (c *Client) FollowEvents(ctx context.Context, f EventFeedFilter, options ...CallOption) (*EventFeed, error) {
	cl := newCall(http.MethodGet, options, "events")
	cl.query = url.Values(f.query())
	return one[EventFeed](ctx, c, cl)
}
