package store

import "sync"

// sharing lets those who ask for the same at the same time have one answer. Nobody gets one that was read before
// they asked: who comes while a statement is under way waits for the next, together with all who come meanwhile.
// So a key that was revoked is refused by the next request, and a busy organization asks no more often than the
// database answers.
type sharing struct {
	mu   sync.Mutex
	asks map[string]*ask
}

// ask is a question that somebody is asking right now.
type ask struct{ next *sharedAnswer }

// sharedAnswer is what those who came meanwhile wait for. The first of them asks, once it may begin.
type sharedAnswer struct {
	begin, done chan struct{}
	value       any
	err         error
}

// do returns what read finds.
func (s *sharing) do(key string, read func() (any, error)) (any, error) {
	s.mu.Lock()
	current := s.asks[key]
	if current == nil {
		if s.asks == nil {
			s.asks = map[string]*ask{}
		}
		s.asks[key] = &ask{}
		s.mu.Unlock()
		defer s.finish(key)
		return read()
	}
	if a := current.next; a != nil {
		s.mu.Unlock()
		<-a.done
		if a.err != nil { // perhaps only whoever asked went away
			return read()
		}
		return a.value, nil
	}
	a := &sharedAnswer{begin: make(chan struct{}), done: make(chan struct{})}
	current.next = a
	s.mu.Unlock()
	<-a.begin
	defer s.finish(key)
	defer close(a.done)
	a.err = ErrUnavailable // of a reader that panics
	a.value, a.err = read()
	return a.value, a.err
}

// finish lets the next ask, if anybody waits.
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
