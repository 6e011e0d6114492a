package core

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// sentData is the payload of message.sent.
type sentData struct {
	Session      string           `json:"session"`
	Direction    string           `json:"direction"`
	FromMe       bool             `json:"from_me"`
	Timestamp    string           `json:"timestamp"`
	Message      map[string]any   `json:"message"`
	Conversation sentConversation `json:"conversation"`
	Contact      sentContact      `json:"contact"`
	ProviderMeta sentProvider     `json:"provider_meta"`
}

type sentConversation struct {
	ID     string                  `json:"id"`
	Status chat.ConversationStatus `json:"status"`
}

type sentContact struct {
	ID          string  `json:"id"`
	PhoneNumber *string `json:"phone_number"`
	Name        *string `json:"name"`
}

type sentProvider struct {
	PhoneNumberID      string `json:"phone_number_id"`
	DisplayPhoneNumber string `json:"display_phone_number"`
	Provider           string `json:"provider"`
}

// messageSent emits the event for a message that the provider has taken. recipientID is its recipient in a broadcast,
// if a broadcast made it.
func messageSent(tx *store.Tx, account chat.Account, w store.SendWork, m chat.Message, recipientID string) error {
	return emitSent(tx, account, m, recipientID, sentPayload(account, w, m))
}

func emitSent(tx *store.Tx, account chat.Account, m chat.Message, recipientID string, data any) error {
	row, err := carrierOf(tx, m)
	if err != nil {
		return err
	}
	return emit(tx, occurrence{
		orgID: m.OrgID, kind: chat.EventMessageSent, row: row, id: sentEventID(m, recipientID),
		phoneNumberID: deref(account.PhoneNumberID), subject: m.ConversationID, data: data,
	})
}

func sentPayload(account chat.Account, w store.SendWork, m chat.Message) sentData {
	return sentData{
		Session: deref(account.PhoneNumberID), Direction: "outbound", FromMe: true, Timestamp: chat.FormatTime(m.CreatedAt),
		Message:      sentMessage(account, w, m),
		Conversation: sentConversation{m.ConversationID, w.ConversationStatus},
		Contact:      sentContact{m.ContactID, w.To, w.Name},
		ProviderMeta: sentProvider{deref(account.PhoneNumberID), deref(account.PhoneNumber), "chat"},
	}
}

func sentMessage(account chat.Account, w store.SendWork, m chat.Message) map[string]any {
	out := map[string]any{
		"id": m.ID, "provider_id": m.ProviderID, "type": m.Type, "body": bodyOf(m), "from": account.PhoneNumber, "to": w.To,
		"status": m.Status, "source": m.Source, "reply_to_provider_id": orNil(m.Context),
	}
	if m.Type.HasMedia() {
		var media struct {
			Link    string `json:"link"`
			Caption string `json:"caption"`
		}
		json.Unmarshal(m.Content, &media)
		link := media.Link
		if link == "" {
			link = w.MediaURL
		}
		out["media_url"], out["media_status"] = orNil(link), (*string)(nil)
		if link != "" {
			out["media_status"] = "ready"
		}
		out[string(m.Type)] = map[string]any{"link": orNil(link), "caption": orNil(media.Caption)}
	}
	return out
}

// bodyOf is the readable text of a message, or nil.
func bodyOf(m chat.Message) *string {
	var c struct {
		Body    readable `json:"body"`
		Caption string   `json:"caption"`
		Emoji   *string  `json:"emoji"`
		Preview struct {
			Body string `json:"body"`
		} `json:"preview"` // the text of a template
	}
	if json.Unmarshal(m.Content, &c) != nil {
		return nil
	}
	switch {
	case c.Body != "":
		return (*string)(&c.Body)
	case c.Emoji != nil:
		return c.Emoji
	case m.Type == chat.TypeTemplate:
		return orNil(c.Preview.Body)
	default:
		return orNil(c.Caption)
	}
}

// readable is a text, or the text in an object.
type readable string

// UnmarshalJSON accepts anything: a value that is neither becomes empty.
func (r *readable) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(r))
	}
	var nested struct {
		Text string `json:"text"`
	}
	if raw[0] == '{' && json.Unmarshal(raw, &nested) == nil {
		*r = readable(nested.Text)
	}
	return nil
}

// providerEnvelope is the provider's own envelope, under our neutral name.
type providerEnvelope struct {
	Object string          `json:"object"`
	Entry  []providerEntry `json:"entry"`
	Svc    any             `json:"svc,omitempty"`
}

type providerEntry struct {
	ID      string           `json:"id"`
	Changes []providerChange `json:"changes"`
}

type providerChange struct {
	Field string        `json:"field"`
	Value providerValue `json:"value"`
}

type providerValue struct {
	MessagingProduct string            `json:"messaging_product"`
	Metadata         json.RawMessage   `json:"metadata"`
	Contacts         []json.RawMessage `json:"contacts,omitempty"`
	Messages         []json.RawMessage `json:"messages,omitempty"`
	Statuses         []json.RawMessage `json:"statuses,omitempty"`
}

// identifiers are our ids of the subjects of a provider's event, so that a receiver needs no table of the provider's
// ids.
type identifiers struct {
	ConversationID string `json:"conversation_id"`
	ContactID      string `json:"contact_id"`
	MessageID      string `json:"message_id"`
	PhoneNumberID  string `json:"phone_number_id"`
}

