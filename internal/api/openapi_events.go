package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

// eventDoc documents an event.
type eventDoc struct {
	kind    chat.EventType
	summary string
	when    string
	payload reflect.Type
}

var eventDocs = []eventDoc{
	{chat.EventMessageReceived, "A person wrote to one of your numbers",
		"Text goes out at once. A message with a file waits until the file is stored, ten seconds at most.", reflect.TypeFor[providerEvent[receivedValue]]()},
	{chat.EventMessageStatus, "A message of yours was sent, delivered, read, played or failed",
		"Statuses can come late and in any order. A message that fails before the provider has it is told in the same form, with our msg_ id.",
		reflect.TypeFor[providerEvent[statusValue]]()},
	{chat.EventMessageSent, "The provider took a message of yours",
		"Sent with the API, from the dashboard, by a broadcast, or with the phone app.", reflect.TypeFor[nativeEvent[sentEventData]]()},
	{chat.EventMessageRevoked, "A person deleted a message for everyone", "On numbers that share the phone app.", reflect.TypeFor[nativeEvent[revokedEventData]]()},
	{chat.EventMessageEdited, "A person edited a message", "On numbers that share the phone app, where the provider passes on the new text.", reflect.TypeFor[nativeEvent[editedEventData]]()},
	{chat.EventConversationAssigned, "A conversation was assigned", "Also when nobody is assigned any more.", reflect.TypeFor[nativeEvent[assignedEventData]]()},
	{chat.EventConversationClosed, "A conversation was resolved", "When its status becomes resolved.", reflect.TypeFor[nativeEvent[closedEventData]]()},
	{chat.EventContactCreated, "A contact was created", "By a request, or because somebody wrote for the first time.", reflect.TypeFor[nativeEvent[contactEventData]]()},
	{chat.EventContactUpdated, "A contact changed", "Its name, e-mail address, labels or metadata.", reflect.TypeFor[nativeEvent[contactChangedEventData]]()},
	{chat.EventContactIdentityUpdated, "A contact goes by another number or id", "The provider has replaced the contact's number or business-scoped id, or contacts of the same person have become one (`merged`).", reflect.TypeFor[nativeEvent[identityEventData]]()},
	{chat.EventCustomerCreated, "A customer was created", "It comes before all other events of that customer.", reflect.TypeFor[nativeEvent[customerEventData]]()},
	{chat.EventCustomerUpdated, "A customer changed", "Its name, e-mail address, metadata or status.", reflect.TypeFor[nativeEvent[customerChangedEventData]]()},
	{chat.EventCustomerArchived, "A customer was archived", "Its numbers send no more.", reflect.TypeFor[nativeEvent[customerEventData]]()},
	{chat.EventCustomerOnboarded, "A customer connected a number", "Always together with customer.setup_link.consumed, in either order.", reflect.TypeFor[nativeEvent[onboardedEventData]]()},
	{chat.EventSetupLinkCreated, "A setup link was made", "The link itself is in the answer to the request alone.", reflect.TypeFor[nativeEvent[linkCreatedEventData]]()},
	{chat.EventSetupLinkConsumed, "A setup link was used", "Always together with customer.onboarded, in either order.", reflect.TypeFor[nativeEvent[linkConsumedEventData]]()},
}

// addEvents fills the document's webhooks section: the deliveries to endpoints, with a sample of each.
func addEvents(api *huma.OpenAPI) {
	registry := api.Components.Schemas
	kinds := registerEventTypes(registry)
	var payloads []*huma.Schema
	api.Webhooks = map[string]*huma.PathItem{}
	for _, e := range eventDocs {
		payload := registry.Schema(e.payload, true, e.payload.Name())
		if !slices.ContainsFunc(payloads, func(s *huma.Schema) bool { return s.Ref == payload.Ref }) {
			payloads = append(payloads, payload)
		}
		nameEvent(registry.SchemaFromRef(payload.Ref), e.kind)
		api.Webhooks[string(e.kind)] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "on" + camelCase(e.kind), Tags: []string{"Webhook events"}, Summary: e.summary, Description: e.when,
			Parameters: eventHeaders(e.kind, kinds),
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
				Schema: payload, Example: json.RawMessage(core.SamplePayload(e.kind)),
			}}},
			Security: []map[string][]string{},
			Responses: map[string]*huma.Response{
				"2XX":     {Description: "Taken. Answer within ten seconds, and do the work afterwards."},
				"410":     {Description: "The endpoint is gone: its subscription is disabled."},
				"default": {Description: "Not taken. The event is delivered again, later and later; Retry-After with 429 or 503 is honoured."},
			},
		}}
	}
	registry.Map()["Event"].Properties["payload"].AnyOf = payloads // generators forget what webhooks alone refer to
	registry.Map()["WebhookDelivery"].Properties["payload"].AnyOf = append(payloads, &huma.Schema{Type: "null"})
	describeContents(registry)
}

// nameEvent says which types an event of this shape has, so that programs can tell one payload from another by its type.
func nameEvent(payload *huma.Schema, kind chat.EventType) {
	if field := payload.Properties["type"]; field != nil {
		field.Enum = append(field.Enum, string(kind))
	}
}

