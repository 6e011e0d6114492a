package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// Call is one request to a surface.
type Call struct {
	W   http.ResponseWriter
	R   *http.Request
	Ctx context.Context
	// ID is the request id, which support asks for.
	ID     string
	Caller Caller
	// Account is the number that the path names, where it names one.
	Account chat.Account
	// Failure is the error of the answer. Made is the id of the object that a successful POST answered with.
	// Both are for Record.
	Failure *chat.Error
	Made    string
	// FileName is what a download is called instead of its operation's usual name.
	FileName string

	surface   *Surface
	op        *Operation
	path      pathValues
	parsed    *query
	text      []byte          // the text of the body
	foresight store.Foresight // the rows its transaction will read, as far as they are known
	start     time.Time
	known     bool         // the caller is authenticated and admitted
	asked     store.Moment // when the caller was authenticated
	limited   bool         // the rate limit headers are set
	paid      bool         // it took a token
	found     bool         // the path's number has been loaded

	cancel   context.CancelFunc // of Ctx
	inFlight bool               // it holds a slot
	ofOrg    bool               // it holds a slot of its organization
	held     int                // counted bytes of its body
}

// OrgID is the caller's organization.
func (c *Call) OrgID() string { return c.Caller.Organization.ID }

// Operation is the called operation, or nil if the path has none.
func (c *Call) Operation() *Operation { return c.op }

// Read reads from the store within the call's context.
func (c *Call) Read() store.Reader { return c.surface.store.Read(c.Ctx) }

// Now is the store's clock.
func (c *Call) Now() time.Time { return c.surface.store.Now() }

// Body is the text of the body.
func (c *Call) Body() []byte { return c.text }

// PathValue is the i-th variable part of the path, counted from the left.
func (c *Call) PathValue(i int) string { return c.path[i] }

// Paid reports whether the call took a token of the rate limit, which bounds how many such calls there are.
func (c *Call) Paid() bool { return c.paid }

// Given reports whether the query has the parameter.
func (c *Call) Given(name string) bool { return c.query().has(name) }

// FindAccount loads the number that the path names into Account. A number that is missing, of another
// organization, or hidden from the calling user is 404. The layer calls it for every operation; custom handlers
// call it themselves.
func (c *Call) FindAccount(r store.Reader) (err error) {
	if !c.op.numbered() {
		return nil
	}
	c.Account, err = core.AccountByNumber(r, c.OrgID(), c.path[0])
	if err == nil && c.Caller.User != nil {
		err = c.mayUse(r, *c.Caller.User)
	}
	c.found = err == nil
	return err
}

// mayUse refuses a user who does not see the number. What agents do, and what is about one person, is also for those who
// see only some of its conversations; what the operation names is looked at then.
func (c *Call) mayUse(r store.Reader, u chat.User) error {
	if c.op.Role == chat.RoleAgent || c.op.ofPerson() {
		return core.MayReachNumber(r, c.Account, u)
	}
	return core.MaySeeNumber(r, c.Account, u)
}

// findInPath checks the form of the path and that the things it names exist.
func (c *Call) findInPath() error {
	if err := c.op.input.checkPath(c); err != nil {
		return err
	}
	if c.op.InPath == nil && (!c.op.numbered() || c.found) {
		return nil
	}
	r := c.Read()
	if err := c.FindAccount(r); err != nil || c.op.InPath == nil {
		return err
	}
	return c.op.InPath(c, r)
}

// Answer is a response before it is written.
type Answer struct {
	status   int
	body     []byte
	envelope any // encoded into body when it is needed
}

// text encodes the body on first use. That is after the transaction, unless the answer is stored in it, because
// on SQLite other writers wait for the transaction.
func (a *Answer) text() []byte {
	if a.envelope != nil {
		a.body, a.envelope = Marshal(a.envelope), nil
	}
	return a.body
}

// Success is the successful answer of the call's operation.
func (c *Call) Success(data any) Answer {
	status := c.op.Status
	if status == 0 {
		status = http.StatusOK
	}
	if c.R.Method == http.MethodPost {
		c.Made = idOf(data)
	}
	return Answer{status: status, envelope: Single[any]{Data: data, RequestID: c.ID}}
}

// idOf is the id of a view; empty where it has none.
func idOf(view any) string {
	v := reflect.ValueOf(view)
	if v.Kind() != reflect.Struct {
		return ""
	}
	if id := v.FieldByName("ID"); id.IsValid() && id.Kind() == reflect.String {
		return id.String()
	}
	return ""
}

// Foresee names the thread that the call's transaction will read, so that a group of transactions can read them
// together.
func (c *Call) Foresee(k store.ThreadKey) { c.foresight.Thread = k }

// inTx runs the call's transaction, together with those of other calls where that is possible.
func (c *Call) inTx(fn func(*store.Tx) error) error {
	c.foresight.Kind = c.op.ID
	return c.surface.store.InGroup(c.Ctx, c.foresight, fn)
}

// Patient returns a context with a time limit of its own, for several provider calls in a row. It goes on when
// the client leaves.
func (c *Call) Patient(time time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Ctx), time)
}

// errorAnswer writes the error envelope. An error that is not the caller's fault is logged with its cause and
// answered with a bland message.
func (c *Call) errorAnswer(err error) Answer {
	failure, ok := errors.AsType[*chat.Error](err)
	if !ok {
		failure = c.unexpected(err)
	}
	c.Failure = failure
	entry := catalogue[failure.Code]
	if passesSoon(failure.Code) && c.W.Header().Get("Retry-After") == "" {
		c.W.Header().Set("Retry-After", "1")
	}
	return Answer{status: entry.status, body: Marshal(errorEnvelope{Error: errorView{
		Type: entry.kind, Code: string(failure.Code), Message: failure.Message, Param: failure.Param, RequestID: c.ID,
	}})}
}

const internalMessage = "Something went wrong on our side. Try again; if it stays, report the request_id."

// log says of which request a line is. It names the operation's route and not the path, which may hold a secret: the token
// of a link is the permission to choose its user's password.
func (c *Call) log() *slog.Logger {
	route := ""
	if c.op != nil {
		route = c.surface.base + c.op.Path
	}
	return c.surface.log.With("request_id", c.ID, "method", c.R.Method, "route", route)
}

func (c *Call) unexpected(err error) *chat.Error {
	log := c.log().With("error", err)
	switch {
	case errors.Is(err, store.ErrNotFound) && c.op != nil && slices.Contains(c.op.Errors, chat.CodeResourceNotFound):
		return chat.NotFound("resource")
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, blob.ErrUnavailable), errors.Is(err, store.ErrClosed), errors.Is(err, context.DeadlineExceeded):
		log.Warn("store unavailable")
		return chat.Fail(chat.CodeServiceUnavailable, "The service cannot take the request now. Try again shortly.")
	case errors.Is(err, context.Canceled): // nobody reads the answer
		log.Debug("client went away")
		return chat.Fail(chat.CodeServiceUnavailable, "The request was cancelled.")
	default:
		log.Error("request failed")
		return chat.Fail(chat.CodeInternalError, internalMessage)
	}
}

// LoggedMethod is a request's method in a form that is safe to log.
func LoggedMethod(m string) string { return strings.ToValidUTF8(m[:min(len(m), 16)], "?") }
