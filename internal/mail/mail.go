// Package mail sends mail through an SMTP server, behind those who ask for it.
package mail

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net/mail"
	"net/url"
	"time"
)

// Message is a plain text to one person.
type Message struct{ To, Subject, Text string }

const (
	// mostWaiting bounds what waits to be sent. A mail is a convenience: the link in it can be made again.
	mostWaiting = 1000
	// timeout is for one attempt.
	timeout = 30 * time.Second
)

// waits are those between attempts; after the last a mail is given up.
var waits = []time.Duration{5 * time.Second, time.Minute}

// Postman sends mail, one after the other.
type Postman struct {
	server *url.URL
	from   mail.Address
	roots  *x509.CertPool // nil: those of the system
	log    *slog.Logger
	queue  chan Message
	cancel context.CancelFunc
	done   chan struct{}
}

// Start begins to work for a server, as smtp://user:password@host:587 or smtps://host:465. Both were checked with the
// settings.
func Start(server, from string, log *slog.Logger) (*Postman, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Postman{server: u, from: *sender, log: log, queue: make(chan Message, mostWaiting), cancel: cancel, done: make(chan struct{})}
	go p.run(ctx)
	return p, nil
}

// Stop ends the work. What waits is not sent any more.
func (p *Postman) Stop() {
	p.cancel()
	<-p.done
}

// Send has a message sent soon. It does not wait.
func (p *Postman) Send(m Message) {
	select {
	case p.queue <- m:
	default:
		p.log.Warn("mail is given up: too much of it waits for the server", "smtp", p.server.Host)
	}
}

func (p *Postman) run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case m := <-p.queue:
			p.try(ctx, m)
		case <-ctx.Done():
			return
		}
	}
}

// try sends a message, several times if that helps. The address is not logged: whoever reads the log need not
// know who has forgotten a password.
func (p *Postman) try(ctx context.Context, m Message) {
	for attempt := 0; ; attempt++ {
		err := p.deliver(ctx, m)
		if err == nil || ctx.Err() != nil {
			return
		}
		if attempt == len(waits) || permanent(err) {
			p.log.Warn("mail could not be sent", "smtp", p.server.Host, "error", err)
			return
		}
		select {
		case <-time.After(waits[attempt]):
		case <-ctx.Done():
			return
		}
	}
}
