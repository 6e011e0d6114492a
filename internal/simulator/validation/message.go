// Package validation checks a send as the upstream does before it accepts one.
package validation

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Envelope is the body of a send. The content of each type is kept raw until the type is known.
type Envelope struct {
	Product       string       `json:"messaging_product"`
	RecipientType string       `json:"recipient_type"`
	To            wire.Loose   `json:"to"`
	Recipient     string       `json:"recipient"`
	Context       *sendContext `json:"context"`
	Opaque        string       `json:"biz_opaque_callback_data"`
	IdentityHash  string       `json:"recipient_identity_key_hash"`
	Type          string       `json:"type"`
	Status        string       `json:"status"`
	MessageID     string       `json:"message_id"`
	Typing        wire.Raw     `json:"typing_indicator"`

	Text        wire.Raw `json:"text"`
	Image       wire.Raw `json:"image"`
	Video       wire.Raw `json:"video"`
	Audio       wire.Raw `json:"audio"`
	Document    wire.Raw `json:"document"`
	Sticker     wire.Raw `json:"sticker"`
	Location    wire.Raw `json:"location"`
	Contacts    wire.Raw `json:"contacts"`
	Reaction    wire.Raw `json:"reaction"`
	Interactive wire.Raw `json:"interactive"`
	Template    wire.Raw `json:"template"`
}

type sendContext struct {
	MessageID string `json:"message_id"`
}

// Check checks everything that does not depend on the recipient.
func (env *Envelope) Check() *wire.Error {
	if _, known := messageTypes[env.Type]; !known {
		return wire.BadParam("Param type must be one of {AUDIO, CONTACTS, DOCUMENT, IMAGE, INTERACTIVE, LOCATION, REACTION, STICKER, TEMPLATE, TEXT, VIDEO} - got %q.", env.Type)
	}
	switch env.RecipientType {
	case "", "individual":
	case "group":
		return wire.Refuse(131041, "Groups are not simulated")
	default:
		return wire.BadParam("Param recipient_type must be one of {INDIVIDUAL, GROUP} - got %q.", env.RecipientType)
	}
	if utf8.RuneCountInString(env.Opaque) > 512 {
		return wire.BadParam("Param biz_opaque_callback_data must be at most 512 characters long.")
	}
	if env.Context != nil && env.Context.MessageID == "" {
		return wire.Missing("context['message_id']", env.Type)
	}
	if env.Context != nil && env.Type == "reaction" {
		return wire.Invalid("Parameter 'context' is not allowed for type 'reaction'")
	}
	return nil
}

// Send checks one send, and notes what its later plan depends on.
type Send struct {
	Env       *Envelope
	NumberID  string
	Templates *templates.Set
	Media     *files.Store
	Now       time.Time
	ByUser    bool                 // the person is addressed by user id
	CanReact  func(id string) bool // tells which messages can be reacted to

	Template  *templates.Template
	Voice     bool
	LaterCode int // the message is accepted and fails with this code later
}

// messageTypes are the checks of each type.
var messageTypes = map[string]func(*Send) *wire.Error{
	"text": (*Send).text, "image": (*Send).image, "video": (*Send).video,
	"audio": (*Send).audio, "document": (*Send).document, "sticker": (*Send).sticker,
	"location": (*Send).location, "contacts": (*Send).contacts, "reaction": (*Send).reaction,
	"interactive": (*Send).interactive, "template": (*Send).templateMessage,
}

func (v *Send) Check() *wire.Error { return messageTypes[v.Env.Type](v) }

// content decodes the object that the type names.
func (v *Send) content(raw wire.Raw, into any) *wire.Error {
	if !wire.IsSet(raw) {
		return wire.Missing(v.Env.Type, v.Env.Type)
	}
	return wire.DecodeField(v.Env.Type, raw, into)
}

func (v *Send) text() *wire.Error {
	var t struct {
		Body       string `json:"body"`
		PreviewURL bool   `json:"preview_url"`
	}
	if err := v.content(v.Env.Text, &t); err != nil {
		return err
	}
	return wire.Between("text['body']", "text", t.Body, 4096)
}

// Asset is a file by id or by link.
type Asset struct {
	ID       wire.Loose `json:"id"`
	Link     string     `json:"link"`
	Caption  string     `json:"caption"`
	Filename string     `json:"filename"`
	Voice    bool       `json:"voice"`
}

const maxCaption = 1024

func (v *Send) image() *wire.Error    { return v.asset(v.Env.Image, "image") }
func (v *Send) video() *wire.Error    { return v.asset(v.Env.Video, "video") }
func (v *Send) audio() *wire.Error    { return v.asset(v.Env.Audio, "audio") }
func (v *Send) document() *wire.Error { return v.asset(v.Env.Document, "document") }
func (v *Send) sticker() *wire.Error  { return v.asset(v.Env.Sticker, "sticker") }

