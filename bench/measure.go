package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// figures is one row of the table.
type figures struct {
	Name      string        `json:"name"`
	Requests  int           `json:"requests"` // expected answers
	Errors    int           `json:"errors"`   // other answers
	Statuses  map[int]int   `json:"unexpected_statuses,omitempty"`
	FirstBody string        `json:"first_unexpected_body,omitempty"`
	Failure   string        `json:"failure,omitempty"` // why the row has no figures
	Elapsed   time.Duration `json:"elapsed_ns"`
	PerSecond float64       `json:"requests_per_second"`
	P50       time.Duration `json:"p50_ns"`
	P95       time.Duration `json:"p95_ns"`
	P99       time.Duration `json:"p99_ns"`
	CPUMicros float64       `json:"cpu_us_per_request,omitzero"` // absent if the system does not report it
	DBMicros  float64       `json:"database_cpu_us_per_request,omitzero"`
	RSS       int64         `json:"rss_bytes,omitzero"`
	PeakRSS   int64         `json:"peak_rss_bytes,omitzero"`
	Load      string        `json:"machine_load,omitempty"`         // of the whole machine, over the last minute
	Limit     float64       `json:"bare_limit_per_second,omitzero"` // the lower of the bare limits that apply
}

// phaseFunc puts load on something for a while.
type phaseFunc func(context.Context, bounds) (tally, error)

// measure warms up, then counts. The CPU time is that of the process pid.
func (b *bench) measure(ctx context.Context, name string, pid int, warmUp time.Duration, run phaseFunc) figures {
	f := figures{Name: name}
	if _, err := run(ctx, bounds{duration: warmUp}); err != nil {
		f.Failure = err.Error()
		return f
	}
	before, known := cpuTime(pid)
	database := familyTime(b.database)
	t, err := run(ctx, bounds{requests: b.requests, duration: b.duration})
	after, _ := cpuTime(pid)
	database = familyTime(b.database) - database
	if err != nil {
		f.Failure = err.Error()
	}
	f.count(&t)
	if answered := f.Requests + f.Errors; known && answered > 0 {
		f.CPUMicros = float64((after - before).Microseconds()) / float64(answered)
		f.DBMicros = float64(database.Microseconds()) / float64(answered)
	}
	return f
}

func (f *figures) count(t *tally) {
	f.Requests, f.Errors = t.wanted(), t.errors()
	f.Statuses, f.FirstBody = t.unexpected, t.firstBody
	f.Elapsed = t.elapsed
	if t.elapsed > 0 {
		f.PerSecond = float64(f.Requests) / t.elapsed.Seconds()
	}
	p := percentiles(t.latencies, 50, 95, 99)
	f.P50, f.P95, f.P99 = p[0], p[1], p[2]
}

// measureServer runs one scenario against a process, and once more under the profiler if asked, because a profile taken
// while counting would spoil the figures.
func (b *bench) measureServer(ctx context.Context, s server, sc scenario) figures {
	l := newLoad(s.target.addr, b.connections, sc.want, sc.requests(s.target))
	defer l.close()
	f := b.measureLoad(ctx, s, sc, l)
	f.RSS, f.PeakRSS = memory(s.process.pid())
	if b.profiles != "" && s.ops != "" && f.Failure == "" {
		if err := b.profile(ctx, s, sc, l); err != nil {
			f.Failure = "profile: " + err.Error()
		}
	}
	return f
}

// measureLoad waits until no work is left, so that the next row has the server to itself.
func (b *bench) measureLoad(ctx context.Context, s server, sc scenario, l *load) figures {
	if sc.behind == nil {
		return b.measure(ctx, sc.name, s.process.pid(), b.warmUp, l.phase)
	}
	before, err := metric(ctx, s.ops, sc.behind.metric)
	if err != nil {
		return figures{Name: sc.name, Failure: err.Error()}
	}
	f := b.measure(ctx, sc.name, s.process.pid(), b.warmUp+sc.behind.lag, sc.behind.counting(s, l.phase))
	if f.Failure != "" || f.Errors > 0 {
		return f
	}
	if err := awaitMetric(ctx, s.ops, sc.behind.metric, before+float64(l.answered*sc.behind.perRequest)); err != nil {
		f.Failure = err.Error()
	}
	return f
}

// fsyncTime is the median time to make 4 KiB durable where the databases are stored. Without it the write figures of
// two machines cannot be compared.
func fsyncTime(dir string) (time.Duration, error) {
	file, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	block := make([]byte, 4096)
	var times []time.Duration
	for range 100 {
		begin := time.Now()
		if _, err := file.Write(block); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, fmt.Errorf("fsync: %w", err)
		}
		times = append(times, time.Since(begin))
	}
	return percentiles(times, 50)[0], nil
}
