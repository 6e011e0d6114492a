package fair

import "testing"

// What was told lately is remembered, halved each time, until it is little.
func TestReach(t *testing.T) {
	r := NewReach[string](3)
	for i, step := range []struct{ each, want int }{{3, 0}, {100, 100}, {0, 50}, {60, 60}, {10, 30}, {0, 15}, {0, 7}, {0, 0}, {0, 0}} {
		if r.Learn("a", step.each); r.Of("a") != step.want || r.Of("b") != 0 {
			t.Errorf("step %d: it is %d and %d, want %d and 0", i, r.Of("a"), r.Of("b"), step.want)
		}
	}
}

// However many keys come, few are remembered.
func TestReachIsBounded(t *testing.T) {
	r := NewReach[int](0)
	for key := range 3 * reachKeys {
		r.Learn(key, 1)
		if n := len(r.many); n > reachKeys || r.Of(key) != 1 {
			t.Fatalf("after %d keys %d are remembered, the last with %d", key+1, n, r.Of(key))
		}
	}
}
