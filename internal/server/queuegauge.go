package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/store"
)

// queueGauge counts the waiting work in the store, at each scrape.
type queueGauge struct{ store *store.Store }

var waitingDesc = prometheus.NewDesc("parley_waiting",
	"Work of all nodes that waits in the store, by queue: sends, held_sends, deliveries, fan_outs, callbacks, files. It stops at 100000.", []string{"queue"}, nil)

// Describe is part of prometheus.Collector.
func (queueGauge) Describe(out chan<- *prometheus.Desc) { out <- waitingDesc }

// Collect is part of prometheus.Collector. If the store does not answer, the metric is left out.
func (g queueGauge) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, q := range store.Queues {
		n, err := g.store.Read(ctx).Waiting(q)
		if err != nil {
			return
		}
		out <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n), q.Name)
	}
}
