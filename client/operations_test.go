package client_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
)

// methods are the client's methods for each operation. A new operation fails the test until it has
// one here.
var methods = map[string][]string{
	"getHealth":               {"Health"},
	"getMe":                   {"Me"},
	"listAccounts":            {"ListAccounts", "Accounts"},
	"registerNumber":          {"RegisterNumber"},
	"listMessages":            {"ListMessages", "Messages"},
	"sendMessage":             {"SendMessage", "MarkRead"},
	"getMessage":              {"GetMessage"},
	"getMessageMedia":         {"MessageMediaURL"},
	"uploadMedia":             {"UploadMedia"},
	"getMedia":                {"GetMedia"},
	"deleteMedia":             {"DeleteMedia"},
	"listConversations":       {"ListConversations", "Conversations"},
	"getConversation":         {"GetConversation"},
	"updateConversation":      {"UpdateConversation"},
	"attachConversationLabel": {"AttachConversationLabel"},
	"detachConversationLabel": {"DetachConversationLabel"},
	"listContacts":            {"ListContacts", "Contacts"},
	"createContact":           {"CreateContact"},
	"getContact":              {"GetContact"},
	"updateContact":           {"UpdateContact"},
	"deleteContact":           {"DeleteContact"},
	"attachContactLabel":      {"AttachContactLabel"},
	"detachContactLabel":      {"DetachContactLabel"},
	"bulkLabelContacts":       {"BulkLabelContacts"},
	"mergeContacts":           {"MergeContacts"},
	"listLabels":              {"ListLabels", "Labels"},
	"createLabel":             {"CreateLabel"},
	"getLabel":                {"GetLabel"},
	"updateLabel":             {"UpdateLabel"},
	"deleteLabel":             {"DeleteLabel"},
	"listCustomers":           {"ListCustomers", "Customers"},
	"createCustomer":          {"CreateCustomer"},
	"getCustomer":             {"GetCustomer"},
	"updateCustomer":          {"UpdateCustomer"},
	"archiveCustomer":         {"ArchiveCustomer"},
	"disconnectAccount":       {"DisconnectAccount"},
	"listSetupLinks":          {"ListSetupLinks", "SetupLinks"},
	"createSetupLink":         {"CreateSetupLink"},
	"getSetupLink":            {"GetSetupLink"},
	"updateSetupLink":         {"UpdateSetupLink"},
	"revokeSetupLink":         {"RevokeSetupLink"},
	"listTemplates":           {"ListTemplates", "Templates"},
	"createTemplate":          {"CreateTemplate"},
	"syncTemplates":           {"SyncTemplates"},
	"getTemplate":             {"GetTemplate"},
	"updateTemplate":          {"UpdateTemplate"},
	"deleteTemplate":          {"DeleteTemplate"},

	"listBroadcasts":            {"ListBroadcasts", "Broadcasts"},
	"createBroadcast":           {"CreateBroadcast"},
	"getBroadcast":              {"GetBroadcast"},
	"updateBroadcast":           {"UpdateBroadcast"},
	"deleteBroadcast":           {"DeleteBroadcast"},
	"startBroadcast":            {"StartBroadcast"},
	"pauseBroadcast":            {"PauseBroadcast"},
	"resumeBroadcast":           {"ResumeBroadcast"},
	"stopBroadcast":             {"StopBroadcast"},
	"retryBroadcast":            {"RetryBroadcast"},
	"duplicateBroadcast":        {"DuplicateBroadcast"},
	"testBroadcast":             {"TestBroadcast"},
	"addBroadcastRecipients":    {"AddBroadcastRecipients"},
	"removeBroadcastRecipients": {"RemoveBroadcastRecipients"},
	"listBroadcastRecipients":   {"ListBroadcastRecipients", "BroadcastRecipients"},
	"exportBroadcastRecipients": {"ExportBroadcastRecipients"},
	"exportBroadcastLeftOut":    {"ExportBroadcastLeftOut"},
	"previewBroadcast":          {"PreviewBroadcast"},
	"getBroadcastReport":        {"GetBroadcastReport"},
	"getOptOutWords":            {"GetOptOutWords"},
	"setOptOutWords":            {"SetOptOutWords"},
	"resetOptOutWords":          {"ResetOptOutWords"},

	"listWebhookSubscriptions":    {"ListWebhookSubscriptions", "WebhookSubscriptions"},
	"createWebhookSubscription":   {"CreateWebhookSubscription"},
	"getWebhookSubscription":      {"GetWebhookSubscription"},
	"updateWebhookSubscription":   {"UpdateWebhookSubscription"},
	"deleteWebhookSubscription":   {"DeleteWebhookSubscription"},
	"testWebhookSubscription":     {"TestWebhookSubscription"},
	"createWebhookSecret":         {"CreateWebhookSecret"},
	"revokeWebhookSecret":         {"RevokeWebhookSecret"},
	"listWebhookDeliveries":       {"ListWebhookDeliveries", "WebhookDeliveries"},
	"getWebhookDelivery":          {"GetWebhookDelivery"},
	"replayWebhookDelivery":       {"ReplayWebhookDelivery"},
	"bulkReplayWebhookDeliveries": {"BulkReplayWebhookDeliveries"},
	"listEvents":                  {"FollowEvents"},
}

