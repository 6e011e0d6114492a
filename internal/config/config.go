// Package config holds every setting of the program in one documented struct, which is filled from flags and
// PARLEY_* variables and checked before anything starts.
package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/tracing"
	"github.com/parleyhq/parley/internal/vault"
)

// Store says where the state is kept. Every command takes these.
type Store struct {
	Data        string `variable:"PARLEY_DATA" default:"./data" placeholder:"DIR" help:"Folder of the embedded store, the master key and stored media."`
	DatabaseURL string `variable:"PARLEY_DATABASE_URL" placeholder:"URL" secret:"" help:"PostgreSQL address (postgres://user:password@host/db). Empty: the embedded SQLite store in the data folder."`
}

// Media says where stored files are kept.
type Media struct {
	MediaURL string `name:"media-url" variable:"PARLEY_MEDIA_URL" placeholder:"URL" help:"Bucket of S3-compatible storage for stored files, as s3://bucket/prefix?endpoint=https://storage.example.com&region=eu-1 (no endpoint: Amazon S3). The credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Empty: the folder media in the data folder, which nodes on other machines do not see."`
}

// Validate checks the address.
func (m *Media) Validate() error {
	if m.MediaURL == "" {
		return nil
	}
	_, err := blob.ParseAddress(m.MediaURL)
	return err
}

