package core

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Samples describe things that do not exist: valid ids of zeros, numbers that belong to nobody. Only the business
// number is the organization's own, if it has one, because receivers look it up or answer from it.
const (
	sampleNumberID = "100000000000001"
	sampleNumber   = "+12025550100"
	samplePerson   = "+12025550111"
	sampleName     = "Sample Person"
	sampleText     = "This is a test."
)

func sampleID(k chat.Kind) string { return string(k) + "_" + strings.Repeat("0", chat.ULIDLength) }

// sampleEvent makes an event of a type as it would look if it had happened. Its subject is its subscription, which
// distinguishes it from real events.
func sampleEvent(tx *store.Tx, s chat.WebhookSubscription, kind chat.EventType) (chat.Event, error) {
	account, err := ownOrSampleAccount(tx, s)
	if err != nil {
		return chat.Event{}, err
	}
	e := chat.Event{
		ID: tx.NewID(chat.KindEvent), OrgID: s.OrgID, Type: kind, Source: chat.SourceService, PhoneNumberID: deref(account.PhoneNumberID),
		Subject: s.ID, CreatedAt: tx.Now(),
	}
	message := sampleMessage(tx.NewID(chat.KindMessage), e.CreatedAt) // a new id, because receivers know an event by it
	err = fillSample(&e, account, message)
	return e, err
}

// ownOrSampleAccount is a connected number of the organization that the subscription is told of, or the sample.
func ownOrSampleAccount(tx *store.Tx, s chat.WebhookSubscription) (chat.Account, error) {
	own, err := tx.Accounts(s.OrgID, store.AccountFilter{Status: chat.AccountConnected}, store.Page{Limit: 100})
	if err != nil {
		return chat.Account{}, err
	}
	for _, a := range own.Rows {
		if a.PhoneNumberID != nil && a.PhoneNumber != nil && (len(s.PhoneNumberIDs) == 0 || slices.Contains(s.PhoneNumberIDs, *a.PhoneNumberID)) {
			return a, nil
		}
	}
	return sampleAccount(), nil
}

// SamplePayload is an example payload of an event type, for its description.
func SamplePayload(kind chat.EventType) []byte {
	at := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	e := chat.Event{ID: sampleID(chat.KindEvent), Type: kind, Source: chat.SourceService, CreatedAt: at}
	if err := fillSample(&e, sampleAccount(), sampleMessage(sampleID(chat.KindMessage), at)); err != nil {
		panic(err) // cannot happen: all of it is constant
	}
	return e.Payload
}

// fillSample sets a sample's payload, and the id by which receivers know it.
func fillSample(e *chat.Event, account chat.Account, message chat.Message) error {
	e.EventID = e.ID
	var envelope any
	switch e.Type {
	case chat.EventMessageReceived, chat.EventMessageStatus:
		e.Source, e.EventID = chat.SourceProvider, message.ProviderID
		envelope = sampleProviderEnvelope(e.Type, account, message)
	case chat.EventMessageSent:
		e.EventID = message.ID + ":sent"
	}
	if envelope == nil {
		envelope = nativeEnvelope{ID: e.EventID, Type: e.Type, CreatedAt: chat.FormatTime(e.CreatedAt), Data: sampleData(e.Type, account, message)}
	}
	payload, err := jsonv2.Marshal(envelope, jsonv2.Deterministic(true))
	e.Payload = payload
	return err
}

// IsSample reports whether an event was made to test a subscription.
func IsSample(e chat.Event) bool { return IsSampleSubject(e.Subject) }

// IsSampleSubject reports whether the event with a subject was made to test a subscription.
func IsSampleSubject(subject string) bool { return chat.KindSubscription.Valid(subject) }

func sampleAccount() chat.Account {
	return chat.Account{ID: sampleID(chat.KindAccount), PhoneNumberID: new(sampleNumberID), PhoneNumber: new(sampleNumber), TeamID: sampleID(chat.KindTeam)}
}

func sampleContact(at time.Time) chat.Contact {
	return chat.Contact{
		ID: sampleID(chat.KindContact), PhoneNumber: new(samplePerson), Name: new(sampleName), BSUID: new("US.13491208655302741918"),
		CreatedAt: at, UpdatedAt: at,
	}
}

func sampleMessage(id string, at time.Time) chat.Message {
	return chat.Message{
		ID: id, ConversationID: sampleID(chat.KindConversation), ContactID: sampleID(chat.KindContact),
		Type: chat.TypeText, Status: chat.StatusSent, Source: chat.SourceAPI, ProviderID: "wamid." + id,
		Content: json.RawMessage(`{"body":"` + sampleText + `"}`), CreatedAt: at,
	}
}

