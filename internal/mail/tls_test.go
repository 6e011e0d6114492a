package mail_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/mail"
	"github.com/parleyhq/parley/internal/mail/mailtest"
)

// certificate is a certificate for 127.0.0.1, with the pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server.TLS.Certificates[0], roots
}

// as adds a login to a server's address.
func as(login, server string) string { return strings.Replace(server, "://", "://"+login+"@", 1) }

var hello = mail.Message{To: "ada@example.com", Subject: "Hello", Text: "Hello\n"}

// A mail goes over TLS and with a login if the server wants that: from the start, or by STARTTLS.
func TestMailOverTLSAsSomebody(t *testing.T) {
	t.Parallel()
	cert, roots := certificate(t)
	for name, way := range map[string]mailtest.Option{"STARTTLS": mailtest.TLS(cert), "smtps": mailtest.Smtps(cert)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.Start(t, way, mailtest.Login("parley", "pa ss:wörd"))
			p, _ := start(t, as("parley:pa%20ss%3Aw%C3%B6rd", server.URL))
			if err := p.Deliver(t.Context(), hello, roots); err != nil {
				t.Fatal(err)
			}
			if got := server.Next(t); !got.Secure || got.User != "parley" || got.To != hello.To || got.Text != hello.Text {
				t.Errorf("arrived %+v", got)
			}
		})
	}
}

// An untrusted server gets no mail, and a server that refuses the login gets none either.
func TestMailIsNotGivenToStrangers(t *testing.T) {
	t.Parallel()
	cert, roots := certificate(t)
	for name, test := range map[string]struct {
		way   mailtest.Option
		login string
		roots *x509.CertPool
		says  string
	}{
		"STARTTLS with a certificate of nobody": {mailtest.TLS(cert), "parley:secret", x509.NewCertPool(), "certificate"},
		"smtps with a certificate of nobody":    {mailtest.Smtps(cert), "parley:secret", x509.NewCertPool(), "certificate"},
		"a wrong password":                      {mailtest.TLS(cert), "parley:wrong", roots, "sign in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.Start(t, test.way, mailtest.Login("parley", "secret"))
			p, _ := start(t, as(test.login, server.URL))
			err := p.Deliver(t.Context(), hello, test.roots)
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("it says %v", err)
			}
			if n := len(server.Taken); n != 0 {
				t.Errorf("%d mails arrived", n)
			}
		})
	}
}
