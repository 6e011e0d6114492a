package api

import (
	"bytes"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// sendBody is both operations of the path: with type it sends, with status it marks as read.
type sendBody struct {
	MessagingProduct string                        `json:"messaging_product" enum:"chat"`
	RecipientType    string                        `json:"recipient_type,omitempty" enum:"individual"`
	To               *string                       `json:"to,omitempty" doc:"Number in international form, with or without +. It wins over recipient."`
	Recipient        *string                       `json:"recipient,omitempty" pattern:"^[A-Z]{2}[.](ENT[.])?[A-Za-z0-9]{1,128}$" doc:"BSUID or parent BSUID."`
	Context          *contextBody                  `json:"context,omitempty" doc:"Makes it a reply."`
	Type             string                        `json:"type,omitempty" enum:"text,image,document,video,audio,template,interactive,reaction" doc:"Required to send."`
	Text             part[chat.TextContent]        `json:"text,omitzero"`
	Image            part[chat.ImageContent]       `json:"image,omitzero"`
	Document         part[chat.DocumentContent]    `json:"document,omitzero"`
	Video            part[chat.ImageContent]       `json:"video,omitzero"`
	Audio            part[chat.AudioContent]       `json:"audio,omitzero"`
	Template         part[chat.TemplateContent]    `json:"template,omitzero"`
	Interactive      part[chat.InteractiveContent] `json:"interactive,omitzero"`
	Reaction         part[chat.ReactionContent]    `json:"reaction,omitzero"`
	Status           string                        `json:"status,omitempty" enum:"read" doc:"Marks an inbound message as read, instead of sending one."`
	MessageID        *string                       `json:"message_id,omitempty" minLength:"1" doc:"With status: the provider's id of the inbound message."`
	TypingIndicator  *typingBody                   `json:"typing_indicator,omitempty" doc:"With status: shows that an answer is being written, for up to 25 seconds."`
}

type contextBody struct {
	MessageID string `json:"message_id" minLength:"1" doc:"The provider's id of an inbound message."`
}

type typingBody struct {
	Type string `json:"type" enum:"text"`
}

type sendInput struct {
	accountPath
	Body sendBody
}

// languageSchema describes a template's language, which has two forms.
type languageSchema struct{}

// Schema describes it in the OpenAPI document.
func (languageSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString},
		{Type: huma.TypeObject, Required: []string{"code"}, Properties: map[string]*huma.Schema{
			"code": {Type: huma.TypeString}, "policy": {Type: huma.TypeString},
		}},
	}}
}

func registerSend(a *API) {
	op := operation{
		method: http.MethodPost, path: "/{phone_number_id}/messages", id: "sendMessage", tag: "Messages",
		summary: "Send a message, or mark one as read",
		description: "With `type` it sends: the answer comes once the message is stored, with status `queued`. " +
			"With `status: read` it marks an inbound message as read and answers with its id and status.",
		errors: []chat.Code{
			chat.CodeInvalidPhoneNumber, chat.CodeNumberNotVerified, chat.CodeUpstreamError, chat.CodeAccountRestricted,
			chat.CodeCustomerSuspended, chat.CodeQuotaExceeded, chat.CodeInvalidTemplateName, chat.CodeMediaNotFound,
			chat.CodeMarketingOptedOut, chat.CodeConsentRequired, chat.CodeProviderFailure,
		},
		input: newInputBinder[sendInput](a.document),
	}
	a.contents = map[chat.MessageType]*bodyBinder{}
	for _, t := range chat.SendableTypes {
		typ := reflect.TypeOf(chat.NewContent(t)).Elem()
		a.contents[t] = &bodyBinder{typ: typ, rule: a.document.typeRule(typ)}
	}
	op.handle = func(c *call) (answer, error) { return a.handleSend(c, &op) }
	add[sendInput, single[messageView]](a, &op)
}

