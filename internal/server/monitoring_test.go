package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var watchedName = regexp.MustCompile(`\bparley_[a-z_]+`)

// The operators' rules and dashboards use only existing metrics, and all that should be watched.
func TestMonitoringNamesMetricsThatExist(t *testing.T) {
	t.Parallel()
	made := ownMetrics(t)
	folder := filepath.Join("..", "..", "deploy", "monitoring")
	watched := map[string]bool{}
	for _, file := range []string{"alerts.yml", "grafana.json"} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		must(t, err)
		if file == "grafana.json" && !json.Valid(content) {
			t.Errorf("%s is no JSON", file)
		}
		for _, name := range watchedName.FindAllString(string(content), -1) {
			base := name
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, suffix)
			}
			watched[base] = true
			if !made[base] {
				t.Errorf("%s speaks of %s, which does not exist", file, name)
			}
		}
	}
	for name := range made {
		if !watched[name] && !minor[name] {
			t.Errorf("%s is in no panel and no rule", name)
		}
	}
}

// minor are metrics that only help to find a cause.
var minor = map[string]bool{
	"parley_api_log_dropped_total": true, "parley_search_indexed_total": true, "parley_trouble_failures_total": true, "parley_webhook_payload_bytes": true,
}

// Prometheus joins two conditions by their labels. One without labels never meets one that has them, and the alert
// would never fire.
func TestConditionsOfAlertsMeet(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../deploy/monitoring/alerts.yml")
	must(t, err)
	joined := 0
	for _, rule := range regexp.MustCompile(`(?m)^ *expr: (.+)$`).FindAllStringSubmatch(string(rules), -1) {
		conditions := strings.Split(rule[1], " and ")
		if len(conditions) == 1 {
			continue
		}
		joined++
		for _, condition := range conditions {
			if !strings.HasPrefix(condition, "max(") && !strings.HasPrefix(condition, "sum(") {
				t.Errorf("%q keeps labels in %q", condition, rule[1])
			}
		}
	}
	if joined < 3 {
		t.Errorf("%d alerts have two conditions", joined)
	}
}

// ownAlerts are the alerts of troubles that traffic tells apart better than time: one message, or a stranger, can begin them,
// and they last until the next.
var ownAlerts = []struct{ trouble, alert string }{
	{"callback signatures", "ParleyCallbacksRefused"}, {"provider", "ParleyProviderAway"},
}

// Every trouble that the program counts is explained to who is woken up by it, and rings once: by day or by night.
func TestEveryTroubleIsExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operating.md")
	must(t, err)
	rules, err := os.ReadFile("../../deploy/monitoring/alerts.yml")
	must(t, err)
	named := regexp.MustCompile(`parley_trouble\{what([!=])~"([^"]+)"\}`).FindAllStringSubmatch(string(rules), -1)
	if len(named) != 2 || named[0][1] == named[1][1] {
		t.Fatalf("a trouble rings twice, or never: %q", named)
	}
	apart := ""
	for _, own := range ownAlerts {
		apart += "|" + own.trouble
		if !strings.Contains(string(rules), "alert: "+own.alert+"\n") {
			t.Errorf("the trouble %q is left to %s, which there is not", own.trouble, own.alert)
		}
	}
	if named[0][1] != "!" || named[0][2] != named[1][2]+apart {
		t.Errorf("a trouble rings twice, or never: %q, with alerts of their own: %q", named, apart)
	}
	troubles := 0
	inSources(t, func(path, source string) {
		for _, found := range regexp.MustCompile(`NewEpisode\([^,]+, ([^,]+), "([^"]+)"`).FindAllStringSubmatch(source, -1) {
			troubles++
			if !strings.Contains(string(page), "`"+found[2]+"`") {
				t.Errorf("%s: the trouble %q is not explained", path, found[2])
			}
			if found[1] == "nil" {
				t.Errorf("%s: the trouble %q is not counted", path, found[2])
			}
		}
	})
	if troubles < 10 {
		t.Errorf("%d troubles were found", troubles)
	}
}

// A message is tried four times more while the provider is away, so that of all attempts only a fifth are its failure. The
// share of messages that fail counts those that have come to an end.
func TestFailuresAreAShareOfMessages(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../deploy/monitoring/alerts.yml")
	must(t, err)
	rule := regexp.MustCompile(`alert: ParleySendsFail\n *expr: .* / (.+) >`).FindSubmatch(rules)
	if rule == nil || !strings.Contains(string(rule[1]), `outcome=~"sent|settled|failed"`) {
		t.Errorf("the failures are a share of %q", rule)
	}
}

// Every alert has a section in docs/operating.md, and every such section an alert.
func TestEveryAlertIsExplained(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../deploy/monitoring/alerts.yml")
	must(t, err)
	page, err := os.ReadFile("../../docs/operating.md")
	must(t, err)
	find := func(pattern string, text []byte) (names []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
		return names
	}
	if alerts, sections := find(`(?m)^ *- alert: (\w+)$`, rules), find(`(?m)^### (Parley\w+)$`, page); len(alerts) < 10 || !slices.Equal(alerts, sections) {
		t.Errorf("the alerts are %v, explained are %v", alerts, sections)
	}
}
