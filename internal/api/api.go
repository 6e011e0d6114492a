// Package api serves /v1: the public REST API and its description. Each group of operations is a
// file that registers them; what is common to all — keys, gates, limits, idempotency, errors,
// the OpenAPI document — is done once, in the order that ServeHTTP shows.
package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// maxInFlight is how many requests are worked on at once; the next is told to come back.
	maxInFlight = 4096
	// maxPerOrg is how many of them one organization may have, so that it leaves room for the others.
	maxPerOrg = maxInFlight / 2
	// maxURL is the longest request target that is served.
	maxURL = 8 << 10
	// requestTimeout ends work whose client would have given up.
	requestTimeout = 30 * time.Second
)

// Config is what the API needs.
type Config struct {
	Store *store.Store
	// CursorKey authenticates page cursors; it is the same on every node.
	CursorKey []byte
	// Provider, Token and Blobs serve the operations that need the network or the files.
	Provider provider.Client
	Token    func(chat.Account) (string, error)
	Blobs    *blob.Store
	// Templates does what is done with templates at the provider.
	Templates *core.Templates
	// PublicURL is where others reach this service.
	PublicURL string
	// Vault seals what is stored and must not be read from the store.
	Vault Vault
	// CheckURL tells whether an address that a caller names may be reached.
	CheckURL func(ctx context.Context, rawURL string) error
	// Version is the program's version, shown in the OpenAPI document.
	Version string
	Log     *slog.Logger
	Metrics *Metrics
}

// API is the handler for everything under /v1, and for what is under nothing.
type API struct {
	store    *store.Store
	log      *slog.Logger
	metrics  *Metrics
	routes   *router
	document *document
	limiter  *limiter
	cursors  cursorCodec
	requests *requestLog
	inFlight chan struct{}
	perOrg   *crowd
	bodies   *crowd // bytes
	uploads  *crowd // files
	claims   claims

	provider  provider.Client
	token     func(chat.Account) (string, error)
	blobs     *blob.Store
	publicURL string
	templates *core.Templates
	vault     Vault
	checkURL  func(ctx context.Context, rawURL string) error
	contents  map[chat.MessageType]*bodyBinder

	feedWaiters *crowd
	released    chan struct{} // closed when the node stops
	release     sync.Once
}

// Vault encrypts what is stored. The context says what a value is and whose.
type Vault interface {
	Seal(plaintext, context string) string
	Open(sealed, context string) (string, error)
}

// New makes the API and starts its log writer; Close stops it.
func New(cfg Config) *API {
	a := &API{
		store: cfg.Store, log: cfg.Log, metrics: cfg.Metrics,
		routes:   &router{},
		document: newDocument(cfg.Version),
		limiter:  newLimiter(cfg.Store),
		cursors:  cursorCodec{key: cfg.CursorKey},
		requests: startRequestLog(cfg.Store, cfg.Log, cfg.Metrics),
		inFlight: make(chan struct{}, maxInFlight),
		perOrg:   newCrowd(maxPerOrg, maxInFlight),
		bodies:   newCrowd(maxBodiesPerOrg, maxBodies),
		uploads:  newCrowd(maxUploadsPerOrg, maxUploads),
		claims:   newClaims(),
		provider: cfg.Provider, token: cfg.Token, blobs: cfg.Blobs, publicURL: cfg.PublicURL,
		vault: cfg.Vault, checkURL: cfg.CheckURL,
		feedWaiters: newCrowd(feedWaiters, feedWaitersInAll), released: make(chan struct{}),
		templates: cfg.Templates,
	}
	if a.templates == nil {
		a.templates = &core.Templates{
			Store: cfg.Store, Provider: cfg.Provider, Token: cfg.Token, Fetch: netguard.New().Client(requestTimeout),
		}
	}
	registerMeta(a)
	registerMessages(a)
	registerMedia(a)
	registerRegister(a)
	registerAccounts(a)
	registerConversations(a)
	registerContacts(a)
	registerLabels(a)
	registerCustomers(a)
	registerSetupLinks(a)
	registerTemplates(a)
	registerWebhookSubscriptions(a)
	registerWebhookSecrets(a)
	registerWebhookDeliveries(a)
	registerEvents(a)
	a.document.finish()
	return a
}

// Close writes out the API log. Call it after the HTTP server has stopped.
func (a *API) Close() { a.requests.stop() }

// call is one request on its way through the API.
type call struct {
	api     *API
	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context
	id      string
	start   time.Time
	op      *operation
	path    pathValues
	key     store.KeyContext
	named   bool // the key is one of ours, if only a revoked or expired one
	known   bool // the key is valid
	limited bool // the rate limit headers are set
	found   bool // the path's number was

	cancel   context.CancelFunc // of ctx
	inFlight bool               // it has a slot
	ofOrg    bool               // and one of its organization's
	held     int                // bytes of its body that are counted
	parsed   *query             // the query string, once it was asked for
	text     []byte             // the JSON body, once it has arrived
}

// answer is a response before it is written.
type answer struct {
	status   int
	body     []byte
	location string
	envelope any // what body is made of where it is not there yet
}

