package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// controlCall is a request to the control API: what a test or a person at the keyboard asks for.
type controlCall struct {
	*http.Request
	sim  *Simulator
	id   string // last part of the path, where the route has one
	body []byte
}

// controlHandler returns what to show as JSON. Errors are the caller's mistakes.
type controlHandler func(*controlCall) (any, error)

var errNotFound = errors.New("not found")

// controlRoutes is the whole control API; "*" is an id.
var controlRoutes = map[string]controlHandler{
	"POST inbound":        controlInbound,
	"POST taps":           controlTap,
	"POST statuses":       controlStatus,
	"POST callbacks":      controlCallback,
	"GET messages":        controlMessages,
	"GET messages/*":      controlMessage,
	"GET counters":        controlCounters,
	"GET faults":          controlGetFaults,
	"PUT faults":          controlSetFaults,
	"DELETE faults":       controlClearFaults,
	"GET faults/*":        controlGetFaults,
	"PUT faults/*":        controlSetFaults,
	"DELETE faults/*":     controlClearFaults,
	"GET numbers":         controlNumbers,
	"POST numbers":        controlAddNumber,
	"GET people":          controlPeople,
	"POST people":         controlAddPerson,
	"GET scripts":         controlScripts,
	"POST scripts":        controlAddScript,
	"DELETE scripts/*":    controlRemoveScript,
	"GET settings":        controlGetSettings,
	"PATCH settings":      controlSetSettings,
	"POST clock":          controlClock,
	"POST tokens":         controlToken,
	"POST reset":          controlReset,
	"POST windows":        controlWindow,
	"PATCH numbers/*":     controlSetNumber,
	"PATCH templates/*":   controlSetTemplate,
	"POST account_events": controlAccountEvent,
	"POST echoes":         controlEcho,
	"POST sync":           controlSync,
	"POST identity":       controlIdentity,
	"POST preferences":    controlPreference,
}

func (s *Simulator) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	if s.cfg.ControlToken != "" && bearer(r) != s.cfg.ControlToken {
		writeControl(w, http.StatusUnauthorized, map[string]string{"error": "send the control token as a bearer token"})
		return
	}
	if path == "" {
		writeControl(w, http.StatusOK, map[string]any{"controls": sortedKeys(controlRoutes)})
		return
	}
	c := &controlCall{Request: r, sim: s}
	handle, found := controlRoutes[r.Method+" "+path]
	if !found {
		parent, id, _ := strings.Cut(path, "/")
		c.id = id
		handle, found = controlRoutes[r.Method+" "+parent+"/*"]
	}
	if !found {
		writeControl(w, http.StatusNotFound, map[string]string{"error": "no such control: see docs/simulator.md"})
		return
	}
	body, err := readBody(r, 160*files.Mib)
	if err != nil {
		writeControl(w, http.StatusBadRequest, map[string]string{"error": "the body could not be read"})
		return
	}
	c.body = body
	answerControl(w, c, handle)
}

func answerControl(w http.ResponseWriter, c *controlCall, handle controlHandler) {
	v, err := handle(c)
	switch {
	case errors.Is(err, errNotFound):
		writeControl(w, http.StatusNotFound, map[string]string{"error": err.Error()})
	case err != nil:
		writeControl(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
	default:
		writeControl(w, http.StatusOK, v)
	}
}

func writeControl(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // the caller may be gone
}

// decode reads the body strictly: a misspelt field in a test should not pass unnoticed.
func (c *controlCall) decode(v any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("the body is not what this control takes: %w", err)
	}
	return nil
}

func (c *controlCall) limit() int {
	n, err := strconv.Atoi(c.URL.Query().Get("limit"))
	if err != nil || n <= 0 {
		return 100
	}
	return min(n, 100_000)
}

var done = map[string]bool{"success": true}

func controlInbound(c *controlCall) (any, error) {
	var in Inbound
	if err := json.Unmarshal(c.body, &in); err != nil {
		return nil, fmt.Errorf("the body is not an inbound message: %w", err)
	}
	ids, err := c.sim.Receive(in)
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
func controlStatus(c *controlCall) (any, error) {
	var in struct {
		MessageID string `json:"message_id"`
		Opaque    string `json:"biz_opaque_callback_data"`
		Status    string `json:"status"`
		Code      int    `json:"code"`
		Copies    int    `json:"copies"`
		Timestamp int64  `json:"timestamp"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	m := c.sim.findMessage(in.MessageID, in.Opaque)
	if m == nil || m.inbound {
		return nil, errNotFound
	}
	if in.Status == "" {
		return nil, errors.New("status is missing: sent, delivered, read, played, failed")
	}
	now := c.sim.now()
	m.move(in.Status, in.Code, now)
	at := now.Unix()
	if in.Timestamp != 0 {
		at = in.Timestamp
	}
	for range max(1, in.Copies) {
		c.sim.counters.status(in.Status)
		c.sim.callbacks.about(m.number, m.to.key(), update{number: m.number, msg: m, status: in.Status, code: in.Code, at: at, priced: in.Status == statusSent})
	}
	return done, nil
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

// controlCallback sends any change as it is given.
func controlCallback(c *controlCall) (any, error) {
	var in struct {
		Field         string          `json:"field"`
		Value         json.RawMessage `json:"value"`
		WABAID        string          `json:"waba_id"`
		PhoneNumberID string          `json:"phone_number_id"`
		Copies        int             `json:"copies"`
		ToApp         bool            `json:"to_app"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Field == "" || !wire.IsSet(in.Value) {
		return nil, errors.New("field and value are needed")
	}
	u := update{field: in.Field, value: wire.EscapePHP(compactJSON(in.Value)), at: c.sim.now().Unix()}
	send, err := c.sim.sendTo(in.WABAID, in.PhoneNumberID, in.ToApp)
	if err != nil {
		return nil, err
	}
	for range max(1, in.Copies) {
		send(u)
	}
	return done, nil
}

// sendTo finds who hears about a change: a number's callback, an account's, or the app's.
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

func controlClock(c *controlCall) (any, error) {
	var in struct {
		Advance duration `json:"advance"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Advance < 0 {
		return nil, errors.New("time only moves forward")
	}
	c.sim.skew.Add(int64(in.Advance))
	c.sim.Tick()
	return map[string]any{"now": c.sim.now().UTC().Format(time.RFC3339Nano)}, nil
}

func controlToken(c *controlCall) (any, error) {
	var in struct {
		Token   string `json:"token"`
		Subcode int    `json:"subcode"`
		Valid   bool   `json:"valid"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Token == "" || in.Subcode == 0 && !in.Valid {
		return nil, errors.New("token is needed, and either valid or the subcode it fails with: 463 expired, 467 revoked")
	}
	c.sim.RevokeToken(in.Token, in.Subcode)
	if in.Valid {
		c.sim.AddToken(in.Token)
	}
	return done, nil
}

func controlReset(c *controlCall) (any, error) {
	c.sim.Reset()
	return done, nil
}
