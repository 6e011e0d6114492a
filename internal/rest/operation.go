package rest

import (
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Operation is one method of one path: what it is called with, what it answers, what can go wrong. The
// OpenAPI document is made of it.
type Operation struct {
	Method      string
	Path        string
	ID          string
	Tag         string
	Summary     string
	Description string
	Status      int         // of success; 200 when zero
	Errors      []chat.Code // beyond those that follow from its kind
	Open        bool        // anybody may call it
	Always      bool        // answers also without the API on the plan, and when the subscription lapsed
	Whole       bool        // a list that is not cut into pages unless the caller asks for it
	Conditional bool        // carries an ETag, and answers 304 to a client that has this version
	Platform    bool        // needs a plan with customers
	Role        chat.Role   // the least that a user needs; without one it is for keys alone
	Keyless     bool        // takes no Idempotency-Key: its answer is of use to one request alone
	Secret      bool        // the answer shows what is shown once: kept under an Idempotency-Key, it is sealed
	// InPath looks for what the path of a POST names, below its number if it has one; nil if that is nothing.
	InPath func(*Call, store.Reader) error
	// RequestBody describes a body that is not JSON.
	RequestBody *huma.RequestBody
	// answers is the type of an answer that is not JSON.
	answers string

	input  *inputBinder
	handle func(*Call) (Answer, error)
}

// numbered tells whether an operation is one of a number's.
func (op *Operation) numbered() bool { return strings.HasPrefix(op.Path, "/{phone_number_id}/") }

// AccountPath is embedded, first, by the input of every operation under /{phone_number_id}.
type AccountPath struct {
	PhoneNumberID string `path:"phone_number_id" pattern:"^[0-9]{6,20}$" doc:"The business number, by the provider's id of it."`
}

// Single is the envelope of one resource.
type Single[T any] struct {
	Data      T      `json:"data"`
	RequestID string `json:"request_id" doc:"Equal to the X-Request-Id header."`
}

// Page is the envelope of a list.
type Page[T any] struct {
	Data       []T     `json:"data"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Pass it as cursor to get the next page. Null on the last page."`
	RequestID  string  `json:"request_id" doc:"Equal to the X-Request-Id header."`
}

const (
	// DefaultLimit is how many rows a page has where the caller does not say.
	DefaultLimit = 25
	maxLimit     = 100
)

// Read registers an operation that changes nothing.
func Read[I, O any](p Place, op Operation, fn func(c *Call, in *I) (O, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input = newInputBinder[I](s.document)
		op.handle = func(c *Call) (Answer, error) {
			var in I
			if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
				return Answer{}, err
			}
			return perform(c, c.Read(), func() (O, error) { return fn(c, &in) })
		}
		add[I, Single[O]](s, op)
	})
}

// perform finds the number that the path names, and does what an operation is for.
func perform[O any](c *Call, r store.Reader, fn func() (O, error)) (Answer, error) {
	if err := c.FindAccount(r); err != nil {
		return Answer{}, err
	}
	out, err := fn()
	if err != nil {
		return Answer{}, err
	}
	return c.Success(out), nil
}

// List registers an operation that answers with a page, newest first.
func List[I, V any](p Place, op Operation, fetch func(c *Call, in *I, p store.Page) (store.Slice[V], error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.Errors = append(op.Errors, chat.CodeInvalidLimit, chat.CodeInvalidCursor)
		op.input = newInputBinder[I](s.document)
		op.handle = func(c *Call) (Answer, error) {
			var in I
			if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
				return Answer{}, err
			}
			scope := cursorScope{orgID: c.OrgID(), list: op.ID, filters: op.input.filters(c)}
			p, err := c.page(scope)
			if err != nil {
				return Answer{}, err
			}
			if err := c.FindAccount(c.Read()); err != nil {
				return Answer{}, err
			}
			slice, err := fetch(c, &in, p)
			if err != nil {
				return Answer{}, err
			}
			out := Page[V]{Data: slice.Rows, HasMore: slice.Next != nil, RequestID: c.ID}
			if slice.Next != nil {
				next := s.cursors.encode(scope, *slice.Next)
				out.NextCursor = &next
			}
			if op.Conditional && c.Unchanged(pageETag(out)) {
				return Answer{status: http.StatusNotModified}, nil
			}
			return Answer{status: http.StatusOK, body: Marshal(out)}, nil
		}
		add[I, Page[V]](s, op)
	})
}

