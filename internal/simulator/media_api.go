package simulator

// mediaURL is where a file can be fetched for a few minutes.
func (s *Simulator) mediaURL(base string, f *file) string { return base + "/" + f.id }
