package webhook

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// However outcomes come and batches end, the troubled ones of an organization are written in their order, one batch at a
// time. A batch is written whenever one can be.
func TestOutcomesKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRecorder(nil, recordBatch)
		orgs := rapid.SampledFrom([]string{"org_1", "org_2", "org_3", "org_4"})
		results := rapid.SampledFrom([]core.DeliveryResult{
			{Status: chat.DeliverySucceeded}, {Status: chat.DeliverySucceeded, Failing: true}, {Status: chat.DeliveryFailed}, {Status: chat.DeliveryDead},
		})
		waiting := map[line][]*job{}
		var writing []line
		taken := func(l line) bool { return l.troubled && slices.Contains(writing, l) }
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				o := outcome{job: &job{DeliveryJob: store.DeliveryJob{OrgID: orgs.Draw(t, "organization")}}, result: results.Draw(t, "result")}
				waiting[o.line()] = append(waiting[o.line()], o.job)
				r.add(o)
			},
			"begin": func(t *rapid.T) {
				batch := r.next()
				if len(batch) == 0 {
					for l, jobs := range waiting {
						if len(jobs) > 0 && !taken(l) {
							t.Fatalf("%d outcomes of %v are left lying", len(jobs), l)
						}
					}
					return
				}
				l := batch[0].line()
				if taken(l) {
					t.Fatalf("a batch of %v beside those of %v", l, writing)
				}
				for i, o := range batch {
					if o.line() != l || o.job != waiting[l][i] {
						t.Fatalf("the outcomes of %v are out of order", l)
					}
				}
				waiting[l] = waiting[l][len(batch):]
				writing = append(writing, l)
			},
			"end": func(t *rapid.T) {
				if len(writing) > 0 {
					i := rapid.IntRange(0, len(writing)-1).Draw(t, "batch")
					r.wrote(writing[i])
					writing = slices.Delete(writing, i, i+1)
				}
			},
		})
	})
}
