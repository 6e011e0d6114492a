package mail

import (
	"context"
	"crypto/x509"
)

// Deliver sends a message once, now, trusting the given certificates.
func (p *Postman) Deliver(ctx context.Context, m Message, roots *x509.CertPool) error {
	p.roots = roots
	return p.deliver(ctx, m)
}
