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

// Operation is one method of one path, with its input, its answer and its errors. The OpenAPI document is
// generated from it.
type Operation struct {
	Method      string
	Path        string
	ID          string
	Tag         string
	Summary     string
	Description string
	Status      int         // on success; 0 means 200
	Errors      []chat.Code // beyond those that follow from its kind
	Open        bool        // needs no authentication
	Always      bool        // allowed without the API on the plan and after the subscription lapsed
	Whole       bool        // returns the whole list unless the caller asks for pages
	Conditional bool        // sends an ETag, and 304 to a client that has this version
	Platform    bool        // needs a plan with customers
	Role        chat.Role   // the least role of a user; without one only keys may call it
	Everybody   bool        // shows or changes any people of a number: not for users who see only what is assigned to them
	Keyless     bool        // takes no Idempotency-Key, because its answer is of no use to a repetition
	Secret      bool        // the answer contains a secret, so it is stored sealed under an Idempotency-Key
	// InPath loads the objects that a POST's path names below its number; nil if there are none.
	InPath func(*Call, store.Reader) error
	// RequestBody describes a body that is not JSON.
	RequestBody *huma.RequestBody
	// answers is the type of an answer that is not JSON.
	answers string

	input  *inputBinder
	handle func(*Call) (Answer, error)
}

// numbered reports whether the operation is under a number's path.
func (op *Operation) numbered() bool { return strings.HasPrefix(op.Path, "/{phone_number_id}/") }

// ofPerson reports whether the path names somebody below a number. Whoever sees that person may not see the number.
func (op *Operation) ofPerson() bool { return strings.Contains(op.Path, "/contacts/{") }

// AccountPath is embedded first in the input of every operation under /{phone_number_id}.
type AccountPath struct {
	PhoneNumberID string `path:"phone_number_id" pattern:"^[0-9]{6,20}$" doc:"The business number's phone_number_id, as GET /accounts lists it."`
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
	// DefaultLimit is the number of rows on a page unless the caller asks for another.
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

// perform loads the number that the path names and runs the operation.
func perform[O any](c *Call, r store.Reader, fn func() (O, error)) (Answer, error) {
	if c.foresight.Thread == (store.ThreadKey{}) || !c.found { // reading it once more would divide a group into as many journeys as it has members
		if err := c.FindAccount(r); err != nil {
			return Answer{}, err
		}
	}
	out, err := fn()
	if err != nil {
		return Answer{}, err
	}
	return c.Success(out), nil
}

// List registers an operation that answers with a page of a list.
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

// pageETag hashes everything on the page except the request's id. Rows come and go, and embedded objects
// change, without a newer updated_at.
func pageETag[V any](p Page[V]) string {
	p.RequestID = ""
	return WeakETag(string(Marshal(p)))
}

// ViewEach converts the rows of a page to their views.
func ViewEach[T, V any](s store.Slice[T], view func(T) V) store.Slice[V] {
	views := store.Slice[V]{Rows: make([]V, len(s.Rows)), Next: s.Next}
	for i, row := range s.Rows {
		views.Rows[i] = view(row)
	}
	return views
}

// Page reads limit and cursor for an operation that is not a list but continues from a position.
func (c *Call) Page() (store.Page, error) { return c.page(c.scope()) }

// Cursor is the cursor of a position.
func (c *Call) Cursor(p store.Position) string { return c.surface.cursors.encode(c.scope(), p) }

func (c *Call) scope() cursorScope { return cursorScope{orgID: c.OrgID(), list: c.op.ID} }

// page reads limit and cursor.
func (c *Call) page(scope cursorScope) (store.Page, error) {
	query := c.query()
	p := store.Page{Limit: DefaultLimit}
	if c.op.Whole {
		p.Limit = math.MaxInt32
	}
	limit, given := query.values["limit"]
	if err := limit.once(chat.CodeInvalidLimit, "limit"); err != nil {
		return p, err
	}
	if given {
		n, err := strconv.Atoi(limit.text) // a value that cannot be decoded has a percent sign, so it is no number
		if err != nil || n < 1 || n > maxLimit {
			return p, &chat.Error{Code: chat.CodeInvalidLimit, Param: "limit", Message: "Must be a whole number from 1 to 100."}
		}
		p.Limit = n
	}
	cursor, given := query.values["cursor"]
	if err := cursor.once(chat.CodeInvalidCursor, "cursor"); err != nil {
		return p, err
	}
	if given {
		position, err := c.surface.cursors.decode(scope, cursor.text)
		if err != nil {
			return p, err
		}
		p.After = &position
	}
	return p, nil
}

// Write registers an operation that changes something in the one transaction that fn gets. A POST honours
// Idempotency-Key: its answer commits with its effect.
func Write[I, O any](p Place, op Operation, fn func(tx *store.Tx, c *Call, in *I) (O, error)) {
	WriteAfter(p, op, func(*Call, *I) error { return nil }, fn)
}

// WriteAfter is Write for an operation that asks first, the network for instance, before its transaction begins. A
// repetition under the same key gets the first answer, whatever is found now.
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
			return c.WriteOnce(body, bindErr, func(tx *store.Tx) (Answer, error) {
				return perform(c, tx.Reader, func() (O, error) { return fn(tx, c, &in) })
			})
		}
		add[I, Single[O]](s, op)
	})
}

