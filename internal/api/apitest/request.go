package apitest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Request is a request to the API.
type Request struct {
	Method string // GET when empty
	Path   string // from the root, with the query
	Key    string // sent as the bearer key; none when empty
	Header http.Header
	Body   string
	// Stream, if set, is sent instead of Body, without a length and thus in chunks.
	Stream io.Reader
}

// Response is an answer that has passed the document's check.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	Closed bool // the server closes the connection
}

// Do sends a request and checks the answer against the document.
func (s *Server) Do(t testing.TB, r Request) *Response {
	t.Helper()
	response, err := s.Try(t, t.Context(), r)
	must(t, err)
	return response
}

// Try is Do for a request that may get no answer.
func (s *Server) Try(t testing.TB, ctx context.Context, r Request) (*Response, error) {
	t.Helper()
	request, err := s.newRequest(ctx, r)
	must(t, err)
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	s.document.Require(t, Exchange{
		Method: request.Method, Target: r.Path, Sent: request.Header,
		Status: answer.StatusCode, Header: answer.Header, Body: body,
	})
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body, Closed: answer.Close}, nil
}

func (s *Server) newRequest(ctx context.Context, r Request) (*http.Request, error) {
	body := r.Stream
	if body == nil && r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, s.URL+r.Path, body)
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if r.Key != "" {
		request.Header.Set("Authorization", "Bearer "+r.Key)
	}
	return request, nil
}

// Decode decodes the whole body.
func (r *Response) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Body, into); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
}

// Data decodes the "data" of a success.
func (r *Response) Data(t testing.TB, into any) {
	t.Helper()
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
}

// Failure is the error of a response.
type Failure struct {
	Type, Code, Message, Param string
}

// Failure decodes the error; a success has none.
func (r *Response) Failure(t testing.TB) Failure {
	t.Helper()
	var envelope struct{ Error Failure }
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	return envelope.Error
}

// RequireStatus fails the test unless the response has the status.
func (r *Response) RequireStatus(t testing.TB, status int) *Response {
	t.Helper()
	if r.Status != status {
		t.Fatalf("got %d %s, want %d", r.Status, r.Body, status)
	}
	return r
}

// RequireFailure fails the test unless the response is this error, with its status.
func (r *Response) RequireFailure(t testing.TB, code, param string) *Response {
	t.Helper()
	if got := r.Failure(t); got.Code != code || got.Param != param || r.Status != codeOf(code).Status {
		t.Fatalf("got %d %s, want %d %s with param %q", r.Status, r.Body, codeOf(code).Status, code, param)
	}
	return r
}
