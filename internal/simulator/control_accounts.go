package simulator

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// controlNumbers lists the numbers; "parley simulate inbound" takes the first.
func (s *Simulator) controlNumbers(*control.Call) (any, error) {
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

func (s *Simulator) connectNumber(spec NumberSpec) (any, error) {
	spec, err := s.AddNumber(spec)
	if err == nil {
		s.accounts.number(spec.ID).guessed.Store(false)
	}
	return spec, err
}

func (s *Simulator) setWindow(in control.Window) error {
	n, who, err := s.pair(in.PhoneNumberID, in.Person)
	if err != nil {
		return err
	}
	at := int64(0)
	if in.Open {
		at = s.now().UnixNano()
	}
	s.windows.Put(recent.Pair{Scope: n.id, User: who.key()}, at)
	s.keeper.mark()
	return nil
}

// pair finds a number and a person, by phone or user id.
func (s *Simulator) pair(numberID, who string) (*number, recipient, error) {
	n, err := s.target(numberID, "")
	if err != nil {
		return nil, recipient{}, err
	}
	r, err := s.anyone(n.waba.Load(), who)
	return n, r, err
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

// setPreference makes a person stop or resume marketing messages, and tells the business.
func (s *Simulator) setPreference(in control.Preference) error {
	n, who, err := s.pair(in.PhoneNumberID, in.Person)
	if err != nil {
		return err
	}
	s.stops.Put(recent.Pair{Scope: n.waba.Load().business, User: who.key()}, in.Value == "stop")
	if !in.Quiet {
		s.sendPreference(n, who, in.Value, s.now())
	}
	return nil
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
