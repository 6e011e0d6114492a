package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strings"
	"time"
)

// permanent reports whether the server will never accept the message.
func permanent(err error) bool {
	refusal, ok := errors.AsType[*textproto.Error](err)
	return ok && refusal.Code >= 500
}

// deliver sends a message to the server.
func (p *Postman) deliver(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	if user := p.server.User; user != nil {
		password, _ := user.Password()
		if err := client.Auth(smtp.PlainAuth("", user.Username(), password, p.server.Hostname())); err != nil {
			return fmt.Errorf("sign in: %w", err)
		}
	}
	if err := errors.Join(client.Mail(p.from.Address), client.Rcpt(m.To)); err != nil {
		return err
	}
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(p.text(m)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	client.Quit() // the mail is taken: if this fails, it must not be sent again
	return nil
}

// connect connects to the server, with TLS from the start or by STARTTLS. The connection does nothing any more when ctx
// ends.
func (p *Postman) connect(ctx context.Context) (*smtp.Client, error) {
	host, secure := p.server.Hostname(), p.server.Scheme == "smtps"
	port := p.server.Port()
	if port == "" {
		port = map[bool]string{true: "465", false: "587"}[secure]
	}
	dialled, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { dialled.SetDeadline(time.Now()) })
	conn, settings := dialled, &tls.Config{ServerName: host, RootCAs: p.roots}
	if secure {
		conn = tls.Client(conn, settings)
	}
	client, err := smtp.NewClient(conn, host)
	if err != nil {
		conn.Close()
		return nil, err
	}
	if offered, _ := client.Extension("STARTTLS"); offered && !secure {
		if err := client.StartTLS(settings); err != nil {
			client.Close()
			return nil, err
		}
	}
	return client, nil
}

// text is the message in wire format. Every text from outside is encoded.
func (p *Postman) text(m Message) []byte {
	var b bytes.Buffer
	header := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	header("From", p.from.String())
	header("To", (&mail.Address{Address: m.To}).String())
	header("Subject", mime.QEncoding.Encode("utf-8", m.Subject))
	header("Date", time.Now().Format(time.RFC1123Z))
	header("Message-ID", fmt.Sprintf("<%s@%s>", rand.Text(), p.from.Address[strings.LastIndexByte(p.from.Address, '@')+1:]))
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	header("Auto-Submitted", "auto-generated")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	w.Write([]byte(m.Text))
	w.Close()
	return b.Bytes()
}
