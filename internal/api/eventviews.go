package api

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
)

// The types in this file describe the payloads that endpoints receive. Package core writes the payloads; tests
// check every payload against these schemas.

// nativeEvent is the envelope of our own events.
type nativeEvent[T any] struct {
	ID        string       `json:"id" doc:"Equal to X-Svc-Event-Id: what to tell repetitions by."`
	Type      string       `json:"type"`
	CreatedAt rest.Instant `json:"created_at"`
	Data      T            `json:"data"`
}

// providerEvent is the envelope of events that pass on the provider's reports.
type providerEvent[V any] struct {
	Object string                  `json:"object" enum:"chat_business_account"`
	Entry  []providerEventEntry[V] `json:"entry" minItems:"1" maxItems:"1"`
	Svc    svcView                 `json:"svc,omitzero" doc:"What the service knows beyond the provider."`
}

type providerEventEntry[V any] struct {
	ID      string                   `json:"id" doc:"The provider's id of the business account."`
	Changes []providerEventChange[V] `json:"changes" minItems:"1" maxItems:"1"`
}

type providerEventChange[V any] struct {
	Field string `json:"field" enum:"messages"`
	Value V      `json:"value"`
}

type receivedValue struct {
	MessagingProduct string           `json:"messaging_product" enum:"chat"`
	Metadata         receivingNumber  `json:"metadata"`
	Contacts         []providerObject `json:"contacts,omitempty" doc:"Who wrote: profile.name, and wa_id or user_id."`
	Messages         []receivedItem   `json:"messages" minItems:"1" maxItems:"1"`
}

type statusValue struct {
	MessagingProduct string           `json:"messaging_product" enum:"chat"`
	Metadata         receivingNumber  `json:"metadata"`
	Contacts         []providerObject `json:"contacts,omitempty"`
	Statuses         []statusItem     `json:"statuses" minItems:"1" maxItems:"1"`
}

type receivingNumber struct {
	DisplayPhoneNumber string `json:"display_phone_number"`
	PhoneNumberID      string `json:"phone_number_id" doc:"The number to answer from: it goes into the path of a send."`
}

// providerObject is an object passed on as the provider sent it.
type providerObject struct{}

// Schema allows everything, because the provider adds fields without notice.
func (providerObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

type receivedItem struct{}

// Schema lists the fields of every message. The object named by its type, and other fields, come with it.
func (receivedItem) Schema(r huma.Registry) *huma.Schema {
	return named(r, "ReceivedMessage", openObject([]string{"id", "type"}, map[string]string{
		"from":      "The sender's number, in digits. Absent when the person wrote under a username: then contacts has the user_id.",
		"id":        "The provider's id of the message, equal to X-Svc-Event-Id.",
		"timestamp": "When it was written, in Unix seconds.",
		"type":      "text, image, document, video, audio, location, contacts, interactive, button, reaction or unsupported. The object of that name has the content. context, referral, order and errors may stand beside it, as on the message.",
	}))
}

type statusItem struct{}

// Schema lists the fields of every status.
func (statusItem) Schema(r huma.Registry) *huma.Schema {
	s := openObject([]string{"id", "status", "timestamp"}, map[string]string{
		"id":           "The provider's id of the message; the msg_ id where the message failed before the provider had one.",
		"status":       "",
		"timestamp":    "When it happened, in Unix seconds.",
		"recipient_id": "The recipient's number, in digits.",
	})
	s.Properties["status"].Enum = []any{"sent", "delivered", "read", "played", "failed"}
	s.Properties["errors"] = &huma.Schema{
		Type: huma.TypeArray, Description: "Why it failed. The code is the provider's, or -1 where the service itself refused.",
		Items: named(r, "StatusError", &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"code"},
			Properties: map[string]*huma.Schema{"code": {Type: huma.TypeInteger}}}),
	}
	return named(r, "ReceivedStatus", s)
}