// Serve is the settings of a serving process.
type Serve struct {
	Store `embed:""`
	Media `embed:""`

	DatabaseDirectURL   string         `name:"database-direct-url" variable:"PARLEY_DATABASE_DIRECT_URL" placeholder:"URL" secret:"" help:"PostgreSQL's own address where --database-url leads to a pooler in transaction mode, so that nodes hear of each other's work. Empty: they look every second."`
	Listen              string         `variable:"PARLEY_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API and the dashboard."`
	OpsListen           string         `variable:"PARLEY_OPS_LISTEN" default:"127.0.0.1:9464" placeholder:"ADDR" help:"Address of metrics, readiness, profiles and the built-in simulator. Keep it private."`
	OpsHost             []string       `type:"list" variable:"PARLEY_OPS_HOST" placeholder:"NAME" help:"Name under which the address of --ops-listen is reached, like parley.example.internal. Taken anyway: localhost, IP addresses, the name of the machine, and names without a dot where the address is not a loopback one. Repeatable, or separated by commas."`
	PublicURL           string         `variable:"PARLEY_PUBLIC_URL" placeholder:"URL" help:"Address under which others reach this service, without a path. Empty: http://localhost and the port of --listen."`
	Role                []string       `type:"list" variable:"PARLEY_ROLE" default:"api,worker,dashboard" placeholder:"ROLES" help:"What this node does, separated by commas: api, worker, dashboard."`
	DrainDelay          string         `variable:"PARLEY_DRAIN_DELAY" default:"2s" placeholder:"WAIT" help:"How long a node that was told to stop still takes requests, while /ready says no and answers ask clients to close their connections. Longer than your load balancer needs to notice; a node without connections does not wait."`
	AllowNetwork        []netip.Prefix `type:"cidr" variable:"PARLEY_ALLOW_NETWORK" placeholder:"CIDR" help:"Private address range that webhooks, media links and template samples may reach. Repeatable, or separated by commas; none by default."`
	TrustedProxy        []netip.Prefix `type:"cidr" variable:"PARLEY_TRUSTED_PROXY" placeholder:"CIDR" help:"Address range of your proxies: what they say in X-Forwarded-For or Forwarded about a client's address is believed. Repeatable, or separated by commas; none by default."`
	WebhookCA           string         `variable:"PARLEY_WEBHOOK_CA" placeholder:"FILE" help:"PEM file of certificate authorities to trust for webhook endpoints, beside the system's."`
	WebhookRetries      []string       `type:"list" variable:"PARLEY_WEBHOOK_RETRIES" default:"10s,30s,2m,10m,1h,6h,24h" placeholder:"WAITS" help:"How long a webhook delivery waits after each failed attempt, separated by commas; when the last has passed in vain it is given up."`
	SecretKey           string         `variable:"PARLEY_SECRET_KEY" placeholder:"BASE64" secret:"" help:"Master key that seals stored secrets: 32 bytes in base64. Empty: secret.key in the data folder, made on first start. All nodes need the same."`
	ProviderURL         string         `variable:"PARLEY_PROVIDER_URL" placeholder:"URL" help:"Base address of the provider's API with its version, like https://graph.facebook.com/v24.0. Empty: the built-in simulator."`
	ProviderAppID       string         `variable:"PARLEY_PROVIDER_APP_ID" placeholder:"ID" help:"Id of the provider's app that numbers are connected to. Uploading samples of templates needs it."`
	ProviderAppSecret   string         `variable:"PARLEY_PROVIDER_APP_SECRET" placeholder:"SECRET" secret:"" help:"Secret of that app; callbacks are signed with it. Needed with --provider-url."`
	ProviderConfigID    string         `variable:"PARLEY_PROVIDER_CONFIG_ID" placeholder:"ID" help:"Id of the app's login configuration that signups through setup links follow. Empty: the permissions are asked for by name."`
	ProviderVerifyToken string         `variable:"PARLEY_PROVIDER_VERIFY_TOKEN" placeholder:"TOKEN" secret:"" help:"Token that the provider shows when it verifies the callback address, /provider/webhook."`
	MessagesPerSecond   int64          `variable:"PARLEY_MESSAGES_PER_SECOND" default:"80" placeholder:"N" help:"How many messages a second one number sends."`
	Operator            []string       `type:"list" variable:"PARLEY_OPERATOR" placeholder:"USER" help:"User who sees the operator's page, by id (usr_…): organizations, nodes and queues in counts. Repeatable, or separated by commas; none by default."`
	SMTPURL             string         `name:"smtp-url" variable:"PARLEY_SMTP_URL" placeholder:"URL" secret:"" help:"Mail server, as smtp://user:password@mail.example.com:587 (TLS where it offers that) or smtps://…:465. Invitations and links to choose another password are then mailed too. Empty: no mail is sent."`
	SMTPFrom            string         `name:"smtp-from" variable:"PARLEY_SMTP_FROM" placeholder:"ADDRESS" help:"Who mails are from, as 'Parley <parley@example.com>'. Needed with --smtp-url."`

	OIDCIssuer       string   `name:"oidc-issuer" variable:"PARLEY_OIDC_ISSUER" placeholder:"URL" help:"Identity provider (OpenID Connect) at which people can sign in to the dashboard, as https://accounts.example.com. Register the address PUBLIC-URL/login/sso there. Empty: none."`
	OIDCClientID     string   `name:"oidc-client-id" variable:"PARLEY_OIDC_CLIENT_ID" placeholder:"ID" help:"What the identity provider knows this server by. Needed with --oidc-issuer."`
	OIDCClientSecret string   `name:"oidc-client-secret" variable:"PARLEY_OIDC_CLIENT_SECRET" placeholder:"SECRET" secret:"" help:"The secret that goes with --oidc-client-id; empty for a public client."`
	OIDCName         string   `name:"oidc-name" variable:"PARLEY_OIDC_NAME" default:"single sign-on" placeholder:"NAME" help:"What the sign-in page calls the identity provider."`
	OIDCDomain       []string `name:"oidc-domain" variable:"PARLEY_OIDC_DOMAIN" placeholder:"DOMAIN" help:"People with a verified address of this domain need no invitation: they become agents when they first sign in. Repeat it for several; without any, everybody needs to be a user or invited."`
	OIDCOrg          string   `name:"oidc-org" variable:"PARLEY_OIDC_ORG" placeholder:"ORG" help:"The organization of those who come by --oidc-domain; needed where there are several."`

	OTELEndpoint string  `name:"otel-endpoint" variable:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"OpenTelemetry collector that gets traces by OTLP over HTTP, as http://localhost:4318. Empty: nothing is traced."`
	OTELHeaders  string  `name:"otel-headers" variable:"OTEL_EXPORTER_OTLP_HEADERS" placeholder:"NAME=VALUE" secret:"" help:"Headers that go with traces, as authorization=Bearer%20abc; separated by commas."`
	OTELShare    float64 `name:"otel-share" variable:"OTEL_TRACES_SAMPLER_ARG" default:"1" placeholder:"SHARE" help:"How many of the traces that begin here are kept, from 0 to 1."`

	LogFormat string `variable:"PARLEY_LOG_FORMAT" default:"text" placeholder:"FORMAT" help:"text or json."`
	LogLevel  string `variable:"PARLEY_LOG_LEVEL" default:"info" placeholder:"LEVEL" help:"debug, info, warn or error."`
	Demo      bool   `variable:"PARLEY_DEMO" help:"Seed a demo organization on first start, with a week of conversations, and print its key and login."`
	DemoEmpty bool   `variable:"PARLEY_DEMO_EMPTY" help:"Leave the demo organization without its week of conversations."`
}

