package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// good is a Serve that Validate accepts.
func good() Serve {
	return Serve{
		Store:  Store{Data: "./data"},
		Listen: "127.0.0.1:8080", OpsListen: "127.0.0.1:9464",
		Role: []string{"api", "worker", "dashboard"}, LogFormat: "text", LogLevel: "info", MessagesPerSecond: 80,
		WebhookRetries: []string{"10s", "1h30m"}, DrainDelay: "2s",
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	authorities := writeFile(t, "ca.pem", certificate(t))
	for name, change := range map[string]func(*Serve){
		"the defaults":        func(*Serve) {},
		"every interface":     func(s *Serve) { s.Listen = ":8080" },
		"IPv6":                func(s *Serve) { s.Listen = "[::1]:8080" },
		"a port to be picked": func(s *Serve) { s.Listen, s.OpsListen = "127.0.0.1:0", "127.0.0.1:0" },
		"postgres":            func(s *Serve) { s.DatabaseURL = "postgres://u:p@h:5432/db?sslmode=require" },
		"postgresql":          func(s *Serve) { s.DatabaseURL = "postgresql://u@h/db" },
		"a socket":            func(s *Serve) { s.DatabaseURL = "postgres:///db?host=/var/run/postgresql" },
		"past a pooler": func(s *Serve) {
			s.DatabaseURL, s.DatabaseDirectURL = "postgres://u:p@pooler:6432/db", "postgres://u:p@h:5432/db"
		},
		"no data folder needed":  func(s *Serve) { s.Data, s.DatabaseURL = "", "postgres://u@h/db" },
		"one role":               func(s *Serve) { s.Role = []string{"worker"} },
		"public URL with a port": func(s *Serve) { s.PublicURL = "http://chat.example.com:8443" },
		"authorities":            func(s *Serve) { s.WebhookCA = authorities },
		"a master key":           func(s *Serve) { s.SecretKey = base64.StdEncoding.EncodeToString(make([]byte, 32)) },
		"one retry":              func(s *Serve) { s.WebhookRetries = []string{"168h"} },
		"json logs":              func(s *Serve) { s.LogFormat, s.LogLevel = "json", "debug" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good()
			change(&s)
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	notPEM := writeFile(t, "ca.txt", []byte("no certificate"))
	for name, test := range map[string]struct {
		change func(*Serve)
		want   string
	}{
		"no data folder":        {func(s *Serve) { s.Data = "" }, "--data must name a folder"},
		"another database":      {func(s *Serve) { s.DatabaseURL = "mysql://u:hunter2@h/db" }, "--database-url must be a PostgreSQL address like"},
		"a database DSN":        {func(s *Serve) { s.DatabaseURL = "host=h password=hunter2" }, "--database-url must be"},
		"a broken database URL": {func(s *Serve) { s.DatabaseURL = "postgres://u:hunter2%zz@h/db" }, "--database-url must be"},
		"one slash":             {func(s *Serve) { s.DatabaseURL = "postgres:/u:hunter2@h/db" }, "--database-url must be"},
		"a broken direct URL": {func(s *Serve) {
			s.DatabaseURL, s.DatabaseDirectURL = "postgres://h/db", "h:5432?password=hunter2"
		}, "--database-direct-url must be a PostgreSQL address"},
		"a direct URL alone":     {func(s *Serve) { s.DatabaseDirectURL = "postgres://u:hunter2@h/db" }, "--database-direct-url is of use only with --database-url"},
		"a bare port":            {func(s *Serve) { s.Listen = "8080" }, `--listen "8080" must be host:port`},
		"no address":             {func(s *Serve) { s.Listen = "" }, `--listen "" must be host:port`},
		"a named port":           {func(s *Serve) { s.Listen = "localhost:http" }, "--listen"},
		"a port out of range":    {func(s *Serve) { s.Listen = ":65536" }, "--listen"},
		"a negative port":        {func(s *Serve) { s.OpsListen = ":-1" }, "--ops-listen"},
		"a bare host":            {func(s *Serve) { s.PublicURL = "chat.example.com" }, `--public-url "chat.example.com" must be like https://`},
		"another scheme":         {func(s *Serve) { s.PublicURL = "ftp://chat.example.com" }, "--public-url"},
		"a path":                 {func(s *Serve) { s.PublicURL = "https://chat.example.com/parley" }, "without path"},
		"a query":                {func(s *Serve) { s.PublicURL = "https://chat.example.com?a=b" }, "--public-url"},
		"a fragment":             {func(s *Serve) { s.PublicURL = "https://chat.example.com#a" }, "--public-url"},
		"no host":                {func(s *Serve) { s.PublicURL = "https://:443" }, "--public-url"},
		"credentials":            {func(s *Serve) { s.PublicURL = "https://u:hunter2@chat.example.com" }, "without credentials"},
		"broken credentials":     {func(s *Serve) { s.PublicURL = "https://u:hunter2%zz@chat.example.com" }, "--public-url must be"},
		"a host with a port":     {func(s *Serve) { s.OpsHost = []string{"parley", "parley:9464"} }, `--ops-host "parley:9464" must be a name alone`},
		"a host with a scheme":   {func(s *Serve) { s.OpsHost = []string{"http://parley"} }, "--ops-host"},
		"everybody trusted":      {func(s *Serve) { s.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("::/0")} }, "--trusted-proxy ::/0 is everybody"},
		"an unknown role":        {func(s *Serve) { s.Role = []string{"api", "cook"} }, `--role "cook" must be a list of api, worker, dashboard`},
		"no role":                {func(s *Serve) { s.Role = nil }, "--role must name at least one of api"},
		"absent authorities":     {func(s *Serve) { s.WebhookCA = notPEM + ".absent" }, "--webhook-ca cannot be read"},
		"authorities not in PEM": {func(s *Serve) { s.WebhookCA = notPEM }, "holds no certificate in PEM form"},
		"a retry at once":        {func(s *Serve) { s.WebhookRetries = []string{"0s"} }, "--webhook-retries must be"},
		"a retry after a month":  {func(s *Serve) { s.WebhookRetries = []string{"720h"} }, "--webhook-retries must be"},
		"a retry without a unit": {func(s *Serve) { s.WebhookRetries = []string{"10"} }, "--webhook-retries must be"},
		"no retries":             {func(s *Serve) { s.WebhookRetries = nil }, "--webhook-retries must be"},
		"a short master key":     {func(s *Serve) { s.SecretKey = "aHVudGVyMg==" }, "--secret-key: the master key must be 32 bytes in base64"},
		"a log format":           {func(s *Serve) { s.LogFormat = "xml" }, `--log-format "xml" must be one of text, json`},
		"a log level":            {func(s *Serve) { s.LogLevel = "loud" }, `--log-level "loud" must be one of debug, info, warn, error`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good()
			test.change(&s)
			err := s.Validate()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			for _, secret := range []string{"hunter2", "aHVudGVyMg"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%q repeats a secret", err)
				}
			}
		})
	}
}

func TestValidateReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	s := good()
	s.Listen, s.OpsListen, s.LogFormat = "a", "b", "c"
	err := s.Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v, want three lines", err)
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ listen, given, want string }{
		{"127.0.0.1:8080", "", "http://localhost:8080"},
		{":80", "", "http://localhost:80"},
		{"127.0.0.1:0", "", ""}, // known once the node listens
		{":8080", "https://chat.example.com/", "https://chat.example.com"},
	} {
		s := good()
		s.Listen, s.PublicURL = test.listen, test.given
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		if s.PublicURL != test.want {
			t.Errorf("%s, %q: got %q, want %q", test.listen, test.given, s.PublicURL, test.want)
		}
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	s := Serve{Role: []string{"worker"}}
	if !s.Has("worker") || s.Has("api") {
		t.Errorf("roles %v", s.Role)
	}
}

func writeFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func certificate(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
