package fair

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestTurns tries any arrivals and costs: no job is lost or doubled, each key's jobs keep their order, some job
// is served whenever one waits, and of two keys that always wait neither gets ahead by more than one job's
// time.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const longest = 20 * time.Millisecond
		q := NewTurns[string, int]()
		waiting := map[string][]int{}
		used := map[string]time.Duration{} // since a key began to wait; keys without waiting jobs are not in it
		ahead := map[[2]string]time.Duration{}
		n, left := 0, 0
		turn := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		arrive := func(t *rapid.T) {
			who := turn.Draw(t, "turn")
			for range rapid.IntRange(1, 20).Draw(t, "jobs") {
				q.Add(who, n)
				waiting[who] = append(waiting[who], n)
				n, left = n+1, left+1
			}
			if _, ok := used[who]; !ok {
				used[who] = 0
				for other := range used { // compared from here on
					ahead[[2]string{who, other}], ahead[[2]string{other, who}] = used[who], used[other]
				}
			}
		}
		serve := func(t *rapid.T) {
			who, job, ok := q.Take()
			if ok != (left > 0) {
				t.Fatalf("served: %v, with %d waiting", ok, left)
			}
			if !ok {
				return
			}
			if waiting[who][0] != job {
				t.Fatalf("job %d of %v before %d", job, who, waiting[who][0])
			}
			waiting[who], left = waiting[who][1:], left-1
			cost := time.Duration(rapid.IntRange(0, int(longest)).Draw(t, "cost"))
			q.Charge(who, cost)
			used[who] += cost
			for other := range used {
				mine := used[who] - ahead[[2]string{who, other}]
				theirs := used[other] - ahead[[2]string{other, who}]
				if other != who && mine-theirs > 2*longest {
					t.Fatalf("%v is %v ahead of %v, which waits", who, mine-theirs, other)
				}
			}
			if len(waiting[who]) == 0 {
				delete(used, who)
			}
		}
		t.Repeat(map[string]func(*rapid.T){"arrive": arrive, "serve": serve})
		if q.Len() != left {
			t.Fatalf("%d wait, not %d", q.Len(), left)
		}
	})
}

// TestTurnsOfSome tries any keys that may not be served: next is the one of the others that has used the least time.
func TestTurnsOfSome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := NewTurns[int, int]()
		used := map[int]time.Duration{}
		for key := range rapid.IntRange(0, 8).Draw(t, "keys") {
			q.Add(key, key)
			used[key] = time.Duration(rapid.IntRange(0, 5).Draw(t, "used"))
			q.Charge(key, used[key])
		}
		held := rapid.MapOf(rapid.IntRange(0, 8), rapid.Just(true)).Draw(t, "held")
		may := func(key int) bool { return !held[key] }
		key, job, ok := q.First(may)
		for other := range used {
			if may(other) && (!ok || used[other] < used[key]) {
				t.Fatalf("next is %d, %v, although %d has used %d", key, ok, other, used[other])
			}
		}
		switch {
		case ok && !may(key):
			t.Fatalf("%d is next, which may not be served", key)
		case ok && (job != key || q.TakeOf(key) != key):
			t.Fatalf("another's job was taken")
		case ok && q.Len() != len(used)-1:
			t.Fatalf("%d wait, not %d", q.Len(), len(used)-1)
		}
	})
}

// TestTurnsWithoutCredit checks that a key which could not be served for a while does not catch up afterwards.
func TestTurnsWithoutCredit(t *testing.T) {
	q := NewTurns[string, int]()
	for i := range 1000 {
		q.Add("slow", i)
		q.Add("fast", i)
	}
	served := map[string]int{}
	serve := func(may func(string) bool) {
		key, _, _ := q.First(may)
		q.TakeOf(key)
		q.Charge(key, time.Millisecond)
		served[key]++
	}
	for range 100 {
		serve(func(key string) bool { return key == "fast" })
	}
	for range 100 {
		serve(Any)
	}
	if served["slow"] > 51 {
		t.Fatalf("of the next 100 turns %d were of the key that had been held", served["slow"])
	}
}

