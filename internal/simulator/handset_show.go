package simulator

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/validation"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// ChatMessage is a message as a handset shows it.
type ChatMessage struct {
	ID        string
	Mine      bool // written by the handset's owner
	Type      string
	Header    string
	Text      string // the text, a caption, or the body of a template
	Footer    string
	File      *ChatFile
	Location  *ChatLocation
	Names     []string // the names of the contacts sent
	Buttons   []ChatButton
	List      string // the label of the button that opens a list; its rows are Buttons
	Template  string // the template's name
	Quoted    *ChatQuote
	Mark      string // the owner's reaction
	TheirMark string // the business's reaction
	Ticks     string // for the owner's messages: delivered, read
	Unread    bool
	Created   time.Time
}

// ChatFile is the file of a message: kept here, or a link that was not fetched.
type ChatFile struct {
	ID       string
	Link     string
	MimeType string
	Name     string
	Size     int
	Voice    bool
}

// ChatLocation is a place that was sent.
type ChatLocation struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Name      string  `json:"name"`
	Address   string  `json:"address"`
}

// ChatButton is a button. Only replies can be pressed here: the others lead out of the chat.
type ChatButton struct {
	Kind        string // reply, row, url, phone, copy, other
	ID          string
	Title       string
	Description string
	Section     string
	URL         string
}

// ChatQuote is the message that another one answers.
type ChatQuote struct {
	ID   string
	Mine bool
	Type string
	Text string
}

// chatMessage renders a line from the message that went over the wire.
func (s *Simulator) chatMessage(c *handsetChat, l *chatLine, read bool) ChatMessage {
	m := l.m
	v := ChatMessage{ID: m.id, Mine: m.inbound, Type: m.kind, Mark: l.mine, TheirMark: l.business, Created: m.created, Unread: !m.inbound && !l.seen}
	if m.inbound {
		v.Ticks = statusDelivered
		if read {
			v.Ticks = statusRead
		}
	}
	s.fillMessage(&v, m)
	v.Quoted = s.quoted(c, m)
	return v
}

func (m *message) wasRead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read
}

func (s *Simulator) quoted(c *handsetChat, m *message) *ChatQuote {
	var body struct {
		Context struct {
			MessageID string `json:"message_id"` // outbound
			ID        string `json:"id"`         // inbound
		} `json:"context"`
	}
	if json.Unmarshal(m.body, &body) != nil || body.Context.ID+body.Context.MessageID == "" {
		return nil
	}
	quote := &ChatQuote{ID: body.Context.ID + body.Context.MessageID}
	if l := c.find(quote.ID); l != nil {
		var v ChatMessage
		s.fillMessage(&v, l.m)
		quote.Mine, quote.Type, quote.Text = l.m.inbound, l.m.kind, v.Text
	}
	return quote
}

// wireMessage is the content of a message in either direction.
type wireMessage struct {
	Text        textBody          `json:"text"`
	Image       *validation.Asset `json:"image"`
	Video       *validation.Asset `json:"video"`
	Audio       *validation.Asset `json:"audio"`
	Document    *validation.Asset `json:"document"`
	Sticker     *validation.Asset `json:"sticker"`
	Location    *ChatLocation     `json:"location"`
	Contacts    []wireContact     `json:"contacts"`
	Button      wireButton        `json:"button"`
	Interactive *wireInteractive  `json:"interactive"`
	Template    wire.Raw          `json:"template"`
}

type textBody struct {
	Body string `json:"body"`
}

type wireContact struct {
	Name struct {
		Formatted string `json:"formatted_name"`
	} `json:"name"`
}

type wireButton struct {
	Text string `json:"text"`
}

type wireInteractive struct {
	validation.Interactive
	ButtonReply *validation.ListRow `json:"button_reply"`
	ListReply   *validation.ListRow `json:"list_reply"`
}

// fillMessage puts the content into the view.
func (s *Simulator) fillMessage(v *ChatMessage, m *message) {
	var w wireMessage
	if json.Unmarshal(m.body, &w) != nil {
		return
	}
	v.Location = w.Location
	for _, c := range w.Contacts {
		v.Names = append(v.Names, c.Name.Formatted)
	}
	switch m.kind {
	case "text":
		v.Text = w.Text.Body
	case "button":
		v.Text = w.Button.Text
	case "interactive":
		s.fillInteractive(v, w.Interactive)
	case "template":
		s.fillTemplate(v, m, w.Template)
	default:
		s.fillFile(v, map[string]*validation.Asset{"image": w.Image, "video": w.Video, "audio": w.Audio, "document": w.Document, "sticker": w.Sticker}[m.kind])
	}
}

