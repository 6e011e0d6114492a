package logging_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

// record keeps the logged lines without their times.
type record struct{ loggingtest.Book }

func (r *record) handler() slog.Handler {
	return slog.NewTextHandler(r, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
}

// lines returns the lines logged since the last call.
func (r *record) lines() []string {
	text := strings.TrimSuffix(r.Take(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (r *record) require(t *testing.T, want ...string) {
	t.Helper()
	got := r.lines()
	if len(got) != len(want) {
		t.Fatalf("logged %q, want %q", got, want)
	}
	for i, line := range got {
		if line != want[i] {
			t.Errorf("line %d is %s, want %s", i, line, want[i])
		}
	}
}

func TestEpisodeIsToldAtItsBeginningAndItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out record
		reg := prometheus.NewRegistry()
		e := logging.NewEpisode(slog.New(out.handler()), reg, "disk", "cannot write", "can write again")
		other := logging.NewEpisode(slog.New(out.handler()), reg, "network", "cannot connect", "connected again")
		e.Report(nil)
		out.require(t)
		for range 2 { // each episode is told anew
			for i := range 3 {
				e.Report(fmt.Errorf("full %d", i))
				<-time.After(20 * time.Second)
			}
			requireMetric(t, reg, "parley_trouble", map[string]float64{"disk": 1, "network": 0})
			e.Report(nil)
			e.Report(nil)
			out.require(t, `level=WARN msg="cannot write" error="full 0"`, `level=INFO msg="can write again" lasted=1m0s failures=3`)
		}
		other.Report(errors.New("refused"))
		requireMetric(t, reg, "parley_trouble", map[string]float64{"disk": 0, "network": 1})
		requireMetric(t, reg, "parley_trouble_failures_total", map[string]float64{"disk": 6, "network": 1})
	})
}

// People read how long something lasted, in JSON too, where a number would be of nanoseconds.
func TestEpisodeTellsHowLongItLastedInJSON(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		e := logging.NewEpisode(slog.New(slog.NewJSONHandler(&out, nil)), prometheus.NewRegistry(), "disk", "cannot write", "can write again")
		e.Report(errors.New("full"))
		<-time.After(61 * time.Second)
		e.Report(nil)
		if !strings.Contains(out.String(), `"lasted":"1m1s"`) {
			t.Errorf("logged %s", out.String())
		}
	})
}

// Something that fails and works in turns has as few lines of its ends as of its beginnings.
func TestFlickeringEpisodeIsQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out record
		e := logging.NewEpisode(slog.New(logging.NewThrottle(out.handler())), nil, "disk", "cannot write", "can write again")
		for range 5 {
			e.Report(errors.New("full"))
			<-time.After(time.Second)
			e.Report(nil)
		}
		out.require(t, `level=WARN msg="cannot write" error=full`, `level=INFO msg="can write again" lasted=1s failures=1`)
		<-time.After(2 * time.Minute)
		synctest.Wait()
		out.require(t, `level=WARN msg="cannot write" error=full repeated=4`, `level=INFO msg="can write again" lasted=1s failures=1 repeated=4`)
	})
}

func requireMetric(t *testing.T, reg *prometheus.Registry, name string, want map[string]float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name {
				got[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

func TestEpisodeNeedsNeitherLogNorMetrics(t *testing.T) {
	t.Parallel()
	e := logging.NewEpisode(nil, nil, "x", "begins", "ends")
	e.Report(errors.New("boom"))
	e.Report(nil)
}

func TestRepeatedWarningsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out record
		log := slog.New(logging.NewThrottle(out.handler()))
		for i := range 5000 {
			log.With("request", i, "error", fmt.Errorf("disk full at 127.0.0.1:%d", i)).Warn("store unavailable")
			<-time.After(10 * time.Millisecond)
		}
		log.Error("request failed", "error", errors.New("disk full"))
		log.Error("request failed", "error", errors.New("syntax error"))
		out.require(t,
			`level=WARN msg="store unavailable" request=0 error="disk full at 127.0.0.1:0"`,
			`level=ERROR msg="request failed" error="disk full"`,
			`level=ERROR msg="request failed" error="syntax error"`)
		<-time.After(time.Minute)
		synctest.Wait()
		out.require(t, `level=WARN msg="store unavailable" request=4999 error="disk full at 127.0.0.1:4999" repeated=4999`)
		<-time.After(time.Hour)
		synctest.Wait()
		out.require(t)
		log.Warn("store unavailable", "error", errors.New("disk full at 127.0.0.1:1"))
		out.require(t, `level=WARN msg="store unavailable" error="disk full at 127.0.0.1:1"`)
	})
}

func TestWhatIsNoWarningPasses(t *testing.T) {
	t.Parallel()
	var out record
	log := slog.New(logging.NewThrottle(out.handler()))
	for range 2 {
		log.Info("started")
		log.Debug("not asked for")
		log.WithGroup("g").Info("grouped", "a", 1)
	}
	out.require(t, `level=INFO msg=started`, `level=INFO msg=grouped g.a=1`, `level=INFO msg=started`, `level=INFO msg=grouped g.a=1`)
}

func TestFlushTellsWhatWasCounted(t *testing.T) {
	t.Parallel()
	var out record
	throttle := logging.NewThrottle(out.handler())
	for range 3 {
		slog.New(throttle).Warn("full")
	}
	throttle.Flush()
	throttle.Flush()
	out.require(t, `level=WARN msg=full`, `level=WARN msg=full repeated=2`)
}

// Made-up causes cannot produce an unlimited number of lines.
func TestCausesAreBounded(t *testing.T) {
	t.Parallel()
	var out record
	log := slog.New(logging.NewThrottle(out.handler()))
	for i := range 5000 {
		log.Warn("refused", "error", "x"+strings.Repeat("x", i%150)+strings.Repeat("y", i/150))
	}
	if n := len(out.lines()); n != 1001 {
		t.Errorf("%d lines", n)
	}
}

// For any sequence of records, the lines of a cause are a minute apart, and each record is written or counted.
func TestThrottleLosesNoCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		pauses := rapid.SliceOfN(rapid.IntRange(0, 90), 1, 60).Draw(rt, "seconds between records")
		synctest.Test(t, func(*testing.T) {
			var out record
			throttle := logging.NewThrottle(out.handler())
			var written []time.Time
			total := 0
			count := func() {
				for _, line := range out.lines() {
					n := 1
					fmt.Sscanf(line, "level=WARN msg=full repeated=%d", &n)
					total += n
					written = append(written, time.Now())
				}
			}
			for _, pause := range pauses {
				slog.New(throttle).Warn("full")
				count()
				for range pause {
					<-time.After(time.Second)
					synctest.Wait()
					count()
				}
			}
			<-time.After(2 * time.Minute)
			synctest.Wait()
			count()
			if total != len(pauses) {
				rt.Fatalf("%d of %d records are accounted for", total, len(pauses))
			}
			for i := 1; i < len(written); i++ {
				if apart := written[i].Sub(written[i-1]); apart < time.Minute {
					rt.Fatalf("two lines within %v", apart)
				}
			}
		})
	})
}
