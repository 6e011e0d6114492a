package webhook

import "github.com/prometheus/client_golang/prometheus"

// Metrics are the engine's metrics.
type Metrics struct {
	outcomes *prometheus.CounterVec
	wait     prometheus.Histogram
	duration prometheus.Histogram
	reg      prometheus.Registerer
}

// NewMetrics registers the engine's metrics. With a nil registerer they are counted but not shown.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	m := &Metrics{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_webhook_attempts_total", Help: "Attempts of webhook deliveries, by what became of the delivery: succeeded, failed (to be tried again), dead.",
		}, []string{"status"}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_webhook_wait_seconds", Help: "From an event to the first attempt to deliver it.", Buckets: buckets,
		}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_webhook_attempt_seconds", Help: "Duration of attempts of webhook deliveries.", Buckets: buckets,
		}),
		reg: reg,
	}
	if reg != nil {
		reg.MustRegister(m.outcomes, m.wait, m.duration)
	}
	return m
}

// watch shows the present state of an engine.
func (m *Metrics) watch(e *Engine) {
	if m.reg == nil {
		return
	}
	for _, g := range []struct {
		name, help string
		value      func() int
	}{
		{"parley_webhook_in_flight", "Attempts of webhook deliveries under way.", func() int { return e.inFlight }},
		{"parley_webhook_lanes", "Webhook subscriptions in memory.", func() int { return len(e.lanes) }},
		{"parley_webhook_payload_bytes", "Payloads of webhook deliveries in memory.", func() int { return e.bytes }},
	} {
		m.reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, func() float64 {
			e.mu.Lock()
			defer e.mu.Unlock()
			return float64(g.value())
		}))
	}
}
