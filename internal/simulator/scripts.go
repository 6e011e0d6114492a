package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// script makes a person answer: when a message to them contains a text, they reply after a while.
type script struct {
	ID       int                        `json:"id"`
	Person   string                     `json:"person,omitempty"`   // digits; empty means anybody
	Contains string                     `json:"contains,omitempty"` // ignoring case; empty means every message
	Word     string                     `json:"word,omitempty"`     // likewise, but only as a whole word
	Reply    map[string]json.RawMessage `json:"reply,omitempty"`    // a message object, or a text
	Tap      *int                       `json:"tap,omitempty"`      // instead of Reply: press the button with that index
	Echo     bool                       `json:"echo,omitempty"`     // instead of Reply: repeat the text
	After    duration                   `json:"after"`              // counted from when the message was read
	Once     bool                       `json:"once,omitempty"`
}

// UnmarshalJSON accepts a text as reply.
func (sc *script) UnmarshalJSON(b []byte) error {
	type plain script
	var short struct {
		*plain
		Reply json.RawMessage `json:"reply"`
	}
	short.plain = (*plain)(sc)
	if err := json.Unmarshal(b, &short); err != nil {
		return err
	}
	if len(short.Reply) == 0 {
		return nil
	}
	var text string
	if json.Unmarshal(short.Reply, &text) == nil {
		sc.Reply = replyText(text)
		return nil
	}
	return json.Unmarshal(short.Reply, &sc.Reply)
}

func replyText(text string) map[string]json.RawMessage {
	return map[string]json.RawMessage{"type": wire.MustJSON("text"), "text": wire.MustJSON(map[string]string{"body": text})}
}

const maxScripts = 1000

type scripts struct {
	mu   sync.RWMutex
	list []script
	next int
}

func (s *scripts) add(sc script) (script, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) >= maxScripts {
		return sc, fmt.Errorf("at most %d scripts", maxScripts)
	}
	s.next++
	sc.ID = s.next
	s.list = append(s.list, sc)
	return sc, nil
}

func (s *scripts) remove(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(sc script) bool { return sc.ID == id })
}

func (s *scripts) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
}

// concern tells whether any script could match the person, so that a load test need not read any texts.
func (s *scripts) concern(person string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(s.list, func(sc script) bool { return sc.Person == "" || sc.Person == person })
}

func (s *scripts) match(person, text string) (script, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	low := strings.ToLower(text)
	for _, sc := range s.list {
		if (sc.Person == "" || sc.Person == person) && strings.Contains(low, strings.ToLower(sc.Contains)) && sc.hasWord(low) {
			return sc, true
		}
	}
	return script{}, false
}

// hasWord looks for the script's word among the words of a text in lower case.
func (sc script) hasWord(text string) bool {
	if sc.Word == "" {
		return true
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return slices.Contains(words, strings.ToLower(sc.Word))
}

// react makes the recipient answer, if a script says so and the message will reach them.
func (s *Simulator) react(m *message, now time.Time) {
	if m.kind == "reaction" || len(m.plan) == 0 || !s.scripts.concern(m.to.key()) {
		return
	}
	wait := time.Duration(0)
	for _, st := range m.plan {
		if st.status == statusFailed {
			return
		}
		wait += st.wait
	}
	text, buttons := s.shown(m)
	sc, found := s.scripts.match(m.to.key(), text)
	if !found {
		return
	}
	if sc.Once {
		s.scripts.remove(sc.ID)
	}
	fields := sc.answer(m, text, buttons)
	if fields == nil {
		return
	}
	at := now.Add(wait + time.Duration(sc.After))
	s.sched.push(event{at: at.UnixNano(), run: func(time.Time) {
		if _, err := s.receive(m.number, m.to.asSender(), fromFields(fields)); err != nil {
			s.log.Warn("a script's reply is not sent", "error", err)
		}
	}})
}

// fromFields is the inbound message that a message object describes.
func fromFields(fields map[string]json.RawMessage) Inbound {
	in := Inbound{Fields: fields}
	if raw, found := fields["type"]; found {
		_ = json.Unmarshal(raw, &in.Type) // a type that is not a string counts as none
		in.Fields = withoutKey(fields, "type")
	}
	return in
}

// asSender is the addressee as a sender.
func (r recipient) asSender() recipient {
	r.input, r.byUser = "", false
	return r
}

func withoutKey(m map[string]json.RawMessage, key string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(m))
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}

func (sc script) answer(m *message, text string, buttons []shownButton) map[string]json.RawMessage {
	switch {
	case sc.Tap != nil:
		if i := *sc.Tap; i >= 0 && i < len(buttons) {
			return buttons[i].tapped(m)
		}
		return nil
	case sc.Echo:
		if text == "" {
			return nil
		}
		return replyText(text)
	}
	return sc.Reply
}
