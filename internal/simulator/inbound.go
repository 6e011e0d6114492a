package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Inbound is a message that a person sends to a business.
type Inbound struct {
	// PhoneNumberID, or the business's phone, names the number that gets the message.
	PhoneNumberID string `json:"phone_number_id"`
	To            string `json:"to"`
	From          Sender `json:"from"`
	Type          string `json:"type"` // if empty, the type whose object is present, else text
	// File is the content of a media message. Nil means a small sample of the type.
	File *InboundFile `json:"file"`
	// Timestamp is in unix seconds; 0 means now.
	Timestamp int64 `json:"timestamp"`
	// Count sends that many messages, each from a different person with the next phone number. 0 means one.
	Count int `json:"count"`
	// KeepWindow leaves the 24-hour window as it is, as a delayed callback would.
	KeepWindow bool `json:"keep_window"`
	// Fields are all other fields, copied into the message object: text, context, referral, errors …
	Fields map[string]json.RawMessage `json:"-"`
}

// Sender is the person who writes: a phone or a user id in JSON, or an object with a profile, which is remembered.
type Sender struct {
	person
	known   bool   // only the phone or the user id was given
	profile []byte // the profile as it was given, in JSON
}

// IsUserID tells whether a text is the user id of a person, such as DE.123abc, and not a phone.
func IsUserID(text string) bool { return names.IsUserID(text) }

// namedBy is a person who is named by phone or user id alone.
func namedBy(id string) Sender {
	if names.IsUserID(id) {
		return Sender{person: person{UserID: id}, known: true}
	}
	return Sender{person: person{Phone: id}, known: true}
}

// From is a person with a name.
func From(phone, name string) Sender { return Sender{person: person{Phone: phone, Name: name}} }

// UnmarshalJSON accepts a phone, a user id or a profile.
func (f *Sender) UnmarshalJSON(b []byte) error {
	var id string
	if json.Unmarshal(b, &id) == nil {
		*f = namedBy(id)
		return nil
	}
	f.profile = slices.Clone(b)
	return json.Unmarshal(b, &f.person)
}

// over is the sender with what was known of them before, as far as the profile does not say otherwise.
func (f *Sender) over(known *person) (person, error) {
	who := f.person
	if known == nil {
		return who, nil
	}
	who = *known
	if f.profile == nil {
		who.Name = f.Name
		return who, nil
	}
	err := json.Unmarshal(f.profile, &who)
	return who, err
}

// InboundFile is the content of a media message.
type InboundFile struct {
	MimeType string `json:"mime_type"`
	Filename string `json:"filename"`
	Data     []byte `json:"data"` // base64 in JSON
	Text     string `json:"text"` // instead of data
	Size     int    `json:"size"` // instead of data: the number of bytes
}

// UnmarshalJSON keeps the unknown fields for the message object.
func (in *Inbound) UnmarshalJSON(b []byte) error {
	type plain Inbound
	if err := json.Unmarshal(b, (*plain)(in)); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &in.Fields); err != nil {
		return err
	}
	for _, own := range []string{"phone_number_id", "to", "from", "type", "file", "timestamp", "count", "keep_window"} {
		delete(in.Fields, own)
	}
	return nil
}

const maxInboundCount = 100_000