// named gives a schema a name of its own, for generated clients: those without one get a name like Inline3.
func named(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	r.Map()[name] = s
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

// openObject is an object with the named texts and any other fields that the provider sends.
func openObject(required []string, texts map[string]string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Required: required, Properties: map[string]*huma.Schema{}}
	for name, doc := range texts {
		s.Properties[name] = &huma.Schema{Type: huma.TypeString, Description: doc}
	}
	return s
}

type svcView struct {
	ConversationID string              `json:"conversation_id"`
	ContactID      string              `json:"contact_id"`
	MessageID      string              `json:"message_id" doc:"The msg_ id."`
	PhoneNumberID  string              `json:"phone_number_id"`
	Labels         []labelRefView      `json:"labels,omitempty" doc:"The conversation's. On message.received alone, like what follows."`
	Conversation   svcConversationView `json:"conversation,omitzero"`
	Contact        svcContactView      `json:"contact,omitzero"`
	MediaURL       *string             `json:"media_url,omitempty" nullable:"true" doc:"Where the file is stored for good; null when there is none or it could not be had."`
	MediaStatus    *string             `json:"media_status,omitempty" nullable:"true" enum:"ready"`
}

type svcConversationView struct {
	Status     chat.ConversationStatus `json:"status"`
	AssignedTo *string                 `json:"assigned_to"`
}

type svcContactView struct {
	Name        *string `json:"name"`
	PhoneNumber *string `json:"phone_number"`
}

type sentEventData struct {
	Session      string          `json:"session" doc:"The business number's phone_number_id."`
	Direction    string          `json:"direction" enum:"outbound"`
	FromMe       bool            `json:"from_me"`
	Timestamp    rest.Instant    `json:"timestamp"`
	Message      sentMessageView `json:"message"`
	Conversation struct {
		ID     string                  `json:"id"`
		Status chat.ConversationStatus `json:"status"`
	} `json:"conversation"`
	Contact struct {
		ID          string  `json:"id"`
		PhoneNumber *string `json:"phone_number"`
		Name        *string `json:"name"`
	} `json:"contact"`
	ProviderMeta struct {
		PhoneNumberID      string `json:"phone_number_id"`
		DisplayPhoneNumber string `json:"display_phone_number"`
		Provider           string `json:"provider"`
	} `json:"provider_meta"`
}

type sentMessageView struct {
	ID                string        `json:"id"`
	ProviderID        string        `json:"provider_id"`
	Type              string        `json:"type"`
	Body              *string       `json:"body" doc:"The text that a person would read, if there is one."`
	From              *string       `json:"from"`
	To                *string       `json:"to"`
	Status            string        `json:"status"`
	Source            string        `json:"source" enum:"api,dashboard,app,broadcast,automatic"`
	ReplyToProviderID *string       `json:"reply_to_provider_id"`
	MediaURL          *string       `json:"media_url,omitempty" nullable:"true"`
	MediaStatus       *string       `json:"media_status,omitempty" nullable:"true" enum:"ready"`
	Image             sentMediaView `json:"image,omitzero"`
	Document          sentMediaView `json:"document,omitzero"`
	Video             sentMediaView `json:"video,omitzero"`
	Audio             sentMediaView `json:"audio,omitzero"`
}

type sentMediaView struct {
	Link    *string `json:"link"`
	Caption *string `json:"caption"`
}

// MessageEventData holds the fields that all events about a message share.
type MessageEventData struct {
	MessageID          string  `json:"message_id"`
	ProviderID         string  `json:"provider_id"`
	ConversationID     string  `json:"conversation_id"`
	ContactID          string  `json:"contact_id"`
	ContactPhoneNumber *string `json:"contact_phone_number"`
	PhoneNumberID      *string `json:"phone_number_id"`
	DisplayPhoneNumber *string `json:"display_phone_number"`
}

type revokedEventData struct {
	MessageEventData
	RevokedAt rest.Instant `json:"revoked_at"`
}

