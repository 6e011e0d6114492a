package main

import (
	"testing"
	"time"
)

func TestPercentiles(t *testing.T) {
	t.Parallel()
	// Values n, n-1, … 1: the result does not depend on their order.
	falling := func(n int) []time.Duration {
		var v []time.Duration
		for ; n > 0; n-- {
			v = append(v, time.Duration(n))
		}
		return v
	}
	for _, tc := range []struct {
		n    int
		p    float64
		want time.Duration
	}{
		{0, 50, 0},
		{1, 50, 1},
		{1, 99, 1},
		{2, 50, 1},
		{2, 51, 2},
		{3, 50, 2},
		{100, 50, 50},
		{100, 99, 99},
		{100, 99.9, 100},
		{100, 100, 100},
		{101, 99, 100},
		{1000, 99.9, 999},
		{30_000, 99, 29_700},
	} {
		values := falling(tc.n)
		if got := percentiles(values, tc.p)[0]; got != tc.want {
			t.Errorf("p%v of 1…%d = %d, want %d", tc.p, tc.n, got, tc.want)
		}
		if tc.n > 1 && values[0] != time.Duration(tc.n) {
			t.Errorf("percentiles reordered its input")
		}
	}
}

func TestTallyMerge(t *testing.T) {
	t.Parallel()
	var a, b, total tally
	a.latencies = []time.Duration{1, 2}
	b.latencies = []time.Duration{3}
	b.reject(429, []byte("slow down"))
	b.reject(429, []byte("again"))
	b.reject(500, nil)
	total.merge(&a)
	total.merge(&b)
	if total.wanted() != 3 || total.errors() != 3 || total.unexpected[429] != 2 || total.firstBody != "slow down" {
		t.Errorf("merged to %+v", total)
	}
	grouped := tally{latencies: total.latencies, perLatency: 64}
	if grouped.wanted() != 192 {
		t.Errorf("three groups of 64 count as %d", grouped.wanted())
	}
}

func TestParseCPUTime(t *testing.T) {
	t.Parallel()
	stat := "4242 (a (b) c) S 1 4242 4242 0 -1 4194304 900 0 0 0 150 25 0 0 20 0 9 0 1000 2000 300"
	if got, ok := parseCPUTime([]byte(stat)); !ok || got != 1750*time.Millisecond {
		t.Errorf("parseCPUTime = %v, %v; want 1.75 s", got, ok)
	}
	for _, bad := range []string{"", "4242 (x) S 1 2"} {
		if _, ok := parseCPUTime([]byte(bad)); ok {
			t.Errorf("parseCPUTime accepted %q", bad)
		}
	}
}

func TestStatusBytes(t *testing.T) {
	t.Parallel()
	status := "Name:\tparley\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\n"
	if got := statusBytes(status, "VmRSS:"); got != 10240<<10 {
		t.Errorf("VmRSS = %d", got)
	}
	if got := statusBytes(status, "VmSwap:"); got != 0 {
		t.Errorf("absent field = %d, want 0", got)
	}
}