// Receive makes a person write to a business, and returns the ids of the messages.
func (s *Simulator) Receive(in Inbound) ([]string, error) {
	n, err := s.target(in.PhoneNumberID, in.To)
	if err != nil {
		return nil, err
	}
	from, err := s.sender(n.waba.Load(), in.From)
	if err != nil {
		return nil, err
	}
	if in.Count > maxInboundCount {
		return nil, fmt.Errorf("count must be at most %d", maxInboundCount)
	}
	ids := make([]string, 0, max(1, in.Count))
	for i := range max(1, in.Count) {
		if i > 0 {
			if from, err = s.nextSender(n.waba.Load(), from); err != nil {
				return ids, err
			}
		}
		id, err := s.receive(n, from, in)
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Learn looks a number up now instead of at its first use, so that lists show it.
func (s *Simulator) Learn(phoneNumberID string) { _, _ = s.target(phoneNumberID, "") }

// target finds a number by id or phone. A number with an unknown id is made up, unless the simulator is strict.
func (s *Simulator) target(id, phone string) (*number, error) {
	if id == "" && phone == "" {
		return nil, errors.New("say to which number: phone_number_id, or to")
	}
	var n *number
	if id != "" {
		n = s.provisionNumber(id, token{})
	} else if digits, valid := names.NormalizePhone(phone); valid {
		n = s.accounts.byDigits(digits)
	}
	if n == nil {
		return nil, fmt.Errorf("there is no number %s%s", id, phone)
	}
	s.learn(n)
	return n, nil
}

func (s *Simulator) sender(w *waba, f Sender) (recipient, error) {
	if f.Phone != "" {
		digits, valid := names.NormalizePhone(f.Phone)
		if !valid {
			return recipient{}, fmt.Errorf("phone %q must be 7 to 15 digits; a person without a phone has a user id like DE.123abc", f.Phone)
		}
		f.Phone = names.CanonicalPhone(digits)
	}
	if !f.known {
		if err := s.remember(&f); err != nil {
			return recipient{}, err
		}
	}
	if f.Phone == "" {
		r, found := s.withUserID(w, f.UserID)
		if !found {
			return r, s.people.put(*r.person) // somebody new, who can be answered from now on
		}
		return r, nil
	}
	return s.withPhone(w, f.Phone), nil
}

// remember keeps a sender's profile.
func (s *Simulator) remember(f *Sender) error {
	known := s.people.byPhone(f.Phone)
	if f.Phone == "" {
		known = s.people.byUser(f.UserID)
	}
	who, err := f.over(known)
	if err != nil {
		return err
	}
	if f.Phone != "" {
		who.Phone = f.Phone // in its one form
	}
	return s.people.put(who)
}

func (s *Simulator) nextSender(w *waba, r recipient) (recipient, error) {
	phone, err := strconv.ParseUint(r.phone, 10, 64)
	if err != nil {
		return r, errors.New("count needs a sender with a phone")
	}
	return s.withPhone(w, strconv.FormatUint(phone+1, 10)), nil
}

// receive makes one message and queues its callback.
func (s *Simulator) receive(n *number, from recipient, in Inbound) (string, error) {
	now := s.now()
	fields, kind, err := s.inboundFields(n, from, in)
	if err != nil {
		return "", err
	}
	m := &message{
		id: s.ids.Wamid(from.key(), names.Inbound), number: n, to: from, inbound: true, kind: kind,
		created: now, state: "received", changed: now,
	}
	at := now.Unix()
	if in.Timestamp != 0 {
		at = in.Timestamp
		m.created = time.Unix(at, 0)
	}
	m.body = inboundObject(m, fields, at)
	s.messages.Put(recent.Key(m.id), m)
	s.phones.wrote(m)
	s.counters.inbound.Add(1)
	if kind != "system" && !in.KeepWindow {
		s.windows.Update(recent.Pair{Scope: n.id, User: from.key()}, func(last int64) int64 { return max(last, time.Unix(at, 0).UnixNano()) })
		s.keeper.mark()
	}
	s.callbacks.about(n, from.key(), update{number: n, at: at, contact: inboundContact(kind, from), item: m.body})
	return m.id, nil
}

// shownPhone is the phone that the business sees. People with a username may hide it.
func (r recipient) shownPhone() string {
	if r.person.HidePhone {
		return ""
	}
	return r.phone
}

func inboundContact(kind string, from recipient) []byte {
	if kind == "system" {
		return nil
	}
	from.byUser = from.person.HidePhone
	w := &wire.Writer{}
	from.appendContact(w, true)
	return w.B
}

func inboundObject(m *message, fields map[string]json.RawMessage, at int64) []byte {
	w := &wire.Writer{B: make([]byte, 0, 512)}
	w.Open('{').Optional("from", m.to.shownPhone()).Optional("from_user_id", m.to.userID).Optional("from_parent_user_id", m.to.parentID)
	w.Field("id", m.id).Field("timestamp", strconv.FormatInt(at, 10)).Field("type", m.kind)
	for _, name := range sortedKeys(fields) {
		w.B = append(w.B, ',')
		w.B = wire.AppendPHPString(w.B, name)
		w.B = append(w.B, ':')
		w.B = append(w.B, wire.EscapePHP(fields[name])...)
	}
	return w.Close('}').B
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// inboundFields completes the given fields: the type, a shorthand for text, files.
func (s *Simulator) inboundFields(n *number, from recipient, in Inbound) (map[string]json.RawMessage, string, error) {
	fields := maps.Clone(in.Fields)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	kind := in.Type
	if kind == "" {
		kind = guessType(fields)
	}
	var text string
	if raw, found := fields["text"]; found && json.Unmarshal(raw, &text) == nil {
		fields["text"] = wire.MustJSON(map[string]string{"body": text})
	}
	if _, found := fields["text"]; !found && kind == "text" {
		return nil, "", errors.New("a text message needs text")
	}
	if sample, isMedia := files.Samples[kind]; isMedia {
		filled, err := s.inboundFile(n, from, in, fields[kind], sample)
		if err != nil {
			return nil, "", err
		}
		fields[kind] = filled
	}
	return fields, kind, nil
}

func guessType(fields map[string]json.RawMessage) string {
	for _, kind := range []string{
		"image", "video", "audio", "document", "sticker", "location", "contacts", "interactive", "button", "reaction",
		"order", "system", "edit", "revoke", "unsupported",
	} {
		if _, found := fields[kind]; found {
			return kind
		}
	}
	return "text"
}

// inboundFile stores the file of a media message and adds the fields that the upstream reports about it.
func (s *Simulator) inboundFile(n *number, from recipient, in Inbound, given json.RawMessage, sample files.SampleFile) (json.RawMessage, error) {
	object := map[string]any{}
	if len(given) > 0 {
		if err := json.Unmarshal(given, &object); err != nil {
			return nil, fmt.Errorf("%s must be an object", in.Type)
		}
	}
	if _, found := object["id"]; found {
		return given, nil // the caller gave the content that should appear
	}
	f := s.storeInbound(n, from, in.File, sample)
	object["id"], object["mime_type"], object["sha256"] = f.ID, f.MimeType, files.Base64Sum(f)
	if s.cfg.BaseURL != "" {
		object["url"] = s.mediaURL(s.cfg.BaseURL, f)
	}
	if sample.Filename != "" && object["filename"] == nil {
		object["filename"] = f.Name
	}
	for k, v := range sample.Extra {
		if _, found := object[k]; !found {
			object[k] = v
		}
	}
	return wire.MustJSON(object), nil
}

func (s *Simulator) storeInbound(n *number, from recipient, given *InboundFile, sample files.SampleFile) *files.File {
	f := &files.File{ID: s.ids.Object(names.Media), Number: n.id, MimeType: sample.MimeType, Name: sample.Filename, Data: sample.Data, Expires: s.now().Add(files.ReceivedLife)}
	if given != nil {
		given.fill(f)
	}
	if trick := magicOf(from.phone); trick.mode == magicMedia {
		f.Slow = trick.duration()
	}
	s.media.Add(f)
	return f
}

const maxInboundFile = 100 * files.Mib

func (g *InboundFile) fill(f *files.File) {
	if g.MimeType != "" {
		f.MimeType = g.MimeType
	}
	if g.Filename != "" {
		f.Name = g.Filename
	}
	switch {
	case len(g.Data) > 0:
		f.Data = g.Data
	case g.Text != "":
		f.Data = []byte(g.Text)
	case g.Size > 0:
		f.Data = make([]byte, min(g.Size, maxInboundFile))
	}
}