var userID = regexp.MustCompile("^usr_[0-9A-HJKMNP-TV-Z]{26}$")

// Roles a node can take.
var Roles = []string{"api", "worker", "dashboard"}

// Validate checks what the flags' types cannot.
func (s *Store) Validate() error {
	if s.DatabaseURL == "" {
		if s.Data == "" {
			return errors.New("--data must name a folder: the embedded store is kept there")
		}
		return nil
	}
	return checkDatabaseURL("--database-url", s.DatabaseURL, "; leave it empty for the embedded store")
}

func checkDatabaseURL(flag, address, otherwise string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || !strings.HasPrefix(address, u.Scheme+"://") {
		// The parse error is not shown: it repeats the URL and its password.
		return errors.New(flag + " must be a PostgreSQL address like postgres://user:password@host:5432/parley" + otherwise)
	}
	return nil
}

// Validate checks every setting, reports all mistakes, and fills in the public URL.
func (s *Serve) Validate() error {
	return errors.Join(
		s.Store.Validate(),
		s.Media.Validate(),
		s.checkDirectURL(),
		checkAddress("--listen", s.Listen),
		checkAddress("--ops-listen", s.OpsListen),
		s.checkOpsHost(),
		s.checkPublicURL(),
		s.checkTrustedProxy(),
		s.checkRoles(),
		s.checkDrainDelay(),
		s.checkWebhookCA(),
		s.checkWebhookRetries(),
		s.checkProvider(),
		s.checkSecretKey(),
		s.checkSMTP(),
		s.checkOIDC(),
		oneOf("--log-format", s.LogFormat, "text", "json"),
		oneOf("--log-level", s.LogLevel, "debug", "info", "warn", "error"),
	)
}

func (s *Serve) checkDirectURL() error {
	switch {
	case s.DatabaseDirectURL == "":
		return nil
	case s.DatabaseURL == "":
		return errors.New("--database-direct-url is of use only with --database-url")
	default:
		return checkDatabaseURL("--database-direct-url", s.DatabaseDirectURL, "")
	}
}

func checkAddress(flag, addr string) error {
	if _, ok := portOf(addr); !ok {
		return fmt.Errorf("%s %q must be host:port, like 127.0.0.1:8080 or :8080", flag, addr)
	}
	return nil
}

func (s *Serve) checkOpsHost() error {
	for _, name := range s.OpsHost {
		if name == "" || strings.ContainsAny(name, ":/[]@ *") {
			return fmt.Errorf("--ops-host %q must be a name alone, like parley.example.internal, without port or scheme", name)
		}
	}
	return nil
}

// HostName normalizes a host's name for comparison: lower case, without a final dot.
func HostName(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

func portOf(addr string) (port string, ok bool) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return port, err == nil
}

