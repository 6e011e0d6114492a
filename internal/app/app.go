// Package app is the dashboard's API, under /app/api, for users who have signed in. It has its own operations,
// and shares those of the public API that the pages need. Authentication is here; package rest has what all
// operations share.
package app

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/numbers"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// Base is the path prefix of the surface.
const Base = "/app/api"

// Config configures the dashboard's API.
type Config struct {
	Store *store.Store
	// CursorKey authenticates page cursors; it is the same on every node.
	CursorKey []byte
	Vault     rest.Vault
	// SetupToken protects the creation of the first user. It is the same on every node.
	SetupToken string
	// PublicURL is the address of this service for people.
	PublicURL string
	// Live tells open dashboards about changes.
	Live *live.Hub
	// Phones are the phones of the simulated people; nil with a real provider.
	Phones *simulator.Phones
	// Search finds messages, notes and contacts.
	Search *search.Searcher
	// Blobs stores files, including uploaded files of contacts.
	Blobs blob.Store
	// ContactWork wakes the worker for bulk changes of contacts; nil if this node has none.
	ContactWork func()
	// Numbers works with numbers at the provider.
	Numbers *numbers.Service
	// Pace tells how fast this node sends the messages of an account; nil where it sends none.
	Pace func(accountID string) Pace
	// Operators are the ids of users who may see the counts of the whole service; none by default.
	Operators []string
	// Node is this process's name among the nodes on the store.
	Node func() string
	// Storage is nil if the store is PostgreSQL.
	Storage *Storage
	// Mail queues a mail; nil if there is no mail server.
	Mail func(Mail)
	// SSO is the sign-in with an identity provider; nil if there is none.
	SSO *SSO
	// Demo says that the server seeds a demo organization and prints its login.
	Demo bool
	// Version is the program's.
	Version string
	Log     *slog.Logger
	Metrics *rest.Metrics
}

// NewMetrics registers the surface's metrics.
func NewMetrics(reg prometheus.Registerer) *rest.Metrics {
	return rest.NewMetrics(reg, "parley_app_request_seconds", "Time to answer the dashboard's requests, by operation and status.")
}

// App handles everything under Base.
type App struct {
	surface *rest.Surface
	store   *store.Store
	cfg     Config
	origins *http.CrossOriginProtection
	logins  *throttle
	// forgotten limits how many forgotten passwords are handled at once.
	forgotten chan struct{}
	// refusals limits how many refused sign-ins are recorded at once.
	refusals chan struct{}
}

// New makes the surface. Other packages may register operations on it until Finish.
func New(cfg Config) *App {
	a := &App{store: cfg.Store, cfg: cfg, origins: http.NewCrossOriginProtection(), logins: newThrottle(time.Now), forgotten: make(chan struct{}, mostForgotten), refusals: make(chan struct{}, mostRefusals)}
	a.origins.AddTrustedOrigin(cfg.PublicURL) // fails for an invalid address, and then trusts no other origin
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
	registerLogo(a)
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

// Surface is where other packages register operations.
func (a *App) Surface() *rest.Surface { return a.surface }

// Finish ends the registration of operations, before the first request.
func (a *App) Finish() { a.surface.Finish() }

// ServeHTTP answers a request. It refuses changes that another site's page asks for, by the origin that the
// browser sends.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := a.origins.Check(r); err != nil {
		a.surface.Refuse(w, r, chat.Fail(chat.CodeForbidden, "The request comes from another site."))
		return
	}
	a.surface.ServeHTTP(w, r)
}
