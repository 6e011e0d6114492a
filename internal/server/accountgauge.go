package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// accountGauge counts the connected numbers by their status, at each scrape.
type accountGauge struct{ store *store.Store }

var accountsDesc = prometheus.NewDesc("parley_accounts",
	"Business numbers of all organizations, by status: connected, disconnected, degraded, onboarding. Only connected ones send.", []string{"status"}, nil)

// Describe is part of prometheus.Collector.
func (accountGauge) Describe(out chan<- *prometheus.Desc) { out <- accountsDesc }

// Collect is part of prometheus.Collector. If the store does not answer, the metric is left out: other metrics say
// what is wrong with the store.
func (g accountGauge) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	counts, err := g.store.Read(ctx).AccountStatuses()
	if err != nil {
		return
	}
	for _, status := range []chat.AccountStatus{chat.AccountConnected, chat.AccountDisconnected, chat.AccountDegraded, chat.AccountOnboarding} {
		out <- prometheus.MustNewConstMetric(accountsDesc, prometheus.GaugeValue, float64(counts[status]), string(status))
	}
}
