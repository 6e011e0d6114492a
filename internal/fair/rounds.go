package fair

// Rounds is a queue in which keys take turns, one item each, however many items a key has waiting. It has no
// lock; the caller must hold one.
type Rounds[K comparable, T any] struct {
	lines map[K]*round[K, T]
	order []*round[K, T] // keys with waiting items; the first is next
	len   int
}

type round[K comparable, T any] struct {
	key   K
	items []T
}

// Add appends an item to those of its key.
func (r *Rounds[K, T]) Add(key K, item T) {
	l := r.lines[key]
	if l == nil {
		if r.lines == nil {
			r.lines = map[K]*round[K, T]{}
		}
		l = &round[K, T]{key: key}
		r.lines[key] = l
		r.order = append(r.order, l)
	}
	l.items = append(l.items, item)
	r.len++
}

// Len is how many items wait.
func (r *Rounds[K, T]) Len() int { return r.len }

// Waits is how many items of a key wait.
func (r *Rounds[K, T]) Waits(key K) int {
	if l := r.lines[key]; l != nil {
		return len(l.items)
	}
	return 0
}

// Count is how many items wait whose keys may be served.
func (r *Rounds[K, T]) Count(may func(K) bool) (n int) {
	for _, l := range r.order {
		if may(l.key) {
			n += len(l.items)
		}
	}
	return n
}

// First is the next key that may be served, if there is one.
func (r *Rounds[K, T]) First(may func(K) bool) (key K, ok bool) {
	for _, l := range r.order {
		if may(l.key) {
			return l.key, true
		}
	}
	return key, false
}

// Next removes up to most items of the next key that may be served; none if there is no such key.
func (r *Rounds[K, T]) Next(most int, may func(K) bool) (key K, items []T) {
	for i, l := range r.order {
		if !may(l.key) {
			continue
		}
		n := min(most, len(l.items))
		items = l.items[:n:n]
		l.items = l.items[n:]
		r.len -= n
		copy(r.order[i:], r.order[i+1:])
		r.order[len(r.order)-1] = l
		if len(l.items) == 0 {
			r.order[len(r.order)-1] = nil
			r.order = r.order[:len(r.order)-1]
			delete(r.lines, l.key)
		}
		return l.key, items
	}
	return key, nil
}

// Any allows every key to be served.
func Any[K comparable](K) bool { return true }
