package api

import (
	"bytes"
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// sendBody is the body of both operations of the path: with type it sends, with status it marks as read.
type sendBody struct {
	MessagingProduct string                             `json:"messaging_product" enum:"chat"`
	RecipientType    string                             `json:"recipient_type,omitempty" enum:"individual"`
	To               *string                            `json:"to,omitempty" format:"phone-number" doc:"Number in international form, with or without +. It wins over recipient."`
	Recipient        *string                            `json:"recipient,omitempty" pattern:"^[A-Z]{2}[.](ENT[.])?[A-Za-z0-9]{1,128}$" doc:"A BSUID or parent BSUID."`
	Context          *contextBody                       `json:"context,omitempty" doc:"Makes it a reply."`
	Type             string                             `json:"type,omitempty" enum:"text,image,document,video,audio,template,interactive,reaction" doc:"Required to send."`
	Text             rest.Part[chat.TextContent]        `json:"text,omitzero" doc:"A text, for type text."`
	Image            rest.Part[chat.ImageContent]       `json:"image,omitzero" doc:"A picture, for type image."`
	Document         rest.Part[chat.DocumentContent]    `json:"document,omitzero" doc:"A file, for type document."`
	Video            rest.Part[chat.ImageContent]       `json:"video,omitzero" doc:"A video, for type video."`
	Audio            rest.Part[chat.AudioContent]       `json:"audio,omitzero" doc:"A recording, for type audio."`
	Template         rest.Part[chat.TemplateContent]    `json:"template,omitzero" doc:"An approved template, for type template."`
	Interactive      rest.Part[chat.InteractiveContent] `json:"interactive,omitzero" doc:"Buttons or a list, for type interactive."`
	Reaction         rest.Part[chat.ReactionContent]    `json:"reaction,omitzero" doc:"An emoji on a message, for type reaction."`
	Status           string                             `json:"status,omitempty" enum:"read" doc:"Marks an inbound message as read, instead of sending one."`
	MessageID        *string                            `json:"message_id,omitempty" minLength:"1" doc:"With status: the provider's id of the inbound message."`
	content          chat.Content                       // the content that type names
	person           string                             // the id of the contact or conversation that a user names as the recipient
	about            []string                           // see core.NewMessage
	TypingIndicator  *typingBody                        `json:"typing_indicator,omitempty" doc:"With status: shows that an answer is being written, for up to 25 seconds."`
}

type contextBody struct {
	MessageID string `json:"message_id" minLength:"1" maxLength:"512" doc:"The provider's id of an inbound message, not its msg_ id."`
}

type typingBody struct {
	Type string `json:"type" enum:"text"`
}

type sendInput struct {
	rest.AccountPath
	Body sendBody
}

// languageSchema describes a template's language, which is a text or an object.
type languageSchema struct{}

func (languageSchema) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, MinLength: new(1)},
		named(r, "TemplateLanguage", &huma.Schema{Type: huma.TypeObject, Required: []string{"code"}, Properties: map[string]*huma.Schema{
			"code": {Type: huma.TypeString, MinLength: new(1)}, "policy": {Type: huma.TypeString},
		}}),
	}}
}

// samplesSchema describes samples, which are a text or a list.
type samplesSchema struct{}

func (samplesSchema) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString, MinLength: new(1)}
	return &huma.Schema{OneOf: []*huma.Schema{text, {Type: huma.TypeArray, Items: text, MinItems: new(1)}}}
}

func registerSend(a *API) {
	rest.Custom[sendInput, sendView](a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/messages", ID: "sendMessage", Tag: "Messages", Role: chat.RoleAgent,
		Summary: "Send a message, or mark one as read",
		Description: "With `type`, sends a message: the answer comes as soon as the message is stored, with status `queued`. " +
			"With `status: read`, marks an inbound message as read, and answers with its id and status.",
		Errors: []chat.Code{
			chat.CodeInvalidPhoneNumber, chat.CodeNumberNotVerified, chat.CodeUpstreamError, chat.CodeAccountRestricted,
			chat.CodeCustomerSuspended, chat.CodeQuotaExceeded, chat.CodeInvalidTemplateName, chat.CodeMediaNotFound,
			chat.CodeMarketingOptedOut, chat.CodeConsentRequired, chat.CodeProviderFailure,
		},
	}, a.handleSend)
}

