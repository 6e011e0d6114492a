package chat

import "encoding/json"

// Patch is the change of one field: unchanged, cleared, or given a value. The zero value leaves the field
// unchanged.
type Patch[T any] struct {
	Given bool
	Value *T // nil clears
}

// To sets a field.
func To[T any](v T) Patch[T] { return Patch[T]{Given: true, Value: &v} }

// Cleared clears a field.
func Cleared[T any]() Patch[T] { return Patch[T]{Given: true} }

// UnmarshalJSON reads a field that is present; null clears it. JSON never calls it for an absent field.
func (p *Patch[T]) UnmarshalJSON(text []byte) error {
	p.Given, p.Value = true, nil
	return json.Unmarshal(text, &p.Value)
}

// apply changes the field as the patch says.
func (p Patch[T]) apply(field **T) {
	if p.Given {
		*field = p.Value
	}
}
