package broadcast

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
)

// However fast messages leave, and in whatever handfuls, the worker soon knows the rate: never less than it is for
// longer than a moment, and after a fall not much more than it is.
func TestFlow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var f flow
		now := store.Moment(1).Add(time.Hour)
		run := func(perLook, every int) {
			for i := range int(10 * slowly / workEvery) { // long enough for what was before to fade
				now = now.Add(workEvery)
				left := 0
				if i%every == every-1 {
					left = perLook * every
				}
				f.look(now, f.waiting-left)
				f.waiting += left
			}
		}
		f.look(now, 10_000)
		for _, phase := range []string{"first", "second"} {
			perLook, every := rapid.IntRange(0, 100).Draw(t, phase+" rate"), rapid.IntRange(1, 4).Draw(t, phase+" handful")
			run(perLook, every)
			rate := float64(perLook) / workEvery.Seconds()
			if f.perSecond < rate*0.9-1 || f.perSecond > rate*float64(every)*1.1+10 {
				t.Errorf("in the %s phase %.0f leave in a second, and it says %.0f", phase, rate, f.perSecond)
			}
		}
	})
}
