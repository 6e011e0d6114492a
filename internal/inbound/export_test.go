package inbound

// Unproven is how many bodies are being read, and the bytes they hold.
func (r *Receiver) Unproven() (bodies, bytes int) {
	r.intake.mu.Lock()
	defer r.intake.mu.Unlock()
	return len(r.intake.reading), r.intake.bytes
}