// TestBusiest tries any costs: the busiest key has used more than all others together since some moment, by a clear lead,
// and a key that alone uses the time becomes the busiest.
func TestBusiest(t *testing.T) {
	type cost struct {
		key   int
		spent time.Duration
	}
	rapid.Check(t, func(t *rapid.T) {
		q := NewTurns[int, int]()
		charge := func(c cost) {
			q.Add(c.key, 0)
			q.Take()
			q.Charge(c.key, c.spent)
		}
		costs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) cost {
			return cost{rapid.IntRange(1, 4).Draw(t, "key"), time.Duration(rapid.IntRange(0, 60).Draw(t, "ms")) * time.Millisecond}
		})).Draw(t, "costs")
		for _, c := range costs {
			charge(c)
		}
		if key, ok := q.Busiest(); ok {
			most, lead := time.Duration(0), time.Duration(0)
			for _, c := range slices.Backward(costs) {
				if c.key == key {
					lead += c.spent
				} else {
					lead -= c.spent
				}
				most = max(most, lead)
			}
			if most < clearLead {
				t.Fatalf("the lead of %d was never more than %v", key, most)
			}
		}
		charge(cost{9, maxLead + clearLead})
		if key, ok := q.Busiest(); !ok || key != 9 {
			t.Fatalf("after the time of 9 alone the busiest is %d, %t", key, ok)
		}
	})
}

// TestTurnsAreForgotten checks that idle keys are forgotten, because organizations come and go as long as the
// process lives.
func TestTurnsAreForgotten(t *testing.T) {
	q := NewTurns[string, int]()
	for i := range 10_000 {
		q.Add(fmt.Sprint(i), i)
		who, _, _ := q.Take()
		q.Charge(who, time.Millisecond)
	}
	if n := len(q.lines); n > 200 {
		t.Fatalf("%d turns are remembered, and none of them waits", n)
	}
}

// TestRounds tries any arrivals: no item is lost or doubled, each key's items keep their order, an item is
// served whenever one may be, and of two keys that may always be served neither is served twice in a row.
func TestRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Rounds[string, int]
		waiting, served := map[string][]int{}, map[string]int{} // served: others' turns since the key's own turn, or its arrival
		held := map[string]bool{}
		n, left := 0, 0
		key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		t.Repeat(map[string]func(*rapid.T){
			"arrive": func(t *rapid.T) {
				who := key.Draw(t, "key")
				for range rapid.IntRange(1, 10).Draw(t, "items") {
					q.Add(who, n)
					waiting[who] = append(waiting[who], n)
					n, left = n+1, left+1
				}
			},
			"hold": func(t *rapid.T) {
				who := key.Draw(t, "key")
				held[who] = !held[who]
				delete(served, who)
			},
			"serve": func(t *rapid.T) {
				may, able := 0, 0
				for who, items := range waiting {
					if len(items) > 0 && !held[who] {
						may, able = may+1, able+len(items)
					}
				}
				most := rapid.IntRange(1, 4).Draw(t, "most")
				free := func(who string) bool { return !held[who] }
				if n := q.Count(free); n != able {
					t.Fatalf("%d may be served, not %d", n, able)
				}
				who, items := q.Next(most, free)
				if len(items) > 0 != (may > 0) || len(items) > most || held[who] && len(items) > 0 {
					t.Fatalf("%d of %q served, with %d that may", len(items), who, may)
				}
				for i, item := range items {
					if waiting[who][i] != item {
						t.Fatalf("%d of %q before %d", item, who, waiting[who][i])
					}
				}
				waiting[who], left = waiting[who][len(items):], left-len(items)
				delete(served, who)
				for other := range waiting {
					if other == who || held[other] || len(waiting[other]) == 0 {
						delete(served, other)
						continue
					}
					if served[other]++; served[other] > 4 {
						t.Fatalf("%q has waited for %d turns of others", other, served[other])
					}
				}
			},
		})
		if q.Len() != left {
			t.Fatalf("%d wait, not %d", q.Len(), left)
		}
	})
}
