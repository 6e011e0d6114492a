package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
)

// Ids in requests and answers. The type of a field gives its schema, and the kind of the id gives the pattern.
type (
	AccountID      string
	AuditID        string
	BroadcastID    string
	BulkID         string
	ContactID      string
	ContactJobID   string
	ContactNoteID  string
	ConversationID string
	CustomerID     string
	DeliveryID     string
	EventID        string
	KeyID          string
	LabelID        string
	MediaID        string
	MessageID      string
	NoteID         string
	OrganizationID string
	RecipientID    string
	ReplyID        string
	RequestID      string
	SecretID       string
	SetupLinkID    string
	SketchID       string
	SubscriptionID string
	TeamID         string
	TemplateID     string
	TemplateNewsID string
	UserID         string
	ViewID         string
)

// Schema describes it in the OpenAPI document.
func (AccountID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindAccount) }

// Schema describes it in the OpenAPI document.
func (AuditID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindAudit) }

// Schema describes it in the OpenAPI document.
func (BroadcastID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindBroadcast) }

// Schema describes it in the OpenAPI document.
func (BulkID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindBulk) }

// Schema describes it in the OpenAPI document.
func (ContactID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindContact) }

// Schema describes it in the OpenAPI document.
func (ContactJobID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindContactJob) }

// Schema describes it in the OpenAPI document.
func (ContactNoteID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindContactNote) }

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
func (NoteID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindNote) }

// Schema describes it in the OpenAPI document.
func (OrganizationID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindOrganization) }

// Schema describes it in the OpenAPI document.
func (RecipientID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindRecipient) }

// Schema describes it in the OpenAPI document.
func (ReplyID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindReply) }

// Schema describes it in the OpenAPI document.
func (RequestID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindRequest) }

// Schema describes it in the OpenAPI document.
func (SecretID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSecret) }

// Schema describes it in the OpenAPI document.
func (SetupLinkID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSetupLink) }

// Schema describes it in the OpenAPI document.
func (SketchID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSketch) }

// Schema describes it in the OpenAPI document.
func (SubscriptionID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSubscription) }

// Schema describes it in the OpenAPI document.
func (TeamID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindTeam) }

// Schema describes it in the OpenAPI document.
func (TemplateID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindTemplate) }

// Schema describes it in the OpenAPI document.
func (TemplateNewsID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindTemplateNews) }

// Schema describes it in the OpenAPI document.
func (UserID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindUser) }

// Schema describes it in the OpenAPI document.
func (ViewID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindView) }

// Texts converts ids to the strings of the domain.
func Texts[T ~string](ids []T) (texts []string) {
	for _, id := range ids {
		texts = append(texts, string(id))
	}
	return texts
}

func idSchema(k chat.Kind) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: k.Pattern()}
}

// LabelColor is a color of labels.
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
