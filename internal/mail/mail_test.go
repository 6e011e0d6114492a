package mail_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/mail"
	"github.com/parleyhq/parley/internal/mail/mailtest"
	"github.com/parleyhq/parley/internal/part/parttest"
)

func start(t *testing.T, server string) (*mail.Postman, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	p, err := mail.New(server, "Parley <parley@example.com>", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return parttest.Start(t, p), &log
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
