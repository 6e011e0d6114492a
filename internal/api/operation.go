package api

import (
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// operation is one method of one path: what it is called with, what it answers, what can go
// wrong. The first block is written where it is registered; the OpenAPI document is made of it.
type operation struct {
	method      string
	path        string
	id          string
	tag         string
	summary     string
	description string
	status      int         // of success; 200 when zero
	errors      []chat.Code // beyond those that follow from its kind
	open        bool        // no key needed
	always      bool        // answers also without the API on the plan, and when the subscription lapsed
	whole       bool        // a list that is not cut into pages unless the caller asks for it
	conditional bool        // carries an ETag, and answers 304 to a client that has this version
	platform    bool        // needs a plan with customers
	secret      bool        // the answer shows what is shown once: kept under an Idempotency-Key, it is sealed
	// inPath looks for what the path of a POST names, below its number if it has one; nil if that is
	// nothing. It is given the number's account.
	inPath func(*call, store.Reader, chat.Account) error

	input  *inputBinder
	handle func(*call) (answer, error)
}

// single is the envelope of one resource.
type single[T any] struct {
	Data      T      `json:"data"`
	RequestID string `json:"request_id" doc:"Equal to the X-Request-Id header."`
}

// page is the envelope of a list.
type page[T any] struct {
	Data       []T     `json:"data"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Pass it as cursor to get the next page. Null on the last page."`
	RequestID  string  `json:"request_id" doc:"Equal to the X-Request-Id header."`
}

const (
	defaultLimit = 25
	maxLimit     = 100
)

// read registers an operation that changes nothing.
func read[I, O any](a *API, op operation, fn func(c *call, in *I) (O, error)) {
	op.input = newInputBinder[I](a.document)
	op.handle = func(c *call) (answer, error) {
		var in I
		if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
			return answer{}, err
		}
		out, err := fn(c, &in)
		if err != nil {
			return answer{}, err
		}
		return op.success(c, out), nil
	}
	add[I, single[O]](a, &op)
}

// list registers an operation that answers with a page, newest first.
func list[I, V any](a *API, op operation, fetch func(c *call, in *I, p store.Page) (store.Slice[V], error)) {
	op.errors = append(op.errors, chat.CodeInvalidLimit, chat.CodeInvalidCursor)
	op.input = newInputBinder[I](a.document)
	op.handle = func(c *call) (answer, error) {
		var in I
		if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
			return answer{}, err
		}
		scope := cursorScope{orgID: c.key.Key.OrgID, list: op.id, filters: op.input.filters(c)}
		p, err := c.page(scope)
		if err != nil {
			return answer{}, err
		}
		slice, err := fetch(c, &in, p)
		if err != nil {
			return answer{}, err
		}
		out := page[V]{Data: slice.Rows, HasMore: slice.Next != nil, RequestID: c.id}
		if slice.Next != nil {
			next := a.cursors.encode(scope, *slice.Next)
			out.NextCursor = &next
		}
		if op.conditional && c.unchanged(pageETag(out)) {
			return answer{status: http.StatusNotModified}, nil
		}
		return answer{status: http.StatusOK, body: marshal(out)}, nil
	}
	add[I, page[V]](a, &op)
}

// pageETag is made of all that the page shows but the request's own id: rows come and go, and
// what is embedded in them changes, without a newer updated_at.
func pageETag[V any](p page[V]) string {
	p.RequestID = ""
	return weakETag(string(marshal(p)))
}

// viewEach turns the rows of a page into their views.
func viewEach[T, V any](s store.Slice[T], view func(T) V) store.Slice[V] {
	views := store.Slice[V]{Rows: make([]V, len(s.Rows)), Next: s.Next}
	for i, row := range s.Rows {
		views.Rows[i] = view(row)
	}
	return views
}

// page reads limit and cursor.
func (c *call) page(scope cursorScope) (store.Page, error) {
	query := c.query()
	p := store.Page{Limit: defaultLimit}
	if c.op.whole {
		p.Limit = math.MaxInt32
	}
	if limit, given := query.values["limit"]; given {
		n, err := strconv.Atoi(limit.text) // which one that cannot be decoded is not: it has a percent sign
		if err != nil || n < 1 || n > maxLimit {
			return p, &chat.Error{Code: chat.CodeInvalidLimit, Param: "limit", Message: "Must be a whole number from 1 to 100."}
		}
		p.Limit = n
	}
	if cursor, given := query.values["cursor"]; given {
		position, err := c.api.cursors.decode(scope, cursor.text)
		if err != nil {
			return p, err
		}
		p.After = &position
	}
	return p, nil
}

// write registers an operation that changes something, in the one transaction that fn is given.
// A POST honours Idempotency-Key: its answer commits with its effect.
func write[I, O any](a *API, op operation, fn func(tx *store.Tx, c *call, in *I) (O, error)) {
	writeAfter(a, op, func(*call, *I) error { return nil }, fn)
}

