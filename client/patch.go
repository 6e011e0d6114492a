package client

import "encoding/json"

// Patch is one field of a change. Its zero leaves the field as it is.
type Patch[T any] struct {
	given bool
	value *T
}

// Set gives a field a value.
func Set[T any](v T) Patch[T] { return Patch[T]{given: true, value: &v} }

// Clear takes a field's value away, where it may have none.
func Clear[T any]() Patch[T] { return Patch[T]{given: true} }

// IsZero reports whether the field is left as it is; it is not sent then.
func (p Patch[T]) IsZero() bool { return !p.given }

// MarshalJSON writes the value, or null to clear it.
func (p Patch[T]) MarshalJSON() ([]byte, error) { return json.Marshal(p.value) }
