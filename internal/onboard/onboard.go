// Package onboard is the hosted page on which somebody connects a business number, and the worker that follows
// up when a number was connected or disconnected. The page is plain HTML that works without scripts. It reads
// and changes data through core, like every other entry to the program.
package onboard

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	callbackPath = core.OnboardPath + "callback"
	// startPath is added to a link's address by its button.
	startPath = "/start"
)

// Config configures the page.
type Config struct {
	Store    *store.Store
	Provider provider.Signup
	// Seal encrypts a token for an account.
	Seal func(token, accountID string) string
	// Key signs states and cookies; it is the same on every node.
	Key []byte
	// PIN is the two-step PIN with which a number is registered. It must be the same each time, after a crash
	// and when the number is connected again.
	PIN func(phoneNumberID string) string
	// PublicURL is the address of this service for browsers.
	PublicURL string
	Log       *slog.Logger
}

// Page handles everything under /onboard/.
type Page struct {
	cfg      Config
	states   signer
	limits   *limiter
	running  *flights
	callback string // the address that the provider sends browsers back to
	secure   bool
}

// New makes the page.
func New(cfg Config) *Page {
	return &Page{
		cfg: cfg, states: signer{key: cfg.Key}, limits: newLimiter(cfg.Store.Moment), running: newFlights(),
		callback: cfg.PublicURL + callbackPath, secure: strings.HasPrefix(cfg.PublicURL, "https:"),
	}
}

// ServeHTTP answers a request. Its headers forbid caching, framing and referrers.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Vary", "Accept-Language")
	v := &visit{page: p, w: w, r: r, text: textFor(r.Header.Get("Accept-Language"))}
	defer v.recovered()
	v.serve()
}

// recovered answers a visit that panicked.
func (v *visit) recovered() {
	if cause := recover(); cause != nil {
		v.page.cfg.Log.Error("panic", "path", core.OnboardPath, "panic", cause, "stack", string(debug.Stack()))
		v.show(http.StatusInternalServerError, v.failureView(chat.ReasonInternalError, core.Invitation{}, ""))
	}
}

// visit is one request.
type visit struct {
	page *Page
	w    http.ResponseWriter
	r    *http.Request
	text texts
}

func (v *visit) serve() {
	token, ok := strings.CutPrefix(v.r.URL.Path, core.OnboardPath)
	token, starting := strings.CutSuffix(token, startPath)
	switch {
	case !v.page.limits.allow(perAddress, v.network()):
		v.tooMany()
	case !ok || v.r.Method != http.MethodGet && v.r.Method != http.MethodHead:
		v.w.Header().Set("Allow", "GET, HEAD")
		v.show(http.StatusMethodNotAllowed, v.failureView(chat.ReasonLinkInvalid, core.Invitation{}, ""))
	case v.r.URL.Path == callbackPath:
		v.comeBack()
	case starting && !v.fromElsewhere():
		v.begin(token)
	default:
		v.welcome(token)
	}
}

// fromElsewhere reports whether another site sent the browser here, past the welcome page.
func (v *visit) fromElsewhere() bool {
	site := v.r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

// address is the visitor's address.
func (v *visit) address() string { return clientaddr.Of(v.r).String() }

// network is the key by which requests are counted.
func (v *visit) network() string { return clientaddr.Network(v.r) }

// invited loads the link, or ends the visit.
func (v *visit) invited(token string) (core.Invitation, bool) {
	if chat.WellFormedLinkToken(token) && !v.page.limits.allow(perLink, token) {
		v.tooMany()
		return core.Invitation{}, false
	}
	invited, err := core.FindInvitation(v.page.cfg.Store.Read(v.r.Context()), token)
	if err == nil {
		return invited, v.open(invited)
	}
	if failure, ok := errors.AsType[*core.OnboardError](err); ok && !v.page.limits.allow(perMiss, v.network()) {
		v.page.cfg.Log.Warn("setup links are being guessed", "address", v.address(), "reason", failure.Reason)
		v.tooMany()
		return core.Invitation{}, false
	}
	v.fail(core.Invitation{}, err)
	return core.Invitation{}, false
}

// open checks that the link can be followed now, or ends the visit.
func (v *visit) open(invited core.Invitation) bool {
	reason := invited.Link.Unusable(v.page.cfg.Store.Now())
	var err error
	if reason == "" {
		reason, err = invited.Refused(v.page.cfg.Store.Read(v.r.Context()))
	}
	if err == nil && reason != "" {
		err = &core.OnboardError{Reason: reason}
	}
	if err != nil {
		v.fail(invited, err)
	}
	return err == nil
}

// welcome shows who asks for what.
func (v *visit) welcome(token string) {
	if invited, ok := v.invited(token); ok {
		v.show(http.StatusOK, v.welcomeView(invited, token))
	}
}

// begin sends the browser to the provider with a state that only this browser can bring back.
func (v *visit) begin(token string) {
	invited, ok := v.invited(token)
	if !ok {
		return
	}
	cookie := v.cookie(invited.Link.ID)
	if cookie.token != token {
		cookie = newCookie(token)
	}
	state := v.page.states.sign(invited.Link, cookie.nonce, v.page.cfg.Store.Now())
	address, err := v.page.cfg.Provider.SignupURL(v.page.callback, state)
	if err != nil {
		v.fail(invited, err)
		return
	}
	http.SetCookie(v.w, cookie.header(invited.Link.ID, v.page.secure))
	v.page.cfg.Log.Info("signup begun", linkAttrs(invited)...)
	v.redirect(address)
}

func (v *visit) redirect(address string) {
	v.w.Header().Set("Location", address)
	v.w.WriteHeader(http.StatusSeeOther)
}

func linkAttrs(invited core.Invitation, more ...any) []any {
	attrs := []any{"organization", invited.Link.OrgID, "link", invited.Link.ID}
	if invited.Link.CustomerID != nil {
		attrs = append(attrs, "customer", *invited.Link.CustomerID)
	}
	return append(attrs, more...)
}

// background is a context for work that goes on after the browser has left.
func (v *visit) background() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(v.r.Context()), connectTimeout)
}

// connectTimeout is below the server's limit for a request.
const connectTimeout = 45 * time.Second
