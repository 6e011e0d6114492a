package api

import (
	"bytes"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerMessages(a *API) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/messages", ID: "listMessages", Tag: "Messages",
		Summary:     "List messages, newest first",
		Description: "Both directions. `conversation_id` narrows the list to one conversation.",
	}, listMessages)

	registerSend(a)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/messages/{id}", ID: "getMessage", Tag: "Messages",
		Summary: "Get a message", Description: "Carries a weak ETag; If-None-Match with it answers 304 while nothing has changed.",
		Conditional: true,
	}, getMessage)

	registerMessageMedia(a)
}

// MessageView is a message in the API's shape.
type MessageView struct {
	ID             rest.MessageID      `json:"id"`
	Object         string              `json:"object" enum:"message"`
	Direction      chat.Direction      `json:"direction"`
	From           *string             `json:"from" nullable:"true" doc:"Number in E.164."`
	To             *string             `json:"to" nullable:"true" doc:"Number in E.164, as the contact has it: a Mexican or Brazilian number may differ from that of the request by one digit. Null when the recipient was addressed by BSUID and has no known number."`
	BSUID          *string             `json:"bsuid" nullable:"true"`
	ParentBSUID    *string             `json:"parent_bsuid" nullable:"true"`
	Username       *string             `json:"username" nullable:"true"`
	Type           string              `json:"type" enum:"text,image,document,video,audio,template,interactive,reaction,location,contacts,button,unsupported"`
	Status         chat.MessageStatus  `json:"status"`
	Source         *string             `json:"source" nullable:"true" enum:"api,dashboard,app,broadcast,automatic" doc:"What made an outbound message."`
	ConversationID rest.ConversationID `json:"conversation_id"`
	MessageID      string              `json:"message_id,omitempty" doc:"The provider's id; absent until it is known."`
	Text           rest.AnyJSON        `json:"text,omitzero" doc:"The content, under the name of its type."`
	Image          rest.AnyJSON        `json:"image,omitzero"`
	Document       rest.AnyJSON        `json:"document,omitzero"`
	Video          rest.AnyJSON        `json:"video,omitzero"`
	Audio          rest.AnyJSON        `json:"audio,omitzero"`
	Template       shownTemplate       `json:"template,omitzero" doc:"As it was sent."`
	Preview        shownPreview        `json:"preview,omitzero" doc:"What the recipient of a template sees. Absent where the template was not known when the message was sent."`
	Interactive    rest.AnyJSON        `json:"interactive,omitzero"`
	Reaction       rest.AnyJSON        `json:"reaction,omitzero" doc:"message_id is the provider's id of the message reacted to; an empty emoji takes the reaction back."`
	Location       rest.AnyJSON        `json:"location,omitzero"`
	Contacts       rest.AnyJSON        `json:"contacts,omitzero"`
	Button         rest.AnyJSON        `json:"button,omitzero"`
	Unsupported    rest.AnyJSON        `json:"unsupported,omitzero" doc:"type is what the provider calls it, unknown where it does not say; more values may come."`
	Context        *contextView        `json:"context,omitempty" doc:"Present when it is a reply, was forwarded, or asks about a product."`
	IsRevoked      bool                `json:"is_revoked" doc:"Its author deleted it for everyone."`
	Error          *messageErrorView   `json:"error,omitempty"`
	PlayedAt       *rest.Instant       `json:"played_at,omitempty" doc:"When a voice note was first played."`
	CreatedAt      rest.Instant        `json:"created_at"`
	UpdatedAt      rest.Instant        `json:"updated_at"`

	MessageExtra
}

// shownTemplate is the content of a template message, without its preview.
type shownTemplate jsontext.Value

func (v shownTemplate) MarshalJSON() ([]byte, error) { return v, nil }

func (shownTemplate) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[chat.TemplateContent](), true, "")
}

// shownPreview is the text that the recipient of a template sees.
type shownPreview jsontext.Value

func (v shownPreview) MarshalJSON() ([]byte, error) { return v, nil }

func (shownPreview) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[chat.TemplatePreview](), true, "")
}

// splitTemplate separates a template message's content from the preview stored with it. It cuts and does not decode, because
// every answer about a template message comes by here.
func splitTemplate(content []byte) (shownTemplate, shownPreview) {
	d := jsontext.NewDecoder(bytes.NewBuffer(content))
	if _, err := d.ReadToken(); err != nil {
		return shownTemplate(content), nil
	}
	for d.PeekKind() == jsontext.KindString {
		before := content[:d.InputOffset()]
		name, _ := d.ReadToken()
		found := name.String() == "preview"
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		if found {
			after := content[d.InputOffset():]
			if len(before) == len("{") {
				after = bytes.TrimPrefix(after, []byte(","))
			}
			return slices.Concat(before, after), shownPreview(value.Clone())
		}
	}
	return shownTemplate(content), nil
}

