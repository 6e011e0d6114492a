package inbound

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the receiver's metrics.
type Metrics struct {
	stored  prometheus.Counter
	applied prometheus.Counter
	failed  prometheus.Counter
	refused *prometheus.CounterVec

	registry prometheus.Registerer
}

// refusals are the statuses of refused callbacks.
var refusals = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable,
}

// NewMetrics registers the receiver's metrics. A nil registerer counts without publishing.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &Metrics{
		registry: reg,

		stored:  counter("parley_callbacks_stored_total", "Callbacks of the provider that were acknowledged."),
		applied: counter("parley_callback_updates_applied_total", "Updates out of callbacks that were applied."),
		failed:  counter("parley_callbacks_failed_total", "Attempts to apply a callback that failed."),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_callbacks_refused_total",
			Help: "Requests to the callback address that were not taken, by the status of the answer."}, []string{"status"}),
	}
	for _, status := range refusals { // an alert on an increase does not see a count that begins at one
		m.refused.WithLabelValues(strconv.Itoa(status))
	}
	if reg != nil {
		reg.MustRegister(m.stored, m.applied, m.failed, m.refused)
	}
	return m
}
