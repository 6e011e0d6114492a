// Package mail sends mail through an SMTP server, in the background.
package mail

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net/mail"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/fair"
	"github.com/parleyhq/parley/internal/part"
)

// Message is a plain text to one person, on behalf of an organization.
type Message struct{ OrgID, To, Subject, Text string }

const (
	// mostWaiting bounds the queue, and mostOfOrg the part of one organization. Mail is a convenience: the link in it can
	// be made again.
	mostWaiting = 1000
	mostOfOrg   = mostWaiting / 2
	// timeout bounds one attempt.
	timeout = 30 * time.Second
	// lookEvery is how late a mail may be tried again.
	lookEvery = time.Second
)

// Postman sends mails one after the other. Organizations take turns. A mail that the server does not take yet is tried
// again later, and delays no other meanwhile.
type Postman struct {
	part.Life
	part.Bell
	server *url.URL
	from   mail.Address
	roots  *x509.CertPool // nil: the system's
	log    *slog.Logger
	// waits are the waits between attempts. After the last attempt a mail is given up.
	waits []time.Duration

	mu      sync.Mutex
	waiting fair.Rounds[string, letter] // by organization
	later   []letter
}

// letter is a message that waits.
type letter struct {
	Message
	attempts int       // that have failed
	due      time.Time // not to be tried before
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
	return &Postman{
		Life: part.NewLife(), Bell: part.NewBell(), server: u, from: *sender, log: log, waits: []time.Duration{5 * time.Second, time.Minute},
	}, nil
}

// Start begins the work. What waits at a stop is not sent any more.
func (p *Postman) Start(context.Context) error {
	p.Every(lookEvery, p.Bell, p.work)
	return nil
}

// Send queues a message and returns at once.
func (p *Postman) Send(m Message) {
	if !p.admit(letter{Message: m}) {
		p.log.Warn("mail is given up: too much of it waits for the server", "smtp", p.server.Host)
		return
	}
	p.Wake()
}

// admit queues a letter, if there is room.
func (p *Postman) admit(l letter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	ofOrg := p.waiting.Waits(l.OrgID)
	for _, other := range p.later {
		if other.OrgID == l.OrgID {
			ofOrg++
		}
	}
	if ofOrg >= mostOfOrg || p.waiting.Len()+len(p.later) >= mostWaiting {
		return false
	}
	p.waiting.Add(l.OrgID, l)
	return true
}

// next takes the next letter that is due out of the queue.
func (p *Postman) next() (l letter, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.later = slices.DeleteFunc(p.later, func(l letter) bool {
		if now.Before(l.due) {
			return false
		}
		p.waiting.Add(l.OrgID, l)
		return true
	})
	_, letters := p.waiting.Next(1, fair.Any)
	if len(letters) == 0 {
		return l, false
	}
	return letters[0], true
}

// work tries all letters that are due.
func (p *Postman) work(ctx context.Context) {
	for ctx.Err() == nil {
		l, ok := p.next()
		if !ok {
			return
		}
		p.try(ctx, l)
	}
}

// try sends a letter, or puts it back until it is tried again. It does not log the address, because readers of the log
// need not know who has forgotten a password.
func (p *Postman) try(ctx context.Context, l letter) {
	err := p.deliver(ctx, l.Message)
	if err == nil || ctx.Err() != nil {
		return
	}
	if l.attempts == len(p.waits) || permanent(err) {
		p.log.Warn("mail could not be sent", "smtp", p.server.Host, "error", err)
		return
	}
	l.due = time.Now().Add(p.waits[l.attempts])
	l.attempts++
	p.mu.Lock()
	defer p.mu.Unlock()
	p.later = append(p.later, l)
}