type messageErrorView struct {
	Code         string `json:"code" doc:"Why it failed; branch on it. So far: outside_24h_window, marketing_opted_out, marketing_blocked_by_user, recipient_unavailable, unsupported_message_type, account_restricted, account_locked, consent_required, customer_suspended, permission_revoked, auth_expired, app_rate_limited, account_rate_limited, template_not_found, template_paused, template_policy_violation, flow_blocked, media_upload_failed, media_download_failed, undeliverable, policy_violation, subscription_inactive, organization_suspended, upstream_error. More may come."`
	Message      string `json:"message" doc:"The same in words, which may change."`
	ProviderCode *int   `json:"provider_code" nullable:"true" doc:"The provider's own code; null where the service itself refused, or the provider gave none."`
}

// ViewMessage makes the view of a message between an account and a contact.
func ViewMessage(account chat.Account, contact chat.Contact, m chat.Message) MessageView {
	v := MessageView{
		ID: rest.MessageID(m.ID), Object: "message", Direction: m.Direction, From: account.PhoneNumber, To: contact.PhoneNumber,
		BSUID: contact.BSUID, ParentBSUID: contact.ParentBSUID, Username: contact.Username, Type: string(m.Type),
		Status: m.Status, ConversationID: rest.ConversationID(m.ConversationID), MessageID: m.ProviderID, IsRevoked: m.Revoked,
		PlayedAt: rest.InstantPtr(m.PlayedAt), CreatedAt: rest.Instant(m.CreatedAt), UpdatedAt: rest.Instant(m.UpdatedAt),
	}
	if m.Direction == chat.Inbound {
		v.From, v.To = v.To, v.From
	}
	if m.Source != "" {
		v.Source = new(string(m.Source))
	}
	v.showExtra(m)
	if m.Error != nil {
		v.Error = &messageErrorView{string(m.Error.Code), m.Error.Message, m.Error.ProviderCode}
	}
	if m.Type == chat.TypeTemplate {
		v.Template, v.Preview = splitTemplate(m.Content)
	} else if field := v.content(m.Type); field != nil {
		*field = rest.AnyJSON(m.Content)
	}
	return v
}

// content is the view's field for the content of a type.
func (v *MessageView) content(t chat.MessageType) *rest.AnyJSON {
	return map[chat.MessageType]*rest.AnyJSON{
		chat.TypeText: &v.Text, chat.TypeImage: &v.Image, chat.TypeDocument: &v.Document, chat.TypeVideo: &v.Video,
		chat.TypeAudio: &v.Audio, chat.TypeInteractive: &v.Interactive,
		chat.TypeReaction: &v.Reaction, chat.TypeLocation: &v.Location, chat.TypeContacts: &v.Contacts,
		chat.TypeButton: &v.Button, chat.TypeUnsupported: &v.Unsupported,
	}[t]
}

// messageETag depends on the fields that change after the message was made. The content changes with an edit, and when
// history brings the file for which there was a placeholder.
func messageETag(m chat.Message) string {
	parts := []string{m.ID, string(m.Status), "", "", "", string(m.Type), string(m.Edits)}
	if m.Error != nil {
		parts[2] = string(m.Error.Code) + m.Error.Message
	}
	if m.PlayedAt != nil {
		parts[3] = chat.FormatTime(*m.PlayedAt)
	}
	if m.Revoked {
		parts[4] = "revoked"
	}
	return rest.WeakETag(parts...)
}

type listMessagesInput struct {
	rest.AccountPath
	ConversationID rest.ConversationID `query:"conversation_id"`
	Direction      chat.Direction      `query:"direction"`
	Status         chat.MessageStatus  `query:"status"`
	Type           string              `query:"type" enum:"text,image,document,video,audio,template,interactive,reaction,location,contacts,button,unsupported"`
	MessageID      string              `query:"message_id" minLength:"1" maxLength:"512" doc:"The message with this id of the provider's."`
	CreatedAfter   *time.Time          `query:"created_after" doc:"Only messages made after this instant."`
	CreatedBefore  *time.Time          `query:"created_before" doc:"Only messages made before this instant."`
}

func listMessages(c *rest.Call, in *listMessagesInput, p store.Page) (store.Slice[MessageView], error) {
	r := c.Read()
	slice, contacts, err := core.Messages(r, c.Account, store.MessageFilter{
		ConversationID: string(in.ConversationID), Direction: string(in.Direction), Status: string(in.Status), Type: in.Type, ProviderID: in.MessageID,
		CreatedAfter: in.CreatedAfter, CreatedBefore: in.CreatedBefore,
	}, p)
	return rest.ViewEach(slice, func(m chat.Message) MessageView { return ViewMessage(c.Account, contacts[m.ContactID], m) }), err
}

func getMessage(c *rest.Call, in *rest.NumberByID[rest.MessageID]) (MessageView, error) {
	r := c.Read()
	m, contact, err := core.Message(r, c.Account, string(in.ID))
	if err != nil {
		return MessageView{}, err
	}
	if c.Unchanged(messageETag(m)) {
		return MessageView{}, rest.ErrNotModified
	}
	return ViewMessage(c.Account, contact, m), nil
}
