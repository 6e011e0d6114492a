// Package core holds the use cases: every change of state is a function here that runs inside a
// transaction given by its caller, together with the events it emits. The caller opens the
// transaction because it may have something of its own to commit with the change, such as the
// answer kept under an idempotency key. A few are given the store instead, because they hash a password or
// go in several steps; they open their transactions themselves. None talks to the network: see packages
// templates and numbers.
//
// Functions return *chat.Error for what a caller did wrong; any other error is a fault of ours.
package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// orNotFound turns the store's ErrNotFound into the answer a caller sees.
func orNotFound(err error, noun string) error {
	if errors.Is(err, store.ErrNotFound) {
		return chat.NotFound(noun)
	}
	return err
}
