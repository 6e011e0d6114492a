package simulator

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// envelope is the body of a send. What belongs to a type is kept raw until the type is known.
type envelope struct {
	Product       string       `json:"messaging_product"`
	RecipientType string       `json:"recipient_type"`
	To            loose        `json:"to"`
	Recipient     string       `json:"recipient"`
	Context       *sendContext `json:"context"`
	Opaque        string       `json:"biz_opaque_callback_data"`
	IdentityHash  string       `json:"recipient_identity_key_hash"`
	Type          string       `json:"type"`
	Status        string       `json:"status"`
	MessageID     string       `json:"message_id"`
	Typing        rawParam     `json:"typing_indicator"`

	Text        rawParam `json:"text"`
	Image       rawParam `json:"image"`
	Video       rawParam `json:"video"`
	Audio       rawParam `json:"audio"`
	Document    rawParam `json:"document"`
	Sticker     rawParam `json:"sticker"`
	Location    rawParam `json:"location"`
	Contacts    rawParam `json:"contacts"`
	Reaction    rawParam `json:"reaction"`
	Interactive rawParam `json:"interactive"`
	Template    rawParam `json:"template"`
}

type sendContext struct {
	MessageID string `json:"message_id"`
}

// check covers what does not depend on who is written to.
func (env *envelope) check() *graphError {
	if _, known := messageTypes[env.Type]; !known {
		return badParam("Param type must be one of {AUDIO, CONTACTS, DOCUMENT, IMAGE, INTERACTIVE, LOCATION, REACTION, STICKER, TEMPLATE, TEXT, VIDEO} - got %q.", env.Type)
	}
	switch env.RecipientType {
	case "", "individual":
	case "group":
		return refuse(131041, "Groups are not simulated")
	default:
		return badParam("Param recipient_type must be one of {INDIVIDUAL, GROUP} - got %q.", env.RecipientType)
	}
	if utf8.RuneCountInString(env.Opaque) > 512 {
		return badParam("Param biz_opaque_callback_data must be at most 512 characters long.")
	}
	if env.Context != nil && env.Context.MessageID == "" {
		return missing("context['message_id']", env.Type)
	}
	if env.Context != nil && env.Type == "reaction" {
		return invalid("Parameter 'context' is not allowed for type 'reaction'")
	}
	return nil
}

// validation checks one send, and notes what its later fate depends on.
type validation struct {
	env       *envelope
	numberID  string
	templates *templateSet
	media     *mediaStore
	now       time.Time
	byUser    bool                 // the person is addressed by user id
	canReact  func(id string) bool // to which messages

	template  *template
	voice     bool
	laterCode int // the message is accepted and fails with this later
}

// messageTypes are the checks of each type.
var messageTypes = map[string]func(*validation) *graphError{
	"text": (*validation).text, "image": (*validation).image, "video": (*validation).video,
	"audio": (*validation).audio, "document": (*validation).document, "sticker": (*validation).sticker,
	"location": (*validation).location, "contacts": (*validation).contacts, "reaction": (*validation).reaction,
	"interactive": (*validation).interactive, "template": (*validation).templateMessage,
}

func (v *validation) check() *graphError { return messageTypes[v.env.Type](v) }

// content decodes the object that the type names.
func (v *validation) content(raw rawParam, into any) *graphError {
	if !isSet(raw) {
		return missing(v.env.Type, v.env.Type)
	}
	return decodeField(v.env.Type, raw, into)
}

func (v *validation) text() *graphError {
	var t struct {
		Body       string `json:"body"`
		PreviewURL bool   `json:"preview_url"`
	}
	if err := v.content(v.env.Text, &t); err != nil {
		return err
	}
	return between("text['body']", "text", t.Body, 4096)
}

// asset is a file by id or by link.
type asset struct {
	ID       loose  `json:"id"`
	Link     string `json:"link"`
	Caption  string `json:"caption"`
	Filename string `json:"filename"`
	Voice    bool   `json:"voice"`
}

const maxCaption = 1024

func (v *validation) image() *graphError    { return v.asset(v.env.Image, "image") }
func (v *validation) video() *graphError    { return v.asset(v.env.Video, "video") }
func (v *validation) audio() *graphError    { return v.asset(v.env.Audio, "audio") }
func (v *validation) document() *graphError { return v.asset(v.env.Document, "document") }
func (v *validation) sticker() *graphError  { return v.asset(v.env.Sticker, "sticker") }