func (s *Serve) checkPublicURL() error {
	if s.PublicURL == "" {
		s.PublicURL = LocalURL(s.Listen)
		return nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.User != nil { // not repeated: it may hold a password
		return errors.New("--public-url must be like https://chat.example.com, without credentials")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--public-url %q must be like https://chat.example.com, without path or query", s.PublicURL)
	}
	s.PublicURL = strings.TrimRight(s.PublicURL, "/")
	return nil
}

// LocalURL is the public URL of a service that listens on addr if none was given. It is empty for port 0,
// because the system then picks the port.
func LocalURL(addr string) string {
	port, ok := portOf(addr)
	if !ok || port == "0" {
		return ""
	}
	return "http://localhost:" + port
}

// checkTrustedProxy refuses to trust everybody, because all clients could then choose their own addresses.
func (s *Serve) checkTrustedProxy() error {
	for _, p := range s.TrustedProxy {
		if p.Bits() == 0 {
			return fmt.Errorf("--trusted-proxy %s is everybody; name the addresses of your proxies, like 10.0.0.0/8", p)
		}
	}
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

// mostDrainDelay is less than the time that operators give a program to stop.
const mostDrainDelay = 10 * time.Minute

func (s *Serve) checkDrainDelay() error {
	if d, err := time.ParseDuration(s.DrainDelay); err != nil || d < 0 || d > mostDrainDelay {
		return fmt.Errorf("--drain-delay %q must be a wait between 0s and 10m, like 2s", s.DrainDelay)
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

func (s *Serve) checkWebhookRetries() error {
	waits, err := s.RetrySchedule()
	if err != nil || len(waits) == 0 || len(waits) > 20 {
		return errors.New("--webhook-retries must be 1 to 20 waits between 1s and 168h, like 10s,2m,1h")
	}
	return nil
}

// RetrySchedule is the waits of a webhook delivery after each failed attempt.
func (s *Serve) RetrySchedule() ([]time.Duration, error) {
	var waits []time.Duration
	for _, text := range s.WebhookRetries {
		wait, err := time.ParseDuration(text)
		if err != nil || wait < time.Second || wait > 7*24*time.Hour {
			return nil, fmt.Errorf("%q is not a wait", text)
		}
		waits = append(waits, wait)
	}
	return waits, nil
}

func (s *Serve) checkSecretKey() error {
	if s.SecretKey == "" {
		return nil
	}
	if _, err := vault.Load(s.SecretKey, ""); err != nil {
		return fmt.Errorf("--secret-key: %w", err)
	}
	return nil
}

func (s *Serve) checkOIDC() error {
	if s.OIDCIssuer == "" {
		if s.OIDCClientID != "" || len(s.OIDCDomain) > 0 {
			return errors.New("--oidc-client-id and --oidc-domain need --oidc-issuer, the address of the identity provider")
		}
		return nil
	}
	u, err := url.Parse(s.OIDCIssuer)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--oidc-issuer must be an address like https://accounts.example.com, not %q", s.OIDCIssuer)
	}
	if s.OIDCClientID == "" {
		return errors.New("--oidc-client-id is needed with --oidc-issuer: it is what the identity provider knows this server by")
	}
	return nil
}

func (s *Serve) checkSMTP() error {
	if s.SMTPURL == "" {
		return nil
	}
	u, err := url.Parse(s.SMTPURL)
	if err != nil || (u.Scheme != "smtp" && u.Scheme != "smtps") || u.Hostname() == "" { // not repeated: it may hold a password
		return errors.New("--smtp-url must be like smtp://user:password@mail.example.com:587 or smtps://mail.example.com")
	}
	if _, err := mail.ParseAddress(s.SMTPFrom); err != nil {
		return errors.New("--smtp-from must be an address like 'Parley <parley@example.com>': mails of --smtp-url are from there")
	}
	return nil
}

func (s *Serve) checkProvider() error {
	for _, id := range s.Operator {
		if !userID.MatchString(id) {
			return fmt.Errorf("--operator %q is no user's id; parley user list shows them (usr_…)", id)
		}
	}
	if err := s.checkTraces(); err != nil {
		return err
	}
	if s.MessagesPerSecond < 1 || s.MessagesPerSecond > 100_000 {
		return errors.New("--messages-per-second must be between 1 and 100000")
	}
	if s.ProviderURL == "" {
		return nil
	}
	u, err := url.Parse(s.ProviderURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("--provider-url must be like https://graph.facebook.com/v24.0; leave it empty for the built-in simulator")
	}
	if s.ProviderAppSecret == "" {
		return errors.New("--provider-app-secret is needed with --provider-url: without it nobody could tell the provider's callbacks from forged ones")
	}
	return nil
}

func oneOf(flag, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s %q must be one of %s", flag, value, strings.Join(allowed, ", "))
	}
	return nil
}

// checkTraces checks where traces go.
func (s *Serve) checkTraces() error {
	if u, err := url.Parse(s.OTELEndpoint); s.OTELEndpoint != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("--otel-endpoint must be an http or https address, like http://localhost:4318")
	}
	if !(s.OTELShare >= 0 && s.OTELShare <= 1) { // refuses NaN as well
		return errors.New("--otel-share must be between 0 and 1")
	}
	if err := tracing.CheckHeaders(s.OTELHeaders); err != nil {
		return fmt.Errorf("--otel-headers %w", err)
	}
	return nil
}
