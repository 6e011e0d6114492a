package fair

import (
	"context"
	"sync"
)

// Gate lets a few in at a time. Those who wait for it take turns by their keys.
type Gate[K comparable] struct {
	mu      sync.Mutex
	free    int
	waiting Rounds[K, *visitor]
}

type visitor struct {
	in   chan struct{} // closed when it may enter
	gone bool          // it does not wait any more
}

// NewGate returns a gate for so many at a time.
func NewGate[K comparable](places int) *Gate[K] { return &Gate[K]{free: places} }

// Enter waits for a place, which Leave gives back. It reports false when ctx ended before there was one.
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

// giveUp ends a wait, unless it has just been successful.
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

// Waiting is how many wait, some of which may have given up.
func (g *Gate[K]) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting.Len()
}