func (v *validation) asset(raw rawParam, kind string) *graphError {
	var a asset
	if err := v.content(raw, &a); err != nil {
		return err
	}
	if a.Caption != "" && (kind == "audio" || kind == "sticker") {
		return invalid("Parameter 'caption' is not allowed for type '%s'", kind)
	}
	if a.Filename != "" && kind != "document" {
		return invalid("Parameter 'filename' is not allowed for type '%s'", kind)
	}
	if err := tooLong(kind+"['caption']", a.Caption, maxCaption); err != nil {
		return err
	}
	v.voice = kind == "audio" && a.Voice
	return v.file(a, kind, kind)
}

// file checks a reference to a file. Links are fetched after the answer, so what is wrong with them
// shows later; hosts under .invalid stand for addresses that cannot be fetched.
func (v *validation) file(a asset, kind, where string) *graphError {
	switch {
	case a.ID == "" && a.Link == "":
		return refuse(131008, "Parameter '%s' must contain 'id' or 'link'", where)
	case a.ID != "" && a.Link != "":
		return invalid("Parameter '%s' must contain only one of 'id' and 'link'", where)
	case a.Link != "":
		if !isWebURL(a.Link) {
			return invalid("Parameter '%s' has a 'link' that is not a valid web address", where)
		}
		if u, _ := url.Parse(a.Link); strings.HasSuffix(u.Hostname(), ".invalid") || u.Hostname() == sampleHost {
			v.laterCode = 131053
		}
		return nil
	}
	f := v.media.find(string(a.ID), v.now)
	if f == nil || f.number != v.numberID {
		return invalid("Media ID %s does not exist or does not belong to this number", a.ID)
	}
	if !f.suits(kind) || v.voice && !strings.HasPrefix(f.mimeType, "audio/ogg") {
		v.laterCode = 131053
	}
	return nil
}

func (v *validation) location() *graphError {
	var l struct {
		Latitude  loose  `json:"latitude"`
		Longitude loose  `json:"longitude"`
		Name      string `json:"name"`
		Address   string `json:"address"`
	}
	if err := v.content(v.env.Location, &l); err != nil {
		return err
	}
	return firstError(
		coordinate("latitude", string(l.Latitude), 90),
		coordinate("longitude", string(l.Longitude), 180),
		tooLong("location['name']", l.Name, 1000),
		tooLong("location['address']", l.Address, 1000),
	)
}

func coordinate(name, value string, limit float64) *graphError {
	if value == "" {
		return missing("location['"+name+"']", "location")
	}
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f >= -limit && f <= limit) { // written so that NaN fails
		return invalid("Parameter 'location['%s']' must be between -%g and %g", name, limit, limit)
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

func (v *validation) contacts() *graphError {
	var list []sentContact
	if err := v.content(v.env.Contacts, &list); err != nil {
		return err
	}
	if len(list) == 0 {
		return missing("contacts", "contacts")
	}
	if len(list) > maxContacts {
		return badParam("Param contacts must have at most %d elements.", maxContacts)
	}
	for _, c := range list {
		n := c.Name
		if n.FormattedName == "" {
			return missing("contacts['name']['formatted_name']", "contacts")
		}
		if n.FirstName+n.LastName+n.MiddleName+n.Prefix+n.Suffix == "" {
			return refuse(131008, "At least one more name than 'formatted_name' is mandatory for type 'contacts'")
		}
	}
	return nil
}

// reaction is always accepted; a target that cannot be reacted to shows later.
func (v *validation) reaction() *graphError {
	var r struct {
		MessageID string  `json:"message_id"`
		Emoji     *string `json:"emoji"`
	}
	if err := v.content(v.env.Reaction, &r); err != nil {
		return err
	}
	if r.MessageID == "" {
		return missing("reaction['message_id']", "reaction")
	}
	if r.Emoji == nil {
		return missing("reaction['emoji']", "reaction")
	}
	if utf8.RuneCountInString(*r.Emoji) > 16 || isPlainText(*r.Emoji) {
		return invalid("Parameter 'reaction['emoji']' must be a single emoji")
	}
	if !v.canReact(r.MessageID) {
		v.laterCode = 131009
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
