package simulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

func (s *Simulator) tap(in control.Tap) (any, error) {
	n, err := s.target(in.PhoneNumberID, in.To)
	if err != nil {
		return nil, err
	}
	from, err := s.sender(n.waba.Load(), namedBy(in.From))
	if err != nil {
		return nil, err
	}
	m, pressed, err := s.findButton(n, from, in.MessageID, in.Button)
	if err != nil {
		return nil, err
	}
	id, err := s.receive(n, from, fromFields(pressed.tapped(m)))
	if err != nil {
		return nil, err
	}
	return map[string]any{"messages": []map[string]string{{"id": id}}, "pressed": pressed.title, "of": m.id}, nil
}

// findButton finds the newest message to a person that has the button.
func (s *Simulator) findButton(n *number, to recipient, messageID, button string) (*message, shownButton, error) {
	var newest *message
	var found shownButton
	s.messages.Each(func(_ recent.Key, m *message) bool {
		if m.inbound || m.number != n || m.to.key() != to.key() || messageID != "" && m.id != messageID ||
			newest != nil && !m.created.After(newest.created) {
			return true
		}
		_, buttons := s.shown(m)
		if i := slices.IndexFunc(buttons, func(b shownButton) bool { return b.goesBy(button) }); i >= 0 {
			newest, found = m, buttons[i]
		}
		return true
	})
	switch {
	case newest != nil:
		return newest, found, nil
	case button == "":
		return nil, found, errors.New("this person has no message with buttons from that number")
	default:
		return nil, found, fmt.Errorf("this person has no message with the button %q from that number", button)
	}
}

func (b shownButton) goesBy(name string) bool {
	return name == "" || b.id == name || strings.EqualFold(b.title, name)
}
