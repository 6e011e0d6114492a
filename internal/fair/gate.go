package fair

import (
	"context"
	"sync"
)

// Gate admits a limited number of callers at a time. Waiting callers take turns by their keys.
type Gate[K comparable] struct {
	mu      sync.Mutex
	free    int
	waiting Rounds[K, *visitor]
}

type visitor struct {
	in   chan struct{} // closed when the caller may enter
	gone bool          // the caller no longer waits
}

// NewGate returns a gate with so many places.
func NewGate[K comparable](places int) *Gate[K] { return &Gate[K]{free: places} }

// Enter waits for a place, which Leave gives back. It returns false if ctx ends first.
func (g *Gate[K]) Enter(ctx context.Context, key K) bool {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return true
	}
	v := &visitor{in: make(chan struct{})}
	g.waiting.Add(key, v)
	g.mu.Unlock()
	select {
	case <-v.in:
		return true
	case <-ctx.Done():
		return g.giveUp(v)
	}
}

// giveUp ends a wait, unless the caller has just been admitted.
func (g *Gate[K]) giveUp(v *visitor) (entered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-v.in:
		return true
	default:
		v.gone = true
		return false
	}
}

// Leave gives a place back.
func (g *Gate[K]) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, next := g.waiting.Next(1, Any); len(next) > 0; _, next = g.waiting.Next(1, Any) {
		if !next[0].gone {
			close(next[0].in)
			return
		}
	}
	g.free++
}

// Waiting is the number of waiting callers, some of whom may have given up.
func (g *Gate[K]) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting.Len()
}
