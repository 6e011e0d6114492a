package mail

import (
	"context"
	"crypto/x509"
	"time"
)

// SetWaits replaces the waits between attempts, before the start.
func (p *Postman) SetWaits(waits ...time.Duration) { p.waits = waits }

// Deliver sends a message once, now, trusting the given certificates.
func (p *Postman) Deliver(ctx context.Context, m Message, roots *x509.CertPool) error {
	p.roots = roots
	return p.deliver(ctx, m)
}
