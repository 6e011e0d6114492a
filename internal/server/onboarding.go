package server

import (
	"context"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// simulatedDialog is the browsers' path of the built-in simulator's signup page. The simulator itself listens where
// only this computer can reach it.
const simulatedDialog = "/simulator/dialog/oauth"

// maxDialogForm is far above the size of that page's form.
const maxDialogForm = 64 << 10

// onboarding is the page on which numbers are connected, and its worker.
type onboarding struct {
	page   *onboard.Page
	worker *onboard.Worker // nil if the node is no worker
}

// app is the provider's app to which numbers are connected.
func (s *Server) app() cloud.App {
	app := cloud.App{ID: s.cfg.ProviderAppID, Secret: s.cfg.ProviderAppSecret, ConfigID: s.cfg.ProviderConfigID}
	if s.cfg.ProviderURL == "" {
		app.DialogURL = s.cfg.PublicURL + simulatedDialog
	}
	return app
}

func (s *Server) newOnboarding(ctx context.Context) error {
	o := &s.onboarding
	pins, err := masterkey.PINKey(s.store.Read(ctx), s.vault)
	if err != nil {
		return err
	}
	pin := func(phoneNumberID string) string { return core.TwoStepPIN(pins, phoneNumberID) }
	if s.cfg.Has("worker") {
		o.worker = onboard.NewWorker(onboard.WorkerConfig{
			Store: s.store, Lease: s.messaging.node.Lease, Provider: s.messaging.client, Token: s.token, PIN: pin, Log: s.log,
			Connected: func(ctx context.Context, account chat.Account) error {
				_, err := s.messaging.templates.Sync(ctx, account)
				return err
			},
		})
		s.store.HandTo(func(h *store.Hands) { h.Numbers = o.worker.Wake })
	}
	o.page = onboard.New(onboard.Config{
		Store: s.store, Provider: s.messaging.client, Key: s.vault.Derive("signup state"),
		Seal:      func(token, accountID string) string { return s.vault.Seal(token, core.TokenContext(accountID)) },
		PIN:       pin,
		PublicURL: s.cfg.PublicURL, Log: s.log,
	})
	return nil
}

// serveSimulatedDialog serves the signup page of the built-in simulator, and nothing else of it.
func (s *Server) serveSimulatedDialog(w http.ResponseWriter, r *http.Request) {
	if s.messaging.simulator == nil {
		s.api.ServeHTTP(w, r) // answers 404
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	r.Body = http.MaxBytesReader(w, r.Body, maxDialogForm)
	s.messaging.simulator.ServeSignup(w, r, s.visitorOf(r))
}

// visitorOf is the visitor of the simulator's signup page, whom a setup link has sent there.
func (s *Server) visitorOf(r *http.Request) simulator.Visitor {
	if err := r.ParseForm(); err != nil {
		return simulator.Visitor{} // the page shows the error
	}
	callback, numbers, err := s.onboarding.page.SentAway(r.Context(), r.Form.Get("state"))
	if err != nil {
		s.log.Warn("the simulator cannot ask whose numbers to show", "error", err)
	}
	return simulator.Visitor{Redirect: callback, Numbers: numbers}
}
