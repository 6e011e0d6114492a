package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

// messageView is a message as the control API shows it.
type messageView struct {
	ID            string          `json:"id"`
	Direction     string          `json:"direction"`
	PhoneNumberID string          `json:"phone_number_id"`
	Phone         string          `json:"phone,omitempty"`
	UserID        string          `json:"user_id,omitempty"`
	Type          string          `json:"type"`
	State         string          `json:"state"`
	Code          int             `json:"code,omitempty"`
	Opaque        string          `json:"biz_opaque_callback_data,omitempty"`
	Read          bool            `json:"read_receipt,omitempty"`
	Created       time.Time       `json:"created"`
	Changed       time.Time       `json:"changed"`
	Body          json.RawMessage `json:"body,omitempty"`
}

func (m *message) view() messageView {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := messageView{
		ID: m.id, Direction: "outbound", PhoneNumberID: m.number.id, Phone: m.to.phone, UserID: m.to.userID, Type: m.kind,
		State: m.state, Code: m.code, Opaque: m.opaque, Read: m.read, Created: m.created, Changed: m.changed,
	}
	if m.inbound {
		v.Direction = "inbound"
	}
	if json.Valid(m.body) {
		v.Body = m.body
	}
	return v
}

func (s *Simulator) controlMessages(c *control.Call) (any, error) {
	q := c.URL.Query()
	want := map[string]string{}
	for _, k := range []string{"state", "direction", "phone_number_id", "phone", "type", "biz_opaque_callback_data"} {
		want[k] = q.Get(k)
	}
	want["phone"] = strings.TrimPrefix(want["phone"], "+")
	list := []messageView{}
	total := 0
	s.messages.Each(func(_ recent.Key, m *message) bool {
		v := m.view()
		got := map[string]string{
			"state": v.State, "direction": v.Direction, "phone_number_id": v.PhoneNumberID, "phone": v.Phone,
			"type": v.Type, "biz_opaque_callback_data": v.Opaque,
		}
		for k, w := range want {
			if w != "" && got[k] != w {
				return true
			}
		}
		total++
		list = append(list, v)
		return true
	})
	slices.SortFunc(list, func(a, b messageView) int {
		if n := b.Created.Compare(a.Created); n != 0 {
			return n
		}
		return strings.Compare(a.ID, b.ID)
	})
	return map[string]any{"total": total, "messages": list[:min(len(list), c.Limit())]}, nil
}

func (s *Simulator) controlMessage(c *control.Call) (any, error) {
	m := s.findMessage(c.ID, "")
	if m == nil {
		return nil, control.ErrNotFound
	}
	return m.view(), nil
}

func (s *Simulator) controlCounters(c *control.Call) (any, error) {
	out := map[string]any{
		"opaque_distinct": s.opaque.distinct.Load(), "opaque_repeated": s.opaque.repeated.Load(),
		"opaque_repeated_examples": s.opaque.repeatedExamples(),
		"callbacks_waiting":        s.callbacks.Waiting(), "events_waiting": s.sched.waiting(),
	}
	for name, n := range s.counters.all() {
		out[name] = n.Load()
	}
	return out, nil
}

func (s *Simulator) controlGetFaults(c *control.Call) (any, error) {
	if c.ID == "" {
		return s.faults.Load(), nil
	}
	n, err := s.target(c.ID, "")
	if err != nil {
		return nil, err
	}
	return s.faultsFor(n), nil
}

func (s *Simulator) controlSetFaults(c *control.Call) (any, error) {
	var f Faults
	if err := c.Decode(&f); err != nil {
		return nil, err
	}
	if err := s.SetFaults(c.ID, &f); err != nil {
		return nil, err
	}
	return f, nil
}

func (s *Simulator) controlClearFaults(c *control.Call) (any, error) {
	return control.Done, s.SetFaults(c.ID, nil)
}

// SetFaults sets the faults of one number, or of everything if the id is empty. Nil removes them.
func (s *Simulator) SetFaults(phoneNumberID string, f *Faults) error {
	if f != nil {
		switch f.Grouping {
		case "", groupChange, groupValue, groupEntry:
		default:
			return fmt.Errorf("grouping must be %s, %s or %s", groupChange, groupValue, groupEntry)
		}
	}
	if phoneNumberID == "" {
		if f == nil {
			f = &Faults{}
		}
		s.faults.Store(f)
		return nil
	}
	n, err := s.target(phoneNumberID, "")
	if err != nil {
		return err
	}
	n.faults.Store(f)
	return nil
}

