package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// answer is the result of a call. Exactly one function writes it.
type answer struct {
	status      int
	body        []byte
	contentType string
	location    string        // for a redirect
	retryAfter  time.Duration // sent as a header if set
	abort       bool          // close the connection instead of answering
}

func ok(v any) answer { return jsonAnswer(http.StatusOK, v) }

func jsonAnswer(status int, v any) answer {
	body, err := json.Marshal(v)
	if err != nil { // all values are our own
		return answer{status: http.StatusInternalServerError, body: []byte(`{}`)}
	}
	return answer{status: status, body: body}
}

var success = answer{status: http.StatusOK, body: []byte(`{"success":true}`)}

type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Message   string     `json:"message"`
	Type      string     `json:"type"`
	Code      int        `json:"code"`
	Subcode   int        `json:"error_subcode,omitempty"`
	Data      *errorData `json:"error_data,omitempty"`
	UserTitle string     `json:"error_user_title,omitempty"`
	UserText  string     `json:"error_user_msg,omitempty"`
	Transient *bool      `json:"is_transient,omitempty"`
	Trace     string     `json:"fbtrace_id"`
}

type errorData struct {
	Product string `json:"messaging_product"`
	Details string `json:"details"`
}

func (s *Simulator) failure(e *wire.Error) answer {
	return jsonAnswer(e.Status, errorBody{s.errorObject(e)})
}

func (s *Simulator) errorObject(e *wire.Error) errorObject {
	o := errorObject{
		Message: e.Text(), Type: e.Kind, Code: e.Code, Subcode: e.Subcode, Transient: e.Transient,
		UserTitle: e.UserTitle, UserText: e.UserText, Trace: s.ids.Trace(),
	}
	if o.Type == "" {
		o.Type = "OAuthException"
	}
	if e.Details != "" {
		o.Data = &errorData{"whatsapp", e.Details}
	}
	return o
}

func (s *Simulator) write(w http.ResponseWriter, a answer) {
	if a.abort {
		dropConnection(w)
		return
	}
	h := w.Header()
	if a.contentType == "" {
		a.contentType = "application/json; charset=UTF-8"
	}
	h["Content-Type"] = []string{a.contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	h["X-Fb-Request-Id"] = []string{strconv.FormatUint(s.ids.Next(), 36)}
	h["Facebook-Api-Version"] = versionHeader
	if a.location != "" {
		h.Set("Location", a.location)
	}
	if a.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(a.retryAfter/time.Second)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may be gone
}

var versionHeader = []string{"v25.0"}

// dropConnection ends the request without an answer, as a crash on the way would.
func dropConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 has no connection that can be taken over
	}
	conn.Close()
}

var errTooLarge = errors.New("body too large")

// readBody reads at most limit bytes, with a single allocation if the length is announced.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	if r.ContentLength >= 0 {
		b := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, b)
		return b, err
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if int64(len(b)) > limit {
		return nil, errTooLarge
	}
	return b, err
}

// decode reads the parameters into v. A value of the wrong type is reported as the upstream does.
func (c *call) decode(v any) *wire.Error {
	sent, err := c.object()
	if err != nil {
		return err
	}
	c.sent, err = wire.DecodeParams(sent, v)
	return err
}

// object is the parameters as one JSON object: those of the body, plus those of the query that the body does not have.
// Values from a form or a query are strings.
func (c *call) object() ([]byte, *wire.Error) {
	body, err := readBody(c.Request, maxBody)
	if err != nil {
		return nil, wire.BadParam("The request body could not be read")
	}
	kind := c.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "application/x-www-form-urlencoded") || strings.HasPrefix(kind, "multipart/form-data") {
		form, err := wire.ReadForm(kind, body)
		if err != nil {
			return nil, wire.BadParam("The form could not be read")
		}
		body = wire.FormObject(form)
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		body = []byte("{}")
	}
	if c.URL.RawQuery == "" {
		return body, nil
	}
	return wire.AddParams(body, c.URL.Query()), nil
}
