// Package app is the dashboard's surface, under /app/api: what people do who have signed in. It has the
// public API's operations that they need, from package api, and its own. Who may call is here; what is common
// to all operations is package rest's.
package app

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// Base is the path of the surface.
const Base = "/app/api"

// Config is what the dashboard's surface needs.
type Config struct {
	Store *store.Store
	// CursorKey authenticates page cursors; it is the same on every node.
	CursorKey []byte
	Vault     rest.Vault
	// SetupToken guards the first user's making. It is the same on every node.
	SetupToken string
	// PublicURL is where people reach this service.
	PublicURL string
	// Live tells open dashboards what changes.
	Live *live.Hub
	// Phones are the simulated people's; nil where the provider is a real one.
	Phones *simulator.Phones
	// Search finds messages, notes and contacts.
	Search *search.Searcher
	// Blobs are the files; those of contacts to import are among them.
	Blobs blob.Store
	// ContactWork tells that there is work on many contacts; nil where this node does none.
	ContactWork func()
	// Numbers does what is done with numbers at the provider.
	Numbers *core.Numbers
	// Pace tells how fast this node sends the messages of an account; nil where it sends none.
	Pace func(accountID string) Pace
	// Operators are the users, by id, who see counts of the whole service; none by default.
	Operators []string
	// Node is this process's name among those on the store.
	Node func() string
	// Storage is nil where the store is PostgreSQL.
	Storage *Storage
	// Mail sends a text to an address, some time later; nil where no mail can be sent.
	Mail func(to, subject, text string)
	// SSO is how people sign in at an identity provider; nil where there is none.
	SSO *SSO
	// Version is the program's.
	Version string
	Log     *slog.Logger
	Metrics *rest.Metrics
}

// NewMetrics registers the surface's figures.
func NewMetrics(reg prometheus.Registerer) *rest.Metrics {
	return rest.NewMetrics(reg, "parley_app_request_seconds", "Time to answer the dashboard's requests, by operation and status.")
}

// App is the handler for everything under Base.
type App struct {
	surface *rest.Surface
	store   *store.Store
	cfg     Config
	origins *http.CrossOriginProtection
	logins  *throttle
	// forgotten has room for those whose forgotten password is being looked after.
	forgotten chan struct{}
	// refusals has room for those who did not get in and are being noted.
	refusals chan struct{}
}

// New makes the surface. Others may register operations on it, until Finish.
func New(cfg Config) *App {
	a := &App{store: cfg.Store, cfg: cfg, origins: http.NewCrossOriginProtection(), logins: newThrottle(time.Now), forgotten: make(chan struct{}, mostForgotten), refusals: make(chan struct{}, mostRefusals)}
	a.origins.AddTrustedOrigin(cfg.PublicURL) // fails where the address is none, and then trusts nothing more
	a.surface = rest.New(rest.Config{
		Base: Base, Store: cfg.Store, CursorKey: cfg.CursorKey, Vault: cfg.Vault, Authority: a, ForUsers: true, Mask: mask,
		Description: describe(cfg.Version), Log: cfg.Log, Metrics: cfg.Metrics,
	})
	registerSetup(a)
	registerSession(a)
	registerLinks(a)
	registerForgotten(a)
	registerSSO(a)
	registerMe(a)
	registerSecondStep(a)
	registerUsers(a)
	registerTeams(a)
	registerOrganization(a)
	registerPresence(a)
	registerConversations(a)
	registerTimeline(a)
	registerNotes(a)
	registerDrafts(a)
	registerReplies(a)
	registerTemplates(a)
	registerMedia(a)
	registerViews(a)
	registerBulk(a)
	registerBroadcasts(a)
	registerContacts(a)
	registerContactBulk(a)
	registerContactImport(a)
	registerContactExport(a)
	registerSearch(a)
	registerKeys(a)
	registerHome(a)
	registerAPILog(a)
	registerEvents(a)
	registerWebhooks(a)
	registerStory(a)
	registerUsage(a)
	registerAudit(a)
	registerStream(a)
	registerNumbers(a)
	registerNumberProfile(a)
	registerNumberFailures(a)
	registerCustomers(a)
	registerOperator(a)
	if cfg.Phones != nil {
		registerPhone(a)
	}
	a.surface.ServeDocument(rest.Operation{
		Method: http.MethodGet, Path: "/openapi.json", ID: "getOpenAPI", Tag: "Meta",
		Summary: "This description", Description: "The browser's types are made from it.",
	})
	return a
}

// Surface is where operations of others are registered.
func (a *App) Surface() *rest.Surface { return a.surface }

// Finish ends the registration of operations, before the first request.
func (a *App) Finish() { a.surface.Finish() }

// ServeHTTP answers a request. Other sites' pages change nothing: a browser says where a request is from.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := a.origins.Check(r); err != nil {
		a.surface.Refuse(w, r, chat.Fail(chat.CodeForbidden, "The request comes from another site."))
		return
	}
	a.surface.ServeHTTP(w, r)
}
