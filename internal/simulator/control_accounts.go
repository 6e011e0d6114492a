package simulator

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

func (s *Simulator) controlNumbers(c *control.Call) (any, error) {
	s.accounts.mu.RLock()
	defer s.accounts.mu.RUnlock()
	list := []NumberSpec{}
	for _, id := range sortedKeys(s.accounts.numbers) {
		list = append(list, s.accounts.numbers[id].spec())
	}
	return map[string]any{"numbers": list}, nil
}

func (n *number) spec() NumberSpec {
	w := n.waba.Load()
	n.mu.Lock()
	defer n.mu.Unlock()
	return NumberSpec{
		ID: n.id, WABAID: w.id, BusinessID: w.business, Phone: "+" + n.digits, Name: n.name, Status: n.status,
		Unverified: !n.verified, PIN: n.pin, OnBusinessApp: n.onApp,
	}
}

func (s *Simulator) controlAddNumber(c *control.Call) (any, error) {
	var spec NumberSpec
	if err := c.Decode(&spec); err != nil {
		return nil, err
	}
	spec, err := s.AddNumber(spec)
	if err == nil {
		s.accounts.number(spec.ID).guessed.Store(false)
	}
	return spec, err
}

// controlWindow opens or closes the 24-hour window without a message.
func (s *Simulator) controlWindow(c *control.Call) (any, error) {
	var in struct {
		PhoneNumberID string `json:"phone_number_id"`
		Person        string `json:"person"` // phone or user id
		Open          bool   `json:"open"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	n, err := s.target(in.PhoneNumberID, "")
	if err != nil {
		return nil, err
	}
	who, err := s.anyone(n.waba.Load(), in.Person)
	if err != nil {
		return nil, err
	}
	at := int64(0)
	if in.Open {
		at = s.now().UnixNano()
	}
	s.windows.Put(recent.Pair{Scope: n.id, User: who.key()}, at)
	s.keeper.mark()
	return control.Done, nil
}

// anyone finds a person by phone or user id.
func (s *Simulator) anyone(w *waba, who string) (recipient, error) {
	if names.IsUserID(who) {
		r, found := s.withUserID(w, who)
		if !found {
			return r, errors.New("nobody has that user id")
		}
		return r.asSender(), nil
	}
	digits, valid := names.NormalizePhone(who)
	if !valid {
		return recipient{}, errors.New("person must be a phone or a user id")
	}
	return s.withPhone(w, names.CanonicalPhone(digits)), nil
}

// controlPreference makes a person stop or resume marketing messages, and tells the business.
func (s *Simulator) controlPreference(c *control.Call) (any, error) {
	var in struct {
		PhoneNumberID string `json:"phone_number_id"`
		Person        string `json:"person"`
		Value         string `json:"value"` // stop, resume
		Quiet         bool   `json:"quiet"` // no callback
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Value != "stop" && in.Value != "resume" {
		return nil, errors.New("value must be stop or resume")
	}
	n, err := s.target(in.PhoneNumberID, "")
	if err != nil {
		return nil, err
	}
	who, err := s.anyone(n.waba.Load(), in.Person)
	if err != nil {
		return nil, err
	}
	s.stops.Put(recent.Pair{Scope: n.waba.Load().business, User: who.key()}, in.Value == "stop")
	if !in.Quiet {
		s.sendPreference(n, who, in.Value, s.now())
	}
	return control.Done, nil
}

func (s *Simulator) sendPreference(n *number, who recipient, value string, at time.Time) {
	detail := "User requested to " + value + " marketing messages"
	who.byUser = who.person.HidePhone
	w := &wire.Writer{}
	w.Open('{').Field("messaging_product", "whatsapp")
	n.appendMetadata(w)
	w.Key("contacts").Open('[')
	who.appendContact(w, true)
	w.Close(']').Key("user_preferences").Open('[').Open('{')
	w.Optional("wa_id", who.visiblePhone()).Optional("user_id", who.userID).Optional("parent_user_id", who.parentID)
	w.Field("detail", detail).Field("category", "marketing_messages").Field("value", value).Key("timestamp").Num(at.Unix())
	w.Close('}').Close(']').Close('}')
	s.callbacks.about(n, who.key(), update{number: n, field: "user_preferences", value: w.B, at: at.Unix()})
}
