package sender_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/provider"
)

// A provider that takes nothing has one line when that begins, with the reason, and one when it answers again; refusals
// and limits are answers.
func TestProviderAwayIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		var answer error
		r.answer = func(context.Context, call) (provider.Sent, error) { return provider.Sent{}, answer }
		people := 0
		require := func(err error, times int, line string, trouble float64) {
			t.Helper()
			answer = err
			for range times {
				people++
				r.post("one", person(people))
				pass(0)
			}
			if text := r.log.Take(); line == "" && text != "" || !strings.Contains(text, line) || strings.Count(text, "\n") > 1 {
				t.Errorf("after %v it logged %q, want %q", err, text, line)
			}
			if got := troubleOf(t, r.registry, "provider"); got != trouble {
				t.Errorf("after %v the trouble is %v", err, got)
			}
		}
		const begins = `level=WARN msg="the provider does not answer, or says that it is broken; messages are tried again for a quarter of an hour" error="upstream: Something went wrong`
		require(outage, 2, "", 0)
		require(nil, 1, "", 0)
		require(outage, 2, "", 0)
		require(outage, 20, begins, 1)
		require(&provider.Error{HTTPStatus: 400, Code: 131026}, 1, "the provider answers again", 0)
		require(&provider.Error{HTTPStatus: 400, Code: 131056}, 5, "", 0)
	}, slowSweeps)
}

// A single message that is tried again counts as often as it is tried.
func TestProviderAwayForOneMessage(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(context.Context, call) (provider.Sent, error) { return provider.Sent{}, outage }
		r.post("one", person(1))
		pass(3*time.Minute - time.Second)
		if text := r.log.Take(); text != "" {
			t.Errorf("two failures logged %s", text)
		}
		pass(time.Hour)
		if text := r.log.Take(); strings.Count(text, "the provider does not answer") != 1 {
			t.Errorf("five failures logged %q", text)
		}
	}, slowSweeps)
}

// troubleOf is parley_trouble of a name.
func troubleOf(t *testing.T, registry *prometheus.Registry, what string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == "parley_trouble" && m.GetLabel()[0].GetValue() == what {
				return m.GetGauge().GetValue()
			}
		}
	}
	t.Errorf("there is no trouble %q", what)
	return 0
}
