package client

import (
	"encoding/json"
	"errors"
)

// The contents of messages, sent and received. Received contents come from people's apps by way of the
// provider, so a field of an unexpected type is skipped: one odd message must not make a whole list unreadable.

func forgiving(text []byte, v any) error {
	err := json.Unmarshal(text, v)
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil // the other fields have been read
	}
	return err
}

// TextContent is a text of 1 to 4096 characters.
type TextContent struct {
	Body       string `json:"body"`
	PreviewURL *bool  `json:"preview_url,omitempty"` // show a preview of the first link
}

func (c *TextContent) UnmarshalJSON(text []byte) error {
	type plain TextContent
	return forgiving(text, (*plain)(c))
}

// MediaContent is a file: an image, a video, a document or a sound. To send one, give either a
// Link, a public address, or the ID of library media.
type MediaContent struct {
	Link     string `json:"link,omitempty"`
	ID       string `json:"id,omitempty"`
	Caption  string `json:"caption,omitempty"`  // not for audio
	Filename string `json:"filename,omitempty"` // of a document
	Voice    *bool  `json:"voice,omitempty"`    // audio as a voice note

	// The following fields are in received messages only; MessageMediaURL leads to the file.
	MimeType string `json:"mime_type,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
	Animated *bool  `json:"animated,omitempty"`
}

func (c *MediaContent) UnmarshalJSON(text []byte) error {
	type plain MediaContent
	return forgiving(text, (*plain)(c))
}

// TemplateContent names an approved template and fills it in.
type TemplateContent struct {
	Name       string              `json:"name"`
	Language   TemplateLanguage    `json:"language"`
	Components []TemplateComponent `json:"components,omitempty"`
}

// TemplateLanguage is a language code such as en_US.
type TemplateLanguage struct {
	Code   string `json:"code"`
	Policy string `json:"policy,omitempty"`
}

// UnmarshalJSON reads both forms: a language is returned as it was given, as a text or as an object.
func (l *TemplateLanguage) UnmarshalJSON(text []byte) error {
	*l = TemplateLanguage{}
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &l.Code)
	}
	type plain TemplateLanguage
	return forgiving(text, (*plain)(l))
}

// TemplateComponent fills the placeholders of one part of a template.
type TemplateComponent struct {
	Type       string              `json:"type"` // header, body, button or carousel
	SubType    string              `json:"sub_type,omitempty"`
	Index      json.Number         `json:"index,omitempty"` // place of a button, from 0
	Parameters []TemplateParameter `json:"parameters,omitempty"`
	Cards      []TemplateCard      `json:"cards,omitempty"`
}

// TemplateCard fills one card of a carousel.
type TemplateCard struct {
	CardIndex  int                 `json:"card_index"`
	Components []TemplateComponent `json:"components"`
}

// TemplateParameter is a value for a placeholder, in the provider's form, which depends on its type.
type TemplateParameter map[string]any

// TextParameter fills a placeholder with a text.
func TextParameter(text string) TemplateParameter {
	return TemplateParameter{"type": "text", "text": text}
}

// NamedParameter fills a placeholder that has a name.
func NamedParameter(name, text string) TemplateParameter {
	return TemplateParameter{"type": "text", "parameter_name": name, "text": text}
}

// FileParameter puts a file into a header: an image, a video or a document.
func FileParameter(kind MessageType, file MediaContent) TemplateParameter {
	return TemplateParameter{"type": string(kind), string(kind): file}
}

// PayloadParameter is the payload that comes back when a quick-reply button of a template is tapped.
func PayloadParameter(payload string) TemplateParameter {
	return TemplateParameter{"type": "payload", "payload": payload}
}

// The kinds of interactive messages.
const (
	InteractiveReplyButtons = "reply_buttons"
	InteractiveLink         = "cta_url"
	InteractiveList         = "list"
)

// InteractiveContent is a message with buttons, a link or a list; or, received, the choice made.
type InteractiveContent struct {
	Type   string             `json:"type"`
	Header *InteractiveHeader `json:"header,omitempty"`
	Body   *InteractiveText   `json:"body,omitempty"`
	Footer *InteractiveText   `json:"footer,omitempty"`
	Action *InteractiveAction `json:"action,omitempty"`

	// The following fields are in received messages only.
	ButtonReply *Reply          `json:"button_reply,omitempty"`
	ListReply   *ListRow        `json:"list_reply,omitempty"`
	FormReply   json.RawMessage `json:"nfm_reply,omitempty"`
}

func (c *InteractiveContent) UnmarshalJSON(text []byte) error {
	type plain InteractiveContent
	return forgiving(text, (*plain)(c))
}

// InteractiveText is a text of an interactive message.
type InteractiveText struct {
	Text string `json:"text"`
}

// InteractiveHeader is a text or a file above.
type InteractiveHeader struct {
	Type     MessageType   `json:"type"` // text, image, video or document
	Text     string        `json:"text,omitempty"`
	Image    *MediaContent `json:"image,omitempty"`
	Video    *MediaContent `json:"video,omitempty"`
	Document *MediaContent `json:"document,omitempty"`
}

// InteractiveAction is what the recipient can do.
type InteractiveAction struct {
	Buttons    []ReplyButton   `json:"buttons,omitempty"`
	Name       string          `json:"name,omitempty"`
	Parameters *LinkParameters `json:"parameters,omitempty"`
	Button     string          `json:"button,omitempty"` // the button that opens a list
	Sections   []ListSection   `json:"sections,omitempty"`
}

// ReplyButton is a quick reply.
type ReplyButton struct {
	Type  string `json:"type"` // reply
	Reply Reply  `json:"reply"`
}

// Reply is a quick reply, and what comes back when it is tapped.
type Reply struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// LinkParameters is a button that opens a page.
type LinkParameters struct {
	DisplayText string `json:"display_text"`
	URL         string `json:"url"`
}

// ListSection is a group of rows.
type ListSection struct {
	Title string    `json:"title,omitempty"`
	Rows  []ListRow `json:"rows"`
}

// ListRow is a choice of a list.
type ListRow struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// ReactionContent puts an emoji on a message, or removes it.
type ReactionContent struct {
	MessageID string `json:"message_id"` // the provider's id of the message
	Emoji     string `json:"emoji"`      // empty removes the reaction
}

// LocationContent is a place.
type LocationContent struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Name      string  `json:"name,omitempty"`
	Address   string  `json:"address,omitempty"`
	URL       string  `json:"url,omitempty"`
}

func (c *LocationContent) UnmarshalJSON(text []byte) error {
	type plain LocationContent
	return forgiving(text, (*plain)(c))
}

// ButtonContent is the tap on a quick-reply button of a template.
type ButtonContent struct {
	Text    string `json:"text"`
	Payload string `json:"payload,omitempty"`
}

func (c *ButtonContent) UnmarshalJSON(text []byte) error {
	type plain ButtonContent
	return forgiving(text, (*plain)(c))
}

// UnsupportedContent stands for a message that the provider does not pass on.
type UnsupportedContent struct {
	Type string `json:"type"`
}
