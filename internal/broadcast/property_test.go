package broadcast_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "6") // each check has its own store
	flag.Parse()
	os.Exit(m.Run())
}

// happening is an event during a broadcast.
type happening struct {
	After time.Duration
	What  string
	Whom  int
}

const crowd = 24

var happenings = rapid.Custom(func(t *rapid.T) happening {
	return happening{
		After: time.Duration(rapid.IntRange(0, 400).Draw(t, "after")) * time.Millisecond,
		What:  rapid.SampledFrom([]string{"pause", "resume", "resume", "retry", "crash", "edit", "opt out"}).Draw(t, "what"),
		Whom:  rapid.IntRange(0, crowd-1).Draw(t, "whom"),
	}
})

// Every recipient gets one message or a reason, whatever is paused, killed, edited or refused meanwhile.
func TestLedgerProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		story := rapid.SliceOfN(happenings, 1, 20).Draw(rt, "story")
		answers := rapid.SliceOfN(rapid.IntRange(0, 7), 1, 40).Draw(rt, "answers")
		var wrong string
		runRig(t, storetest.NewConfig(t, storetest.SQLite), 1, func(r *rig) { wrong = r.live(story, answers) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// The same on each engine, with one story that contains everything.
func TestLedger(t *testing.T) {
	ms := time.Millisecond
	story := []happening{
		{300 * ms, "pause", 0}, {100 * ms, "resume", 0}, {50 * ms, "crash", 0}, {200 * ms, "opt out", 20}, {0, "edit", 1}, {300 * ms, "resume", 0},
		{100 * ms, "crash", 0}, {300 * ms, "retry", 0}, {0, "pause", 0}, {0, "crash", 0}, {100 * ms, "resume", 0},
	}
	inBubble(t, func(r *rig) {
		if wrong := r.live(story, []int{4, 4, 0, 4, 1, 4, 2, 4}); wrong != "" {
			t.Error(wrong)
		}
	})
}

// live runs a broadcast through the story, with a provider that gives the answers in turn. It returns what is wrong
// with the broadcast's ledger.
func (r *rig) live(story []happening, answers []int) string {
	asked := 0
	r.answer = func(string) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		asked++
		switch answers[asked%len(answers)] {
		case 0:
			return &provider.Error{HTTPStatus: 400, Code: 131026, Message: "no"}
		case 1:
			return &provider.Error{HTTPStatus: 500, Code: 131000, Message: "later", Transient: true}
		case 2:
			return &provider.Error{OutcomeUnknown: true, Cause: errors.New("cut off")}
		}
		return nil
	}
	b := r.create(0, crowd, func(in *core.NewBroadcast) {
		in.Recipients = append(in.Recipients, core.NewRecipient{To: number(0)}, core.NewRecipient{To: "nobody"})
	})
	r.do(b, core.StartBroadcast)
	for i, h := range story {
		pass(h.After)
		r.befall(b, h)
		if wrong := r.ledger(b); wrong != "" {
			return fmt.Sprintf("after %d of %+v: %s", i+1, story, wrong)
		}
	}
	r.until("everybody has a message or a reason", func() bool { // messages in doubt may take much longer: see TestLedgerToTheEnd
		r.do(b, core.ResumeBroadcast)
		waiting, err := r.Read().AnyRecipient(b.ID, chat.RecipientWaiting)
		return err == nil && !waiting
	})
	if n := r.counts(b); n.Total != crowd+2 {
		return fmt.Sprintf("it ends with %+v", n)
	}
	return r.ledger(b)
}

func (r *rig) befall(b chat.Broadcast, h happening) {
	switch h.What {
	case "pause":
		r.do(b, pause)
	case "resume":
		r.do(b, core.ResumeBroadcast)
	case "retry":
		r.do(b, retry)
	case "crash":
		r.kill(r.nodes[0])
		r.start()
	case "edit":
		r.template(chat.CategoryMarketing, "APPROVED", fmt.Sprint("Hi {{1}}, edition ", h.Whom%3, " is here."))
	case "opt out":
		r.optOut(number(h.Whom))
	}
}
