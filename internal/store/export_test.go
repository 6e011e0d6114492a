package store

// WriterQueue is how many transactions may wait for the embedded store's writer.
const WriterQueue = writerQueue

// Waiting is how many transactions wait for the embedded store's writer now.
func Waiting(s *Store) int { return len(s.engine.(*sqliteEngine).writer.queue) }

// Closing tells whether Close has begun.
func Closing(s *Store) bool {
	switch e := s.engine.(type) {
	case *sqliteEngine:
		e.writer.mu.RLock()
		defer e.writer.mu.RUnlock()
		return e.writer.closed
	case *postgresEngine:
		return e.closed.Load()
	default:
		panic("unknown engine")
	}
}
