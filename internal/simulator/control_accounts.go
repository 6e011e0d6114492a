package simulator

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

func controlNumbers(c *controlCall) (any, error) {
	c.sim.accounts.mu.RLock()
	defer c.sim.accounts.mu.RUnlock()
	list := []NumberSpec{}
	for _, id := range sortedKeys(c.sim.accounts.numbers) {
		list = append(list, c.sim.accounts.numbers[id].spec())
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

func controlAddNumber(c *controlCall) (any, error) {
	var spec NumberSpec
	if err := c.decode(&spec); err != nil {
		return nil, err
	}
	spec, err := c.sim.AddNumber(spec)
	if err == nil {
		c.sim.accounts.number(spec.ID).guessed.Store(false)
	}
	return spec, err
}

// controlWindow opens or closes the 24-hour window without a message.
func controlWindow(c *controlCall) (any, error) {
	var in struct {
		PhoneNumberID string `json:"phone_number_id"`
		Person        string `json:"person"` // phone or user id
		Open          bool   `json:"open"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	n, err := c.sim.target(in.PhoneNumberID, "")
	if err != nil {
		return nil, err
	}
	who, err := c.sim.anyone(n.waba.Load(), in.Person)
	if err != nil {
		return nil, err
	}
	at := int64(0)
	if in.Open {
		at = c.sim.now().UnixNano()
	}
	c.sim.windows.Put(recent.Pair{Scope: n.id, User: who.key()}, at)
	c.sim.keeper.mark()
	return done, nil
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

// controlPreference lets a person stop or resume marketing messages, and tells the business.
func controlPreference(c *controlCall) (any, error) {
	var in struct {
		PhoneNumberID string `json:"phone_number_id"`
		Person        string `json:"person"`
		Value         string `json:"value"` // stop, resume
		Quiet         bool   `json:"quiet"` // no callback
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Value != "stop" && in.Value != "resume" {
		return nil, errors.New("value must be stop or resume")
	}
	n, err := c.sim.target(in.PhoneNumberID, "")
	if err != nil {
		return nil, err
	}
	who, err := c.sim.anyone(n.waba.Load(), in.Person)
	if err != nil {
		return nil, err
	}
	c.sim.stops.Put(recent.Pair{Scope: n.waba.Load().business, User: who.key()}, in.Value == "stop")
	if !in.Quiet {
		c.sim.sendPreference(n, who, in.Value, c.sim.now())
	}
	return done, nil
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
