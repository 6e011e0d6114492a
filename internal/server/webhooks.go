package server

import (
	"crypto/x509"
	"fmt"
	"os"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/webhook"
)

// newDeliverer makes the engine that delivers events to webhook endpoints.
func (s *Server) newDeliverer() (*webhook.Engine, error) {
	schedule, err := s.cfg.RetrySchedule()
	if err != nil {
		return nil, err
	}
	roots, err := s.webhookRoots()
	if err != nil {
		return nil, err
	}
	deliverer := webhook.New(webhook.Config{
		Store: s.store, Lease: s.messaging.node.Lease, Guard: netguard.New(s.cfg.AllowNetwork...), OpenSecret: s.webhookSecret,
		Schedule: schedule, Roots: roots, Metrics: webhook.NewMetrics(s.registry), Tracer: s.tracer, Log: s.log,
	})
	s.store.HandTo(func(h *store.Hands) {
		h.Deliver, h.Subscription, h.CallOff = deliverer.Enqueue, deliverer.Changed, deliverer.CallOff
	})
	return deliverer, nil
}

// webhookRoots are the authorities that may sign certificates of endpoints.
func (s *Server) webhookRoots() (*x509.CertPool, error) {
	if s.cfg.WebhookCA == "" {
		return nil, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificate authorities: %w", err)
	}
	pem, err := os.ReadFile(s.cfg.WebhookCA)
	if err != nil {
		return nil, err
	}
	roots.AppendCertsFromPEM(pem)
	return roots, nil
}

// webhookSecret decrypts a sealed signing secret.
func (s *Server) webhookSecret(secret chat.WebhookSecret) (string, error) {
	return s.vault.Open(secret.Sealed, core.WebhookSecretContext(secret.ID))
}
