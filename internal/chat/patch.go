package chat

import "encoding/json"

// Patch is one field of a change: left as it is, cleared, or given a value. Its zero leaves.
type Patch[T any] struct {
	Given bool
	Value *T // nil clears
}

// To gives a field a value.
func To[T any](v T) Patch[T] { return Patch[T]{Given: true, Value: &v} }

// Cleared takes a field's value away.
func Cleared[T any]() Patch[T] { return Patch[T]{Given: true} }

// UnmarshalJSON reads a field that is there: null clears. One that is absent is not read at all.
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
