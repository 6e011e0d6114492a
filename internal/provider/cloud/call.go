package cloud

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/parleyhq/parley/internal/provider"
)

// get reads an object of the API, path relative to the base.
func (c *Client) get(ctx context.Context, token, path string) (node, error) {
	req, err := http.NewRequest(http.MethodGet, c.prefix+path, http.NoBody)
	if err != nil {
		return node{}, unsendable(err)
	}
	return c.call(ctx, token, req)
}

func (c *Client) post(ctx context.Context, token, path string, body []byte) (node, error) {
	req, err := http.NewRequest(http.MethodPost, c.prefix+path, bytes.NewReader(body))
	if err != nil {
		return node{}, unsendable(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return c.call(ctx, token, req)
}

// command posts a call whose answer is only success or failure.
func (c *Client) command(ctx context.Context, token, path string, body []byte) error {
	return succeeded(c.post(ctx, token, path, body))
}

// succeeded is the result of such a call.
func succeeded(answer node, err error) error {
	if err == nil && answer.get("success").kind() == 'f' {
		return &provider.Error{HTTPStatus: http.StatusOK, Message: "The network did not carry out the call"}
	}
	return err
}

// call makes a request within the client's time limit and returns the answer's object.
func (c *Client) call(ctx context.Context, token string, req *http.Request) (node, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return c.exchange(ctx, token, req)
}

func (c *Client) exchange(ctx context.Context, token string, req *http.Request) (node, error) {
	return c.exchangeUpTo(ctx, token, req, maxAnswer)
}

func (c *Client) exchangeUpTo(ctx context.Context, token string, req *http.Request, limit int64) (node, error) {
	res, err := c.do(ctx, token, req)
	if err != nil {
		return node{}, err
	}
	defer res.Body.Close()
	body, err := readCapped(res.Body, limit)
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return node{}, refusal(res, body, err == nil)
	}
	if err != nil {
		return node{}, lost(cmp.Or(gaveUp(ctx), err))
	}
	answer, err := parse(body)
	if err != nil || !answer.isObject() {
		return node{}, unreadable(res.StatusCode, err)
	}
	if answer.get("error").isObject() { // sometimes sent with status 200
		return node{}, refusal(res, body, true)
	}
	return answer, nil
}

// do sends a request and returns when the answer's header is there, or an *Error that says whether the request
// may have arrived.
func (c *Client) do(ctx context.Context, token string, req *http.Request) (*http.Response, error) {
	var state sending
	req = req.WithContext(httptrace.WithClientTrace(ctx, state.trace()))
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("User-Agent", c.userAgent)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unanswered(ctx, err, state.mayHaveArrived())
	}
	return res, nil
}

// sending tracks whether a request may have arrived. It counts as arrived once there is a connection to write
// to, because the report of a finished write can come later than a failure that followed it. Only a write that
// is known to have failed takes that back: half a request is not carried out.
type sending struct{ begun atomic.Bool }

func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { s.begun.Store(true) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err != nil {
				s.begun.Store(false)
			}
		},
	}
}

func (s *sending) mayHaveArrived() bool { return s.begun.Load() }

func readCapped(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = errTooLarge
	}
	return body, err
}

// unsendable is the error of a call that cannot be made; a retry would not help.
func unsendable(err error) *provider.Error {
	return &provider.Error{Message: "The request could not be made", Cause: err}
}
