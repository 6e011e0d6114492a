package mail_test

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/mail"
	"github.com/parleyhq/parley/internal/mail/mailtest"
	"github.com/parleyhq/parley/internal/part/parttest"
)

func start(t *testing.T, server string) (*mail.Postman, *strings.Builder) {
	t.Helper()
	p, log := idle(t, server)
	return parttest.Start(t, p), log
}

// idle is a postman that has not been started.
func idle(t *testing.T, server string) (*mail.Postman, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	p, err := mail.New(server, "Parley <parley@example.com>", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return p, &log
}

// A mail arrives as it was written, with any content.
func TestMailArrives(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	p, _ := start(t, server.URL)
	for _, m := range []mail.Message{
		{To: "ada@example.com", Subject: "Hello", Text: "One line\n"},
		{To: "budi@example.com", Subject: "Kopi ☕ & Co\r\nBcc: everybody@example.com", Text: ".\nA dot, é, and a long line " + strings.Repeat("x", 300) + "\n.\n"},
	} {
		p.Send(m)
		got := server.Next(t)
		if got.To != m.To || got.From != "parley@example.com" || got.Text != m.Text || got.Subject != m.Subject {
			t.Errorf("of %+v arrived %+v", m, got)
		}
	}
}

// A final refusal delays no other mail, and the log does not name the person.
func TestRefusedMail(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	p, log := start(t, server.URL)
	server.Refuse("550 no such user")
	p.Send(mail.Message{To: "gone@example.com", Subject: "x", Text: "x"})
	p.Send(mail.Message{To: "ada@example.com", Subject: "y", Text: "y"})
	if got := server.Next(t); got.To != "ada@example.com" {
		t.Errorf("arrived %+v", got)
	}
	p.Stop(context.Background())
	if !strings.Contains(log.String(), "no such user") || strings.Contains(log.String(), "gone@example.com") {
		t.Errorf("the log says %s", log)
	}
}

// A mail that the server does not take yet delays no other, and comes when it is due.
func TestMailIsTriedAgain(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	for _, c := range []struct {
		wait time.Duration
		want []string
	}{{time.Hour, []string{"ada"}}, {0, []string{"ada", "later"}}} {
		p, log := idle(t, server.URL)
		p.SetWaits(c.wait)
		server.Refuse("450 later")
		p.Send(mail.Message{OrgID: "org_1", To: "later@example.com"})
		p.Send(mail.Message{OrgID: "org_1", To: "ada@example.com"})
		parttest.Start(t, p)
		for _, want := range c.want {
			if got := server.Next(t); got.To != want+"@example.com" {
				t.Errorf("after %v %s came, want %s", c.wait, got.To, want)
			}
		}
		p.Stop(context.Background())
		if log.Len() > 0 {
			t.Errorf("the log says %s", log)
		}
	}
}

// A mail that the server has taken is sent, whatever becomes of the connection: it would come twice if it were tried again.
func TestTakenMailIsSent(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Abrupt())
	p, _ := idle(t, server.URL)
	if err := p.Deliver(t.Context(), mail.Message{To: "ada@example.com"}, nil); err != nil {
		t.Errorf("a mail that was taken counts as not sent: %v", err)
	}
	server.Next(t)
}

// A server that says nothing does not hold up the stop: other parts need its time.
func TestStopDoesNotWaitForTheServer(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p, log := start(t, "smtp://"+silent.Addr().String())
	p.Send(mail.Message{OrgID: "org_1", To: "ada@example.com"})
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if p.Stop(ctx); ctx.Err() != nil {
		t.Error("the stop waited for a server that says nothing")
	}
	if log.Len() > 0 {
		t.Errorf("the log says %s", log)
	}
}

// After the last attempt a mail is given up.
func TestMailIsGivenUp(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	p, log := idle(t, server.URL)
	p.SetWaits(0)
	for range 3 {
		server.Refuse("450 later")
	}
	p.Send(mail.Message{OrgID: "org_1", To: "never@example.com"})
	p.Send(mail.Message{OrgID: "org_1", To: "ada@example.com"})
	parttest.Start(t, p)
	if got := server.Next(t); got.To != "ada@example.com" {
		t.Errorf("%s came", got.To)
	}
	p.Stop(context.Background())
	if given := strings.Count(log.String(), "could not be sent"); given != 1 {
		t.Errorf("%d mails were given up: %s", given, log)
	}
}

// An organization with many mails has half of the queue, and others are served in turn.
func TestOrganizationsTakeTurnsWithMail(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	p, log := idle(t, server.URL)
	for range 600 {
		p.Send(mail.Message{OrgID: "org_busy", To: "busy@example.com"})
	}
	p.Send(mail.Message{OrgID: "org_quiet", To: "quiet@example.com"})
	if given := strings.Count(log.String(), "given up"); given != 100 {
		t.Errorf("%d mails were given up, want 100", given)
	}
	parttest.Start(t, p)
	var came []string
	for range 501 {
		came = append(came, server.Next(t).To)
	}
	if at := slices.Index(came, "quiet@example.com"); at != 1 {
		t.Errorf("the other organization's mail came at place %d", at)
	}
}