// sendView is the answer of either operation: the message, or the read mark.
type sendView struct{}

func (sendView) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[MessageView](), true, ""), r.Schema(reflect.TypeFor[readReceiptView](), true, ""),
	}}
}

type readReceiptView struct {
	ID        rest.MessageID `json:"id"`
	Object    string         `json:"object" enum:"message"`
	Status    string         `json:"status" enum:"read"`
	MessageID string         `json:"message_id" doc:"The provider's id."`
}

func (a *API) handleSend(c *rest.Call, in *sendInput, body []byte, wrong error) (rest.Answer, error) {
	if wrong == nil && in.Body.content == nil {
		return c.FlowOnce(body, func() (rest.Answer, error) { return a.markRead(c, in.Body) })
	}
	// As much as possible is done before the transaction, because on SQLite other writers wait for it.
	var message core.NewMessage
	if wrong == nil {
		if wrong = c.FindAccount(c.Read()); wrong == nil {
			wrong = a.resolve(c, &in.Body)
		}
		if wrong == nil {
			message = a.newMessage(c, in.Body)
			wrong = message.Refused(c.Account, c.Caller.Plan, c.Now())
		}
	}
	if wrong == nil {
		c.Foresee(store.ThreadKey{OrgID: c.OrgID(), AccountID: c.Account.ID, Number: message.To})
	}
	return c.WriteOnce(body, wrong, func(tx *store.Tx) (rest.Answer, error) {
		view, err := a.send(tx, c, message)
		return c.Success(view), err
	})
}

// CheckTogether checks which fields go together. Of the contents it checks only the one that type names.
func (b *sendBody) CheckTogether(f *rest.Fields) {
	name := f.Text("type")
	for _, t := range chat.SendableTypes {
		if string(t) != name {
			f.Forget(string(t))
		}
	}
	if !f.Given("type") && f.Given("status") {
		f.Forget("to", "recipient", "recipient_type", "context")
		f.Require("message_id", "Give the provider's id of the message that was read.")
		return
	}
	f.Forget("status", "message_id", "typing_indicator")
	b.checkRecipient(f)
	f.Require("type", "Give type to send a message, or status to mark one as read.")
	if !slices.Contains(chat.SendableTypes, chat.MessageType(name)) {
		return
	}
	f.Require(name, "This field is required for the type.")
	if f.Given(name) {
		b.content = chat.NewContent(chat.MessageType(name))
		f.Decode(name, b.content)
	}
}

// checkRecipient checks the fields that name the person. Those who use the dashboard may name a contact or a conversation,
// because they do not see every number; resolve refuses that to programs.
func (b *sendBody) checkRecipient(f *rest.Fields) {
	switch {
	case f.Given("to"):
		f.Forget("recipient")
	case !f.Given("recipient"):
		f.Require("to", "Give to or recipient.")
	case chat.KindContact.Valid(f.Text("recipient")) || chat.KindConversation.Valid(f.Text("recipient")):
		b.person = f.Text("recipient")
		f.Forget("recipient")
	}
}

// send accepts a message. The account was read before the transaction: a send does not change it, and the
// sender checks it again before the message goes out.
func (a *API) send(tx *store.Tx, c *rest.Call, m core.NewMessage) (MessageView, error) {
	accepted, err := core.AcceptSend(tx, c.Account, c.Caller.Plan, m)
	return ViewMessage(c.Account, accepted.Contact, accepted.Message), err
}

