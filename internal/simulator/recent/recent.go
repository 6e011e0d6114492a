// Package recent has a map that forgets its oldest keys.
package recent

import (
	"sync"

	"github.com/parleyhq/parley/internal/simulator/names"
)

// Pair is a business, or one of its numbers, and a person.
type Pair struct{ Scope, User string }

func (k Pair) Hash() uint64 { return names.HashString(k.Scope) ^ names.HashString(k.User)<<1 }

type hashed interface {
	comparable
	Hash() uint64
}

type Key string

func (k Key) Hash() uint64 { return names.HashString(string(k)) }

const recentShards = 32

// Map is a map that forgets its oldest keys above a bound. It is split into shards so that the callers of a load test
// do not wait for each other.
type Map[K hashed, V any] struct {
	shards [recentShards]recentShard[K, V]
}

type recentShard[K hashed, V any] struct {
	mu    sync.Mutex
	m     map[K]V
	order []K // a ring, once it is full
	next  int
	limit int
}

func New[K hashed, V any](limit int) *Map[K, V] {
	r := &Map[K, V]{}
	for i := range r.shards {
		r.shards[i].limit = max(1, limit/recentShards)
		r.shards[i].m = map[K]V{}
	}
	return r
}

func (r *Map[K, V]) shard(k K) *recentShard[K, V] { return &r.shards[k.Hash()%recentShards] }

func (r *Map[K, V]) Get(k K) (V, bool) {
	s := r.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	v, found := s.m[k]
	return v, found
}

func (r *Map[K, V]) Put(k K, v V) {
	r.Update(k, func(V) V { return v })
}

// Update changes the value of a key, which starts at the zero value, and returns the new value.
func (r *Map[K, V]) Update(k K, change func(V) V) V {
	s := r.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	v, found := s.m[k]
	v = change(v)
	s.m[k] = v
	if !found {
		s.remember(k)
	}
	return v
}

func (s *recentShard[K, V]) remember(k K) {
	if len(s.order) < s.limit {
		s.order = append(s.order, k)
		return
	}
	if old := s.order[s.next]; old != k {
		delete(s.m, old)
	}
	s.order[s.next] = k
	s.next = (s.next + 1) % s.limit
}

// Each visits all values until visit returns false. It is for the control API: it locks one shard at a time, in no
// particular order.
func (r *Map[K, V]) Each(visit func(K, V) bool) {
	for i := range r.shards {
		if !r.shards[i].each(visit) {
			return
		}
	}
}

func (s *recentShard[K, V]) each(visit func(K, V) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.m {
		if !visit(k, v) {
			return false
		}
	}
	return true
}

func (r *Map[K, V]) Reset() {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		s.m, s.order, s.next = map[K]V{}, nil, 0
		s.mu.Unlock()
	}
}
