package inbound

import (
	"fmt"
	"maps"
	"testing"

	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// waiting are queues in which numbers have so many updates, in callbacks of ten.
func waiting(t *testing.T, updates map[string]int) *queues {
	t.Helper()
	q := newQueues(maxQueued)
	q.caughtUp(nil)
	for number, n := range updates {
		for range n / 10 {
			var list []provider.Update
			for range 10 {
				list = append(list, provider.Ignored{Origin: provider.Origin{PhoneNumberID: number}})
			}
			if !q.admit(newArrival(store.Callback{}, list)) {
				t.Fatalf("there is no room for %s", number)
			}
		}
	}
	return q
}

// taken counts the updates of a transaction by number.
func taken(turns []turn) map[string]int {
	counts := map[string]int{}
	for _, t := range turns {
		for _, p := range t.pieces {
			counts[t.queue.number] += p.count
		}
	}
	return counts
}

// A number has a transaction for itself only where no other waits.
func TestNumbersTakeTurns(t *testing.T) {
	t.Parallel()
	many := map[string]int{}
	for i := range 30 {
		many[fmt.Sprint("number ", i)] = 50
	}
	for name, test := range map[string]struct{ waiting, want map[string]int }{
		"one":         {map[string]int{"a": 1000}, map[string]int{"a": 200}},
		"two":         {map[string]int{"a": 1000, "b": 1000}, map[string]int{"a": 100, "b": 100}},
		"a small one": {map[string]int{"a": 1000, "b": 10}, map[string]int{"a": 100, "b": 10}},
	} {
		if got := taken(waiting(t, test.waiting).take()); !maps.Equal(got, test.want) {
			t.Errorf("%s: taken are %v, want %v", name, got, test.want)
		}
	}
	q := waiting(t, many)
	seen := map[string]bool{}
	for range 3 {
		first := taken(q.take())
		if len(first) != txUpdates/leastShare {
			t.Errorf("of many there have a turn: %v", first)
		}
		for number, n := range first {
			if n != leastShare || seen[number] {
				t.Errorf("%s had %d, seen before: %v", number, n, seen[number])
			}
			seen[number] = true
		}
	}
}

// A number whose updates are being applied has no other turn until that is over, and then stands behind
// the others.
func TestATurnAtATime(t *testing.T) {
	t.Parallel()
	q := waiting(t, map[string]int{"a": 1000})
	turns := q.take()
	more := newArrival(store.Callback{}, []provider.Update{
		provider.Ignored{Origin: provider.Origin{PhoneNumberID: "a"}}, provider.Ignored{Origin: provider.Origin{PhoneNumberID: "b"}},
	})
	if !q.admit(more) {
		t.Fatal("there is no room")
	}
	if got := taken(q.take()); !maps.Equal(got, map[string]int{"b": 1}) {
		t.Errorf("meanwhile taken are %v", got)
	}
	for _, p := range turns[0].pieces {
		q.applied(turns[0].queue, p, nil)
	}
	q.release(turns[0].queue, 0)
	total := 0
	for total < 801 {
		turns := q.take()
		total += taken(turns)["a"]
		for _, p := range turns[0].pieces {
			q.applied(turns[0].queue, p, nil)
		}
		q.release(turns[0].queue, 0)
	}
	if len(q.numbers) != 1 || more.left != 1 { // b was taken and is not done
		t.Errorf("%d queues are left, and %d parts", len(q.numbers), more.left)
	}
}