// resolve replaces a contact's or a conversation's id by the person's number or id, and our ids of messages by the
// provider's. Users who do not see numbers send with these ids.
func (a *API) resolve(c *rest.Call, b *sendBody) (err error) {
	if b.person != "" {
		contact, err := namedPerson(c, b.person)
		if err != nil {
			return err
		}
		b.To, b.Recipient = contact.PhoneNumber, cmp.Or(contact.BSUID, contact.ParentBSUID)
	}
	if b.Context != nil {
		if b.Context.MessageID, err = a.targetID(c, b, "context.message_id", b.Context.MessageID); err != nil {
			return err
		}
	}
	if reaction, ok := b.content.(*chat.ReactionContent); ok {
		reaction.MessageID, err = a.targetID(c, b, "reaction.message_id", reaction.MessageID)
	}
	return err
}

// namedPerson is the contact of the number that a user names by our id of it, or of its conversation. Whether the user may
// write in the conversation is asked when the message is accepted.
func namedPerson(c *rest.Call, id string) (chat.Contact, error) {
	if c.Caller.User == nil {
		return chat.Contact{}, chat.Invalid("recipient", "Give the person's BSUID, or their number in to.")
	}
	if chat.KindConversation.Valid(id) {
		return core.ContactOfConversation(c.Read(), c.Account, id)
	}
	seen, err := core.SeenContact(c.Read(), *c.Caller.User, id)
	if err == nil && seen.AccountID != c.Account.ID {
		err = chat.NotFound("contact")
	}
	return seen.Contact, err
}

// targetID is the provider's id of the message that a new one is about. Programs have that id from the webhook; ours
// would come back from the provider as a message that it does not know.
func (a *API) targetID(c *rest.Call, b *sendBody, param, id string) (string, error) {
	if !chat.KindMessage.Valid(id) {
		return id, nil
	}
	if c.Caller.User == nil {
		return "", chat.Invalid(param, "Give the provider's id of the message (its message_id), not its msg_ id.")
	}
	m, err := namedMessage(c, id)
	b.about = append(b.about, m.ConversationID)
	return m.ProviderID, err
}

// namedMessage is the message that a user names by our id.
func namedMessage(c *rest.Call, id string) (chat.Message, error) {
	m, err := core.SeenMessage(c.Read(), c.Account, *c.Caller.User, id)
	if err == nil && m.ProviderID == "" {
		err = chat.NotFound("message that the person has")
	}
	return m, err
}

func (a *API) newMessage(c *rest.Call, b sendBody) core.NewMessage {
	content := b.content
	m := core.NewMessage{
		Type: chat.MessageType(b.Type), Source: chat.SourceAPI, By: c.Caller.User, About: b.about,
		Media: chat.LibraryMedia(chat.MessageType(b.Type), content),
	}
	if m.By != nil {
		m.Source = chat.SourceDashboard
	}
	if t, ok := content.(*chat.TemplateContent); ok {
		choice := a.templates.Choose(c.Ctx, c.Account, t, b.To != nil)
		t.Preview, m.Template, m.MoreMedia = choice.Preview, &choice, t.Media()
	}
	m.Content = bytes.Clone(rest.Marshal(content))
	if b.To != nil {
		m.To = "+" + strings.TrimPrefix(*b.To, "+")
	} else {
		m.Recipient = *b.Recipient
	}
	if b.Context != nil {
		m.Context = b.Context.MessageID
	}
	return m
}

// markRead tells the sender of an inbound message that it was read.
func (a *API) markRead(c *rest.Call, b sendBody) (rest.Answer, error) {
	if err := c.FindAccount(c.Read()); err != nil {
		return rest.Answer{}, err
	}
	id := *b.MessageID
	if c.Caller.User != nil && chat.KindMessage.Valid(id) {
		named, err := namedMessage(c, id)
		if err != nil {
			return rest.Answer{}, err
		}
		id = named.ProviderID
	}
	m, err := a.numbers.MarkRead(c.Ctx, c.Account, id, b.TypingIndicator != nil, c.Caller.User)
	return c.Success(readReceiptView{ID: rest.MessageID(m.ID), Object: "message", Status: "read", MessageID: m.ProviderID}), err
}