// text writes the body, if that has not been done. It is put off until a transaction is over, unless
// the answer is stored with it: on SQLite others wait for the transaction.
func (a *answer) text() []byte {
	if a.envelope != nil {
		a.body, a.envelope = marshal(a.envelope), nil
	}
	return a.body
}

// ServeHTTP answers a request. Nothing leaves it but the contract's envelopes.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	c := &call{api: a, w: w, r: r, ctx: ctx, cancel: cancel, start: time.Now(), id: a.store.NewID(chat.KindRequest)}
	defer func() { c.cancel() }()
	ans, err := a.serveSafely(c)
	switch {
	case errors.Is(err, errNotModified):
		ans = answer{status: http.StatusNotModified}
	case err != nil:
		ans = c.errorAnswer(err)
	}
	c.write(ans)
	a.record(c, ans.status)
}

// RefuseUnreadable answers what is no request at all, and what has an address that cannot be decoded.
func (a *API) RefuseUnreadable(w http.ResponseWriter) {
	c := &call{api: a, w: w, id: a.store.NewID(chat.KindRequest)}
	c.write(c.errorAnswer(chat.Invalid("request", "The request cannot be read: its address or one of its headers is broken. In an address, %s", escapes)))
}

func (a *API) serveSafely(c *call) (ans answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("panic", "request_id", c.id, "method", c.r.Method, "path", c.r.URL.Path, "panic", v, "stack", string(debug.Stack()))
			err = chat.Fail(chat.CodeInternalError, internalMessage)
		}
	}()
	defer c.finish()
	if err := c.enter(); err != nil {
		return answer{}, err
	}
	ans, err = a.serve(c)
	ans.text()
	return ans, err
}

func overloaded() error {
	return chat.Fail(chat.CodeServiceUnavailable, "The service is overloaded. Try again shortly.")
}

// serve is the order of the checks on one request.
func (a *API) serve(c *call) (answer, error) {
	match, inside := a.routes.match(c.r)
	if inside && !match.open() {
		if err := a.authenticate(c); err != nil {
			return answer{}, err
		}
	}
	if err := match.check(c); err != nil {
		return answer{}, err
	}
	c.op, c.path = match.op, match.values
	if len(c.r.RequestURI) > maxURL {
		return answer{}, chat.Invalid("url", "The URL is longer than %d bytes.", maxURL)
	}
	if c.op.open {
		return c.op.handle(c)
	}
	if err := c.enter(); err != nil {
		return answer{}, err
	}
	if err := a.admit(c); err != nil {
		return answer{}, err
	}
	return c.op.handle(c)
}

// write sends the answer with the headers every response carries.
func (c *call) write(ans answer) {
	if c.known && !c.limited {
		c.showLimit()
	}
	h := c.w.Header()
	if h.Get(headerRequestID) == "" { // a replay has set the original's
		h.Set(headerRequestID, c.id)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	if ans.location != "" {
		h.Set("Location", ans.location)
	}
	if len(ans.body) > 0 {
		h.Set("Content-Type", "application/json")
	}
	if ans.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(ans.body)))
	}
	c.w.WriteHeader(ans.status)
	c.w.Write(ans.body)
}

const headerRequestID = "X-Request-Id"

// record counts the request and hands it to the API log.
func (a *API) record(c *call, status int) {
	took := time.Since(c.start)
	a.metrics.observe(c.op, status, took)
	if !c.named {
		return
	}
	a.requests.add(store.APICall{
		OrgID: c.key.Key.OrgID, RequestID: c.id, KeyID: c.key.Key.ID, Method: loggedMethod(c.r.Method),
		Path: loggedPath(c.r), Status: status, Latency: took, IP: loggedAddress(c.r),
	})
}

// errorAnswer writes the one envelope of all errors. What is not the caller's fault is logged
// with its cause and answered blandly.
func (c *call) errorAnswer(err error) answer {
	failure, ok := errors.AsType[*chat.Error](err)
	if !ok {
		failure = c.unexpected(err)
	}
	entry := catalogue[failure.Code]
	if passesSoon(failure.Code) && c.w.Header().Get("Retry-After") == "" {
		c.w.Header().Set("Retry-After", "1")
	}
	return answer{status: entry.status, body: marshal(errorEnvelope{Error: errorView{
		Type: entry.kind, Code: string(failure.Code), Message: failure.Message, Param: failure.Param, RequestID: c.id,
	}})}
}

const internalMessage = "Something went wrong on our side. Try again; if it stays, report the request_id."

func (c *call) unexpected(err error) *chat.Error {
	log := c.api.log.With("request_id", c.id, "method", c.r.Method, "path", c.r.URL.Path, "error", err)
	switch {
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrClosed), errors.Is(err, context.DeadlineExceeded):
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

func loggedMethod(m string) string { return strings.ToValidUTF8(m[:min(len(m), 16)], "?") }

func loggedPath(r *http.Request) string {
	p := r.URL.EscapedPath() // ASCII: no NUL and no broken UTF-8 reaches the store
	return p[:min(len(p), 512)]
}

func loggedAddress(r *http.Request) string {
	if a := clientaddr.Of(r); a.IsValid() {
		return a.String()
	}
	return ""
}
