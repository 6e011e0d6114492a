package sender

import "github.com/prometheus/client_golang/prometheus"

// Metrics are the sender's metrics.
type Metrics struct {
	outcomes *prometheus.CounterVec
	wait     prometheus.Histogram
	call     prometheus.Histogram
	registry prometheus.Registerer
}

// NewMetrics registers the sender's metrics. With a nil registerer they are counted but not shown.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	m := &Metrics{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_send_attempts_total", Help: "Attempts to hand a message to the provider, by outcome: sent, retry, failed, throttled, settled.",
		}, []string{"outcome"}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_send_wait_seconds", Help: "From accepting a message to calling the provider with it.", Buckets: buckets,
		}),
		call: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_provider_send_seconds", Help: "Duration of the provider's answers to sends.", Buckets: buckets,
		}),
	}
	m.registry = reg
	if reg != nil {
		reg.MustRegister(m.outcomes, m.wait, m.call)
	}
	return m
}
