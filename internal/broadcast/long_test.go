//go:build long

package broadcast_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// These tests take long. make long-test runs them.

// A YELLOW rating halves the pace, and a broadcast keeps to its own pace.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quality   string
		perSecond *int64
		least     int
		most      int
	}{
		"the number's": {"GREEN", nil, 800, 910}, "yellow": {"YELLOW", nil, 400, 460}, "its own": {"GREEN", new(int64(20)), 180, 210}, "its own, yellow": {"YELLOW", new(int64(20)), 90, 110},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runRig(t, storetest.NewConfig(t, storetest.SQLite), 1, func(r *rig) {
				r.InTx(func(tx *store.Tx) error {
					r.Account.Quality = &c.quality
					return tx.UpdateAccount(r.Account)
				})
				b := r.create(0, 1000, func(in *core.NewBroadcast) { in.PerSecond = c.perSecond })
				r.do(b, core.StartBroadcast)
				pass(time.Second) // until the worker finds it
				before := r.called()
				pass(10 * time.Second)
				if n := r.called() - before; n < c.least || n > c.most {
					t.Errorf("in ten seconds %d went out, want %d to %d", n, c.least, c.most)
				}
			})
		})
	}
}

// A broadcast ends even if messages are in doubt, because those end too.
func TestLedgerToTheEnd(t *testing.T) {
	inBubble(t, func(r *rig) {
		story := []happening{{300 * time.Millisecond, "pause", 0}, {0, "crash", 0}, {0, "resume", 0}, {time.Second, "crash", 0}}
		if wrong := r.live(story, []int{4, 0, 1, 2}); wrong != "" {
			t.Fatal(wrong)
		}
		all, err := r.Read().Broadcasts(r.Org.ID, r.Account.ID, store.BroadcastFilter{}, store.Page{Limit: 1})
		if err != nil || len(all.Rows) != 1 {
			t.Fatal(err)
		}
		b := all.Rows[0]
		r.until("it is completed", func() bool { return r.read(b).Status == chat.BroadcastCompleted })
		r.requireLedger(b)
	})
}

// Broadcasts of one number share it, and a person's message waits for none of them.
func TestFairness(t *testing.T) {
	inBubble(t, func(r *rig) {
		var all []chat.Broadcast
		for i := range 3 {
			b := r.create(i*1000, 900)
			all = append(all, b)
			r.do(b, core.StartBroadcast)
		}
		pass(6 * time.Second)
		var sent []int64
		for _, b := range all {
			sent = append(sent, r.counts(b).Sent)
		}
		for _, n := range sent {
			if n < 100 || n > 230 {
				t.Errorf("they have sent %v", sent)
			}
		}
		begin := time.Now()
		arrived := make(chan time.Duration, 1)
		r.mu.Lock()
		r.answer = func(to string) error {
			if to == number(77_000) {
				arrived <- time.Since(begin)
			}
			return nil
		}
		r.mu.Unlock()
		r.Accept(r.Account, core.NewMessage{To: number(77_000), Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceDashboard})
		if r.place.URL != "" { // the test's own process is not a worker there
			r.nodes[0].sender.Wake()
		}
		if took := <-arrived; took > 20*time.Millisecond {
			t.Errorf("a person's message went out after %s", took)
		}
	})
}
