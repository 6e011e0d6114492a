package search

import "github.com/prometheus/client_golang/prometheus"

// metrics are the indexer's metrics.
type metrics struct {
	lag        prometheus.Gauge
	rebuilding prometheus.Gauge
	indexed    prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) metrics {
	m := metrics{
		lag: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_search_lag_seconds", Help: "How long the oldest message that searches do not find yet has been there.",
		}),
		rebuilding: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_search_rebuilding", Help: "1 while everything from before is read into the search index.",
		}),
		indexed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "parley_search_indexed_total", Help: "Texts put into the search index.",
		}),
	}
	if reg != nil {
		reg.MustRegister(m.lag, m.rebuilding, m.indexed)
	}
	return m
}
