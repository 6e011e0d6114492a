package sender_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/provider"
)

// The provider's answers are kept while the database is unavailable: no message is sent twice, and the conversations
// continue within a second of its return.
func TestAnswersOutliveAnOutage(t *testing.T) {
	t.Parallel()
	behindGate(t, func(t *testing.T, r *rig, gate *pgtest.Gate) {
		release := make(chan struct{})
		r.answer = func(_ context.Context, c call) (provider.Sent, error) {
			if c.At == 0 {
				<-release
			}
			if c.Message == "failed" {
				return provider.Sent{}, &provider.Error{HTTPStatus: 400, Code: 131047}
			}
			return provider.Sent{}, nil
		}
		var sent, behind []core.Accepted
		for i := range 3 {
			sent = append(sent, r.post("sent", person(i)))
		}
		failed := r.post("failed", person(9))
		for i := range 3 {
			behind = append(behind, r.post("behind", person(i)))
		}
		synctest.Wait()
		gate.Shut()
		close(release)
		pass(3 * time.Minute)
		if n := len(r.order()); n != 4 {
			t.Errorf("%d messages were handed out while nothing could be written", n-4)
		}
		gate.Open()
		pass(time.Second)
		for _, a := range append(sent, behind...) {
			r.requireState(a, "sent", false)
		}
		r.requireState(failed, "failed outside_24h_window", false)
		pass(5 * time.Minute)
		if n := len(r.order()); n != 7 {
			t.Errorf("7 messages were sent in %d calls", n)
		}
	})
}
