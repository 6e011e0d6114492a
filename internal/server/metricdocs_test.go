package server

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var metricName = regexp.MustCompile(`"(parley_[a-z_]*[a-z])"`)

// ownMetrics are the names of all metrics that the program makes.
func ownMetrics(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	inSources(t, func(_, source string) {
		for _, match := range metricName.FindAllStringSubmatch(source, -1) {
			known[match[1]] = true
		}
	})
	if len(known) < 20 {
		t.Fatalf("%d metrics were found", len(known))
	}
	return known
}

// inSources calls look with each source file of the program.
func inSources(t *testing.T, look func(path, source string)) {
	t.Helper()
	must(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		look(path, string(source))
		return err
	}))
}

// docs/operating.md names every metric of ours, and no other.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operating.md")
	must(t, err)
	known := ownMetrics(t)
	for name := range known {
		if !strings.Contains(string(page), "`"+name) {
			t.Errorf("the metric %s is not documented", name)
		}
	}
	for _, match := range regexp.MustCompile("`(parley_[a-z_]+)").FindAllStringSubmatch(string(page), -1) {
		if !known[match[1]] {
			t.Errorf("the page has the metric %s, which there is not", match[1])
		}
	}
}

// The log of a start tells an operator who forgot --provider-url that messages reach nobody.
func TestStartNamesTheProvider(t *testing.T) {
	t.Parallel()
	const warning = "messages go to the built-in simulator and reach nobody"
	for _, demo := range []bool{false, true} {
		cfg := settings(t)
		cfg.Demo = demo
		s, lines := open(t, cfg)
		stop := start(t, s)
		if log := lines.String(); !strings.Contains(log, "provider=simulator") || strings.Contains(log, warning) == demo {
			t.Errorf("demo %v: the log is %s", demo, log)
		}
		if _, metrics := get(t, s.ops.listener, "/metrics"); !strings.Contains(metrics, `parley_accounts{status="degraded"} 0`) {
			t.Error("the metrics do not count the numbers")
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

// Without a verify token nobody can enter the callback's address at a real provider, and the start says so.
func TestStartMissesTheVerifyToken(t *testing.T) {
	t.Parallel()
	const warning = "cannot verify the callback address: give --provider-verify-token"
	for _, token := range []string{"", "known"} {
		cfg := settings(t)
		cfg.ProviderURL, cfg.ProviderAppSecret, cfg.ProviderVerifyToken = "http://127.0.0.1:1/v24.0", "secret", token
		s, lines := open(t, cfg)
		stop := start(t, s)
		if log := lines.String(); strings.Contains(log, warning) != (token == "") || !strings.Contains(log, "/provider/webhook") && token == "" {
			t.Errorf("token %q: the log is %s", token, log)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}
