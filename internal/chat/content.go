package chat

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// The contents a message can be sent with. The struct tags are the simple rules (lengths, required
// fields), which the API enforces and documents; Check has what a tag cannot say. Paths in errors
// start at the content's own name.

// Content is the object named by a message's type.
type Content interface {
	// Check returns the first missing field and the first wrong value.
	Check(sent Sent) (missing, bad *Error)
}

// problems collects the errors of a check.
type problems struct {
	sent         Sent
	missing, bad *Error
}

// add keeps the first error of each sort: missing and wrong.
func (p *problems) add(e *Error) {
	switch e = p.sent.judge(e); {
	case e == nil:
	case e.Code == CodeMissingRequiredField && p.missing == nil:
		p.missing = e
	case e.Code != CodeMissingRequiredField && p.bad == nil:
		p.bad = e
	}
}

// only is the result of a check that finds one problem at most.
func only(sent Sent, e *Error) (missing, bad *Error) {
	p := problems{sent: sent}
	p.add(e)
	return p.missing, p.bad
}

// NewContent returns an empty content for a type that can be sent, or nil.
func NewContent(t MessageType) Content {
	switch t {
	case TypeText:
		return new(TextContent)
	case TypeImage:
		return &ImageContent{kind: t}
	case TypeVideo:
		return &ImageContent{kind: t}
	case TypeDocument:
		return new(DocumentContent)
	case TypeAudio:
		return new(AudioContent)
	case TypeTemplate:
		return new(TemplateContent)
	case TypeInteractive:
		return new(InteractiveContent)
	case TypeReaction:
		return new(ReactionContent)
	}
	return nil
}

// LibraryFile is a file of the library that a content refers to. The zero value means none.
type LibraryFile struct {
	ID    string
	As    MessageType // what it is sent as
	Param string      // where the content names it
}

// LibraryMedia returns the library file that a content of the type refers to.
func LibraryMedia(t MessageType, c Content) LibraryFile {
	id, path := "", string(t)
	switch c := c.(type) {
	case *ImageContent:
		id = c.ID
	case *DocumentContent:
		id = c.ID
	case *AudioContent:
		id = c.ID
	case *InteractiveContent:
		if c.Header != nil {
			id, t = c.Header.libraryMedia(), MessageType(c.Header.Type)
			path += ".header." + c.Header.Type
		}
	}
	if id == "" {
		return LibraryFile{}
	}
	return LibraryFile{ID: id, As: t, Param: path + ".id"}
}

func (h *InteractiveHeader) libraryMedia() string {
	switch {
	case h.Image != nil && h.Type == "image":
		return h.Image.ID
	case h.Video != nil && h.Type == "video":
		return h.Video.ID
	case h.Document != nil && h.Type == "document":
		return h.Document.ID
	}
	return ""
}

// SendableTypes are the types of outbound messages.
var SendableTypes = []MessageType{TypeText, TypeImage, TypeDocument, TypeVideo, TypeAudio, TypeTemplate, TypeInteractive, TypeReaction}

// TextContent is a text.
type TextContent struct {
	Body       string `json:"body" minLength:"1" maxLength:"4096"`
	PreviewURL *bool  `json:"preview_url,omitempty" doc:"Show a preview of the first link."`
}

func (c *TextContent) Check(Sent) (missing, bad *Error) { return nil, nil }

// ImageContent is an image or a video.
type ImageContent struct {
	Link    string `json:"link,omitempty" maxLength:"2048" doc:"Public http or https address of the file. Exactly one of link and id."`
	ID      string `json:"id,omitempty" doc:"Library media (med_…)."`
	Caption string `json:"caption,omitempty" maxLength:"1024"`
	kind    MessageType
}

func (c *ImageContent) Check(sent Sent) (missing, bad *Error) {
	return only(sent, checkMediaSource(string(c.kind), c.Link, c.ID))
}

// DocumentContent is a file.
type DocumentContent struct {
	Link     string `json:"link,omitempty" maxLength:"2048" doc:"Public http or https address of the file. Exactly one of link and id."`
	ID       string `json:"id,omitempty" doc:"Library media (med_…)."`
	Caption  string `json:"caption,omitempty" maxLength:"1024"`
	Filename string `json:"filename,omitempty" maxLength:"240"`
}

func (c *DocumentContent) Check(sent Sent) (missing, bad *Error) {
	return only(sent, checkMediaSource("document", c.Link, c.ID))
}

