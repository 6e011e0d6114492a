package sender

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// meter compares the messages that passed with the number that a rate allows in any window of time: a burst, plus the
// rate times the window. In units of credit, the n-th message at t stands at n·price − rate·t, and may not stand more
// than the burst above any message before it.
type meter struct {
	rate   int64
	begin  store.Moment
	passed int64
	lowest *big.Int
}

// pass counts a message. It reports false if the message was one too many for some window.
func (m *meter) pass(now store.Moment) bool {
	product := func(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }
	place := new(big.Int).Sub(product(m.passed, price), product(m.rate, int64(now.Sub(m.begin))))
	m.passed++
	if m.lowest == nil || place.Cmp(m.lowest) < 0 {
		m.lowest = place
	}
	above := new(big.Int).Sub(place, m.lowest)
	return above.Add(above, big.NewInt(price)).Cmp(big.NewInt(max(price, m.rate*int64(burst)))) <= 0
}

var turns = []time.Duration{-11 * time.Minute, -time.Minute, -time.Millisecond, time.Millisecond, time.Minute, 11 * time.Minute, 48 * time.Hour}

// However a sender asks, and whatever happens to the wall clock, no window of time lets more messages pass than a burst
// plus the rate times its length. A sender that waits as long as it is told is let through.
func TestPacerKeepsEveryWindow(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	rapid.Check(t, func(t *rapid.T) {
		perSecond := rapid.OneOf(rapid.Just(80.0), rapid.Float64Range(0.002, 100_000), rapid.Map(rapid.IntRange(1, 100), func(n int) float64 { return float64(n) })).Draw(t, "rate")
		p := newPacer(perSecond)
		m := meter{rate: p.full, begin: st.Moment()}
		longest := time.Duration(ceilDiv(price, p.full))
		var wait time.Duration
		for range rapid.IntRange(1, 300).Draw(t, "asked") {
			if rapid.IntRange(0, 9).Draw(t, "turn") == 0 {
				clock.Step(rapid.SampledFrom(turns).Draw(t, "by"))
			}
			told := wait > 0 && rapid.Bool().Draw(t, "wait as told")
			if !told {
				wait = rapid.OneOf(rapid.Just(max(0, wait-1)), durations(0, 0), durations(0, time.Millisecond), durations(0, time.Minute)).Draw(t, "wait")
			}
			clock.Advance(wait)
			now := st.Moment()
			next, ok := p.take(now)
			switch {
			case ok && !m.pass(now):
				t.Fatalf("%d messages at %v a second were too many after %v", m.passed, perSecond, now.Sub(m.begin))
			case told && !ok:
				t.Fatalf("after the wait of %v it is to wait %v more", wait, next)
			case ok != (next == 0) || next < 0 || next > longest:
				t.Fatalf("it may go: %v, and is to wait %v", ok, next)
			}
			wait = next
		}
	})
}

func durations(least, most time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(int64(least), int64(most)), func(n int64) time.Duration { return time.Duration(n) })
}

// sendFor sends as many messages as the pacer allows, and returns how many.
func sendFor(p *pacer, from, until store.Moment) (sent int) {
	for now := from; now.Before(until); {
		wait, ok := p.take(now)
		if ok {
			sent++
		}
		now = now.Add(wait)
	}
	return sent
}

// A sender that waits as it is told loses nothing to rounding.
func TestPacerLosesNothing(t *testing.T) {
	t.Parallel()
	begin := store.Moment(1 << 61)
	for _, perSecond := range []float64{1, 3, 7, 80, 999, 1000, 12_345, 100_000} {
		p := newPacer(perSecond)
		want := int(perSecond*10 + max(1, perSecond/4))
		if got := sendFor(&p, begin, begin.Add(10*time.Second)); got < want-1 || got > want+1 {
			t.Errorf("at %v a second %d messages went in ten seconds, want %d", perSecond, got, want)
		}
	}
}

// If the clock is set back, which cannot happen to ours, no extra message passes, and no more time is lost than the
// clock was set back by.
func TestPacerWithAClockThatStepsBack(t *testing.T) {
	t.Parallel()
	begin := store.Moment(1 << 61)
	p := newPacer(80)
	if got := sendFor(&p, begin, begin.Add(time.Second)); got < 99 || got > 101 {
		t.Errorf("%d messages went in the first second", got)
	}
	if wait, ok := p.take(begin); ok {
		t.Errorf("turned back, another may go, after %v", wait)
	}
	if got := sendFor(&p, begin.Add(time.Second), begin.Add(2*time.Second)); got < 79 || got > 81 {
		t.Errorf("%d messages went in the second after", got)
	}
}

// A rate limit pauses, halves the rate once, however many calls were answered with it, and is forgotten after ten
// minutes.
func TestPacerSlowsDown(t *testing.T) {
	t.Parallel()
	begin := store.Moment(1 << 61)
	after := begin.Add
	p := newPacer(80)
	sendFor(&p, begin, after(time.Second))
	for i := range 50 { // answers to calls that were under way
		p.hold(after(time.Second+time.Duration(i)*time.Millisecond), 10*time.Second)
	}
	if wait, ok := p.take(after(2 * time.Second)); ok || wait != 9*time.Second+49*time.Millisecond {
		t.Errorf("it may go: %v, after %v", ok, wait)
	}
	resumed := 11*time.Second + 49*time.Millisecond
	if got := sendFor(&p, after(2*time.Second), after(resumed)); got != 0 {
		t.Errorf("%d messages went during the pause", got)
	}
	if got := sendFor(&p, after(resumed), after(resumed+time.Second)); got < 40+8 || got > 42+12 { // 41 a second by now, and a quarter of that
		t.Errorf("%d messages went in the second after the pause", got)
	}
	if p.rested(after(5 * time.Minute)) {
		t.Error("half of the rate is enough to forget the pause")
	}
	sendFor(&p, after(5*time.Minute), after(5*time.Minute+time.Second))
	if got := sendFor(&p, after(5*time.Minute+time.Second), after(5*time.Minute+2*time.Second)); got < 78 || got > 80 { // 40 + 80/2
		t.Errorf("%d messages went in a second after five minutes", got)
	}
	if !p.rested(after(11 * time.Minute)) {
		t.Error("the pause is not forgotten")
	}
}

// Repeated rate limits leave a rate of one message per second, or the configured one if that is lower.
func TestPacerSlowsDownToALittle(t *testing.T) {
	t.Parallel()
	for perSecond, least := range map[float64]int64{80: perMessage, 1: perMessage, 0.5: perMessage / 2} {
		p := newPacer(perSecond)
		now := store.Moment(1 << 61)
		for range 20 {
			p.hold(now, time.Millisecond)
			now = now.Add(time.Millisecond)
		}
		if p.slowed != least {
			t.Errorf("of %v a second %d thousandths are left", perSecond, p.slowed)
		}
		if wait, ok := p.take(now.Add(time.Duration(price / least))); !ok {
			t.Errorf("at %v a second nothing goes for another %v", perSecond, wait)
		}
	}
}
