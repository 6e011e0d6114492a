package cli

import (
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

//go:generate go test -run ^TestReadmeHasTheSettings$ . -update
var update = flag.Bool("update", false, "rewrite the table of settings in README.md")

// TestReadmeHasTheSettings compares the README's table with the program's output.
func TestReadmeHasTheSettings(t *testing.T) {
	t.Parallel()
	table := parley(t, "config", "--markdown")
	if table.code != 0 || table.stderr != "" {
		t.Fatalf("got %+v", table)
	}
	path := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- settings -->\n", "<!-- /settings -->"
	before, rest, found := strings.Cut(string(text), begin)
	present, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("README.md has no %s…%s", begin, end)
	}
	if present == table.stdout {
		return
	}
	if !*update {
		t.Fatal("the table of settings in README.md is out of date: run make generate")
	}
	if err := os.WriteFile(path, []byte(before+begin+table.stdout+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shownSettings runs config and returns what it prints of each setting: value and source.
func shownSettings(t *testing.T, environ []string, args ...string) map[string][2]string {
	t.Helper()
	o := parleyWith(t, environ, append([]string{"config"}, args...)...)
	if o.code != 0 || o.stderr != "" {
		t.Fatalf("got %+v", o)
	}
	settings := map[string][2]string{}
	for line := range strings.Lines(o.stdout) {
		columns := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), 4)
		if len(columns) != 4 {
			t.Fatalf("the line %q does not have four columns", line)
		}
		settings[columns[0]] = [2]string{columns[1], columns[2]}
	}
	return settings
}

func TestSettingsAndTheirSources(t *testing.T) {
	t.Parallel()
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	settings := shownSettings(t, []string{
		"PARLEY_LISTEN=:9000", "PARLEY_LOG_FORMAT=json", "PARLEY_DEMO=yes", "PARLEY_ROLE=api, worker",
		"PARLEY_ALLOW_NETWORK=10.1.2.3/8,fd00::/8", "PARLEY_SECRET_KEY=" + key, "PARLEY_TRUSTED_PROXY=10.0.0.1/8",
		"PARLEY_DATABASE_URL=postgres://u:hunter2@h/db?sslpassword=hunter2", "PARLEY_DATA=",
		"HOME=/nowhere", "parley_role=cook", "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", "OTEL_SERVICE_NAME=other",
	}, "--log-format=text", "--ops-listen", "127.0.0.1:7")
	for name, want := range map[string][2]string{
		"--data":         {"./data", "default"}, // an empty variable counts as none
		"--database-url": {"postgres://u:xxxxx@h/db?sslpassword=xxxxx", "PARLEY_DATABASE_URL"},
		"--listen":       {":9000", "PARLEY_LISTEN"},

		"--database-direct-url": {"-", "default"},
		"--media-url":           {"-", "default"},
		"--ops-listen":          {"127.0.0.1:7", "flag"},
		"--ops-host":            {"-", "default"},
		"--public-url":          {"http://localhost:9000", "default"},
		"--role":                {"api,worker", "PARLEY_ROLE"},
		"--drain-delay":         {"2s", "default"},
		"--allow-network":       {"10.0.0.0/8,fd00::/8", "PARLEY_ALLOW_NETWORK"},
		"--trusted-proxy":       {"10.0.0.0/8", "PARLEY_TRUSTED_PROXY"},
		"--webhook-ca":          {"-", "default"},
		"--secret-key":          {"(hidden)", "PARLEY_SECRET_KEY"},
		"--log-format":          {"text", "flag"}, // before PARLEY_LOG_FORMAT
		"--log-level":           {"info", "default"},

		"--provider-url":          {"-", "default"},
		"--provider-app-id":       {"-", "default"},
		"--provider-app-secret":   {"-", "default"},
		"--provider-config-id":    {"-", "default"},
		"--provider-verify-token": {"-", "default"},
		"--messages-per-second":   {"80", "default"},
		"--smtp-url":              {"-", "default"},
		"--smtp-from":             {"-", "default"},
		"--operator":              {"-", "default"},
		"--oidc-issuer":           {"-", "default"},
		"--oidc-client-id":        {"-", "default"},
		"--oidc-client-secret":    {"-", "default"},
		"--oidc-name":             {"single sign-on", "default"},
		"--oidc-domain":           {"-", "default"},
		"--oidc-org":              {"-", "default"},
		"--webhook-retries":       {"10s,30s,2m,10m,1h,6h,24h", "default"},
		"--demo":                  {"true", "PARLEY_DEMO"},
		"--otel-endpoint":         {"http://collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		"--otel-headers":          {"-", "default"},
		"--otel-share":            {"1", "default"},
		"--demo-empty":            {"false", "default"},
	} {
		if settings[name] != want {
			t.Errorf("%s is %v, want %v", name, settings[name], want)
		}
	}
	if len(settings) != 38 { // with the header
		t.Errorf("%d settings; is the table above complete?", len(settings)-1)
	}
}

func TestRepeatedFlagsAddUp(t *testing.T) {
	t.Parallel()
	settings := shownSettings(t, []string{"PARLEY_ALLOW_NETWORK=192.168.0.0/16"},
		"--allow-network", "10.0.0.0/8", "--allow-network=fd00::/8,fc00::/7", "--role=api", "--role", "worker")
	if got := settings["--allow-network"]; got != [2]string{"10.0.0.0/8,fd00::/8,fc00::/7", "flag"} {
		t.Errorf("--allow-network is %v", got)
	}
	if got := settings["--role"]; got != [2]string{"api,worker", "flag"} {
		t.Errorf("--role is %v", got)
	}
}

func TestBadSettingsAreNamedAsTheyWereGiven(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		environ, args string
		want          []string
	}{
		{"PARLEY_ROLE=foo", "serve", []string{`parley: PARLEY_ROLE "foo" must be a list of api, worker, dashboard`}},
		{"PARLEY_ROLE=api,,worker", "serve", []string{`parley: PARLEY_ROLE "" must be a list of`}},
		{"", "serve --role foo", []string{`parley: --role "foo" must be a list of`}},
		{"PARLEY_ROLE=api", "serve --role foo", []string{`parley: --role "foo" must be a list of`}},
		{"PARLEY_LISTEN=a PARLEY_LOG_LEVEL=b", "config --log-format c", []string{
			`parley: PARLEY_LISTEN "a" must be`, `parley: --log-format "c" must be`, `parley: PARLEY_LOG_LEVEL "b" must be`}},
		{"PARLEY_ALLOW_NETWORK=10.0.0.0", "serve", []string{`parley: PARLEY_ALLOW_NETWORK: "10.0.0.0" is not a range of addresses; write one like 10.0.0.0/8`}},
		{"", "serve --allow-network 300.0.0.0/8", []string{`parley: --allow-network: "300.0.0.0/8" is not a range of addresses`}},
		{"PARLEY_DEMO=maybe", "serve", []string{"parley: PARLEY_DEMO: ", "true, 1, yes, false, 0 or no"}},
		{"PARLEY_DATABASE_URL=mysql://h/db", "org list", []string{"parley: PARLEY_DATABASE_URL must be a PostgreSQL address"}},
		{"PARLEY_PUBLIC_URL=example.com", "serve", []string{`parley: PARLEY_PUBLIC_URL "example.com" must be like https://`}},
		{"PARLEY_WEBHOOK_CA=/nowhere/ca.pem", "serve", []string{"parley: PARLEY_WEBHOOK_CA cannot be read"}},
		{"PARLEY_DATBASE_URL=x PARLEY_ROL=y", "serve", []string{"parley: unknown setting PARLEY_DATBASE_URL: unset it", "parley: unknown setting PARLEY_ROL:"}},
		{"PARLEY_PORT=8080", "org list", []string{"unknown setting PARLEY_PORT: unset it, or correct its name;"}},
		{"PARLEY_LITSEN=:8080", "serve", []string{"correct its name, perhaps to PARLEY_LISTEN;"}},
		{"PARLEY_DATABASE=x", "migrate", []string{"perhaps to PARLEY_DATABASE_DIRECT_URL or PARLEY_DATABASE_URL;"}},
	} {
		t.Run(test.environ+" "+test.args, func(t *testing.T) {
			t.Parallel()
			parleyWith(t, strings.Fields(test.environ), strings.Fields(test.args)...).refused(t, exitUsage, test.want...)
		})
	}
}

// TestForeignVariables accepts the variables that Kubernetes sets for services named parley and parley-db, and
// ignores empty ones.
func TestForeignVariables(t *testing.T) {
	t.Parallel()
	shownSettings(t, strings.Fields(`PARLEY_SERVICE_HOST=10.0.0.1 PARLEY_SERVICE_PORT=80 PARLEY_SERVICE_PORT_HTTP=80
		PARLEY_PORT=tcp://10.0.0.1:80 PARLEY_PORT_80_TCP=tcp://10.0.0.1:80 PARLEY_PORT_80_TCP_PROTO=tcp
		PARLEY_PORT_80_TCP_PORT=80 PARLEY_PORT_80_TCP_ADDR=10.0.0.1 PARLEY_DB_SERVICE_HOST=10.0.0.2
		PARLEY_DB_PORT=tcp://10.0.0.2:5432 PARLEY_TEST_DATABASE_URL=x PARLEY_TYPO=`))
}

func TestHelpIsShownDespiteBadSettings(t *testing.T) {
	t.Parallel()
	o := parleyWith(t, []string{"PARLEY_TYPO=1", "PARLEY_LISTEN=x"}, "serve", "--help")
	if o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "PARLEY_LISTEN") {
		t.Errorf("got %+v", o)
	}
}