// types are the client's types for the schemas of resources and bodies.
var types = map[string]any{
	"Health": client.Health{}, "Me": client.KeyContext{}, "OrganizationMe": client.Organization{}, "ApiKeyMe": client.APIKey{},
	"RateLimitsMe": client.KeyRateLimits{}, "TeamMe": client.Team{},
	"Account": client.Account{}, "ChatAccount": client.ChatAccount{}, "CustomerRef": client.CustomerRef{}, "Registration": client.Registration{},
	"Message": client.Message{}, "Context": client.MessageContext{}, "MessageError": client.MessageError{},
	"ReadReceipt": client.ReadResult{},
	"Media":       client.Media{}, "Deleted": client.Deleted{},
	"Conversation": client.Conversation{}, "ContactRef": client.ContactRef{}, "Assignee": client.Assignee{},
	"UpdateConversationBody": client.ConversationPatch{}, "ConversationLabel": client.ConversationLabel{},
	"Contact": client.Contact{}, "CreateContactBody": client.NewContact{}, "UpdateContactBody": client.ContactPatch{},
	"ContactLabel": client.ContactLabel{}, "BulkLabelBody": client.BulkLabel{}, "BulkLabel": client.BulkLabelResult{},
	"Label": client.Label{}, "LabelRef": client.LabelRef{}, "CreateLabelBody": client.NewLabel{}, "UpdateLabelBody": client.LabelPatch{},
	"Customer": client.Customer{}, "CustomerAccount": client.CustomerAccount{}, "CreateCustomerBody": client.NewCustomer{},
	"UpdateCustomerBody": client.CustomerPatch{}, "Disconnected": client.Disconnection{},
	"SetupLink": client.SetupLink{}, "CreateSetupLinkBody": client.NewSetupLink{}, "UpdateSetupLinkBody": client.SetupLinkPatch{},
	"RevokedLink": client.RevokedLink{},
	"Template":    client.MessageTemplate{}, "TemplateSync": client.TemplateSync{}, "DeletedTemplate": client.DeletedTemplate{},
	"CreateTemplateBody": client.NewTemplate{}, "UpdateTemplateBody": client.TemplatePatch{},
	"TemplatePart": client.TemplatePart{}, "TemplateCard": client.CarouselCard{}, "TemplateExample": client.TemplateExample{},
	"NamedExample": client.NamedExample{}, "TemplateButton": client.TemplateButton{}, "TemplateApp": client.TemplateApp{},
	"TemplatePreview": client.TemplatePreview{}, "PreviewHeader": client.PreviewHeader{}, "PreviewButton": client.PreviewButton{},
	"PreviewCard": client.PreviewCard{},
	"Broadcast":   client.Broadcast{}, "BroadcastTemplate": client.BroadcastTemplate{}, "Audience": client.BroadcastLabels{}, "ContactFilter": client.AudienceFilter{},
	"BroadcastCounts": client.BroadcastCounts{}, "CreateBroadcastBody": client.NewBroadcast{}, "BroadcastTemplateBody": client.BroadcastTemplate{},
	"AudienceBody": client.BroadcastAudience{}, "NewRecipientBody": client.NewRecipient{}, "UpdateBroadcastBody": client.BroadcastPatch{},
	"LabelsBody": client.BroadcastLabels{}, "AddedRecipients": client.AddedRecipients{}, "Recipient": client.BroadcastRecipient{},
	"Preview": client.BroadcastPreview{}, "Reason": client.ReasonCount{}, "Sample": client.BroadcastSample{}, "Report": client.BroadcastReport{},
	"AllOptOutWords": client.OptOutWords{}, "OptOutWords": client.LanguageOptOutWords{}, "SetOptOutWordsBody": client.OptOutWordsPatch{},
	"Click":               client.ClickCount{},
	"WebhookSubscription": client.WebhookSubscription{}, "CreateWebhookBody": client.NewWebhookSubscription{},
	"UpdateWebhookBody": client.WebhookSubscriptionPatch{}, "WebhookSecretRef": client.WebhookSecretRef{}, "WebhookSecret": client.WebhookSecret{},
	"CreateSecretBody": client.NewWebhookSecret{}, "Revoked": client.Revoked{}, "WebhookDelivery": client.WebhookDelivery{},
	"DeliveryAttempt": client.DeliveryAttempt{}, "BulkReplayBody": client.BulkReplay{}, "BulkReplay": client.BulkReplayResult{},
	"EventFeed": client.EventFeed{}, "Event": client.Event{},
	"TextContent": client.TextContent{}, "ReactionContent": client.ReactionContent{}, "TemplateContent": client.TemplateContent{},
	"TemplateComponent": client.TemplateComponent{}, "InteractiveText": client.InteractiveText{}, "InteractiveFooter": client.InteractiveText{},
	"TemplateLanguage":  client.TemplateLanguage{},
	"InteractiveHeader": client.InteractiveHeader{}, "InteractiveAction": client.InteractiveAction{}, "ReplyButton": client.ReplyButton{},
	"Reply": client.Reply{}, "CTAParameters": client.LinkParameters{}, "ListSection": client.ListSection{}, "ListRow": client.ListRow{},
}

