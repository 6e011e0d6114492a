package store

import (
	"context"
	"sync"
)

// sharing gives simultaneous readers of the same row one answer. Nobody gets an answer that was read before
// they asked: a reader who comes while a statement is running waits for the next one, together with all who
// come meanwhile. So a revoked key is refused by the next request, and a busy organization reads no more often
// than the database answers.
type sharing struct {
	mu   sync.Mutex
	asks map[string]*ask
}

// ask is a read that is running now.
type ask struct{ next *sharedAnswer }

// sharedAnswer is the answer for readers who came meanwhile. The first of them runs the statement.
type sharedAnswer struct {
	begin, done chan struct{}
	value       any
	err         error
	left        bool // that reader has left
}

// do returns the result of read. It waits for other readers only as long as ctx lasts.
func (s *sharing) do(ctx context.Context, key string, read func() (any, error)) (any, error) {
	a, first := s.enter(key)
	switch {
	case a == nil:
		defer s.finish(key)
		return read()
	case first:
		return s.lead(ctx, key, a, read)
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	switch {
	case a.left:
		return s.do(ctx, key, read)
	case a.err != nil:
		return read()
	default:
		return a.value, nil
	}
}

// enter returns the answer to wait for, and whether the caller is to read it. None: the caller reads at once.
func (s *sharing) enter(key string) (a *sharedAnswer, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.asks[key]
	if current == nil {
		if s.asks == nil {
			s.asks = map[string]*ask{}
		}
		s.asks[key] = &ask{}
		return nil, false
	}
	first = current.next == nil
	if first {
		current.next = &sharedAnswer{begin: make(chan struct{}), done: make(chan struct{})}
	}
	return current.next, first
}

// lead reads for all who wait for an answer, once the statement before it has ended. If the reader leaves, another one
// of them leads.
func (s *sharing) lead(ctx context.Context, key string, a *sharedAnswer, read func() (any, error)) (any, error) {
	defer close(a.done)
	select {
	case <-a.begin:
	case <-ctx.Done():
		if a.left = s.withdraw(key, a); a.left {
			return nil, ctx.Err()
		}
	}
	defer s.finish(key)
	a.err = ErrUnavailable // if read panics
	a.value, a.err = read()
	a.left = a.err != nil && ctx.Err() != nil
	return a.value, a.err
}

// withdraw takes back an answer whose turn has not come.
func (s *sharing) withdraw(key string, a *sharedAnswer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.asks[key]
	waits := current != nil && current.next == a
	if waits {
		current.next = nil
	}
	return waits
}

// finish lets the next reader ask, if one waits.
func (s *sharing) finish(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asks[key].next
	if a == nil {
		delete(s.asks, key)
		return
	}
	s.asks[key] = &ask{}
	close(a.begin)
}