func (a *API) handleSend(c *call, op *operation) (answer, error) {
	body, err := op.input.readBody(c)
	if err != nil {
		return answer{}, err
	}
	var in sendInput
	if err = op.input.bindWith(c, reflect.ValueOf(&in).Elem(), body); err == nil && in.Body.Type == "" && in.Body.Status != "" {
		return a.flowOnce(c, body, func() (answer, error) { return a.markRead(c, op, in.Body) })
	}
	// What can be done before the transaction is: on SQLite others wait for it.
	var account chat.Account
	var message core.NewMessage
	if err == nil {
		account, message, err = a.prepareSend(c, in.Body)
	}
	run := func(tx *store.Tx) (answer, error) {
		if err != nil {
			return answer{}, err
		}
		view, err := a.send(tx, c, account, message)
		if err != nil {
			return answer{}, err
		}
		return op.success(c, view), nil
	}
	if c.hasIdempotencyKey() {
		return a.once(c, body, run)
	}
	if err != nil {
		return answer{}, err
	}
	return inTx(c, run)
}

// prepareSend reads the account and checks the message. The account is not changed by a send, and
// the sender looks at it again before the message goes out.
func (a *API) prepareSend(c *call, b sendBody) (chat.Account, core.NewMessage, error) {
	account, err := c.account(a.store.Read(c.ctx))
	if err != nil {
		return chat.Account{}, core.NewMessage{}, err
	}
	m, err := a.newMessage(b)
	return account, m, err
}

// send accepts a message.
func (a *API) send(tx *store.Tx, c *call, account chat.Account, m core.NewMessage) (messageView, error) {
	owner := ""
	if a.dispatch != nil {
		owner = a.dispatch.Node()
	}
	accepted, err := core.AcceptSend(tx, account, c.key.Plan, m, owner)
	if err != nil {
		return messageView{}, err
	}
	if a.dispatch != nil {
		tx.AfterCommit(func() { a.dispatch.Enqueue(account, workOf(accepted)) })
	}
	return viewMessage(account, accepted.Contact, accepted.Message), nil
}

func workOf(acc core.Accepted) store.SendWork {
	return store.SendWork{
		Job: acc.Job, Message: acc.Message, To: acc.Contact.PhoneNumber, BSUID: acc.Contact.BSUID, Parent: acc.Contact.ParentBSUID,
		Name: acc.Contact.Name, ConversationStatus: acc.Conversation.Status,
	}
}

// newMessage checks what the schema cannot: which fields go together.
func (a *API) newMessage(b sendBody) (core.NewMessage, error) {
	m := core.NewMessage{Type: chat.MessageType(b.Type), Source: chat.SourceAPI}
	text := b.content()[m.Type]
	switch {
	case b.To == nil && b.Recipient == nil:
		return m, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "to", Message: "Give to or recipient."}
	case b.Type == "":
		return m, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "type", Message: "Give type to send a message, or status to mark one as read."}
	case text == nil:
		return m, chat.Missing(b.Type)
	}
	if b.To != nil {
		var err error
		if m.To, err = chat.CleanPhoneNumber("to", *b.To); err != nil {
			return m, err
		}
	} else {
		m.Recipient = *b.Recipient
	}
	if b.Context != nil {
		m.Context = b.Context.MessageID
	}
	content := chat.NewContent(m.Type)
	if err := a.contents[m.Type].decodePart(text, b.Type, content); err != nil {
		return m, err
	}
	if err := content.Check(); err != nil {
		return m, err
	}
	m.Content, m.MediaID = bytes.Clone(marshal(content)), chat.LibraryMedia(content)
	return m, nil
}

func (b *sendBody) content() map[chat.MessageType][]byte {
	return map[chat.MessageType][]byte{
		chat.TypeText: b.Text.text, chat.TypeImage: b.Image.text, chat.TypeDocument: b.Document.text, chat.TypeVideo: b.Video.text,
		chat.TypeAudio: b.Audio.text, chat.TypeTemplate: b.Template.text, chat.TypeInteractive: b.Interactive.text,
		chat.TypeReaction: b.Reaction.text,
	}
}

// markRead tells the sender of an inbound message that it was read.
func (a *API) markRead(c *call, op *operation, b sendBody) (answer, error) {
	if b.MessageID == nil {
		return answer{}, chat.Missing("message_id")
	}
	account, err := c.account(a.store.Read(c.ctx))
	if err != nil {
		return answer{}, err
	}
	m, err := core.MarkRead(c.ctx, a.store, a.provider, a.token, account, *b.MessageID, b.TypingIndicator != nil)
	if err != nil {
		return answer{}, err
	}
	return op.success(c, map[string]any{"id": m.ID, "object": "message", "status": "read", "message_id": m.ProviderID}), nil
}