// wider are types that serve several schemas, or received data as well; they may have more fields.
var wider = map[string]any{
	"ContextBody":  client.MessageContext{},
	"ImageContent": client.MediaContent{}, "DocumentContent": client.MediaContent{}, "AudioContent": client.MediaContent{},
	"InteractiveContent": client.InteractiveContent{},
	"TemplateCardPart":   client.TemplatePart{},
	"MessageText":        client.TextContent{}, "MessageMedia": client.MediaContent{}, "MessageInteractive": client.InteractiveContent{},
	"MessageReaction": client.ReactionContent{}, "MessageLocation": client.LocationContent{}, "MessageButton": client.ButtonContent{},
	"MessageUnsupported": client.UnsupportedContent{}, "ButtonReply": client.Reply{}, "ListReply": client.ListRow{},
	"ReviewedPart": client.TemplatePart{}, "ReviewedButton": client.TemplateButton{}, "ReviewedCard": client.CarouselCard{},
	"TemplateComponentCard": client.TemplateCard{}, "TemplateCardComponent": client.TemplateComponent{}, "ParameterFile": client.MediaContent{},
}

// asTheyCame are the schemas of what the provider sent, which the client passes on as JSON.
var asTheyCame = []string{"Referral", "Order", "OrderItem", "ReferredProduct", "InboundError", "FormReply", "ContactCard", "CardName", "CardPhone"}

// asTheyGo are the schemas of parameters, which functions of the client make.
var asTheyGo = []string{"TemplateParameter", "ParameterPlace"}

