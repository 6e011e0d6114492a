package main

import (
	"slices"
	"time"
)

// tally is the counts of one phase of load. The latencies of expected answers are kept one by one: the number of
// requests is bounded, and exact percentiles need no explanation.
type tally struct {
	latencies  []time.Duration
	perLatency int // how many requests each latency stands for; 0 means 1
	done       int // how much work was done, if that is counted instead of the requests
	unexpected map[int]int
	firstBody  string // the body of the first unexpected answer
	elapsed    time.Duration
}

func (t *tally) reject(status int, body []byte) {
	if t.unexpected == nil {
		t.unexpected = map[int]int{}
		t.firstBody = string(body[:min(len(body), 2000)])
	}
	t.unexpected[status]++
}

// merge adds the counts of another worker of the same phase, or those of another phase.
func (t *tally) merge(o *tally) {
	t.elapsed += o.elapsed
	t.latencies = append(t.latencies, o.latencies...)
	if t.firstBody == "" {
		t.firstBody = o.firstBody
	}
	for status, n := range o.unexpected {
		if t.unexpected == nil {
			t.unexpected = map[int]int{}
		}
		t.unexpected[status] += n
	}
}

func (t *tally) wanted() int {
	if t.done > 0 {
		return t.done
	}
	return len(t.latencies) * max(t.perLatency, 1)
}

func (t *tally) errors() int {
	total := 0
	for _, n := range t.unexpected {
		total += n
	}
	return total
}

// percentiles returns the nearest-rank value for each p in (0, 100].
func percentiles(values []time.Duration, ps ...float64) []time.Duration {
	out := make([]time.Duration, len(ps))
	if len(values) == 0 {
		return out
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for i, p := range ps {
		out[i] = sorted[rank(len(sorted), p)]
	}
	return out
}

// rank is the index of the smallest value that at least p percent of n values do not exceed.
func rank(n int, p float64) int {
	// Rounding up in whole thousandths of a percent keeps 99 % of 100 at the 99th value; plain float division may land
	// just above it.
	k := (int64(n)*int64(p*1000) + 99_999) / 100_000
	return int(min(max(k, 1), int64(n))) - 1
}
