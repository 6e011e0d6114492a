package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
)

// Ids of requests and answers. The type of a field is its schema: what such an id looks like is said by its kind alone.
type (
	AccountID      string
	BroadcastID    string
	ContactID      string
	ConversationID string
	CustomerID     string
	DeliveryID     string
	EventID        string
	KeyID          string
	LabelID        string
	MediaID        string
	MessageID      string
	OrganizationID string
	RecipientID    string
	SecretID       string
	SetupLinkID    string
	SubscriptionID string
	TeamID         string
	TemplateID     string
	UserID         string
)

// Schema describes it in the OpenAPI document.
func (AccountID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindAccount) }

// Schema describes it in the OpenAPI document.
func (BroadcastID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindBroadcast) }

// Schema describes it in the OpenAPI document.
func (ContactID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindContact) }

// Schema describes it in the OpenAPI document.
func (ConversationID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindConversation) }

// Schema describes it in the OpenAPI document.
func (CustomerID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindCustomer) }

// Schema describes it in the OpenAPI document.
func (DeliveryID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindDelivery) }

// Schema describes it in the OpenAPI document.
func (EventID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindEvent) }

// Schema describes it in the OpenAPI document.
func (KeyID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindKey) }

// Schema describes it in the OpenAPI document.
func (LabelID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindLabel) }

// Schema describes it in the OpenAPI document.
func (MediaID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindMedia) }

// Schema describes it in the OpenAPI document.
func (MessageID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindMessage) }

// Schema describes it in the OpenAPI document.
func (OrganizationID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindOrganization) }

// Schema describes it in the OpenAPI document.
func (RecipientID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindRecipient) }

// Schema describes it in the OpenAPI document.
func (SecretID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSecret) }

// Schema describes it in the OpenAPI document.
func (SetupLinkID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSetupLink) }

// Schema describes it in the OpenAPI document.
func (SubscriptionID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSubscription) }

// Schema describes it in the OpenAPI document.
func (TeamID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindTeam) }

// Schema describes it in the OpenAPI document.
func (TemplateID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindTemplate) }

// Schema describes it in the OpenAPI document.
func (UserID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindUser) }

// Texts are ids as the domain has them.
func Texts[T ~string](ids []T) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return texts
}

func idSchema(k chat.Kind) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: k.Pattern()}
}

// LabelColor is one of the colors that labels have.
type LabelColor string

// Schema describes it in the OpenAPI document.
func (LabelColor) Schema(huma.Registry) *huma.Schema {
	return enumSchema(chat.LabelColors)
}

func enumSchema(values []string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}