func identifiersOf(account chat.Account, m chat.Message) identifiers {
	return identifiers{m.ConversationID, m.ContactID, m.ID, deref(account.PhoneNumberID)}
}

// enrichment is what we know about an inbound message beyond the provider.
type enrichment struct {
	identifiers
	Labels       []labelRef             `json:"labels"`
	Conversation enrichmentConversation `json:"conversation"`
	Contact      enrichmentContact      `json:"contact"`
	MediaURL     *string                `json:"media_url"`
	MediaStatus  *string                `json:"media_status"`
}

type labelRef struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

type enrichmentConversation struct {
	Status     chat.ConversationStatus `json:"status"`
	AssignedTo *string                 `json:"assigned_to"`
}

type enrichmentContact struct {
	Name        *string `json:"name"`
	PhoneNumber *string `json:"phone_number"`
}

// emitProvider records an event in the provider's envelope. The caller sets the event's ids, type and subject.
func emitProvider(tx *store.Tx, account chat.Account, e chat.Event, value providerValue, svc any) error {
	value.MessagingProduct = "chat"
	if value.Metadata == nil {
		value.Metadata = metadataOf(account)
	}
	payload, err := jsonv2.Marshal(providerEnvelope{
		Object: "chat_business_account",
		Entry:  []providerEntry{{ID: account.WABAID, Changes: []providerChange{{Field: "messages", Value: value}}}},
		Svc:    svc,
	}, jsonv2.Deterministic(true))
	if err != nil {
		return err
	}
	e.OrgID, e.PhoneNumberID, e.Source, e.Payload, e.CreatedAt = account.OrgID, deref(account.PhoneNumberID), chat.SourceProvider, payload, tx.Now()
	return record(tx, e)
}

func metadataOf(account chat.Account) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{
		"display_phone_number": strings.TrimPrefix(deref(account.PhoneNumber), "+"),
		"phone_number_id":      deref(account.PhoneNumberID),
	})
	return raw
}

// failureReport is an error in the provider's form.
type failureReport struct {
	Code      int         `json:"code"`
	Title     string      `json:"title"`
	Message   string      `json:"message"`
	ErrorData failureData `json:"error_data"`
	Subcode   int         `json:"error_subcode,omitzero"`
	Trace     string      `json:"fbtrace_id,omitzero"`
	Href      string      `json:"href,omitzero"`
}

type failureData struct {
	Details string `json:"details"`
}

// ownRefusal stands in for the provider's code when the service itself refused.
const ownRefusal = -1

// reportOf is a failure in the provider's form, in the provider's words where it gave any.
func reportOf(failure chat.MessageError, said *provider.Error) failureReport {
	r := failureReport{Code: ownRefusal, Title: string(failure.Code), Message: failure.Message}
	if said != nil {
		r.Code, r.Title, r.Message = said.CodeOrOutage(), cmp.Or(said.Title, r.Title), cmp.Or(said.Text, said.Message, r.Message)
		r.ErrorData.Details, r.Subcode, r.Trace, r.Href = said.Details, said.Subcode, said.Trace, said.Href
	}
	r.ErrorData.Details = cmp.Or(r.ErrorData.Details, r.Message)
	return r
}

// synthesizedFailure emits the event for a message that failed before the provider had an id for it. The event has our
// id instead.
func synthesizedFailure(tx *store.Tx, account chat.Account, m chat.Message, contact chat.Contact, reported failureReport) error {
	status, err := jsonv2.Marshal(map[string]any{
		"id": m.ID, "status": "failed", "timestamp": unixText(tx.Now()),
		"recipient_id": strings.TrimPrefix(deref(contact.PhoneNumber), "+"),
		"errors":       []any{reported},
	}, jsonv2.Deterministic(true))
	if err != nil {
		return err
	}
	return emitStatus(tx, account, m, m.ID, providerValue{Statuses: []json.RawMessage{status}})
}

// messageStatus emits the event for a status that changed the message.
func messageStatus(tx *store.Tx, account chat.Account, m chat.Message, u provider.StatusUpdate) error {
	item, err := explained(u)
	if err != nil {
		return err
	}
	value := providerValue{Metadata: u.Raw.Metadata, Statuses: []json.RawMessage{item}}
	if u.Raw.Contact != nil {
		value.Contacts = []json.RawMessage{u.Raw.Contact}
	}
	return emitStatus(tx, account, m, u.ProviderID, value)
}

// explained is a status as it is passed on. Every failure has errors, also one that the provider did not explain: it gets
// the provider's code for what is not known.
func explained(u provider.StatusUpdate) (json.RawMessage, error) {
	if u.Status != "failed" || len(u.Errors) > 0 {
		return u.Raw.Item, nil
	}
	var item map[string]json.RawMessage
	if err := json.Unmarshal(u.Raw.Item, &item); err != nil {
		return nil, err
	}
	errs, err := json.Marshal([]failureReport{reportOf(*unexplained(), &provider.Error{})})
	if err != nil {
		return nil, err
	}
	item["errors"] = errs
	return json.Marshal(item)
}

func emitStatus(tx *store.Tx, account chat.Account, m chat.Message, eventID string, value providerValue) error {
	e := chat.Event{ID: tx.NewID(chat.KindEvent), EventID: eventID, Type: chat.EventMessageStatus, Subject: m.ConversationID}
	return emitProvider(tx, account, e, value, identifiersOf(account, m))
}

func unixText(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