func (s *Simulator) controlPeople(c *control.Call) (any, error) {
	return map[string]any{"people": s.people.list()}, nil
}

func (s *Simulator) controlAddPerson(c *control.Call) (any, error) {
	var who person
	if err := c.Decode(&who); err != nil {
		return nil, err
	}
	if who.Phone != "" {
		digits, valid := names.NormalizePhone(who.Phone)
		if !valid {
			return nil, fmt.Errorf("phone %q must be 7 to 15 digits", who.Phone)
		}
		who.Phone = names.CanonicalPhone(digits)
	}
	if err := s.people.put(who); err != nil {
		return nil, err
	}
	return who, nil
}

func (s *Simulator) controlScripts(c *control.Call) (any, error) {
	return map[string]any{"scripts": s.scripts.all()}, nil
}

func (s *Simulator) controlAddScript(c *control.Call) (any, error) {
	var sc script
	if err := json.Unmarshal(c.Body, &sc); err != nil {
		return nil, fmt.Errorf("the body is not a script: %w", err)
	}
	if sc.Person != "" && !names.IsUserID(sc.Person) {
		digits, valid := names.NormalizePhone(sc.Person)
		if !valid {
			return nil, fmt.Errorf("person %q must be a phone or a user id", sc.Person)
		}
		sc.Person = names.CanonicalPhone(digits)
	}
	if len(sc.Reply) == 0 && !sc.Echo && sc.Tap == nil {
		return nil, errors.New("a script needs reply, echo or tap")
	}
	return s.scripts.add(sc)
}

func (s *Simulator) controlRemoveScript(c *control.Call) (any, error) {
	id, err := strconv.Atoi(c.ID)
	if err != nil || !s.scripts.remove(id) {
		return nil, control.ErrNotFound
	}
	return control.Done, nil
}

// settings can be changed while the simulator runs.
type settings struct {
	Sent      *duration `json:"sent"`
	Delivered *duration `json:"delivered"`
	Read      *duration `json:"read"`
	Played    *duration `json:"played"`
	Review    *duration `json:"review"`
	Retry     *duration `json:"retry"`
	AllowList *[]string `json:"allow_list"`
}

func (s *Simulator) controlGetSettings(c *control.Call) (any, error) {
	d := s.plans.Load().delays
	allowed := sortedKeys(*s.allow.Load())
	as := func(d time.Duration) *duration { out := duration(d); return &out }
	return settings{
		Sent: as(d.Sent), Delivered: as(d.Delivered), Read: as(d.Read), Played: as(d.Played),
		Review: as(d.Review), Retry: as(d.Retry), AllowList: &allowed,
	}, nil
}

func (s *Simulator) controlSetSettings(c *control.Call) (any, error) {
	var in settings
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	d := s.plans.Load().delays
	for _, change := range []struct {
		to   *time.Duration
		from *duration
	}{
		{&d.Sent, in.Sent}, {&d.Delivered, in.Delivered}, {&d.Read, in.Read}, {&d.Played, in.Played},
		{&d.Review, in.Review}, {&d.Retry, in.Retry},
	} {
		if change.from != nil {
			*change.to = time.Duration(*change.from)
		}
	}
	s.SetDelays(d)
	if in.AllowList != nil {
		s.setAllowList(*in.AllowList)
	}
	return s.controlGetSettings(c)
}

// Delays is how long things currently take.
func (s *Simulator) Delays() Delays { return s.plans.Load().delays }

// SetDelays changes how long things take, for messages accepted from now on.
func (s *Simulator) SetDelays(d Delays) { s.plans.Store(newPlanSet(d)) }

func (s *Simulator) setAllowList(phones []string) {
	allow := map[string]bool{}
	for _, p := range phones {
		if digits, valid := names.NormalizePhone(p); valid {
			allow[names.CanonicalPhone(digits)] = true
		}
	}
	s.allow.Store(&allow)
}