// pageETag is made of all that the page shows but the request's own id: rows come and go, and
// what is embedded in them changes, without a newer updated_at.
func pageETag[V any](p Page[V]) string {
	p.RequestID = ""
	return WeakETag(string(Marshal(p)))
}

// ViewEach turns the rows of a page into their views.
func ViewEach[T, V any](s store.Slice[T], view func(T) V) store.Slice[V] {
	views := store.Slice[V]{Rows: make([]V, len(s.Rows)), Next: s.Next}
	for i, row := range s.Rows {
		views.Rows[i] = view(row)
	}
	return views
}

// Page reads limit and cursor of an operation that is no list, and yet goes on from where it was.
func (c *Call) Page() (store.Page, error) { return c.page(c.scope()) }

// Cursor is a position for the caller to go on from.
func (c *Call) Cursor(p store.Position) string { return c.surface.cursors.encode(c.scope(), p) }

func (c *Call) scope() cursorScope { return cursorScope{orgID: c.OrgID(), list: c.op.ID} }

// page reads limit and cursor.
func (c *Call) page(scope cursorScope) (store.Page, error) {
	query := c.query()
	p := store.Page{Limit: DefaultLimit}
	if c.op.Whole {
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
		position, err := c.surface.cursors.decode(scope, cursor.text)
		if err != nil {
			return p, err
		}
		p.After = &position
	}
	return p, nil
}

// Write registers an operation that changes something, in the one transaction that fn is given.
// A POST honours Idempotency-Key: its answer commits with its effect.
func Write[I, O any](p Place, op Operation, fn func(tx *store.Tx, c *Call, in *I) (O, error)) {
	WriteAfter(p, op, func(*Call, *I) error { return nil }, fn)
}

// WriteAfter is Write for an operation that asks the network first, before its transaction begins.
// A request that is repeated under its key gets the first answer, whatever the network says now.
func WriteAfter[I, O any](p Place, op Operation, ask func(c *Call, in *I) error, fn func(tx *store.Tx, c *Call, in *I) (O, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input = newInputBinder[I](s.document)
		if op.Method == http.MethodPatch {
			op.input.body.rule.someOf = true
		}
		op.handle = func(c *Call) (Answer, error) {
			body, err := op.input.readBody(c)
			if err != nil {
				return Answer{}, err
			}
			var in I
			bindErr := op.input.bindWith(c, reflect.ValueOf(&in).Elem(), body)
			if bindErr == nil {
				bindErr = ask(c, &in)
			}
			run := func(tx *store.Tx) (Answer, error) {
				if bindErr != nil {
					return Answer{}, bindErr
				}
				return perform(c, tx.Reader, func() (O, error) { return fn(tx, c, &in) })
			}
			if c.HasIdempotencyKey() {
				return c.Once(body, run)
			}
			if bindErr != nil {
				return Answer{}, bindErr
			}
			return c.InTx(run)
		}
		add[I, Single[O]](s, op)
	})
}

// Flow registers an operation that calls the network, and so cannot be one transaction. fn is
// given none and runs its own, before and after the call.
func Flow[I, O any](p Place, op Operation, fn func(c *Call, in *I) (O, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input = newInputBinder[I](s.document)
		op.handle = func(c *Call) (Answer, error) {
			body, err := op.input.readBody(c)
			if err != nil {
				return Answer{}, err
			}
			var in I
			bindErr := op.input.bindWith(c, reflect.ValueOf(&in).Elem(), body)
			return c.FlowOnce(body, func() (Answer, error) {
				if bindErr != nil {
					return Answer{}, bindErr
				}
				return perform(c, c.Read(), func() (O, error) { return fn(c, &in) })
			})
		}
		add[I, Single[O]](s, op)
	})
}

