package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Person is somebody on the network.
type Person struct {
	// PhoneNumber is in E.164. It is EMPTY for people who write under a username and hide their number. Use
	// Address to write to a person.
	PhoneNumber string
	BSUID       string // business-scoped user id; everybody has one
	ParentBSUID string
	Username    string
	Name        string // the name they chose; may be empty
}

// Address is the person's address for messages: the phone number, or the BSUID of somebody without one. Every
// function that makes a message accepts it.
func (p Person) Address() string {
	if p.PhoneNumber != "" {
		return p.PhoneNumber
	}
	return p.BSUID
}

// MessageReceived is the event message.received: somebody wrote to you. Answer with ReplyTo, from the number
// PhoneNumberID. The content is in the field that Type names.
type MessageReceived struct {
	ID             string // msg_…
	ProviderID     string // the same in every repetition of the event
	PhoneNumberID  string // the business number it came to
	ConversationID string
	ContactID      string
	From           Person
	At             time.Time
	Type           MessageType
	Context        *MessageContext // the message it replies to, and whether it was forwarded

	Text        *TextContent
	Image       *MediaContent
	Document    *MediaContent
	Video       *MediaContent
	Audio       *MediaContent
	Sticker     *MediaContent
	Interactive *InteractiveContent // the button or row that was chosen
	Button      *ButtonContent      // the button of a template that was tapped
	Reaction    *ReactionContent
	Location    *LocationContent
	Contacts    json.RawMessage

	MediaURL     string // the file's address, which needs no key; empty if there is none or it could not be fetched
	Labels       []LabelRef
	Conversation struct {
		Status     ConversationStatus `json:"status"`
		AssignedTo *string            `json:"assigned_to"`
	}
	Raw json.RawMessage // the message as the provider gives it
}

// Body is the visible text: of a text, a caption, the chosen button, the emoji.
func (m MessageReceived) Body() string {
	switch {
	case m.Text != nil:
		return m.Text.Body
	case m.Button != nil:
		return m.Button.Text
	case m.Reaction != nil:
		return m.Reaction.Emoji
	case m.Interactive != nil && m.Interactive.ButtonReply != nil:
		return m.Interactive.ButtonReply.Title
	case m.Interactive != nil && m.Interactive.ListReply != nil:
		return m.Interactive.ListReply.Title
	}
	for _, file := range []*MediaContent{m.Image, m.Video, m.Document} {
		if file != nil {
			return file.Caption
		}
	}
	return ""
}

// MessageStatusChanged is the event message.status: a message was sent, delivered, read, played, or failed. All
// statuses of a message share one event id; tell them apart by Status.
type MessageStatusChanged struct {
	ID             string // msg_…
	ProviderID     string // the msg_ id if the message failed before the provider had one
	PhoneNumberID  string
	ConversationID string
	ContactID      string
	RecipientPhone string // in E.164; empty for a person without a known number
	At             time.Time
	Status         string // sent, delivered, read, played or failed
	Errors         []StatusError
	Raw            json.RawMessage // the status as the provider gives it
}

// StatusError says why a message failed.
type StatusError struct {
	Code    int    `json:"code"` // the provider's; -1 where the service itself refused
	Title   string `json:"title"`
	Message string `json:"message"`
	Data    struct {
		Details string `json:"details"`
	} `json:"error_data"`
}

// providerEnvelope is the envelope of events that pass on the provider's reports.
type providerEnvelope struct {
	Entry []struct {
		Changes []struct {
			Value struct {
				Metadata struct {
					PhoneNumberID string `json:"phone_number_id"`
				} `json:"metadata"`
				Contacts []providerContact `json:"contacts"`
				Messages []json.RawMessage `json:"messages"`
				Statuses []json.RawMessage `json:"statuses"`
			} `json:"value"`
		} `json:"changes"`
	} `json:"entry"`
	Svc struct {
		ConversationID string     `json:"conversation_id"`
		ContactID      string     `json:"contact_id"`
		MessageID      string     `json:"message_id"`
		PhoneNumberID  string     `json:"phone_number_id"`
		Labels         []LabelRef `json:"labels"`
		Conversation   struct {
			Status     ConversationStatus `json:"status"`
			AssignedTo *string            `json:"assigned_to"`
		} `json:"conversation"`
		Contact struct {
			Name        *string `json:"name"`
			PhoneNumber *string `json:"phone_number"`
		} `json:"contact"`
		MediaURL *string `json:"media_url"`
	} `json:"svc"`
}

type providerContact struct {
	Profile struct {
		Name     string `json:"name"`
		Username string `json:"username"`
	} `json:"profile"`
	WaID         string `json:"wa_id"`
	UserID       string `json:"user_id"`
	ParentUserID string `json:"parent_user_id"`
}

var errNoItem = errors.New("the provider's envelope is empty")

