package broadcast_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

// The number's rating is read when a broadcast begins or goes on, and while it is sent: no callback tells of YELLOW, and
// one may be lost.
func TestRatingIsRead(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.rated("RED")
		b := r.create(0, 100, func(in *core.NewBroadcast) { in.PerSecond = new(int64(2)) })
		r.do(b, core.StartBroadcast)
		r.until("it pauses", func() bool { return r.read(b).Status != chat.BroadcastSending })
		r.requireState(b, chat.BroadcastPaused, chat.ReasonQualityRed)
		if r.called() != 0 {
			t.Errorf("%d messages went out before", r.called())
		}

		r.rated("YELLOW")
		r.do(b, core.ResumeBroadcast)
		pass(20 * time.Second)
		if n := r.called(); n < 15 || n > 25 {
			t.Errorf("at half the pace, %d messages went out in 20 seconds", n)
		}
		r.rated("GREEN")
		pass(5 * time.Minute)
		r.untilOver(b)
		r.requireState(b, chat.BroadcastCompleted, "")
		r.requireLedger(b)
	})
}

// A provider that does not say how it rates a number holds its broadcasts up for some seconds.
func TestRatingDoesNotCome(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.rated("-")
		b := r.create(0, 20)
		r.do(b, core.StartBroadcast)
		pass(2 * time.Second)
		if r.called() != 0 {
			t.Errorf("%d messages went out at once", r.called())
		}
		pass(5 * time.Second)
		if r.called() != 20 {
			t.Errorf("after seven seconds there were %d messages", r.called())
		}
	})
}
