package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// controls is the whole control API.
func (s *Simulator) controls() control.Table {
	return control.Table{
		"POST inbound":        s.controlInbound,
		"POST taps":           control.Take(s.tap),
		"POST statuses":       control.Do(s.sendStatus),
		"POST callbacks":      control.Do(s.sendCallback),
		"GET messages":        s.controlMessages,
		"GET messages/*":      s.controlMessage,
		"GET counters":        s.controlCounters,
		"GET faults":          s.controlGetFaults,
		"PUT faults":          s.controlSetFaults,
		"DELETE faults":       s.controlClearFaults,
		"GET faults/*":        s.controlGetFaults,
		"PUT faults/*":        s.controlSetFaults,
		"DELETE faults/*":     s.controlClearFaults,
		"GET numbers":         s.controlNumbers,
		"POST numbers":        control.Take(s.connectNumber),
		"POST scripts":        s.controlAddScript,
		"GET settings":        s.controlGetSettings,
		"PATCH settings":      control.Take(s.changeSettings),
		"POST tokens":         control.Do(s.setToken),
		"POST reset":          control.Do(func(struct{}) error { s.Reset(); return nil }),
		"POST windows":        control.Do(s.setWindow),
		"PATCH numbers/*":     s.controlSetNumber,
		"PATCH templates/*":   s.controlSetTemplate,
		"POST account_events": control.Do(s.accountEvent),
		"POST echoes":         s.controlEcho,
		"POST sync":           control.Do(s.handOverNow),
		"POST identity":       control.Take(s.changePhone),
		"POST preferences":    control.Do(s.setPreference),
	}
}

func (s *Simulator) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	if s.cfg.ControlToken != "" && bearer(r) != s.cfg.ControlToken {
		control.Refuse(w, http.StatusUnauthorized, "send the control token as a bearer token")
		return
	}
	s.controls().Serve(w, r, path)
}

func (s *Simulator) controlInbound(c *control.Call) (any, error) {
	var in Inbound
	if err := json.Unmarshal(c.Body, &in); err != nil {
		return nil, fmt.Errorf("the body is not an inbound message: %w", err)
	}
	ids, err := s.Receive(in)
	if err != nil {
		return nil, err
	}
	list := make([]map[string]string, len(ids))
	for i, id := range ids {
		list[i] = map[string]string{"id": id}
	}
	return map[string]any{"messages": list}, nil
}

func (s *Simulator) sendStatus(in control.Status) error {
	m := s.findMessage(in.MessageID, in.Opaque)
	if m == nil || m.inbound {
		return control.ErrNotFound
	}
	now := s.now()
	m.move(in.Status, in.Code, now)
	at := now.Unix()
	if in.Timestamp != 0 {
		at = in.Timestamp
	}
	for range max(1, in.Copies) {
		s.counters.status(in.Status)
		s.callbacks.about(m.number, m.to.key(), update{number: m.number, msg: m, status: in.Status, code: in.Code, at: at, priced: in.Status == statusSent})
	}
	return nil
}

func (s *Simulator) findMessage(id, opaque string) (found *message) {
	if id != "" {
		found, _ = s.messages.Get(recent.Key(id))
		return found
	}
	if opaque == "" {
		return nil
	}
	s.messages.Each(func(_ recent.Key, m *message) bool {
		if m.opaque == opaque {
			found = m
		}
		return found == nil
	})
	return found
}

func (s *Simulator) sendCallback(in control.Callback) error {
	u := update{field: in.Field, value: wire.EscapePHP(compactJSON(in.Value)), at: s.now().Unix()}
	send, err := s.sendTo(in.WABAID, in.PhoneNumberID, in.ToApp)
	if err != nil {
		return err
	}
	for range max(1, in.Copies) {
		send(u)
	}
	return nil
}

// sendTo finds the recipient of a change: a number's callback, an account's, or the app's.
func (s *Simulator) sendTo(waba, numberID string, app bool) (func(update), error) {
	switch {
	case app:
		return s.callbacks.toApp, nil
	case numberID != "":
		n, err := s.target(numberID, "")
		if err != nil {
			return nil, err
		}
		return func(u update) { s.callbacks.about(n, "", u) }, nil
	case waba != "":
		w := s.provisionWABA(waba, token{})
		if w == nil {
			return nil, fmt.Errorf("there is no account %s", waba)
		}
		return func(u update) { s.callbacks.aboutAccount(w, u) }, nil
	}
	return nil, errors.New("say whom it concerns: waba_id, phone_number_id or to_app")
}

func compactJSON(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func (s *Simulator) setToken(in control.Token) error {
	s.revokeToken(in.Token, in.Subcode)
	if in.Valid {
		s.addToken(in.Token)
	}
	return nil
}
