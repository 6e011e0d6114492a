package client

import "strings"

// NewMessage is a message to send. The functions below make one of each type; further fields are set on the
// result.
type NewMessage struct {
	To        string          `json:"to,omitempty"`        // number in international form
	Recipient string          `json:"recipient,omitempty"` // BSUID or parent BSUID; To wins over it
	Context   *MessageContext `json:"context,omitempty"`
	Type      MessageType     `json:"type"`

	Text        *TextContent        `json:"text,omitempty"`
	Image       *MediaContent       `json:"image,omitempty"`
	Document    *MediaContent       `json:"document,omitempty"`
	Video       *MediaContent       `json:"video,omitempty"`
	Audio       *MediaContent       `json:"audio,omitempty"`
	Template    *TemplateContent    `json:"template,omitempty"`
	Interactive *InteractiveContent `json:"interactive,omitempty"`
	Reaction    *ReactionContent    `json:"reaction,omitempty"`
}

// newMessage addresses a message. to is a number, or a BSUID, which begins with two capital letters and a dot.
func newMessage(to string, t MessageType) NewMessage {
	if isBSUID(to) {
		return NewMessage{Recipient: to, Type: t}
	}
	return NewMessage{To: to, Type: t}
}

func isBSUID(to string) bool {
	return len(to) > 3 && to[2] == '.' && strings.ToUpper(to[:2]) == to[:2] && strings.Trim(to[:2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// ReplyTo makes the message a reply to an inbound one, given by the provider's id.
func (m NewMessage) ReplyTo(messageID string) NewMessage {
	m.Context = &MessageContext{MessageID: messageID}
	return m
}

// Text is a text message.
func Text(to, body string) NewMessage {
	m := newMessage(to, TypeText)
	m.Text = &TextContent{Body: body}
	return m
}

// Image is an image.
func Image(to string, file MediaContent) NewMessage {
	m := newMessage(to, TypeImage)
	m.Image = &file
	return m
}

// Video is a video.
func Video(to string, file MediaContent) NewMessage {
	m := newMessage(to, TypeVideo)
	m.Video = &file
	return m
}

// Document is a file of any other kind.
func Document(to string, file MediaContent) NewMessage {
	m := newMessage(to, TypeDocument)
	m.Document = &file
	return m
}

// Audio is a sound file; with file.Voice it is a voice note.
func Audio(to string, file MediaContent) NewMessage {
	m := newMessage(to, TypeAudio)
	m.Audio = &file
	return m
}

// Template is an approved template, the placeholders of its body filled with the given texts.
func Template(to, name, language string, body ...string) NewMessage {
	m := newMessage(to, TypeTemplate)
	m.Template = &TemplateContent{Name: name, Language: TemplateLanguage{Code: language}}
	if len(body) > 0 {
		component := TemplateComponent{Type: "body"}
		for _, text := range body {
			component.Parameters = append(component.Parameters, TextParameter(text))
		}
		m.Template.Components = []TemplateComponent{component}
	}
	return m
}

func interactive(to, kind, body string, action InteractiveAction) NewMessage {
	m := newMessage(to, TypeInteractive)
	m.Interactive = &InteractiveContent{Type: kind, Body: &InteractiveText{body}, Action: &action}
	return m
}

// Buttons is a text with up to three quick replies.
func Buttons(to, body string, replies ...Reply) NewMessage {
	var buttons []ReplyButton
	for _, reply := range replies {
		buttons = append(buttons, ReplyButton{Type: "reply", Reply: reply})
	}
	return interactive(to, InteractiveReplyButtons, body, InteractiveAction{Buttons: buttons})
}

// LinkButton is a text with a button that opens a page.
func LinkButton(to, body, title, url string) NewMessage {
	return interactive(to, InteractiveLink, body, InteractiveAction{
		Name: InteractiveLink, Parameters: &LinkParameters{DisplayText: title, URL: url},
	})
}

// List is a text with a button that opens a list of up to ten choices.
func List(to, body, button string, sections ...ListSection) NewMessage {
	return interactive(to, InteractiveList, body, InteractiveAction{Button: button, Sections: sections})
}

// Reaction puts an emoji on a message, given by the provider's id. An empty one removes it.
func Reaction(to, messageID, emoji string) NewMessage {
	m := newMessage(to, TypeReaction)
	m.Reaction = &ReactionContent{MessageID: messageID, Emoji: emoji}
	return m
}