// UnmarshalJSON reads the envelope of the event.
func (m *MessageReceived) UnmarshalJSON(text []byte) error {
	var envelope providerEnvelope
	if err := forgiving(text, &envelope); err != nil {
		return err
	}
	if len(envelope.Entry) == 0 || len(envelope.Entry[0].Changes) == 0 || len(envelope.Entry[0].Changes[0].Value.Messages) == 0 {
		return errNoItem
	}
	value := envelope.Entry[0].Changes[0].Value
	var item struct {
		From         string          `json:"from"`
		UserID       string          `json:"from_user_id"`
		ParentUserID string          `json:"from_parent_user_id"`
		ID           string          `json:"id"`
		Timestamp    string          `json:"timestamp"`
		Context      *receivedAnswer `json:"context"`
		receivedContent
	}
	if err := forgiving(value.Messages[0], &item); err != nil {
		return err
	}
	svc := envelope.Svc
	*m = MessageReceived{
		ID: svc.MessageID, ProviderID: item.ID, PhoneNumberID: value.Metadata.PhoneNumberID, ConversationID: svc.ConversationID,
		ContactID: svc.ContactID, At: unixTime(item.Timestamp), Type: item.Type, Context: item.Context.context(),
		Text: item.Text, Image: item.Image, Document: item.Document, Video: item.Video, Audio: item.Audio, Sticker: item.Sticker,
		Interactive: item.Interactive, Button: item.Button, Reaction: item.Reaction, Location: item.Location, Contacts: item.Contacts,
		MediaURL: deref(svc.MediaURL), Labels: svc.Labels, Conversation: svc.Conversation, Raw: value.Messages[0],
		From: Person{
			PhoneNumber: plus(item.From), BSUID: item.UserID, ParentBSUID: item.ParentUserID, Name: deref(svc.Contact.Name),
		},
	}
	if len(value.Contacts) > 0 {
		m.From.learn(value.Contacts[0])
	}
	if m.From.PhoneNumber == "" { // the service may know it from elsewhere
		m.From.PhoneNumber = deref(svc.Contact.PhoneNumber)
	}
	return nil
}

// receivedContent is the content of an inbound message.
type receivedContent struct {
	Type        MessageType         `json:"type"`
	Text        *TextContent        `json:"text"`
	Image       *MediaContent       `json:"image"`
	Document    *MediaContent       `json:"document"`
	Video       *MediaContent       `json:"video"`
	Audio       *MediaContent       `json:"audio"`
	Sticker     *MediaContent       `json:"sticker"`
	Interactive *InteractiveContent `json:"interactive"`
	Button      *ButtonContent      `json:"button"`
	Reaction    *ReactionContent    `json:"reaction"`
	Location    *LocationContent    `json:"location"`
	Contacts    json.RawMessage     `json:"contacts"`
}

// receivedAnswer is the provider's form of MessageContext.
type receivedAnswer struct {
	ID                  string          `json:"id"`
	Forwarded           bool            `json:"forwarded"`
	FrequentlyForwarded bool            `json:"frequently_forwarded"`
	ReferredProduct     json.RawMessage `json:"referred_product"`
}

func (a *receivedAnswer) context() *MessageContext {
	if a == nil {
		return nil
	}
	return &MessageContext{
		MessageID: a.ID, Forwarded: a.Forwarded, FrequentlyForwarded: a.FrequentlyForwarded, ReferredProduct: a.ReferredProduct,
	}
}

// learn fills in the provider's data about a person.
func (p *Person) learn(c providerContact) {
	p.Username = c.Profile.Username
	for _, field := range []struct {
		into *string
		from string
	}{
		{&p.Name, c.Profile.Name}, {&p.PhoneNumber, plus(c.WaID)}, {&p.BSUID, c.UserID}, {&p.ParentBSUID, c.ParentUserID},
	} {
		if *field.into == "" {
			*field.into = field.from
		}
	}
}

// UnmarshalJSON reads the envelope of the event.
func (m *MessageStatusChanged) UnmarshalJSON(text []byte) error {
	var envelope providerEnvelope
	if err := forgiving(text, &envelope); err != nil {
		return err
	}
	if len(envelope.Entry) == 0 || len(envelope.Entry[0].Changes) == 0 || len(envelope.Entry[0].Changes[0].Value.Statuses) == 0 {
		return errNoItem
	}
	value := envelope.Entry[0].Changes[0].Value
	var item struct {
		ID          string        `json:"id"`
		Status      string        `json:"status"`
		Timestamp   string        `json:"timestamp"`
		RecipientID string        `json:"recipient_id"`
		Errors      []StatusError `json:"errors"`
	}
	if err := forgiving(value.Statuses[0], &item); err != nil {
		return err
	}
	*m = MessageStatusChanged{
		ID: envelope.Svc.MessageID, ProviderID: item.ID, PhoneNumberID: value.Metadata.PhoneNumberID,
		ConversationID: envelope.Svc.ConversationID, ContactID: envelope.Svc.ContactID, RecipientPhone: plus(item.RecipientID),
		At: unixTime(item.Timestamp), Status: item.Status, Errors: item.Errors, Raw: value.Statuses[0],
	}
	return nil
}

// plus puts a plus before the digits of a number; empty if it is no number.
func plus(digits string) string {
	if _, err := strconv.ParseUint(digits, 10, 64); err != nil {
		return ""
	}
	return "+" + digits
}

func unixTime(seconds string) time.Time {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// String is for logs.
func (p Person) String() string {
	if p.Name == "" {
		return p.Address()
	}
	return fmt.Sprintf("%s (%s)", p.Name, p.Address())
}