type editedEventData struct {
	MessageEventData
	NewContent      *string      `json:"new_content"`
	OriginalContent *string      `json:"original_content" doc:"What the message said first."`
	EditedAt        rest.Instant `json:"edited_at"`
	EditHistory     []edition    `json:"edit_history" doc:"What it said before, oldest first."`
}

type edition struct {
	Content  *string      `json:"content"`
	EditedAt rest.Instant `json:"edited_at" doc:"When it was replaced."`
}

type assignedEventData struct {
	Conversation struct {
		ID            string                  `json:"id"`
		Object        string                  `json:"object" enum:"conversation"`
		Status        chat.ConversationStatus `json:"status"`
		PhoneNumberID *string                 `json:"phone_number_id"`
	} `json:"conversation"`
	Assignee struct {
		UserID         *string `json:"user_id" doc:"Without the prefix usr_; null when nobody is assigned any more."`
		TeamID         string  `json:"team_id"`
		PreviousUserID *string `json:"previous_user_id"`
	} `json:"assignee"`
}

type closedEventData struct {
	Conversation struct {
		ID             string  `json:"id"`
		Object         string  `json:"object" enum:"conversation"`
		Status         string  `json:"status" enum:"resolved"`
		ClosedByUserID *string `json:"closed_by_user_id" doc:"Null when it was done with an API key."`
		PhoneNumberID  *string `json:"phone_number_id"`
	} `json:"conversation"`
}

// EventContactView is a contact as events show it.
type EventContactView struct {
	ID            string        `json:"id"`
	Object        string        `json:"object" enum:"contact"`
	PhoneNumber   *string       `json:"phone_number"`
	Name          *string       `json:"name"`
	Email         *string       `json:"email"`
	Metadata      rest.FreeForm `json:"metadata"`
	PhoneNumberID *string       `json:"phone_number_id"`
	CreatedAt     rest.Instant  `json:"created_at"`
	UpdatedAt     rest.Instant  `json:"updated_at"`
}

type contactEventData struct {
	Contact EventContactView `json:"contact"`
}

type contactChangedEventData struct {
	Contact       EventContactView `json:"contact"`
	ChangedFields []string         `json:"changed_fields"`
}

type mergedEventEntry struct {
	ContactID      string  `json:"contact_id"`
	ConversationID *string `json:"conversation_id" doc:"Null where it had none."`
}

type identityEventData struct {
	Contact struct {
		EventContactView
		BSUID       *string `json:"bsuid"`
		ParentBSUID *string `json:"parent_bsuid"`
		Username    *string `json:"username"`
	} `json:"contact"`
	Previous struct {
		BSUID       *string `json:"bsuid"`
		ParentBSUID *string `json:"parent_bsuid"`
		PhoneNumber *string `json:"phone_number"`
	} `json:"previous"`
	Merged        []mergedEventEntry `json:"merged,omitempty" doc:"Contacts that have become one with this one. Their ids go on naming it."`
	PhoneNumberID *string            `json:"phone_number_id"`
}

type customerEventData struct {
	Customer customerView `json:"customer"`
}

type customerChangedEventData struct {
	Customer      customerView `json:"customer"`
	ChangedFields []string     `json:"changed_fields"`
}

type onboardedEventData struct {
	CustomerID    string `json:"customer_id"`
	AccountID     string `json:"account_id" doc:"The account's own id. Sends take phone_number_id."`
	PhoneNumberID string `json:"phone_number_id"`
	PhoneNumber   string `json:"phone_number" doc:"As people write it."`
}

type linkCreatedEventData struct {
	CustomerID string        `json:"customer_id"`
	SetupLink  setupLinkView `json:"setup_link"`
}

type linkConsumedEventData struct {
	CustomerID string        `json:"customer_id"`
	SetupLink  setupLinkView `json:"setup_link"`
	AccountID  string        `json:"account_id"`
}
