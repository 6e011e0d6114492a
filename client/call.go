package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// CallOption changes one call.
type CallOption func(*call)

// IdempotencyKey makes a POST safe to repeat by the caller as well: within 24 hours the same key and request
// get the first answer again. Without it the client makes a key for each call. Other methods ignore it.
func IdempotencyKey(key string) CallOption {
	return func(cl *call) {
		if !printable(key) || len(key) > 255 {
			cl.refuse("the idempotency key must be 1 to 255 printable ASCII characters")
		}
		cl.idempotencyKey = key
	}
}

// IfNoneMatch makes a read conditional: the call fails with ErrNotModified while the resource still has the
// version of etag, which Capture returned. An empty tag changes nothing. GetMessage and ListConversations
// support it.
func IfNoneMatch(etag string) CallOption { return func(cl *call) { cl.etag = etag } }

// Capture stores the answer's metadata. It is set even if the call fails, as long as there was an answer.
func Capture(r *Response) CallOption { return func(cl *call) { cl.captured = r } }

// Response is the metadata of an answer.
type Response struct {
	HTTPStatus int
	RequestID  string
	// Replayed reports that the answer was given before, under the same idempotency key.
	Replayed bool
	// ETag is the version of the resource; see IfNoneMatch.
	ETag string
	// RateLimit is nil if the answer does not have it.
	RateLimit *RateLimit
	// Attempts is the number of attempts.
	Attempts int
}

// RateLimit is the number of requests of a call's class, reads or writes, that the organization may make.
type RateLimit struct {
	PerMinute int
	Remaining int
	FullAt    time.Time // when the limit will be fully available again
}

// call is one call of an operation, including all attempts.
type call struct {
	method         string
	path           string // from /v1 on
	query          url.Values
	body           *body
	timeout        time.Duration
	idempotencyKey string
	etag           string
	captured       *Response
	err            error // found before anything was sent
	found          bool  // the answer is the address in Location
	location       string
	// unsure means that an attempt failed and may have had its effect.
	unsure bool
}

// body is the body of a call; open starts it anew for each attempt.
type body struct {
	contentType string
	length      int64 // -1: not known
	once        bool  // it cannot be opened again
	open        func() io.Reader
}

func (cl *call) refuse(reason string) {
	if cl.err == nil {
		cl.err = errors.New("client: " + reason)
	}
}

// newCall makes a call of the path with these segments. The segments are escaped, so that the caller's ids
// cannot change the path.
func newCall(method string, options []CallOption, segments ...string) *call {
	cl := &call{method: method}
	for _, s := range segments {
		if s == "" || s == "." || s == ".." {
			cl.refuse(fmt.Sprintf("%q is not an id", s))
		}
		cl.path += "/" + url.PathEscape(s)
	}
	for _, option := range options {
		option(cl)
	}
	if method == http.MethodPost && cl.idempotencyKey == "" {
		cl.idempotencyKey = rand.Text()
	}
	return cl
}

// withJSON gives the call a body.
func (cl *call) withJSON(v any) *call {
	text, err := json.Marshal(v)
	if err != nil {
		cl.refuse(err.Error())
	}
	cl.body = &body{
		contentType: "application/json", length: int64(len(text)),
		open: func() io.Reader { return bytes.NewReader(text) },
	}
	return cl
}

// request makes the HTTP request of one attempt.
func (c *Client) request(ctx context.Context, cl *call) (*http.Request, error) {
	target := c.base + cl.path
	if len(cl.query) > 0 {
		target += "?" + cl.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, cl.method, target, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", c.userAgent)
	if cl.method == http.MethodPost {
		r.Header.Set("Idempotency-Key", cl.idempotencyKey)
	}
	if cl.etag != "" {
		r.Header.Set("If-None-Match", cl.etag)
	}
	if b := cl.body; b != nil {
		r.Header.Set("Content-Type", b.contentType)
		r.ContentLength = b.length
		r.Body = io.NopCloser(b.open())
		if !b.once { // lets the transport try a fresh connection when a kept one turns out dead
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(b.open()), nil }
		}
	}
	return r, nil
}

// attempt makes the call once.
func (c *Client) attempt(ctx context.Context, cl *call, out any) error {
	if timeout := max(c.timeout, cl.timeout); c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	request, err := c.request(ctx, cl)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &networkError{err}
	}
	defer response.Body.Close()
	cl.note(response)
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return &networkError{fmt.Errorf("%s %q: the answer broke off: %w", cl.method, request.URL, err)}
	}
	if len(text) > maxAnswer {
		return fmt.Errorf("client: %s %s: the answer has no end", cl.method, cl.path)
	}
	return c.read(cl, response, text, out)
}

// read decodes the answer.
func (c *Client) read(cl *call, response *http.Response, text []byte, out any) error {
	switch status := response.StatusCode; {
	case status == http.StatusNotModified && cl.etag != "":
		return ErrNotModified
	case status == http.StatusFound && cl.found:
		cl.location = response.Header.Get("Location")
		return nil
	case status < 200 || status > 299:
		return newError(response, text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // metadata keeps numbers that a float64 cannot hold
	if c.strict {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(out); err != nil {
		return fmt.Errorf("client: %s %s: the answer is not the API's, is the base URL right? %w", cl.method, cl.path, err)
	}
	return nil
}

// note captures the headers of an answer.
func (cl *call) note(response *http.Response) {
	if cl.captured == nil {
		return
	}
	h := response.Header
	cl.captured.HTTPStatus = response.StatusCode
	cl.captured.RequestID = h.Get("X-Request-Id")
	cl.captured.Replayed = h.Get("Idempotent-Replayed") == "true"
	cl.captured.ETag = h.Get("ETag")
	cl.captured.RateLimit = rateLimitOf(h)
}

func rateLimitOf(h http.Header) *RateLimit {
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return nil
	}
	return &RateLimit{PerMinute: limit, Remaining: remaining, FullAt: time.Unix(reset, 0)}
}

// single is the envelope of one resource.
type single[T any] struct {
	Data      T      `json:"data"`
	RequestID string `json:"request_id"`
}

// one makes a call whose answer is one resource.
func one[T any](ctx context.Context, c *Client, cl *call) (*T, error) {
	var envelope single[T]
	if err := c.do(ctx, cl, &envelope); err != nil {
		return nil, err
	}
	return &envelope.Data, nil
}

// with adds a query.
func (cl *call) with(q query) *call {
	cl.query = url.Values(q)
	return cl
}

// remove makes a DELETE. If an earlier attempt may have worked although its answer was lost, a repetition that
// finds nothing counts as success.
func (c *Client) remove(ctx context.Context, cl *call, object, id string) (*Deleted, error) {
	deleted, err := one[Deleted](ctx, c, cl)
	if cl.unsure && IsCode(err, CodeResourceNotFound) {
		return &Deleted{ID: id, Object: object, Deleted: true}, nil
	}
	return deleted, err
}

// Deleted answers a call that deletes.
type Deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}
