// Package core holds the use cases: every change of state is a function here that runs inside a transaction given by
// its caller, together with the events it emits. The caller opens the transaction because it may have to commit
// something of its own with the change, such as the answer stored under an idempotency key. A few functions get the
// store instead, because they hash a password or run in several steps; they open their transactions themselves. None
// uses the network: see packages templates and numbers.
//
// Functions return *chat.Error for a caller's mistake; any other error is our fault.
package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// orNotFound turns the store's ErrNotFound into the error that a caller sees.
func orNotFound(err error, noun string) error {
	if errors.Is(err, store.ErrNotFound) {
		return chat.NotFound(noun)
	}
	return err
}
