package app

import (
	"encoding/base64"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// handsetMessageView is a message as its phone shows it.
type handsetMessageView struct {
	ID        string               `json:"id"`
	From      string               `json:"from" enum:"me,business"`
	Type      string               `json:"type"`
	Ticks     *string              `json:"ticks" enum:"delivered,read" doc:"Of what the phone's owner wrote."`
	Unread    bool                 `json:"unread"`
	Header    string               `json:"header"`
	Text      string               `json:"text" doc:"The text, a caption, or the body of a template."`
	Footer    string               `json:"footer"`
	Template  *string              `json:"template" doc:"Its name."`
	List      *string              `json:"list" doc:"What the button says that opens a list; its rows are among the buttons."`
	File      *handsetFileView     `json:"file,omitempty"`
	Location  *handsetPlace        `json:"location,omitempty"`
	Contacts  []string             `json:"contacts" doc:"The names of contacts that were sent."`
	Buttons   []handsetButtonView  `json:"buttons"`
	Quoted    *handsetQuoteView    `json:"quoted,omitempty"`
	Reactions []handsetReactionOne `json:"reactions"`
	CreatedAt rest.Instant         `json:"created_at"`
}

type handsetFileView struct {
	ID       *string `json:"id" doc:"Null: a link was sent, which the simulated network does not fetch."`
	Link     *string `json:"link"`
	MimeType string  `json:"mime_type"`
	Filename string  `json:"filename"`
	Size     int     `json:"size"`
	Voice    bool    `json:"voice"`
}

type handsetPlace struct {
	Latitude  float64 `json:"latitude" minimum:"-90" maximum:"90"`
	Longitude float64 `json:"longitude" minimum:"-180" maximum:"180"`
	Name      string  `json:"name,omitempty" maxLength:"200"`
	Address   string  `json:"address,omitempty" maxLength:"400"`
}

type handsetButtonView struct {
	Kind        string `json:"kind" enum:"reply,row,url,phone,copy,other"`
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Section     string `json:"section"`
	URL         string `json:"url"`
}

type handsetQuoteView struct {
	ID   string `json:"id"`
	From string `json:"from" enum:"me,business"`
	Type string `json:"type"`
	Text string `json:"text"`
}

type handsetReactionOne struct {
	Emoji string `json:"emoji"`
	From  string `json:"from" enum:"me,business"`
}

func writerOf(mine bool) string {
	if mine {
		return "me"
	}
	return "business"
}

func viewHandsetMessage(m simulator.ChatMessage) handsetMessageView {
	v := handsetMessageView{
		ID: m.ID, From: writerOf(m.Mine), Type: m.Type, Ticks: orNil(m.Ticks), Unread: m.Unread, Header: m.Header, Text: m.Text,
		Footer: m.Footer, Template: orNil(m.Template), List: orNil(m.List), Contacts: m.Names,
		Buttons: []handsetButtonView{}, Reactions: []handsetReactionOne{}, CreatedAt: rest.Instant(m.Created),
	}
	if v.Contacts == nil {
		v.Contacts = []string{}
	}
	if f := m.File; f != nil {
		v.File = &handsetFileView{orNil(f.ID), orNil(f.Link), f.MimeType, f.Name, f.Size, f.Voice}
	}
	if l := m.Location; l != nil {
		v.Location = &handsetPlace{l.Latitude, l.Longitude, l.Name, l.Address}
	}
	for _, b := range m.Buttons {
		v.Buttons = append(v.Buttons, handsetButtonView(b))
	}
	if q := m.Quoted; q != nil {
		v.Quoted = &handsetQuoteView{q.ID, writerOf(q.Mine), q.Type, q.Text}
	}
	for _, mark := range []handsetReactionOne{{m.Mark, "me"}, {m.TheirMark, "business"}} {
		if mark.Emoji != "" {
			v.Reactions = append(v.Reactions, mark)
		}
	}
	return v
}

type listHandsetMessagesInput struct {
	handsetPath
	Number string `query:"number" pattern:"^[0-9]{6,20}$" required:"true"`
}

func (a *App) listHandsetMessages(c *rest.Call, in *listHandsetMessagesInput, _ store.Page) (store.Slice[handsetMessageView], error) {
	if err := phoneNumber(c, in.Number); err != nil {
		return store.Slice[handsetMessageView]{}, err
	}
	messages, err := a.cfg.Phones.Chat(in.ID, in.Number)
	return rest.ViewEach(store.Slice[simulator.ChatMessage]{Rows: messages}, viewHandsetMessage), handsetFailure(err)
}

type writeFromHandsetInput struct {
	handsetPath
	Body writeFromHandsetBody
}

type writeFromHandsetBody struct {
	Number    string           `json:"number" pattern:"^[0-9]{6,20}$"`
	Type      string           `json:"type" enum:"text,image,audio,video,document,location,reaction,button,list,stop,resume" doc:"stop and resume write STOP and START, and have the network refuse or take marketing messages."`
	Text      string           `json:"text,omitempty" maxLength:"4096" doc:"The text, or a caption."`
	File      *handsetFileBody `json:"file,omitempty" doc:"Without it a small sample is sent."`
	Location  *handsetPlace    `json:"location,omitempty"`
	MessageID string           `json:"message_id,omitempty" maxLength:"300" doc:"What is reacted to, or whose button is pressed."`
	Emoji     string           `json:"emoji,omitempty" maxLength:"40" doc:"Empty takes the reaction away."`
	ButtonID  string           `json:"button_id,omitempty" maxLength:"300"`
	Quote     string           `json:"quote,omitempty" maxLength:"300" doc:"The message that this one answers."`
}

type handsetFileBody struct {
	MimeType string `json:"mime_type" minLength:"1" maxLength:"100"`
	Filename string `json:"filename,omitempty" maxLength:"200"`
	Data     string `json:"data" minLength:"1" doc:"In base64."`
}

type writtenView struct {
	ID string `json:"id"`
}

func (a *App) writeFromHandset(c *rest.Call, in *writeFromHandsetInput) (writtenView, error) {
	b := in.Body
	if err := phoneNumber(c, b.Number); err != nil {
		return writtenView{}, err
	}
	w := simulator.Writing{
		PhoneNumberID: b.Number, Type: b.Type, Text: b.Text, MessageID: b.MessageID, Emoji: b.Emoji, ButtonID: b.ButtonID, Quote: b.Quote,
	}
	if b.Location != nil {
		w.Location = &simulator.ChatLocation{Latitude: b.Location.Latitude, Longitude: b.Location.Longitude, Name: b.Location.Name, Address: b.Location.Address}
	}
	if b.File != nil {
		data, err := base64.StdEncoding.DecodeString(b.File.Data)
		if err != nil {
			return writtenView{}, chat.Invalid("file.data", "The file is not written in base64.")
		}
		w.File = &simulator.InboundFile{MimeType: b.File.MimeType, Filename: b.File.Filename, Data: data}
	}
	id, err := a.cfg.Phones.Write(in.ID, w)
	return writtenView{id}, handsetFailure(err)
}