func (v *Send) asset(raw wire.Raw, kind string) *wire.Error {
	var a Asset
	if err := v.content(raw, &a); err != nil {
		return err
	}
	if a.Caption != "" && (kind == "audio" || kind == "sticker") {
		return wire.Invalid("Parameter 'caption' is not allowed for type '%s'", kind)
	}
	if a.Filename != "" && kind != "document" {
		return wire.Invalid("Parameter 'filename' is not allowed for type '%s'", kind)
	}
	if err := wire.TooLong(kind+"['caption']", a.Caption, maxCaption); err != nil {
		return err
	}
	v.Voice = kind == "audio" && a.Voice
	return v.file(a, kind, kind)
}

// file checks a reference to a file. Links are fetched after the answer, so errors in them show later. Hosts under
// .invalid stand for addresses that cannot be fetched.
func (v *Send) file(a Asset, kind, where string) *wire.Error {
	switch {
	case a.ID == "" && a.Link == "":
		return wire.Refuse(131008, "Parameter '%s' must contain 'id' or 'link'", where)
	case a.ID != "" && a.Link != "":
		return wire.Invalid("Parameter '%s' must contain only one of 'id' and 'link'", where)
	case a.Link != "":
		if !wire.IsWebURL(a.Link) {
			return wire.Invalid("Parameter '%s' has a 'link' that is not a valid web address", where)
		}
		if u, _ := url.Parse(a.Link); strings.HasSuffix(u.Hostname(), ".invalid") || u.Hostname() == templates.SampleHost {
			v.LaterCode = 131053
		}
		return nil
	}
	f := v.Media.Find(string(a.ID), v.Now)
	if f == nil || f.Number != v.NumberID {
		return wire.Invalid("Media ID %s does not exist or does not belong to this number", a.ID)
	}
	if !f.Suits(kind) || v.Voice && !strings.HasPrefix(f.MimeType, "audio/ogg") {
		v.LaterCode = 131053
	}
	return nil
}

func (v *Send) location() *wire.Error {
	var l struct {
		Latitude  wire.Loose `json:"latitude"`
		Longitude wire.Loose `json:"longitude"`
		Name      string     `json:"name"`
		Address   string     `json:"address"`
	}
	if err := v.content(v.Env.Location, &l); err != nil {
		return err
	}
	return wire.FirstError(
		coordinate("latitude", string(l.Latitude), 90),
		coordinate("longitude", string(l.Longitude), 180),
		wire.TooLong("location['name']", l.Name, 1000),
		wire.TooLong("location['address']", l.Address, 1000),
	)
}

func coordinate(name, value string, limit float64) *wire.Error {
	if value == "" {
		return wire.Missing("location['"+name+"']", "location")
	}
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f >= -limit && f <= limit) { // written so that NaN fails
		return wire.Invalid("Parameter 'location['%s']' must be between -%g and %g", name, limit, limit)
	}
	return nil
}

type sentContact struct {
	Name struct {
		FormattedName string `json:"formatted_name"`
		FirstName     string `json:"first_name"`
		LastName      string `json:"last_name"`
		MiddleName    string `json:"middle_name"`
		Prefix        string `json:"prefix"`
		Suffix        string `json:"suffix"`
	} `json:"name"`
	Phones []struct {
		Phone string `json:"phone"`
		Type  string `json:"type"`
		WaID  string `json:"wa_id"`
	} `json:"phones"`
	Birthday string `json:"birthday"`
}

const maxContacts = 257

func (v *Send) contacts() *wire.Error {
	var list []sentContact
	if err := v.content(v.Env.Contacts, &list); err != nil {
		return err
	}
	if len(list) == 0 {
		return wire.Missing("contacts", "contacts")
	}
	if len(list) > maxContacts {
		return wire.BadParam("Param contacts must have at most %d elements.", maxContacts)
	}
	for _, c := range list {
		n := c.Name
		if n.FormattedName == "" {
			return wire.Missing("contacts['name']['formatted_name']", "contacts")
		}
		if n.FirstName+n.LastName+n.MiddleName+n.Prefix+n.Suffix == "" {
			return wire.Refuse(131008, "At least one more name than 'formatted_name' is mandatory for type 'contacts'")
		}
	}
	return nil
}

// reaction is always accepted. If its target cannot be reacted to, the failure comes later.
func (v *Send) reaction() *wire.Error {
	var r struct {
		MessageID string  `json:"message_id"`
		Emoji     *string `json:"emoji"`
	}
	if err := v.content(v.Env.Reaction, &r); err != nil {
		return err
	}
	if r.MessageID == "" {
		return wire.Missing("reaction['message_id']", "reaction")
	}
	if r.Emoji == nil {
		return wire.Missing("reaction['emoji']", "reaction")
	}
	if utf8.RuneCountInString(*r.Emoji) > 16 || isPlainText(*r.Emoji) {
		return wire.Invalid("Parameter 'reaction['emoji']' must be a single emoji")
	}
	if !v.CanReact(r.MessageID) {
		v.LaterCode = 131009
	}
	return nil
}

func isPlainText(s string) bool {
	for _, r := range s {
		if r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == ' ' {
			return true
		}
	}
	return false
}