// unexported are envelopes and schemas that the client fills in by itself.
func unexported(name string) bool {
	return strings.HasSuffix(name, "Envelope") || strings.HasSuffix(name, "Page") ||
		slices.Contains([]string{"OpenAPI", "SendBody", "TypingBody", "RegisterBody", "MessageFile", "AttachLabelBody", "MergeContactsBody", "TestWebhookBody",
			"AddRecipientsBody", "TestBroadcastBody", "Error", "TemplateLanguage"}, name)
}

// filters are the filters of lists, with everything in them set.
var filters = map[string]map[string][]string{
	"listAccounts": client.QueryOf(client.AccountFilter{All: true, CustomerID: "x", PageOptions: everyPage}),
	"listMessages": client.QueryOf(client.MessageFilter{ConversationID: "x", Direction: "x", Status: "x", Type: "x", MessageID: "x",
		CreatedAfter: someTime, CreatedBefore: someTime, PageOptions: everyPage}),
	"listConversations": client.QueryOf(client.ConversationFilter{Status: "x", ContactID: "x", UpdatedSince: someTime, LabelID: "x",
		AssignedTo: "x", PageOptions: everyPage}),
	"listContacts":   client.QueryOf(client.ContactFilter{Phone: "x", BSUID: "x", Username: "x", Search: "x", LabelID: "x", PageOptions: everyPage}),
	"listLabels":     client.QueryOf(client.LabelFilter{TeamID: "x", PageOptions: everyPage}),
	"listTemplates":  client.QueryOf(client.TemplateFilter{Status: "x", Language: "x", Category: "x", Name: "x", Search: "x", PageOptions: everyPage}),
	"getTemplate":    client.QueryOf(client.TemplateVariant{Language: "x"}),
	"deleteTemplate": client.QueryOf(client.TemplateVariant{Language: "x"}),
	"updateTemplate": client.QueryOf(client.TemplateVariant{Language: "x"}), // in the body

	"listBroadcasts":            client.QueryOf(client.BroadcastFilter{Status: "x", PageOptions: everyPage}),
	"listBroadcastRecipients":   client.QueryOf(client.RecipientFilter{Status: "x", Reason: "x", Reaction: "x", PageOptions: everyPage}),
	"exportBroadcastRecipients": client.QueryOf(client.RecipientFilter{Status: "x", Reason: "x", Reaction: "x"}),

	"listCustomers":            client.QueryOf(client.CustomerFilter{Status: "x", TeamID: "x", Search: "x", PageOptions: everyPage}),
	"listSetupLinks":           client.QueryOf(client.SetupLinkFilter{Status: "x", PageOptions: everyPage}),
	"listWebhookSubscriptions": client.QueryOf(everyPage),
	"listWebhookDeliveries": client.QueryOf(client.WebhookDeliveryFilter{SubscriptionID: "x", Status: "x", EventType: "x", EventID: "x",
		CreatedAfter: someTime, CreatedBefore: someTime, PageOptions: everyPage}),
	"listEvents": client.QueryOf(client.EventFeedFilter{Types: []client.EventType{"x"}, Wait: time.Second, PageOptions: everyPage}),
}

var (
	everyPage = client.PageOptions{Limit: 1, Cursor: "x"}
	someTime  = time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)
)

// codes are the client's constants for the codes of errors.
var codes = []client.ErrorCode{
	client.CodeInvalidPhoneNumber, client.CodeInvalidTemplateName, client.CodeMissingRequiredField, client.CodeInvalidFieldValue,
	client.CodeInvalidLimit, client.CodeInvalidCursor, client.CodeInvalidWebhookURL, client.CodeInvalidEventType, client.CodeInvalidJSON,
	client.CodeMissingAPIKey, client.CodeInvalidAPIKey, client.CodeRevokedAPIKey, client.CodeExpiredAPIKey,
	client.CodeSubscriptionInactive, client.CodeQuotaExceeded, client.CodeFeatureNotEntitled, client.CodeFeatureNotAvailable,
	client.CodeOrganizationSuspended, client.CodeResourceNotFound, client.CodeMethodNotAllowed, client.CodePayloadTooLarge,
	client.CodeUnsupportedMediaType, client.CodeIdempotencyInProgress, client.CodeWebhookSubscriptionDisabled,
	client.CodeSetupLinkInactive, client.CodeRegistrationInProgress, client.CodeTemplateAlreadyExists, client.CodeContactAlreadyExists, client.CodeBroadcastState,
	client.CodeIdempotencyKeyReuse, client.CodeNumberNotVerified, client.CodeRegistrationFailed, client.CodeCannotRevokeLastSecret,
	client.CodeMediaNotFound, client.CodeMarketingOptedOut, client.CodeAccountRestricted, client.CodeConsentRequired,
	client.CodeCustomerSuspended, client.CodeUpstreamError, client.CodeRateLimitExceeded, client.CodeInternalError,
	client.CodeProviderFailure, client.CodeServiceUnavailable,
}

