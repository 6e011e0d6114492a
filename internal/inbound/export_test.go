package inbound

import "github.com/parleyhq/parley/internal/provider"

// Workers is how many stuck numbers occupy all workers.
const Workers = workers

// Around is a configuration whose transactions are run by around, with the updates that they apply, if any.
func Around(cfg Config, around func(updates []provider.Update, run func() error) error) Config {
	cfg.around = around
	return cfg
}

// Small is a configuration with this many bytes for the queues.
func Small(cfg Config, bytes int) Config {
	cfg.queued = bytes
	return cfg
}

// Unproven is the number of bodies that are being read, and the bytes that they hold.
func (r *Receiver) Unproven() (bodies, bytes int) {
	r.intake.mu.Lock()
	defer r.intake.mu.Unlock()
	return len(r.intake.reading), r.intake.bytes
}

// PromptBytes is the bytes that bodies of middle size hold.
func (r *Receiver) PromptBytes() int {
	r.intake.prompt.mu.Lock()
	defer r.intake.prompt.mu.Unlock()
	return r.intake.prompt.bytes
}

// MaxPrompt is the most bytes that they may hold.
const MaxPrompt = maxPrompt
