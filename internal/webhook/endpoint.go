package webhook

import (
	"errors"
	"net/url"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// endpoint is the destination of a lane. It never changes: a changed subscription gets a new one.
type endpoint struct {
	address string // as it is stored
	url     *url.URL
	status  chat.WebhookStatus
	secrets []chat.WebhookSecret
	texts   map[string]string // the opened secrets, by id
	always  []string          // the secrets to sign with, if none expires
	failing bool              // failures have been counted since the last success
}

// loadEndpoint reads a subscription and its secrets. A deleted subscription has no deliveries.
func (e *Engine) loadEndpoint(orgID, id string) (*endpoint, error) {
	r := e.cfg.Store.Read(e.ctx)
	s, err := r.WebhookSubscription(orgID, id)
	if errors.Is(err, store.ErrNotFound) {
		return &endpoint{status: chat.WebhookDeleted}, nil
	}
	if err != nil {
		return nil, err
	}
	p := &endpoint{address: s.URL, status: s.Status, failing: s.ConsecutiveFailures > 0, texts: map[string]string{}}
	if p.url, err = url.Parse(s.URL); err != nil {
		return nil, err
	}
	secrets, err := r.WebhookSecrets(orgID, id)
	if err != nil {
		return nil, err
	}
	return p, p.openSecrets(secrets[id], e.cfg.OpenSecret)
}

func (p *endpoint) openSecrets(secrets []chat.WebhookSecret, open func(chat.WebhookSecret) (string, error)) error {
	p.secrets = secrets
	expires := false
	for _, s := range secrets {
		text, err := open(s)
		if err != nil {
			return err
		}
		p.texts[s.ID] = text
		expires = expires || s.ExpiresAt != nil
	}
	if !expires {
		p.always = p.active(time.Time{})
	}
	return nil
}

// sign is the signature header of a body at an instant, by every secret that is valid then.
func (p *endpoint) sign(at time.Time, body []byte) string {
	texts := p.always
	if texts == nil {
		texts = p.active(at)
	}
	return chat.SignWebhook(texts, at, body)
}

func (p *endpoint) active(at time.Time) []string {
	var texts []string
	for _, s := range chat.ActiveSecrets(p.secrets, at) {
		texts = append(texts, p.texts[s.ID])
	}
	return texts
}
