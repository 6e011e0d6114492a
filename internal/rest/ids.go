package rest

import (
	"reflect"

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

// Each id has the pattern of its kind.

func (AccountID) Schema(huma.Registry) *huma.Schema      { return idSchema(chat.KindAccount) }
func (AuditID) Schema(huma.Registry) *huma.Schema        { return idSchema(chat.KindAudit) }
func (BroadcastID) Schema(huma.Registry) *huma.Schema    { return idSchema(chat.KindBroadcast) }
func (BulkID) Schema(huma.Registry) *huma.Schema         { return idSchema(chat.KindBulk) }
func (ContactID) Schema(huma.Registry) *huma.Schema      { return idSchema(chat.KindContact) }
func (ContactJobID) Schema(huma.Registry) *huma.Schema   { return idSchema(chat.KindContactJob) }
func (ContactNoteID) Schema(huma.Registry) *huma.Schema  { return idSchema(chat.KindContactNote) }
func (ConversationID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindConversation) }
func (CustomerID) Schema(huma.Registry) *huma.Schema     { return idSchema(chat.KindCustomer) }
func (DeliveryID) Schema(huma.Registry) *huma.Schema     { return idSchema(chat.KindDelivery) }
func (EventID) Schema(huma.Registry) *huma.Schema        { return idSchema(chat.KindEvent) }
func (KeyID) Schema(huma.Registry) *huma.Schema          { return idSchema(chat.KindKey) }
func (LabelID) Schema(huma.Registry) *huma.Schema        { return idSchema(chat.KindLabel) }
func (MediaID) Schema(huma.Registry) *huma.Schema        { return idSchema(chat.KindMedia) }
func (MessageID) Schema(huma.Registry) *huma.Schema      { return idSchema(chat.KindMessage) }
func (NoteID) Schema(huma.Registry) *huma.Schema         { return idSchema(chat.KindNote) }
func (OrganizationID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindOrganization) }
func (RecipientID) Schema(huma.Registry) *huma.Schema    { return idSchema(chat.KindRecipient) }
func (ReplyID) Schema(huma.Registry) *huma.Schema        { return idSchema(chat.KindReply) }
func (RequestID) Schema(huma.Registry) *huma.Schema      { return idSchema(chat.KindRequest) }
func (SecretID) Schema(huma.Registry) *huma.Schema       { return idSchema(chat.KindSecret) }
func (SetupLinkID) Schema(huma.Registry) *huma.Schema    { return idSchema(chat.KindSetupLink) }
func (SketchID) Schema(huma.Registry) *huma.Schema       { return idSchema(chat.KindSketch) }
func (SubscriptionID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindSubscription) }
func (TeamID) Schema(huma.Registry) *huma.Schema         { return idSchema(chat.KindTeam) }
func (TemplateID) Schema(huma.Registry) *huma.Schema     { return idSchema(chat.KindTemplate) }
func (TemplateNewsID) Schema(huma.Registry) *huma.Schema { return idSchema(chat.KindTemplateNews) }
func (UserID) Schema(huma.Registry) *huma.Schema         { return idSchema(chat.KindUser) }
func (ViewID) Schema(huma.Registry) *huma.Schema         { return idSchema(chat.KindView) }

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

func (LabelColor) Schema(huma.Registry) *huma.Schema {
	return enumSchema(chat.LabelColors)
}

// enum describes a type of the domain that has a fixed set of values. Fields of that type need no enum tag.
type enum[T interface {
	~string
	Values() []T
}] string

func (enum[T]) Schema(huma.Registry) *huma.Schema {
	var none T
	return enumSchema(none.Values())
}

// enums maps the domain's enums to their descriptions.
var enums = map[reflect.Type]reflect.Type{
	reflect.TypeFor[chat.AccountStatus]():      reflect.TypeFor[enum[chat.AccountStatus]](),
	reflect.TypeFor[chat.BroadcastStatus]():    reflect.TypeFor[enum[chat.BroadcastStatus]](),
	reflect.TypeFor[chat.Consent]():            reflect.TypeFor[enum[chat.Consent]](),
	reflect.TypeFor[chat.ConversationStatus](): reflect.TypeFor[enum[chat.ConversationStatus]](),
	reflect.TypeFor[chat.DeliveryStatus]():     reflect.TypeFor[enum[chat.DeliveryStatus]](),
	reflect.TypeFor[chat.Direction]():          reflect.TypeFor[enum[chat.Direction]](),
	reflect.TypeFor[chat.MessageStatus]():      reflect.TypeFor[enum[chat.MessageStatus]](),
	reflect.TypeFor[chat.Role]():               reflect.TypeFor[enum[chat.Role]](),
	reflect.TypeFor[chat.Visibility]():         reflect.TypeFor[enum[chat.Visibility]](),
}

func enumSchema[T ~string](values []T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}