func sampleProviderEnvelope(kind chat.EventType, account chat.Account, m chat.Message) providerEnvelope {
	person := strings.TrimPrefix(samplePerson, "+")
	value := providerValue{MessagingProduct: "chat", Metadata: metadataOf(account)}
	var svc any = identifiersOf(account, m)
	if kind == chat.EventMessageReceived {
		value.Contacts = []json.RawMessage{asJSON(map[string]any{"profile": map[string]any{"name": sampleName}, "wa_id": person})}
		value.Messages = []json.RawMessage{asJSON(map[string]any{
			"from": person, "id": m.ProviderID, "timestamp": unixText(m.CreatedAt), "type": "text", "text": map[string]any{"body": sampleText},
		})}
		svc = &enrichment{
			identifiers: identifiersOf(account, m), Labels: []labelRef{}, Conversation: enrichmentConversation{Status: chat.ConversationOpen},
			Contact: enrichmentContact{new(sampleName), new(samplePerson)},
		}
	} else {
		value.Statuses = []json.RawMessage{asJSON(map[string]any{
			"id": m.ProviderID, "status": "delivered", "timestamp": unixText(m.CreatedAt), "recipient_id": person,
		})}
	}
	return providerEnvelope{
		Object: "chat_business_account",
		Entry:  []providerEntry{{ID: "200000000000002", Changes: []providerChange{{Field: "messages", Value: value}}}},
		Svc:    svc,
	}
}

// asJSON is for values that can always be encoded.
func asJSON(v any) json.RawMessage {
	text, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return json.RawMessage(text)
}

// sampleData is the data of one of our own events.
func sampleData(kind chat.EventType, account chat.Account, m chat.Message) any {
	contact, user := sampleContact(m.CreatedAt), sampleID(chat.KindUser)
	conversation := chat.Conversation{ID: m.ConversationID, Status: chat.ConversationOpen, AssignedTo: &user}
	switch kind {
	case chat.EventMessageSent:
		return sentPayload(account, store.SendWork{To: contact.PhoneNumber, Name: contact.Name, ConversationStatus: chat.ConversationOpen}, m)
	case chat.EventMessageRevoked:
		return revokedPayload(account, m, contact, m.CreatedAt)
	case chat.EventMessageEdited:
		history := []edition{{Content: m.Content, At: chat.FormatTime(m.CreatedAt)}}
		m.Content = json.RawMessage(`{"body":"This is an edited test."}`)
		return editedPayload(account, m, contact, history)
	case chat.EventConversationAssigned:
		return assignedPayload(account, conversation, nil)
	case chat.EventConversationClosed:
		conversation.Status = chat.ConversationResolved
		return closedPayload(account, conversation, &user)
	case chat.EventContactCreated:
		return map[string]any{"contact": contactPayload(account, contact)}
	case chat.EventContactUpdated:
		return contactChange{contactPayload(account, contact), []string{"name"}}
	case chat.EventContactIdentityUpdated:
		before := contact
		before.BSUID = new("US.13491208655302741900")
		return identityPayload(account, before, contact, nil)
	default:
		return sampleCustomerData(kind, account, m.CreatedAt)
	}
}

// sampleCustomerData is the data of the events of platform mode.
func sampleCustomerData(kind chat.EventType, account chat.Account, at time.Time) any {
	customer, created := sampleID(chat.KindCustomer), chat.FormatTime(at)
	resource := func(status string, archivedAt any) map[string]any {
		return map[string]any{
			"id": customer, "object": "customer", "name": "Sample Customer", "email": nil, "status": status, "metadata": nil,
			"archived_at": archivedAt, "team_id": sampleID(chat.KindTeam), "created_at": created, "updated_at": created,
		}
	}
	link := func(status string, consumedAt any) map[string]any {
		return map[string]any{
			"id": sampleID(chat.KindSetupLink), "object": "customer_setup_link", "customer_id": customer, "status": status, "token_last4": "0000",
			"expires_at": chat.FormatTime(at.Add(7 * 24 * time.Hour)), "consumed_at": consumedAt, "success_redirect_url": nil,
			"failure_redirect_url": nil, "created_at": created,
		}
	}
	switch kind {
	case chat.EventCustomerCreated:
		return map[string]any{"customer": resource("pending", nil)}
	case chat.EventCustomerUpdated:
		return map[string]any{"customer": resource("active", nil), "changed_fields": []string{"name"}}
	case chat.EventCustomerArchived:
		return map[string]any{"customer": resource("archived", created)}
	case chat.EventCustomerOnboarded:
		return map[string]any{"customer_id": customer, "account_id": account.ID, "phone_number_id": deref(account.PhoneNumberID), "phone_number": "+1 202-555-0100"}
	case chat.EventSetupLinkCreated:
		return map[string]any{"customer_id": customer, "setup_link": link("active", nil)}
	default:
		return map[string]any{"customer_id": customer, "setup_link": link("consumed", created), "account_id": account.ID}
	}
}