// document is the part of the API's description that these tests read.
type document struct {
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Parameters  []struct{ Name, In string }
	}
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct {
				Enum  []any
				Known []any `json:"x-extensible-enum"`
			}
		}
	}
}

func readDocument(t *testing.T, url string) document {
	t.Helper()
	response, err := http.Get(url + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var d document
	if err := json.NewDecoder(response.Body).Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEveryOperationHasAMethod fails when the API gains an operation, a filter, a field or a code
// that the client lacks.
func TestEveryOperationHasAMethod(t *testing.T) {
	t.Parallel()
	doc := readDocument(t, newService(t).url)
	seen := map[string]bool{}
	for _, operations := range doc.Paths {
		for _, op := range operations {
			if op.OperationID == "getOpenAPI" {
				continue
			}
			seen[op.OperationID] = true
			for _, name := range append(methods[op.OperationID], "") {
				if _, ok := reflect.TypeFor[*client.Client]().MethodByName(name); !ok && (name != "" || methods[op.OperationID] == nil) {
					t.Errorf("%s has no method %s", op.OperationID, name)
				}
			}
			var parameters []string
			for _, p := range op.Parameters {
				if p.In == "query" {
					parameters = append(parameters, p.Name)
				}
			}
			slices.Sort(parameters)
			if diff := cmp.Diff(parameters, slices.Sorted(maps.Keys(filters[op.OperationID]))); diff != "" {
				t.Errorf("the filter of %s: %s", op.OperationID, diff)
			}
		}
	}
	for id := range methods {
		if !seen[id] {
			t.Errorf("there is no operation %s any more", id)
		}
	}
}

// ofEvents are the schemas of events, for which the client has types of its own.
var ofEvents = regexp.MustCompile(`Event(Data|Entry|Change|Type|Contact|Conversation|Assignee|Previous|ProviderMeta)?$|Value$|^Svc|^Sent(Message|Media)$|^Receiv(edMessage|edStatus|ingNumber)$|^StatusError$|^Edition$`)

func TestEverySchemaHasItsType(t *testing.T) {
	t.Parallel()
	for name, schema := range readDocument(t, newService(t).url).Components.Schemas {
		ours, exact := types[name]
		if !exact {
			ours = wider[name]
		}
		if ours == nil {
			if !unexported(name) && !ofEvents.MatchString(name) && !slices.Contains(asTheyCame, name) && !slices.Contains(asTheyGo, name) {
				t.Errorf("the schema %s has no type", name)
			}
			continue
		}
		fields := fieldsOf(reflect.TypeOf(ours))
		for property := range schema.Properties {
			if !slices.Contains(fields, property) {
				t.Errorf("%T lacks %s of %s", ours, property, name)
			}
		}
		if exact && len(fields) != len(schema.Properties) {
			t.Errorf("%T has %v, but %s only %v", ours, fields, name, slices.Sorted(maps.Keys(schema.Properties)))
		}
	}
}

func fieldsOf(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func TestEveryCodeHasAConstant(t *testing.T) {
	t.Parallel()
	listed := readDocument(t, newService(t).url).Components.Schemas["Error"].Properties["code"].Known
	for _, code := range listed {
		if !slices.Contains(codes, client.ErrorCode(code.(string))) {
			t.Errorf("%s has no constant", code)
		}
	}
	if len(listed) < 30 {
		t.Errorf("the document has only %d codes: has its form changed?", len(listed))
	}
}
