package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

func (m *message) view() control.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := control.Message{
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
	for _, k := range []string{"state", "direction", "phone_number_id", "phone", "user_id", "type", "biz_opaque_callback_data"} {
		want[k] = q.Get(k)
	}
	want["phone"] = strings.TrimPrefix(want["phone"], "+")
	list := []control.Message{}
	total := 0
	s.messages.Each(func(_ recent.Key, m *message) bool {
		v := m.view()
		got := map[string]string{
			"state": v.State, "direction": v.Direction, "phone_number_id": v.PhoneNumberID, "phone": v.Phone, "user_id": v.UserID,
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
	slices.SortFunc(list, func(a, b control.Message) int {
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
	f, err := control.Decode[Faults](c)
	if err != nil {
		return nil, err
	}
	return f, s.SetFaults(c.ID, &f)
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

func (s *Simulator) changeSettings(in settings) (any, error) {
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
	return s.controlGetSettings(nil)
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