// writeAfter is write for an operation that asks the network first, before its transaction begins.
// A request that is repeated under its key gets the first answer, whatever the network says now.
func writeAfter[I, O any](a *API, op operation, ask func(c *call, in *I) error, fn func(tx *store.Tx, c *call, in *I) (O, error)) {
	op.input = newInputBinder[I](a.document)
	if op.method == http.MethodPatch {
		op.input.body.rule.someOf = true
	}
	op.handle = func(c *call) (answer, error) {
		body, err := op.input.readBody(c)
		if err != nil {
			return answer{}, err
		}
		var in I
		bindErr := op.input.bindWith(c, reflect.ValueOf(&in).Elem(), body)
		if bindErr == nil {
			bindErr = ask(c, &in)
		}
		run := func(tx *store.Tx) (answer, error) {
			if bindErr != nil {
				return answer{}, bindErr
			}
			out, err := fn(tx, c, &in)
			if err != nil {
				return answer{}, err
			}
			return op.success(c, out), nil
		}
		if c.hasIdempotencyKey() {
			return a.once(c, body, run)
		}
		if bindErr != nil {
			return answer{}, bindErr
		}
		return inTx(c, run)
	}
	add[I, single[O]](a, &op)
}

// flow registers an operation that calls the network, and so cannot be one transaction. fn is
// given none and runs its own, before and after the call.
func flow[I, O any](a *API, op operation, fn func(c *call, in *I) (O, error)) {
	op.input = newInputBinder[I](a.document)
	op.handle = func(c *call) (answer, error) {
		body, err := op.input.readBody(c)
		if err != nil {
			return answer{}, err
		}
		var in I
		bindErr := op.input.bindWith(c, reflect.ValueOf(&in).Elem(), body)
		return a.flowOnce(c, body, func() (answer, error) {
			if bindErr != nil {
				return answer{}, bindErr
			}
			out, err := fn(c, &in)
			if err != nil {
				return answer{}, err
			}
			return op.success(c, out), nil
		})
	}
	add[I, single[O]](a, &op)
}

// inSteps registers an operation on what a lot may belong to. some does it to a part of that, in a
// transaction of its own, until there is no more; fn does the rest, and the thing itself. One that is cut
// off has done a part: the next goes on.
func inSteps[I, O any](a *API, op operation, some func(tx *store.Tx, c *call, in *I, limit int) (int64, error), fn func(tx *store.Tx, c *call, in *I) (O, error)) {
	flow(a, op, func(c *call, in *I) (out O, err error) {
		steps := a.store.Steps()
		for more := true; more; {
			_, more, err = steps.Do(c.ctx, func(tx *store.Tx, limit int) (int64, error) { return some(tx, c, in, limit) })
			if err != nil {
				return out, err
			}
		}
		err = a.store.InTx(c.ctx, func(tx *store.Tx) (err error) {
			out, err = fn(tx, c, in)
			return err
		})
		return out, err
	})
}

func inTx(c *call, run func(*store.Tx) (answer, error)) (ans answer, err error) {
	err = c.api.store.InTx(c.ctx, func(tx *store.Tx) (err error) {
		ans, err = run(tx)
		return err
	})
	return ans, err
}

func (op *operation) success(c *call, data any) answer {
	status := op.status
	if status == 0 {
		status = http.StatusOK
	}
	return answer{status: status, envelope: single[any]{Data: data, RequestID: c.id}}
}

// add puts a finished operation into the router and the document.
func add[I, Envelope any](a *API, op *operation) {
	op.errors = append(op.errors, impliedErrors(op)...)
	slices.Sort(op.errors)
	op.errors = slices.Compact(op.errors)
	a.routes.add(op)
	a.document.add(op, reflect.TypeFor[Envelope]())
}

// impliedErrors are the codes that follow from what kind of operation it is.
func impliedErrors(op *operation) []chat.Code {
	// Any request can have a URL that is too long: that is an invalid value too.
	codes := []chat.Code{chat.CodeInternalError, chat.CodeServiceUnavailable, chat.CodeInvalidFieldValue}
	if !op.open {
		codes = append(codes, chat.CodeMissingAPIKey, chat.CodeInvalidAPIKey, chat.CodeRevokedAPIKey,
			chat.CodeExpiredAPIKey, chat.CodeOrganizationSuspended, chat.CodeRateLimitExceeded)
		if !op.always {
			codes = append(codes, chat.CodeFeatureNotAvailable, chat.CodeSubscriptionInactive)
		}
	}
	if op.platform {
		codes = append(codes, chat.CodeFeatureNotEntitled)
	}
	if op.method == http.MethodPost {
		// A body is read even where none is expected: it is part of what a key stands for.
		codes = append(codes, chat.CodeIdempotencyInProgress, chat.CodeIdempotencyKeyReuse, chat.CodePayloadTooLarge, chat.CodeInvalidJSON)
	}
	if strings.Contains(op.path, "{") {
		codes = append(codes, chat.CodeResourceNotFound)
	}
	if op.input.body != nil {
		codes = append(codes, chat.CodeInvalidJSON, chat.CodeMissingRequiredField,
			chat.CodePayloadTooLarge, chat.CodeUnsupportedMediaType)
	}
	return codes
}
