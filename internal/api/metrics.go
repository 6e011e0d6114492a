package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the API's figures. A nil registerer is fine: they are then counted and not shown.
type Metrics struct {
	requests   *prometheus.HistogramVec
	logDropped prometheus.Counter
}

// NewMetrics registers the API's figures.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "parley_api_request_seconds", Help: "Time to answer API requests, by operation and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"operation", "status"}),
		logDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "parley_api_log_dropped_total", Help: "API log lines lost because the store could not keep up.",
		}),
	}
	if reg != nil {
		reg.MustRegister(m.requests, m.logDropped)
	}
	return m
}

func (m *Metrics) observe(op *operation, status int, took time.Duration) {
	name := "none"
	if op != nil {
		name = op.id
	}
	m.requests.WithLabelValues(name, strconv.Itoa(status)).Observe(took.Seconds())
}
