// Package api is the public REST API, under /v1. Each group of operations is a file that registers them.
// Package rest has what all operations share; authentication and the API log are here.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/numbers"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/templates"
)

const basePath = "/v1"

// Config configures the API.
type Config struct {
	Store *store.Store
	// CursorKey authenticates page cursors; it is the same on every node.
	CursorKey []byte
	// Provider, Token and Blobs serve the operations that need the network or the files.
	Provider provider.Client
	Token    func(chat.Account) (string, error)
	Blobs    blob.Store
	// Templates works with templates at the provider.
	Templates *templates.Service
	// PublicURL is the address of this service for others.
	PublicURL string
	// Vault seals stored values that must not be readable in the store.
	Vault rest.Vault
	// CheckURL refuses an address that the service must not reach.
	CheckURL func(ctx context.Context, rawURL string) error
	// Version is the program's version, shown in the OpenAPI document.
	Version string
	// Stopping tells whether the node was told to stop; nil: it never is.
	Stopping func() bool
	// Dashboard gets the operations that users may call as well.
	Dashboard *rest.Surface
	Log       *slog.Logger
	Metrics   *Metrics
}

// Metrics are the API's metrics. With a nil registerer they are counted and not exported.
type Metrics struct {
	requests   *rest.Metrics
	logDropped prometheus.Counter
}

// NewMetrics registers the API's metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: rest.NewMetrics(reg, "parley_api_request_seconds", "Time to answer API requests, by operation and status."),
		logDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "parley_api_log_dropped_total", Help: "Calls that are not in the API log: the store could not keep up, or a key was refused more than 60 times in a minute.",
		}),
	}
	if reg != nil {
		reg.MustRegister(m.logDropped)
	}
	return m
}

// API handles everything under /v1, and unknown paths outside of any base.
type API struct {
	surface  *rest.Surface
	shared   rest.Place // for operations of keys and of users
	store    *store.Store
	log      *slog.Logger
	requests *requestLog

	blobs     blob.Store
	publicURL string
	stopping  func() bool
	templates *templates.Service
	numbers   numbers.Service
	vault     rest.Vault
	checkURL  func(ctx context.Context, rawURL string) error

	feedWaiters *rest.Crowd
	released    chan struct{} // closed when the node stops
	release     sync.Once
}

// New makes the API. It answers once it is started.
func New(cfg Config) *API {
	a := &API{
		store: cfg.Store, log: cfg.Log,
		requests: newRequestLog(cfg.Store, cfg.Log, cfg.Metrics),
		blobs:    cfg.Blobs, publicURL: cfg.PublicURL, stopping: cfg.Stopping,
		vault: cfg.Vault, checkURL: cfg.CheckURL,
		feedWaiters: rest.NewCrowd(feedWaiters, feedWaitersInAll), released: make(chan struct{}),
		templates: cfg.Templates, numbers: numbers.Service{Store: cfg.Store, Provider: cfg.Provider, Token: cfg.Token},
	}
	a.surface = rest.New(rest.Config{
		Base: basePath, Store: cfg.Store, CursorKey: cfg.CursorKey, Vault: cfg.Vault, Authority: a, Description: describe(cfg.Version),
		Log: cfg.Log, Metrics: cfg.Metrics.requests,
	})
	a.shared = a.surface
	if cfg.Dashboard != nil {
		a.shared = rest.Several{a.surface, cfg.Dashboard}
		a.surface.ShareUploads(cfg.Dashboard)
	}
	if a.templates == nil {
		a.templates = &templates.Service{
			Store: cfg.Store, Provider: cfg.Provider, Token: cfg.Token, Fetch: netguard.New().Client(rest.RequestTimeout), Open: a.openFile,
		}
	}
	registerMeta(a)
	registerMessages(a)
	registerMedia(a)
	if cfg.Dashboard != nil {
		registerAttachments(a, cfg.Dashboard)
	}
	registerRegister(a)
	registerAccounts(a)
	registerConversations(a)
	registerContacts(a)
	registerLabels(a)
	registerCustomers(a)
	registerSetupLinks(a)
	registerTemplates(a)
	registerBroadcasts(a)
	registerWebhookSubscriptions(a)
	registerWebhookSecrets(a)
	registerWebhookDeliveries(a)
	registerEvents(a)
	a.surface.Finish()
	return a
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.surface.ServeHTTP(w, r) }

// Description is the API's OpenAPI document.
func (a *API) Description() []byte { return a.surface.Document() }

// RefuseUnreadable answers a malformed request.
func (a *API) RefuseUnreadable(w http.ResponseWriter) { a.surface.RefuseUnreadable(w) }

// Start begins to write the API log.
func (a *API) Start(context.Context) error {
	go a.requests.run()
	return nil
}

// Stop writes out the API log. Call it after the HTTP server has stopped.
func (a *API) Stop(context.Context) { a.requests.stop() }
