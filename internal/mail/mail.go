// Package mail sends mail through an SMTP server, in the background.
package mail

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net/mail"
	"net/url"
	"time"

	"github.com/parleyhq/parley/internal/part"
)

// Message is a plain text to one person.
type Message struct{ To, Subject, Text string }

const (
	// mostWaiting bounds the queue. Mail is a convenience: the link in it can be made again.
	mostWaiting = 1000
	// timeout bounds one attempt.
	timeout = 30 * time.Second
)

// waits are the waits between attempts. After the last attempt a mail is given up.
var waits = []time.Duration{5 * time.Second, time.Minute}

// Postman sends mails one after the other.
type Postman struct {
	part.Life
	server *url.URL
	from   mail.Address
	roots  *x509.CertPool // nil: the system's
	log    *slog.Logger
	queue  chan Message
}

// New starts a postman for a server like smtp://user:password@host:587 or smtps://host:465. The settings were
// checked before.
func New(server, from string, log *slog.Logger) (*Postman, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, err
	}
	return &Postman{Life: part.NewLife(), server: u, from: *sender, log: log, queue: make(chan Message, mostWaiting)}, nil
}

// Start begins the work. What waits at a stop is not sent any more.
func (p *Postman) Start(context.Context) error {
	p.Go(p.run)
	return nil
}

// Send queues a message and returns at once.
func (p *Postman) Send(m Message) {
	select {
	case p.queue <- m:
	default:
		p.log.Warn("mail is given up: too much of it waits for the server", "smtp", p.server.Host)
	}
}

func (p *Postman) run(ctx context.Context) {
	for {
		select {
		case m := <-p.queue:
			p.try(ctx, m)
		case <-ctx.Done():
			return
		}
	}
}

// try sends a message, with several attempts. It does not log the address, because readers of the log need not
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