func (s *Simulator) fillFile(v *ChatMessage, a *validation.Asset) {
	if a == nil {
		return
	}
	v.Text = a.Caption
	v.File = &ChatFile{ID: string(a.ID), Link: a.Link, Name: a.Filename, Voice: a.Voice}
	if f := s.media.Find(v.File.ID, s.now()); f != nil {
		v.File.MimeType, v.File.Size = f.MimeType, len(f.Data)
		if v.File.Name == "" {
			v.File.Name = f.Name
		}
	}
}

func (s *Simulator) fillInteractive(v *ChatMessage, in *wireInteractive) {
	switch {
	case in == nil:
		return
	case in.ButtonReply != nil:
		v.Text = in.ButtonReply.Title
		return
	case in.ListReply != nil:
		v.Text, v.Footer = in.ListReply.Title, in.ListReply.Description
		return
	}
	if h := in.Header; h != nil {
		for _, a := range []*validation.Asset{h.Image, h.Video, h.Document} {
			s.fillFile(v, a)
		}
		v.Header = h.Text
	}
	v.Text = ""
	if in.Body != nil {
		v.Text = in.Body.Text
	}
	if in.Footer != nil {
		v.Footer = in.Footer.Text
	}
	if in.Action != nil {
		v.List = in.Action.Button
		v.Buttons = chatButtons(in.Action)
	}
}

func chatButtons(a *validation.InteractiveAction) (list []ChatButton) {
	for _, b := range a.Buttons {
		list = append(list, ChatButton{Kind: "reply", ID: b.Reply.ID, Title: b.Reply.Title})
	}
	for _, section := range a.Sections {
		for _, r := range section.Rows {
			list = append(list, ChatButton{Kind: "row", ID: r.ID, Title: r.Title, Description: r.Description, Section: section.Title})
		}
	}
	var link struct {
		Text string `json:"display_text"`
		URL  string `json:"url"`
	}
	if a.Name == "cta_url" && json.Unmarshal(a.Parameters, &link) == nil {
		list = append(list, ChatButton{Kind: "url", Title: link.Text, URL: link.URL})
	}
	return list
}

// fillTemplate renders a template as the recipient sees it.
func (s *Simulator) fillTemplate(v *ChatMessage, m *message, raw wire.Raw) {
	var send validation.TemplateSend
	if json.Unmarshal(raw, &send) != nil || send.Language == nil {
		return
	}
	v.Template = send.Name
	text, pressed := s.shownTemplate(m, raw)
	v.Text = text
	t, found := m.number.waba.Load().templates.Find(send.Name, send.Language.Code)
	if !found {
		return
	}
	if footer := t.Part("FOOTER"); footer != nil {
		v.Footer = footer.Text
	}
	if header := t.Part("HEADER"); header != nil {
		s.fillHeader(v, header, send.Components)
	}
	if part := t.Part("BUTTONS"); part != nil {
		for i, b := range part.Buttons[:min(len(part.Buttons), len(pressed))] {
			v.Buttons = append(v.Buttons, chatButton(b, pressed[i].id, urlParameter(send.Components, i)))
		}
	}
}

func (s *Simulator) fillHeader(v *ChatMessage, header *templates.Component, sent []validation.SendComponent) {
	values := map[string]string{}
	for _, c := range sent {
		if !strings.EqualFold(c.Type, "header") {
			continue
		}
		for i, p := range c.Parameters {
			for _, a := range []*validation.Asset{p.Image, p.Video, p.Document} {
				if a != nil {
					body := v.Text
					s.fillFile(v, a)
					v.Text = body
				}
			}
			values[p.Place(i)], _ = p.TextValue("header")
		}
	}
	v.Header = templates.Hydrate(header.Text, values)
}

func chatButton(b templates.Button, payload, variable string) ChatButton {
	button := ChatButton{Kind: "other", Title: b.Text}
	switch {
	case b.Type == "QUICK_REPLY":
		button.Kind, button.ID = "reply", payload
	case strings.Contains(b.URL, "otp_type=COPY_CODE"), b.Type == "COPY_CODE":
		button.Kind = "copy"
	case b.Type == "URL":
		button.Kind, button.URL = "url", templates.Hydrate(b.URL, map[string]string{"1": variable})
	case b.Type == "PHONE_NUMBER":
		button.Kind, button.URL = "phone", "tel:"+b.PhoneNumber
	}
	return button
}