// Flow registers an operation that calls the network, and therefore cannot be one transaction. fn runs its own
// transactions before and after the network call.
func Flow[I, O any](p Place, op Operation, fn func(c *Call, in *I) (O, error)) {
	Custom[I, O](p, op, func(c *Call, in *I, body []byte, wrong error) (Answer, error) {
		return c.FlowOnce(body, func() (Answer, error) {
			if wrong != nil {
				return Answer{}, wrong
			}
			return perform(c, c.Read(), func() (O, error) { return fn(c, in) })
		})
	})
}

// InSteps registers an operation on an object with many dependent rows. some handles a part of them in a
// transaction of its own, until none are left; fn then handles the rest and the object. If the request is cut
// off, the next one continues.
func InSteps[I, O any](p Place, op Operation, some func(tx *store.Tx, c *Call, in *I, limit int) (int64, error), fn func(tx *store.Tx, c *Call, in *I) (O, error)) {
	InStepsAfter(p, op, func(*Call, *I) error { return nil }, some, fn)
}

// InStepsAfter is InSteps for an operation that asks first, as with WriteAfter.
func InStepsAfter[I, O any](p Place, op Operation, ask func(c *Call, in *I) error, some func(tx *store.Tx, c *Call, in *I, limit int) (int64, error),
	fn func(tx *store.Tx, c *Call, in *I) (O, error)) {
	Flow(p, op, func(c *Call, in *I) (out O, err error) {
		if err := ask(c, in); err != nil {
			return out, err
		}
		step := c.Steps()
		for more := true; more; {
			more, err = step(func(tx *store.Tx, limit int) (int64, error) {
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

// Custom registers an operation that controls its own execution. It gets its input, the body, and the error in
// them, if any: a repetition under the same key gets the first answer even then.
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

// Received is a body that is not JSON, after it was read.
type Received[T any] struct {
	Value T
	// Fingerprint identifies the body under an Idempotency-Key.
	Fingerprint string
	// Discard deletes the received data if the operation fails.
	Discard func()
}

// Receive registers an operation whose body is not JSON. receive reads it, and fn records it in a transaction.
func Receive[I, T, O any](p Place, op Operation, receive func(*Call) (Received[T], error), fn func(tx *store.Tx, c *Call, value T) (O, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input = newInputBinder[I](s.document)
		op.handle = func(c *Call) (ans Answer, err error) {
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
				if !recorded && !store.Unsure(err) { // a row that was written all the same would have lost its bytes
					got.Discard()
				}
			}()
			return c.WriteOnce([]byte(got.Fingerprint), nil, func(tx *store.Tx) (Answer, error) {
				out, err := fn(tx, c, got.Value)
				if err != nil {
					return Answer{}, err
				}
				tx.AfterCommit(func() { recorded = true })
				return c.Success(out), nil
			})
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

// takesKeys reports whether a POST accepts an Idempotency-Key. Open operations do not, because there is no
// caller to store the answer for.
func (op *Operation) takesKeys() bool { return !op.Open && !op.Keyless }

// impliedErrors are the codes that follow from the operation's kind.
func impliedErrors(op *Operation) []chat.Code {
	// Any request can have a URL that is too long, which is an invalid value as well.
	codes := []chat.Code{chat.CodeInternalError, chat.CodeServiceUnavailable, chat.CodeInvalidFieldValue}
	if op.Method == http.MethodPost && !op.takesKeys() {
		codes = append(codes, chat.CodePayloadTooLarge, chat.CodeInvalidJSON)
	} else if op.Method == http.MethodPost {
		// A body is read even where none is expected, because it is part of the key's fingerprint.
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