// AudioContent is a sound file or a voice note.
type AudioContent struct {
	Link  string `json:"link,omitempty" maxLength:"2048" doc:"Public http or https address of the file. Exactly one of link and id."`
	ID    string `json:"id,omitempty" doc:"Library media (med_…)."`
	Voice *bool  `json:"voice,omitempty" doc:"Send as a voice note: Ogg with the Opus codec."`
}

func (c *AudioContent) Check(sent Sent) (missing, bad *Error) {
	return only(sent, checkMediaSource("audio", c.Link, c.ID))
}

// checkMediaSource checks that one source is given. Whether the id exists is checked against the library later.
func checkMediaSource(path, link, id string) *Error {
	switch {
	case link == "" && id == "":
		return &Error{Code: CodeMissingRequiredField, Param: path + ".link", Message: "Give link or id."}
	case link != "" && id != "":
		return Invalid(path+".id", "Give link or id, not both.")
	case link != "":
		return checkWebURL(path+".link", link)
	}
	return nil
}

func checkWebURL(path, s string) *Error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return Invalid(path, "Must be an http or https address.")
	}
	return nil
}

// ReactionContent puts an emoji on a message, or removes it.
type ReactionContent struct {
	MessageID string `json:"message_id" minLength:"1" maxLength:"512" doc:"The provider's id of the message, not its msg_ id."`
	Emoji     string `json:"emoji" maxLength:"16" doc:"Empty removes the reaction."`
}

func (c *ReactionContent) Check(Sent) (missing, bad *Error) { return nil, nil }

// TemplateContent names an approved template and fills it in.
type TemplateContent struct {
	Name       string              `json:"name" minLength:"1" maxLength:"512" trimmed:"true"`
	Language   TemplateLanguage    `json:"language" doc:"A language code, or an object with code and policy."`
	Components []TemplateComponent `json:"components,omitempty"`
	// Preview is stored with the sent message and shown beside its content.
	Preview *TemplatePreview `json:"preview,omitempty" hidden:"true" readOnly:"true"`

	sent Sent
}

// TemplateMedia returns the library files that the parameters of a template message refer to.
func TemplateMedia(content json.RawMessage) []LibraryFile {
	var c TemplateContent
	if !bytes.Contains(content, []byte(`"id"`)) || json.Unmarshal(content, &c) != nil {
		return nil
	}
	return c.Media()
}

// Media returns the library files that the parameters refer to.
func (c *TemplateContent) Media() []LibraryFile {
	return componentMedia(c.Components, "template.components")
}

func componentMedia(components []TemplateComponent, path string) (files []LibraryFile) {
	for i, c := range components {
		at := indexed(path, i)
		for j, raw := range c.Parameters {
			var p templateParameter
			if bytes.Contains(raw, []byte(`"id"`)) && json.Unmarshal(raw, &p) == nil && p.file() != nil && p.file().ID != "" {
				param := indexed(at+".parameters", j) + "." + p.Type + ".id"
				files = append(files, LibraryFile{ID: p.file().ID, As: MessageType(p.Type), Param: param})
			}
		}
		for j, raw := range c.Cards {
			var card templateCard
			if json.Unmarshal(raw, &card) == nil {
				files = append(files, componentMedia(card.Components, indexed(at+".cards", j)+".components")...)
			}
		}
	}
	return files
}

// TemplateComponent fills the placeholders of one part of a template.
type TemplateComponent struct {
	Type       string            `json:"type" enum:"header,body,button,carousel"`
	SubType    string            `json:"sub_type,omitempty"`
	Index      json.RawMessage   `json:"index,omitempty" doc:"Zero-based place of a button."`
	Parameters []json.RawMessage `json:"parameters,omitempty"`
	Cards      []json.RawMessage `json:"cards,omitempty"`
}

// Check trims the name. The parameters are checked later, against the template.
func (c *TemplateContent) Check(sent Sent) (missing, bad *Error) {
	c.Name, c.sent = strings.TrimSpace(c.Name), sent
	return nil, nil
}

// TemplateLanguage is given as "en_US" or as {"code": "en_US", "policy": "deterministic"}.
type TemplateLanguage struct {
	Code   string `json:"code"`
	Policy string `json:"policy,omitempty"`

	short bool // it was given as a text, and is returned as one
}

// UnmarshalJSON takes both forms.
func (l *TemplateLanguage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		l.short = true
		return json.Unmarshal(b, &l.Code)
	}
	type plain TemplateLanguage
	return json.Unmarshal(b, (*plain)(l))
}

// MarshalJSON writes the form in which it was given.
func (l TemplateLanguage) MarshalJSON() ([]byte, error) {
	if l.short {
		return json.Marshal(l.Code)
	}
	type plain TemplateLanguage
	return json.Marshal(plain(l))
}
