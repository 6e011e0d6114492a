package store

import "sync"

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
}

// do returns the result of read.
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
		if a.err != nil { // perhaps only the reader who asked has left
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
	a.err = ErrUnavailable // if read panics
	a.value, a.err = read()
	return a.value, a.err
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
