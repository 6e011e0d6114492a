package mail

import (
	"context"
	"crypto/x509"
)

// Deliver hands a message to the server now, once, trusting some certificates.
func (p *Postman) Deliver(ctx context.Context, m Message, roots *x509.CertPool) error {
	p.roots = roots
	return p.deliver(ctx, m)
}