// InSteps registers an operation on what a lot may belong to. some does it to a part of that, in a
// transaction of its own, until there is no more; fn does the rest, and the thing itself. One that is cut
// off has done a part: the next goes on.
func InSteps[I, O any](p Place, op Operation, some func(tx *store.Tx, c *Call, in *I, limit int) (int64, error), fn func(tx *store.Tx, c *Call, in *I) (O, error)) {
	Flow(p, op, func(c *Call, in *I) (out O, err error) {
		steps := c.surface.store.Steps()
		for more := true; more; {
			_, more, err = steps.Do(c.Ctx, func(tx *store.Tx, limit int) (int64, error) {
				if err := c.FindAccount(tx.Reader); err != nil {
					return 0, err
				}
				return some(tx, c, in, limit)
			})
			if err != nil {
				return out, err
			}
		}
		err = c.surface.store.InTx(c.Ctx, func(tx *store.Tx) (err error) {
			if err := c.FindAccount(tx.Reader); err != nil {
				return err
			}
			out, err = fn(tx, c, in)
			return err
		})
		return out, err
	})
}

// Custom registers an operation that decides for itself how it is done. It is given its input, the body, and
// what is wrong with them: a request that is repeated under its key gets the first answer all the same.
func Custom[I, O any](p Place, op Operation, fn func(c *Call, in *I, body []byte, wrong error) (Answer, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input = newInputBinder[I](s.document)
		op.handle = func(c *Call) (Answer, error) {
			body, err := op.input.readBody(c)
			if err != nil {
				return Answer{}, err
			}
			var in I
			return fn(c, &in, body, op.input.bindWith(c, reflect.ValueOf(&in).Elem(), body))
		}
		add[I, Single[O]](s, op)
	})
}

// Received is a body that is not JSON.
type Received[T any] struct {
	Value T
	// Fingerprint stands for the body under an Idempotency-Key.
	Fingerprint string
	// Discard undoes the reception where nothing came of it.
	Discard func()
}

// Receive registers an operation whose body is not JSON: receive reads it, fn records it in a transaction.
func Receive[I, T, O any](p Place, op Operation, receive func(*Call) (Received[T], error), fn func(tx *store.Tx, c *Call, value T) (O, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input = newInputBinder[I](s.document)
		op.handle = func(c *Call) (Answer, error) {
			var in I
			if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
				return Answer{}, err
			}
			if err := c.FindAccount(c.Read()); err != nil {
				return Answer{}, err
			}
			got, err := receive(c)
			if err != nil {
				return Answer{}, err
			}
			recorded := false
			defer func() {
				if !recorded {
					got.Discard()
				}
			}()
			run := func(tx *store.Tx) (Answer, error) {
				out, err := fn(tx, c, got.Value)
				if err != nil {
					return Answer{}, err
				}
				tx.AfterCommit(func() { recorded = true })
				return c.Success(out), nil
			}
			if c.HasIdempotencyKey() {
				return c.Once([]byte(got.Fingerprint), run)
			}
			return c.InTx(run)
		}
		add[I, Single[O]](s, op)
	})
}

// add puts a finished operation into the router and the document.
func add[I, Envelope any](s *Surface, op *Operation) {
	op.Errors = append(op.Errors, impliedErrors(op)...)
	op.Errors = append(op.Errors, s.authority.Errors(op)...)
	slices.Sort(op.Errors)
	op.Errors = slices.Compact(op.Errors)
	s.routes.add(op)
	s.document.add(op, reflect.TypeFor[Envelope]())
}

// takesKeys tells whether a POST can be done once under a key. A stranger's answer would be kept for nobody.
func (op *Operation) takesKeys() bool { return !op.Open && !op.Keyless }

// impliedErrors are the codes that follow from what kind of operation it is.
func impliedErrors(op *Operation) []chat.Code {
	// Any request can have a URL that is too long: that is an invalid value too.
	codes := []chat.Code{chat.CodeInternalError, chat.CodeServiceUnavailable, chat.CodeInvalidFieldValue}
	if op.Method == http.MethodPost && !op.takesKeys() {
		codes = append(codes, chat.CodePayloadTooLarge, chat.CodeInvalidJSON)
	} else if op.Method == http.MethodPost {
		// A body is read even where none is expected: it is part of what a key stands for.
		codes = append(codes, chat.CodeIdempotencyInProgress, chat.CodeIdempotencyKeyReuse, chat.CodePayloadTooLarge, chat.CodeInvalidJSON)
	}
	if strings.Contains(op.Path, "{") {
		codes = append(codes, chat.CodeResourceNotFound)
	}
	if op.input.body != nil {
		codes = append(codes, chat.CodeInvalidJSON, chat.CodeMissingRequiredField,
			chat.CodePayloadTooLarge, chat.CodeUnsupportedMediaType)
	}
	return codes
}
