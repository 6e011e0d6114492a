// Package rest is the layer that the service's HTTP surfaces share. A surface is a set of operations under one
// path: the public API is one, the dashboard's API another. An operation declares its input, its answer and its
// errors; routing, binding, rules, errors, cursors, idempotency, limits and the OpenAPI document are done here,
// once, in the order that serve shows. Each surface decides itself who may call.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/tracing"
)

const (
	// MaxURL is the longest request target that is served.
	MaxURL = 8 << 10
	// RequestTimeout ends requests whose client would have given up.
	RequestTimeout = 30 * time.Second
)

// Bounds limit what may be in use at once, in all and by one organization, so that one organization leaves room
// for the others.
type Bounds struct {
	Requests, RequestsPerOrg int
	// Bodies are the bytes of large bodies, from their arrival until the answer.
	Bodies, BodiesPerOrg int
	// Uploads are files that arrive, each of them open on the disk.
	Uploads, UploadsPerOrg int
}

// DefaultBounds suit a server of ordinary size.
var DefaultBounds = Bounds{Requests: 4096, RequestsPerOrg: 2048, Bodies: 256 << 20, BodiesPerOrg: 64 << 20, Uploads: 2048, UploadsPerOrg: 256}

// Config configures a surface.
type Config struct {
	// Base is the path prefix of the surface, such as /v1.
	Base  string
	Store *store.Store
	// CursorKey authenticates page cursors; it is the same on every node.
	CursorKey []byte
	// Vault seals stored values that must not be readable in the store.
	Vault Vault
	// Authority decides who may call what.
	Authority Authority
	// ForUsers makes it a surface for users, who have roles. It gets the operations with a role and the open
	// ones.
	ForUsers bool
	// Mask, if set, changes an answer before it is written.
	Mask        func(*Call, []byte) []byte
	Description Description
	Bounds      Bounds
	Log         *slog.Logger
	Metrics     *Metrics
}

// Vault encrypts stored values. The context says what the value is and whose.
type Vault interface {
	Seal(plaintext, context string) string
	Open(sealed, context string) (string, error)
}

// Authority authenticates and admits the callers of a surface.
type Authority interface {
	// Authenticate finds the caller and sets the call's Caller, even if it then refuses that caller.
	Authenticate(*Call) error
	// Admit checks the caller's rights. It calls TakeToken at the place where its order of checks wants it.
	Admit(*Call) error
	// Errors are the codes with which it refuses calls of an operation.
	Errors(*Operation) []chat.Code
	// Record is called at the end of every call.
	Record(c *Call, status int, took time.Duration)
}

// Caller is the key or the user who calls.
type Caller struct {
	Organization chat.Organization
	Plan         chat.Plan
	// Either Key or User is set.
	Key  *chat.APIKey
	User *chat.User
	// Session is the user's session.
	Session *chat.Session
	// ReadsPerMinute and WritesPerMinute are the sizes of the caller's buckets. Callers of an organization with
	// the same Share use the same buckets.
	ReadsPerMinute, WritesPerMinute int64
	Share                           string
}

// Surface handles everything under its base, and unknown paths outside of any base.
type Surface struct {
	base      string
	store     *store.Store
	log       *slog.Logger
	metrics   *Metrics
	authority Authority
	forUsers  bool
	mask      func(*Call, []byte) []byte
	vault     Vault
	routes    *router
	document  *document
	limiter   *limiter
	cursors   cursorCodec
	inFlight  chan struct{}
	perOrg    *Crowd
	bodies    *Crowd
	uploads   *Crowd
	claims    claims
}

// New makes a surface without operations.
func New(cfg Config) *Surface {
	b := cfg.Bounds
	if b == (Bounds{}) {
		b = DefaultBounds
	}
	s := &Surface{
		base: cfg.Base, store: cfg.Store, log: cfg.Log, metrics: cfg.Metrics, authority: cfg.Authority,
		forUsers: cfg.ForUsers, mask: cfg.Mask, vault: cfg.Vault,
		routes:   &router{base: cfg.Base},
		document: newDocument(cfg.Base, cfg.Description),
		limiter:  newLimiter(cfg.Store),
		cursors:  cursorCodec{key: cfg.CursorKey},
		claims:   newClaims(),
	}
	s.SetBounds(b)
	return s
}

// ShareUploads makes the files that come in at two surfaces share one limit. It must be called before the first request.
func (s *Surface) ShareUploads(with *Surface) { s.uploads = with.uploads }

// Finish ends the registration of operations, before the first request.
func (s *Surface) Finish() { s.document.finish() }

// ServeHTTP answers a request. Every answer is an envelope of the contract.
func (s *Surface) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(s.store.WithGlance(r.Context()), RequestTimeout)
	c := &Call{surface: s, W: w, R: r, Ctx: ctx, cancel: cancel, start: time.Now(), ID: s.store.NewID(chat.KindRequest)}
	defer func() { c.cancel() }()
	ans, err := s.serveSafely(c)
	switch {
	case errors.Is(err, errStreamed):
		return
	case errors.Is(err, errDownloaded):
		c.record(http.StatusOK)
		return
	case errors.Is(err, ErrNotModified):
		ans = Answer{status: http.StatusNotModified}
	case err != nil:
		ans = c.errorAnswer(err)
	}
	c.write(ans)
	c.record(ans.status)
}

