package sender

// InMemory is how many numbers and jobs the sender has in memory.
func (s *Sender) InMemory() (numbers, jobs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.numbers), len(s.held)
}

// MaxPerNumber is how many calls of a number can be under way at once.
const MaxPerNumber = maxPerNumber
