package api

import (
	"bytes"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// sendBody is both operations of the path: with type it sends, with status it marks as read.
type sendBody struct {
	MessagingProduct string                        `json:"messaging_product" enum:"chat"`
	RecipientType    string                        `json:"recipient_type,omitempty" enum:"individual"`
	To               *string                       `json:"to,omitempty" format:"phone-number" doc:"Number in international form, with or without +. It wins over recipient."`
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
		{Type: huma.TypeString, MinLength: new(1)},
		{Type: huma.TypeObject, Required: []string{"code"}, Properties: map[string]*huma.Schema{
			"code": {Type: huma.TypeString, MinLength: new(1)}, "policy": {Type: huma.TypeString},
		}},
	}}
}

// samplesSchema describes samples, which are a text or a list.
type samplesSchema struct{}

// Schema describes it in the OpenAPI document.
func (samplesSchema) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString, MinLength: new(1)}
	return &huma.Schema{OneOf: []*huma.Schema{text, {Type: huma.TypeArray, Items: text, MinItems: new(1)}}}
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
	add[sendInput, single[sendView]](a, &op)
}

// sendView is either answer of the path: the message, or what was marked as read.
type sendView struct{}

// Schema describes it in the OpenAPI document.
func (sendView) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[messageView](), true, ""), r.Schema(reflect.TypeFor[readReceiptView](), true, ""),
	}}
}

type readReceiptView struct {
	ID        string `json:"id" pattern:"^msg_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object    string `json:"object" enum:"message"`
	Status    string `json:"status" enum:"read"`
	MessageID string `json:"message_id" doc:"The provider's id."`
}

func (a *API) handleSend(c *call, op *operation) (answer, error) {
	body, err := op.input.readBody(c)
	if err != nil {
		return answer{}, err
	}
	var in sendInput
	content, err := a.bindSend(c, op.input, &in, body)
	if err == nil && content == nil {
		return a.flowOnce(c, body, func() (answer, error) { return a.markRead(c, op, in.Body) })
	}
	// What can be done before the transaction is: on SQLite others wait for it.
	var account chat.Account
	var message core.NewMessage
	if err == nil {
		if account, err = c.account(a.store.Read(c.ctx)); err == nil {
			message = a.newMessage(c, account, in.Body, content)
			err = message.Refused(account, c.key.Plan, a.store.Now())
		}
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

// bindSend fills the input and returns the content to send; there is none in a read receipt.
func (a *API) bindSend(c *call, b *inputBinder, in *sendInput, text []byte) (chat.Content, error) {
	if err := b.bind(c, reflect.ValueOf(in).Elem()); err != nil {
		return nil, err
	}
	if err := checkContentType(c.r, text); err != nil {
		return nil, err
	}
	text = orObject(text)
	fields, err := b.body.checkFields(text)
	if err != nil {
		return nil, err
	}
	content := a.checkTogether(sendFields{b.body.rule, fields}, text)
	if err := b.body.rule.sumUp("", fields).first(); err != nil {
		return nil, err
	}
	return content, unmarshal(text, "", &in.Body)
}

// sendFields are the fields of a body by name.
type sendFields struct {
	rule   *rule
	states []fieldState
}

func (f sendFields) at(name string) *fieldState { return &f.states[f.rule.fieldIndex(name)] }

func (f sendFields) given(name string) bool { return f.at(name).given }

func (f sendFields) require(name, message string) {
	if !f.given(name) {
		f.at(name).found.missing = &chat.Error{Code: chat.CodeMissingRequiredField, Param: name, Message: message}
	}
}

// checkTogether adds what the schema cannot say: which fields go together. Of the contents only
// the one that type names is looked at.
func (a *API) checkTogether(f sendFields, text []byte) chat.Content {
	for _, t := range chat.SendableTypes {
		f.at(string(t)).found = findings{}
	}
	if !f.given("type") && f.given("status") {
		f.require("message_id", "Give the provider's id of the message that was read.")
		return nil
	}
	if !f.given("recipient") {
		f.require("to", "Give to or recipient.")
	}
	f.require("type", "Give type to send a message, or status to mark one as read.")
	var values map[string]jsontext.Value
	json.Unmarshal(text, &values) // it is an object: that has been checked
	name, _ := jsontext.AppendUnquote(nil, values["type"])
	binder := a.contents[chat.MessageType(name)]
	if binder == nil {
		return nil
	}
	f.require(string(name), "This field is required for the type.")
	if !f.given(string(name)) {
		return nil
	}
	content := chat.NewContent(chat.MessageType(name))
	f.at(string(name)).found = binder.checkContent(values[string(name)], string(name), content)
	return content
}

// checkContent holds an object against its rules and puts it into content, as far as it goes.
func (b *bodyBinder) checkContent(text jsontext.Value, path string, content chat.Content) findings {
	found, _ := b.rule.check(jsontext.NewDecoder(bytes.NewReader(text)), path) // its syntax has been checked
	if text.Kind() != jsontext.KindBeginObject {
		return found
	}
	if err := unmarshal(text, path, content); err != nil {
		failure, ok := errors.AsType[*chat.Error](err)
		if !ok {
			failure = chat.Invalid(path, "Cannot be read.")
		}
		found.merge(findings{bad: failure})
		return found
	}
	missing, bad := content.Check(chat.Sent{Text: []byte(text), Path: path})
	found.merge(findings{missing, bad})
	return found
}

// send accepts a message. The account was read before: a send does not change it, and the sender
// looks at it again before the message goes out.
func (a *API) send(tx *store.Tx, c *call, account chat.Account, m core.NewMessage) (messageView, error) {
	accepted, err := core.AcceptSend(tx, account, c.key.Plan, m)
	return viewMessage(account, accepted.Contact, accepted.Message), err
}

func (a *API) newMessage(c *call, account chat.Account, b sendBody, content chat.Content) core.NewMessage {
	m := core.NewMessage{Type: chat.MessageType(b.Type), Source: chat.SourceAPI, Media: chat.LibraryMedia(chat.MessageType(b.Type), content)}
	if t, ok := content.(*chat.TemplateContent); ok {
		choice := a.templates.Choose(c.ctx, account, t, b.To != nil)
		t.Preview, m.Template = choice.Preview, &choice
	}
	m.Content = bytes.Clone(marshal(content))
	if m.Type == chat.TypeTemplate {
		m.MoreMedia = chat.TemplateMedia(m.Content)
	}
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
func (a *API) markRead(c *call, op *operation, b sendBody) (answer, error) {
	account, err := c.account(a.store.Read(c.ctx))
	if err != nil {
		return answer{}, err
	}
	m, err := core.MarkRead(c.ctx, a.store, a.provider, a.token, account, *b.MessageID, b.TypingIndicator != nil)
	if err != nil {
		return answer{}, err
	}
	return op.success(c, readReceiptView{ID: m.ID, Object: "message", Status: "read", MessageID: m.ProviderID}), nil
}
