// Package config is every setting of the program: one documented struct, filled from flags and
// PARLEY_* variables, checked before anything starts.
package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Store says where the state is kept. Every command takes these.
type Store struct {
	Data        string `env:"PARLEY_DATA" default:"./data" placeholder:"DIR" help:"Folder of the embedded store, the master key and stored media."`
	DatabaseURL string `env:"PARLEY_DATABASE_URL" placeholder:"URL" secret:"" help:"PostgreSQL address (postgres://user:password@host/db). Empty: the embedded SQLite store in the data folder."`
}

// Serve is the settings of a serving process.
type Serve struct {
	Store `embed:""`

	Listen       string         `env:"PARLEY_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API and the dashboard."`
	OpsListen    string         `env:"PARLEY_OPS_LISTEN" default:"127.0.0.1:9464" placeholder:"ADDR" help:"Address of metrics, readiness and profiles. Keep it private."`
	PublicURL    string         `env:"PARLEY_PUBLIC_URL" placeholder:"URL" help:"Address under which others reach this service, without a path. Empty: http://localhost and the port of --listen."`
	Role         []string       `env:"PARLEY_ROLE" default:"api,worker,dashboard" placeholder:"ROLE,…" help:"What this node does: api, worker, dashboard."`
	AllowNetwork []netip.Prefix `type:"cidr" env:"PARLEY_ALLOW_NETWORK" placeholder:"CIDR" help:"Private address range that webhooks, media links and template samples may reach. Repeatable; none by default."`
	WebhookCA    string         `env:"PARLEY_WEBHOOK_CA" placeholder:"FILE" help:"PEM file of certificate authorities to trust for webhook endpoints, beside the system's."`
	SecretKey    string         `env:"PARLEY_SECRET_KEY" placeholder:"BASE64" secret:"" help:"Master key that seals stored secrets: 32 bytes in base64. Empty: secret.key in the data folder, made on first start. All nodes need the same."`
	LogFormat    string         `env:"PARLEY_LOG_FORMAT" default:"text" placeholder:"FORMAT" help:"text or json."`
	LogLevel     string         `env:"PARLEY_LOG_LEVEL" default:"info" placeholder:"LEVEL" help:"debug, info, warn or error."`
	Demo         bool           `env:"PARLEY_DEMO" help:"Seed a demo organization on first start and print its key and login."`
}

// Roles a node can take.
var Roles = []string{"api", "worker", "dashboard"}

// Validate checks what the flags' types cannot. The messages say what to do.
func (s *Store) Validate() error {
	if s.DatabaseURL == "" {
		return nil
	}
	u, err := url.Parse(s.DatabaseURL)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		// The parse error is not shown: it repeats the URL and its password.
		return errors.New("--database-url must be a PostgreSQL address like postgres://user:password@host:5432/parley; leave it empty for the embedded store")
	}
	return nil
}

// Validate checks every setting and reports all that are wrong.
func (s *Serve) Validate() error {
	return errors.Join(
		s.Store.Validate(),
		checkAddress("--listen", s.Listen),
		checkAddress("--ops-listen", s.OpsListen),
		s.checkPublicURL(),
		s.checkRoles(),
		s.checkWebhookCA(),
		oneOf("--log-format", s.LogFormat, "text", "json"),
		oneOf("--log-level", s.LogLevel, "debug", "info", "warn", "error"),
	)
}

func checkAddress(flag, addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("%s %q must be host:port, like 127.0.0.1:8080 or :8080", flag, addr)
	}
	return nil
}

func (s *Serve) checkPublicURL() error {
	if s.PublicURL == "" {
		_, port, _ := net.SplitHostPort(s.Listen)
		s.PublicURL = "http://localhost:" + port
		return nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("--public-url %q must be like https://chat.example.com, without path, query or credentials", s.PublicURL)
	}
	s.PublicURL = strings.TrimRight(s.PublicURL, "/")
	return nil
}

func (s *Serve) checkRoles() error {
	for _, role := range s.Role {
		if !slices.Contains(Roles, role) {
			return fmt.Errorf("--role %q must be a list of %s", role, strings.Join(Roles, ", "))
		}
	}
	if len(s.Role) == 0 {
		return fmt.Errorf("--role must name at least one of %s", strings.Join(Roles, ", "))
	}
	return nil
}

// Has reports whether the node takes a role.
func (s *Serve) Has(role string) bool { return slices.Contains(s.Role, role) }

func (s *Serve) checkWebhookCA() error {
	if s.WebhookCA == "" {
		return nil
	}
	pem, err := os.ReadFile(s.WebhookCA)
	if err != nil {
		return fmt.Errorf("--webhook-ca cannot be read: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("--webhook-ca %s holds no certificate in PEM form", s.WebhookCA)
	}
	return nil
}

func oneOf(flag, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s %q must be one of %s", flag, value, strings.Join(allowed, ", "))
	}
	return nil
}
