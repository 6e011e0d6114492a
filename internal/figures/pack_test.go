package figures_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The median and the mean are those of the single durations, whether these are packed or not.
func TestDurationsArePackedUnchanged(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		var all []store.Outcome
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				switch rapid.SampledFrom([]string{"answer", "answer", "wait", "pack"}).Draw(t, "what") {
				case "answer":
					outcome := store.Outcome{
						OrgID: o.Org.ID, ID: fmt.Sprint(len(all)), AccountID: o.accounts[rapid.IntRange(0, 1).Draw(t, "number")].ID,
						What: chat.OutcomeAnswered, At: o.Clock.Now(), Took: time.Duration(rapid.IntRange(0, 10_000_000).Draw(t, "ms")) * time.Millisecond,
					}
					all = append(all, outcome)
					storetest.InTx(t, o.Store, func(tx *store.Tx) error { return tx.InsertOutcome(outcome) })
				case "wait":
					o.Clock.Advance(time.Duration(rapid.IntRange(1, 900).Draw(t, "minutes")) * time.Minute)
				case "pack":
					if err := o.counter.Pack(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
			}
			from := o.Clock.Now().Add(-time.Duration(rapid.IntRange(1, 10_000).Draw(t, "minutes before")) * time.Minute)
			q := figures.Query{OrgID: o.Org.ID, From: from, Until: o.Clock.Now().Add(time.Minute)}
			if rapid.Bool().Draw(t, "of one number") {
				q.Accounts = []string{o.accounts[0].ID}
			}
			got, err := figures.Summarize(o.Read(), q)
			if want := durationsOf(all, q); err != nil || got.Answered != want {
				t.Fatalf("answered: %+v, %v; want %+v", got.Answered, err, want)
			}
		})
	})
}

// durationsOf computes from single durations what a report says of them, in whole seconds as it shows them.
func durationsOf(all []store.Outcome, q figures.Query) (d figures.Durations) {
	var (
		took []time.Duration
		sum  time.Duration
	)
	for _, o := range all {
		if !o.At.Before(q.From) && o.At.Before(q.Until) && (q.Accounts == nil || o.AccountID == q.Accounts[0]) {
			took, sum = append(took, o.Took), sum+o.Took
		}
	}
	if len(took) == 0 {
		return d
	}
	slices.Sort(took)
	return figures.Durations{Count: len(took), Median: took[len(took)/2].Truncate(time.Second), Mean: sum / time.Duration(len(took))}
}
