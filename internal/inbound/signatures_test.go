package inbound_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

// A wrong app secret is told once and is a trouble until a callback is signed with the right one. What strangers send is
// no trouble: unsigned requests never, and wrong signatures not while right ones come.
func TestWrongSecretIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var log loggingtest.Book
		registry := prometheus.NewRegistry()
		cfg := r.cfg
		cfg.Log, cfg.Metrics = log.Logger(), inbound.NewMetrics(registry)
		receiver := inbound.New(cfg) // not started: a blank callback has nothing to apply
		defer receiver.Stop(t.Context())
		post := func(signature string) {
			request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("blank"))
			request.Header.Set("X-Hub-Signature-256", signature)
			receiver.ServeHTTP(httptest.NewRecorder(), request)
		}
		require := func(line string, trouble, refused int) {
			t.Helper()
			if text := log.Take(); line == "" && text != "" || !strings.Contains(text, line) || strings.Count(text, "\n") > 1 {
				t.Errorf("logged %q, want %q", text, line)
			}
			if got := sample(t, registry, "parley_trouble", "callback signatures"); got != trouble {
				t.Errorf("the trouble is %d, want %d", got, trouble)
			}
			if got := sample(t, registry, "parley_callbacks_refused_total", "401"); got != refused {
				t.Errorf("%d were refused, want %d", got, refused)
			}
		}
		require("", 0, 0)
		post("none")
		require("", 0, 1)
		post("of another")
		post("of another")
		require("level=WARN msg=\"callbacks are refused: their signature is not made with --provider-app-secret\"", 1, 3)
		post("of blank")
		require("callbacks are signed with --provider-app-secret again", 0, 3)
		post("of another")
		require("", 0, 4)
		pass(15 * time.Minute)
		post("of another")
		require("callbacks are refused", 1, 5)
	})
}

// sample is a metric's value under a label.
func sample(t *testing.T, registry *prometheus.Registry, name, label string) int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && m.GetLabel()[0].GetValue() == label {
				return int(m.GetGauge().GetValue() + m.GetCounter().GetValue())
			}
		}
	}
	t.Errorf("there is no %s of %q", name, label)
	return 0
}
