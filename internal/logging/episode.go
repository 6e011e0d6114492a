package logging

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Episode follows an action that is repeated and normally works. The log has a line when it begins to fail and
// one when it works again; the metrics have the details.
type Episode struct {
	log          *slog.Logger
	begins, ends string
	going        prometheus.Gauge
	failed       prometheus.Counter

	mu       sync.Mutex
	since    time.Time // zero while it works
	failures int
}

// episodeEnds marks, in the context of a record, the end of an episode.
type episodeEnds struct{}

// NewEpisode returns an episode that has not begun. name is its label in the metrics; begins and ends are its
// log messages. A nil log logs nothing, a nil registerer exports no metrics.
func NewEpisode(log *slog.Logger, reg prometheus.Registerer, name, begins, ends string) *Episode {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	going := register(reg, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "parley_trouble", Help: "1 while something fails that is tried again and again.",
	}, []string{"what"}))
	failed := register(reg, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "parley_trouble_failures_total", Help: "How often something failed that is tried again and again.",
	}, []string{"what"}))
	return &Episode{log: log, begins: begins, ends: ends, going: going.WithLabelValues(name), failed: failed.WithLabelValues(name)}
}

// Report records the result of the latest attempt; nil means success.
func (e *Episode) Report(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil:
		e.fail(err)
	case !e.since.IsZero():
		e.log.InfoContext(context.WithValue(context.Background(), episodeEnds{}, true), e.ends, "lasted", time.Since(e.since).Round(time.Millisecond).String(), "failures", e.failures)
		e.since, e.failures = time.Time{}, 0
		e.going.Set(0)
	}
}

func (e *Episode) fail(err error) {
	e.failures++
	e.failed.Inc()
	if e.since.IsZero() {
		e.since = time.Now()
		e.going.Set(1)
		e.log.Warn(e.begins, "error", err)
	}
}

// register registers a collector, or returns the registered one of the same name.
func register[C prometheus.Collector](reg prometheus.Registerer, c C) C {
	if reg == nil {
		return c
	}
	err := reg.Register(c)
	if there, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		return there.ExistingCollector.(C)
	}
	if err != nil {
		panic(err) // two metrics with the same name
	}
	return c
}
