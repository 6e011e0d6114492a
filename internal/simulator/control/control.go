// Package control is the API for steering a simulator, by a test or a person at the keyboard: JSON in, JSON out, and a
// sentence if something is wrong.
package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxBody is more than the largest file that can be sent, encoded as base64.
const maxBody = 160 << 20

// ErrNotFound means that something named in a call does not exist.
var ErrNotFound = errors.New("not found")

// Done is the answer to a call without a result.
var Done = map[string]bool{"success": true}

// Call is a request.
type Call struct {
	*http.Request
	ID   string // the last part of the path, if the control has one
	Body []byte
}

// Handler returns the value to show as JSON. Errors are the caller's mistakes.
type Handler func(*Call) (any, error)

// Take makes a control of a function that takes a body and has a result.
func Take[Body any](handle func(Body) (any, error)) Handler {
	return func(c *Call) (any, error) {
		body, err := Decode[Body](c)
		if err != nil {
			return nil, err
		}
		return handle(body)
	}
}

// Do makes a control of a function that takes a body and has no result.
func Do[Body any](do func(Body) error) Handler {
	return Take(func(body Body) (any, error) { return Done, do(body) })
}

// Table has the controls by method and path; "*" is an id.
type Table map[string]Handler

// Serve answers a request for the control at a path; the empty path lists them.
func (t Table) Serve(w http.ResponseWriter, r *http.Request, path string) {
	if path == "" {
		write(w, http.StatusOK, map[string]any{"controls": slices.Sorted(maps.Keys(t))})
		return
	}
	c := &Call{Request: r}
	handle, found := t[r.Method+" "+path]
	if !found {
		parent, id, _ := strings.Cut(path, "/")
		c.ID = id
		handle, found = t[r.Method+" "+parent+"/*"]
	}
	if !found {
		Refuse(w, http.StatusNotFound, "no such control: see docs/simulator.md")
		return
	}
	var err error
	if c.Body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		Refuse(w, http.StatusBadRequest, "the body could not be read")
		return
	}
	v, err := handle(c)
	switch {
	case errors.Is(err, ErrNotFound):
		Refuse(w, http.StatusNotFound, err.Error())
	case err != nil:
		Refuse(w, http.StatusBadRequest, err.Error())
	default:
		write(w, http.StatusOK, v)
	}
}

// Refuse says what is wrong.
func Refuse(w http.ResponseWriter, status int, why string) {
	write(w, status, map[string]string{"error": why})
}

// write answers with a value.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // the caller may be gone
}

// Decode reads the body strictly, so that a misspelt field in a test does not pass unnoticed, and checks it.
func Decode[Body any](c *Call) (body Body, err error) {
	if len(bytes.TrimSpace(c.Body)) > 0 {
		d := json.NewDecoder(bytes.NewReader(c.Body))
		d.DisallowUnknownFields()
		if err := d.Decode(&body); err != nil {
			return body, fmt.Errorf("the body is not what this control takes: %w", err)
		}
	}
	if checked, can := any(body).(interface{ check() error }); can {
		err = checked.check()
	}
	return body, err
}

// Limit is how many items are asked for.
func (c *Call) Limit() int {
	n, err := strconv.Atoi(c.URL.Query().Get("limit"))
	if err != nil || n <= 0 {
		return 100
	}
	return min(n, 100_000)
}
