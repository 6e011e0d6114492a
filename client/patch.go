package client

import "encoding/json"

// Patch is the change of one field. The zero value leaves the field unchanged.
type Patch[T any] struct {
	given bool
	value *T
}

// Set sets a field.
func Set[T any](v T) Patch[T] { return Patch[T]{given: true, value: &v} }

// Clear clears a field that may be empty.
func Clear[T any]() Patch[T] { return Patch[T]{given: true} }

// IsZero reports whether the field is unchanged and therefore not sent.
func (p Patch[T]) IsZero() bool { return !p.given }

// MarshalJSON writes the value, or null to clear it.
func (p Patch[T]) MarshalJSON() ([]byte, error) { return json.Marshal(p.value) }