// record notes a call that has been answered.
func (c *Call) record(status int) {
	c.trace()
	took := time.Since(c.start)
	c.surface.metrics.observe(c.op, status, took)
	c.surface.authority.Record(c, status, took)
}

// trace names the operation in the request's trace.
func (c *Call) trace() {
	span := tracing.Current(c.R.Context())
	span.Text(tracing.RequestID, c.ID)
	if c.op != nil {
		span.Name(c.op.ID)
	}
}

// Refuse answers a request that does not reach an operation.
func (s *Surface) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	c := &Call{surface: s, W: w, R: r, ID: s.store.NewID(chat.KindRequest)}
	c.write(c.errorAnswer(err))
}

// RefuseUnreadable answers a malformed request, and one whose address cannot be decoded.
func (s *Surface) RefuseUnreadable(w http.ResponseWriter) {
	c := &Call{surface: s, W: w, ID: s.store.NewID(chat.KindRequest)}
	c.write(c.errorAnswer(chat.Invalid("request", "The request cannot be read: its address or one of its headers is broken. In an address, %s", escapes)))
}

func (s *Surface) serveSafely(c *Call) (ans Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			if v == errCutOff {
				c.record(http.StatusOK) // which its client has seen
				panic(http.ErrAbortHandler)
			}
			c.log().Error("panic", "panic", v, "stack", string(debug.Stack()))
			err = chat.Fail(chat.CodeInternalError, internalMessage)
		}
	}()
	defer c.finish()
	if err := c.enter(); err != nil {
		return Answer{}, err
	}
	ans, err = s.serve(c)
	ans.text()
	return ans, err
}

// Overloaded is the error for a request for which there is no room now.
func Overloaded() error {
	return chat.Fail(chat.CodeServiceUnavailable, "The service is overloaded. Try again shortly.")
}

// serve runs the checks on one request, in order.
func (s *Surface) serve(c *Call) (Answer, error) {
	match, inside := s.routes.match(c.R)
	if inside && !match.open() {
		if err := s.authority.Authenticate(c); err != nil {
			return Answer{}, err
		}
		c.known, c.asked = true, s.store.Moment()
		c.Ctx = store.WithTurn(c.Ctx, store.Turn{OrgID: c.OrgID()})
	}
	if err := match.check(c); err != nil {
		return Answer{}, err
	}
	c.op, c.path = match.op, match.values
	if len(c.R.RequestURI) > MaxURL {
		return Answer{}, chat.Invalid("url", "The URL is longer than %d bytes.", MaxURL)
	}
	if c.op.Open {
		return c.op.handle(c)
	}
	if err := c.enter(); err != nil {
		return Answer{}, err
	}
	if err := s.authority.Admit(c); err != nil {
		return Answer{}, err
	}
	if err := c.mayCall(); err != nil {
		return Answer{}, err
	}
	return c.op.handle(c)
}

// mayCall refuses a user whose role or sight is not enough for the operation.
func (c *Call) mayCall() error {
	u := c.Caller.User
	switch {
	case u == nil:
		return nil
	case !u.Role.Covers(c.op.Role):
		return chat.Fail(chat.CodeForbidden, "This takes the role %s. Ask somebody who has it.", c.op.Role)
	case c.op.Everybody && u.Sees == chat.SeesAssigned:
		return chat.Fail(chat.CodeForbidden, "This concerns everybody who writes with a number. It is for those who see more than what is assigned to them.")
	}
	return nil
}

// write sends the answer with the headers every response carries.
func (c *Call) write(ans Answer) {
	if c.known && !c.limited {
		c.showLimit()
	}
	h := c.W.Header()
	if h.Get(headerRequestID) == "" { // a replay has set the first request's id
		h.Set(headerRequestID, c.ID)
	}
	maps.Copy(h, onEveryAnswer)
	if h.Get("Cache-Control") == "" {
		h["Cache-Control"] = notStored
	}
	if len(ans.body) > 0 && c.surface.mask != nil {
		ans.body = c.surface.mask(c, ans.body)
	}
	if len(ans.body) > 0 {
		h["Content-Type"] = isJSON
	}
	if ans.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(ans.body)))
	}
	c.W.WriteHeader(ans.status)
	c.W.Write(ans.body)
}

const headerRequestID = "X-Request-Id"

// Values of headers that many answers share; Header.Set would make each anew.
var (
	onEveryAnswer = http.Header{
		"X-Content-Type-Options": {"nosniff"}, "Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"}, "Referrer-Policy": {"no-referrer"},
	}
	notStored = []string{"no-store"}
	isJSON    = []string{"application/json"}
)

// errCutOff is the panic of a download that cannot go on. It breaks the connection, so that the client does not
// take a part for the whole.
var errCutOff = errors.New("the download is cut off")
