package simulator

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Writing is what a handset's owner sends to a number.
type Writing struct {
	PhoneNumberID string
	Type          string // text, image, audio, video, document, location, reaction, button, list, stop, resume
	Text          string // the text, or the caption of a file
	File          *InboundFile
	Location      *ChatLocation
	MessageID     string // the message reacted to, or whose button is pressed
	Emoji         string // the reaction; empty removes it
	ButtonID      string // the button that is pressed
	Quote         string // the message that this one answers
}

const (
	maxWritten = 4096
	// maxHandsetFile is the largest file that a handset can send.
	maxHandsetFile = 5 * files.Mib
)

// Write sends a message of a handset's owner, and returns its id.
func (p *Phones) Write(id string, w Writing) (string, error) {
	if err := p.mayWrite(id); err != nil {
		return "", err
	}
	fields, err := p.fields(id, w)
	if err != nil {
		return "", err
	}
	in := Inbound{PhoneNumberID: w.PhoneNumberID, From: Sender{person: person{Phone: id}, known: true}, File: w.File, Fields: fields}
	_ = json.Unmarshal(fields["type"], &in.Type)
	in.Fields = withoutKey(fields, "type")
	if w.Quote != "" {
		in.Fields["context"] = wire.MustJSON(map[string]string{"id": w.Quote})
	}
	ids, err := p.sim.Receive(in)
	if err != nil {
		return "", cannot("number", "%v.", err)
	}
	p.prefer(id, w)
	return ids[0], nil
}

func (p *Phones) mayWrite(id string) error {
	h := p.of(id)
	if h == nil {
		return ErrNoHandset
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case h.offline:
		return cannot("online", "The phone is offline: switch it on to write.")
	case h.blocked:
		return cannot("blocked", "The phone blocks businesses: unblock to write.")
	}
	return nil
}

// fields is the message object, with its type.
func (p *Phones) fields(id string, w Writing) (map[string]json.RawMessage, error) {
	if utf8.RuneCountInString(w.Text) > maxWritten {
		return nil, cannot("text", "A message has at most %d characters.", maxWritten)
	}
	switch w.Type {
	case "text":
		if strings.TrimSpace(w.Text) == "" {
			return nil, cannot("text", "The message is empty.")
		}
		return replyText(w.Text), nil
	case "stop":
		return replyText("STOP"), nil
	case "resume":
		return replyText("START"), nil
	case "image", "audio", "video", "document":
		return w.fileFields()
	case "location":
		return w.locationFields()
	case "reaction":
		return w.typed(map[string]string{"message_id": w.MessageID, "emoji": w.Emoji}), p.inChat(id, w)
	case "button", "list":
		return p.press(id, w)
	}
	return nil, cannot("type", "A phone cannot send %q.", w.Type)
}

func (w Writing) typed(object any) map[string]json.RawMessage {
	return map[string]json.RawMessage{"type": wire.MustJSON(w.Type), w.Type: wire.MustJSON(object)}
}

func (w Writing) fileFields() (map[string]json.RawMessage, error) {
	object := map[string]any{}
	if w.Text != "" {
		object["caption"] = w.Text
	}
	if w.File == nil {
		return w.typed(object), nil // a sample
	}
	if len(w.File.Data) > maxHandsetFile {
		return nil, cannot("file", "The file is larger than %d MB.", maxHandsetFile/files.Mib)
	}
	limit, known := files.LimitFor(w.File.MimeType)
	if !known || w.Type != "document" && limit.Kind != w.Type {
		return nil, cannot("file", "A file of type %q cannot be sent as %s.", w.File.MimeType, w.Type)
	}
	return w.typed(object), nil
}

func (w Writing) locationFields() (map[string]json.RawMessage, error) {
	l := w.Location
	if l == nil || l.Latitude < -90 || l.Latitude > 90 || l.Longitude < -180 || l.Longitude > 180 {
		return nil, cannot("location", "A location needs a latitude of -90 to 90 and a longitude of -180 to 180.")
	}
	object := map[string]any{"latitude": l.Latitude, "longitude": l.Longitude}
	for key, value := range map[string]string{"name": l.Name, "address": l.Address} {
		if value != "" {
			object[key] = value
		}
	}
	return w.typed(object), nil
}

// line finds the message in the chat that a reaction or a press refers to.
func (p *Phones) line(id string, w Writing) *message {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.of(id); h != nil && h.chats[w.PhoneNumberID] != nil {
		if l := h.chats[w.PhoneNumberID].find(w.MessageID); l != nil {
			return l.m
		}
	}
	return nil
}

var errNotInChat = &HandsetError{"message_id", "This message is not in the chat."}

func (p *Phones) inChat(id string, w Writing) error {
	if p.line(id, w) == nil {
		return errNotInChat
	}
	return nil
}

// press answers a message with one of its buttons or rows.
func (p *Phones) press(id string, w Writing) (map[string]json.RawMessage, error) {
	m := p.line(id, w)
	if m == nil || m.inbound {
		return nil, errNotInChat
	}
	_, buttons := p.sim.shown(m)
	i := slices.IndexFunc(buttons, func(b shownButton) bool { return b.id == w.ButtonID && (b.kind == "list") == (w.Type == "list") })
	if i < 0 {
		return nil, cannot("button_id", "The message has no such button.")
	}
	return buttons[i].tapped(m), nil
}

// prefer makes the network stop or resume marketing messages, which the text alone would not do.
func (p *Phones) prefer(id string, w Writing) {
	if w.Type != "stop" && w.Type != "resume" {
		return
	}
	n, err := p.sim.target(w.PhoneNumberID, "")
	if err != nil {
		return // the handset existed when the message was accepted
	}
	who := p.sim.withPhone(n.waba.Load(), id)
	p.sim.stops.Put(recent.Pair{Scope: n.waba.Load().business, User: who.key()}, w.Type == "stop")
	p.sim.sendPreference(n, who, w.Type, p.sim.now())
}
