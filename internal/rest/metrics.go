package rest

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are a surface's metrics.
type Metrics struct{ requests *prometheus.HistogramVec }

// NewMetrics registers a surface's metrics under a name. With a nil registerer they are counted and not
// exported.
func NewMetrics(reg prometheus.Registerer, name, help string) *Metrics {
	m := &Metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
	}, []string{"operation", "status"})}
	if reg != nil {
		reg.MustRegister(m.requests)
	}
	return m
}

func (m *Metrics) observe(op *Operation, status int, took time.Duration) {
	name := "none"
	if op != nil {
		name = op.ID
	}
	m.requests.WithLabelValues(name, strconv.Itoa(status)).Observe(took.Seconds())
}