// registerEventTypes adds the list of event types, and describes by it the fields that show one. Fields of requests do not
// refer to it, because what is wrong with them has a code of its own.
func registerEventTypes(registry huma.Registry) *huma.Schema {
	ref := &huma.Schema{Ref: "#/components/schemas/EventType"}
	list := &huma.Schema{Type: huma.TypeString}
	var names []string
	for _, e := range eventDocs {
		list.Enum = append(list.Enum, string(e.kind))
		names = append(names, "Event"+camelCase(e.kind))
	}
	list.Extensions = map[string]any{"x-enum-varnames": names} // or generators make MessageStatus of message.status, which is a type
	registry.Map()["EventType"] = list
	registry.Map()["Event"].Properties["type"] = ref
	registry.Map()["WebhookDelivery"].Properties["event_type"] = ref
	return ref
}

// camelCase is an event's type as a name in programs, such as MessageReceived.
func camelCase(kind chat.EventType) (name string) {
	for _, word := range strings.FieldsFunc(string(kind), func(r rune) bool { return r == '.' || r == '_' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

func eventHeader(name, doc string, values ...any) *huma.Param {
	return &huma.Param{Name: name, In: "header", Required: true, Description: doc, Schema: &huma.Schema{Type: huma.TypeString, Enum: values}}
}

// eventHeaders are the headers of a delivery. They are written out for each event: generators forget components that only
// webhooks refer to.
func eventHeaders(kind chat.EventType, kinds *huma.Schema) []*huma.Param {
	source := chat.SourceService
	if kind == chat.EventMessageReceived || kind == chat.EventMessageStatus {
		source = chat.SourceProvider
	}
	headers := []*huma.Param{
		eventHeader("X-Svc-Source", "Who speaks: the provider, or the service itself.", string(source)),
		{Name: "X-Svc-Event", In: "header", Required: true, Description: "The event's type: " + string(kind) + ".", Schema: kinds},
		eventHeader("X-Svc-Attempt", "Which attempt this is, from 1."),
		eventHeader("X-Svc-Delivery-Id", "The delivery's id. A replay has one of its own."),
		eventHeader("X-Svc-Event-Id", "What to tell repetitions by: it stays the same however often the event is delivered."),
		eventHeader("X-Svc-Signature", "`t=<unix seconds>,v1=<hex>`, one v1 for each active secret: HMAC-SHA256 of `<t>.<raw body>`."),
	}
	if kind.AboutCustomers() {
		headers = append(headers, eventHeader("X-Svc-Signature-256", "The same as X-Svc-Signature."))
	}
	test := eventHeader("X-Svc-Test", "Only on a sample that tests the subscription: its message and its person do not exist.", "true")
	test.Required = false
	return append(headers, test)
}

// tags are the groups of operations, in the order in which a reader needs them.
var tags = []*huma.Tag{
	{Name: "Meta", Description: "The service, the calling key and this description."},
	{Name: "Accounts", Description: "Business numbers: what is connected, and registering one with its PIN."},
	{Name: "Messages", Description: "Sending messages, reading them, and read receipts."},
	{Name: "Media", Description: "The library of files that messages can carry."},
	{Name: "Conversations", Description: "The shared inbox: one conversation for each number and contact."},
	{Name: "Contacts", Description: "People, by number or business-scoped id."},
	{Name: "Labels", Description: "Labels of a team, for contacts and conversations."},
	{Name: "Templates", Description: "Message templates, which the provider reviews."},
	{Name: "Broadcasts", Description: "One template for many people: recipients, pace, pauses and reports."},
	{Name: "Customers", Description: "End-customers who connect numbers of their own through setup links."},
	{Name: "Webhooks", Description: "Endpoints that receive events: subscriptions, secrets, deliveries and replays."},
	{Name: "Events", Description: "What happened, as a feed."},
	{Name: "Webhook events", Description: "What is posted to your endpoints."},
}

var (
	contact = &huma.Contact{Name: "Parley", URL: "https://github.com/parleyhq/parley"}
	license = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
)

const apiVersion = "1.0.0"

const apiDescription = `Parley sends and receives business chat messages. Every request but ` + "`/health` and `/openapi.json`" + ` carries ` +
	"`Authorization: Bearer svc_live_…`" + `. Errors come in one envelope; branch on ` + "`error.code`" + `, which never changes its meaning.`

// Aliases maps types to the types by which the document describes them.
var Aliases = map[reflect.Type]reflect.Type{
	reflect.TypeFor[chat.TemplateLanguage](): reflect.TypeFor[languageSchema](),
	reflect.TypeFor[chat.Samples]():          reflect.TypeFor[samplesSchema](),
}

// describe is the part of the API's document that is not derived from operations.
func describe(programVersion string) rest.Description {
	return rest.Description{
		Security: "apiKey",
		Aliases:  Aliases,
		About: func(api *huma.OpenAPI) {
			api.Info = &huma.Info{Title: "Parley API", Version: apiVersion, Description: apiDescription, Contact: contact, License: license,
				Extensions: map[string]any{"x-program-version": programVersion}}
			api.Tags = tags
			api.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
				"apiKey": {Type: "http", Scheme: "bearer", BearerFormat: "svc_live_ and 24 URL-safe base64 characters"},
			}
		},
		Finish: addEvents,
	}
}
