package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/simulator/control"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// controls is the whole control API.
func (s *Simulator) controls() control.Table {
	return control.Table{
		"POST inbound":        s.controlInbound,
		"POST taps":           s.controlTap,
		"POST statuses":       s.controlStatus,
		"POST callbacks":      s.controlCallback,
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
		"POST numbers":        s.controlAddNumber,
		"GET people":          s.controlPeople,
		"POST people":         s.controlAddPerson,
		"GET scripts":         s.controlScripts,
		"POST scripts":        s.controlAddScript,
		"DELETE scripts/*":    s.controlRemoveScript,
		"GET settings":        s.controlGetSettings,
		"PATCH settings":      s.controlSetSettings,
		"POST clock":          s.controlClock,
		"POST tokens":         s.controlToken,
		"POST reset":          s.controlReset,
		"POST windows":        s.controlWindow,
		"PATCH numbers/*":     s.controlSetNumber,
		"PATCH templates/*":   s.controlSetTemplate,
		"POST account_events": s.controlAccountEvent,
		"POST echoes":         s.controlEcho,
		"POST sync":           s.controlSync,
		"POST identity":       s.controlIdentity,
		"POST preferences":    s.controlPreference,
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

// controlStatus sends a status of a message out of turn.
func (s *Simulator) controlStatus(c *control.Call) (any, error) {
	var in struct {
		MessageID string `json:"message_id"`
		Opaque    string `json:"biz_opaque_callback_data"`
		Status    string `json:"status"`
		Code      int    `json:"code"`
		Copies    int    `json:"copies"`
		Timestamp int64  `json:"timestamp"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	m := s.findMessage(in.MessageID, in.Opaque)
	if m == nil || m.inbound {
		return nil, control.ErrNotFound
	}
	if in.Status == "" {
		return nil, errors.New("status is missing: sent, delivered, read, played, failed")
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
	return control.Done, nil
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

// controlCallback sends any given change unaltered.
func (s *Simulator) controlCallback(c *control.Call) (any, error) {
	var in struct {
		Field         string          `json:"field"`
		Value         json.RawMessage `json:"value"`
		WABAID        string          `json:"waba_id"`
		PhoneNumberID string          `json:"phone_number_id"`
		Copies        int             `json:"copies"`
		ToApp         bool            `json:"to_app"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Field == "" || !wire.IsSet(in.Value) {
		return nil, errors.New("field and value are needed")
	}
	u := update{field: in.Field, value: wire.EscapePHP(compactJSON(in.Value)), at: s.now().Unix()}
	send, err := s.sendTo(in.WABAID, in.PhoneNumberID, in.ToApp)
	if err != nil {
		return nil, err
	}
	for range max(1, in.Copies) {
		send(u)
	}
	return control.Done, nil
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

func (s *Simulator) controlClock(c *control.Call) (any, error) {
	var in struct {
		Advance duration `json:"advance"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Advance < 0 {
		return nil, errors.New("time only moves forward")
	}
	s.skew.Add(int64(in.Advance))
	s.Tick()
	return map[string]any{"now": s.now().UTC().Format(time.RFC3339Nano)}, nil
}

func (s *Simulator) controlToken(c *control.Call) (any, error) {
	var in struct {
		Token   string `json:"token"`
		Subcode int    `json:"subcode"`
		Valid   bool   `json:"valid"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Token == "" || in.Subcode == 0 && !in.Valid {
		return nil, errors.New("token is needed, and either valid or the subcode it fails with: 463 expired, 467 revoked")
	}
	s.revokeToken(in.Token, in.Subcode)
	if in.Valid {
		s.addToken(in.Token)
	}
	return control.Done, nil
}

func (s *Simulator) controlReset(c *control.Call) (any, error) {
	s.Reset()
	return control.Done, nil
}
