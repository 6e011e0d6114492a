package rest

import "slices"

// Place is where an operation is registered: one surface or several.
type Place interface{ surfaces() []*Surface }

// Several are surfaces that share operations. Each gets the operations that its callers can use.
type Several []*Surface

func (s *Surface) surfaces() []*Surface { return []*Surface{s} }
func (s Several) surfaces() []*Surface  { return s }

// each registers a copy of the operation on every surface where it belongs. The copies differ, because the
// errors depend on who calls.
func each(p Place, op Operation, register func(*Surface, *Operation)) {
	for _, s := range p.surfaces() {
		if s.forUsers && op.Role == "" && !op.Open {
			continue
		}
		own := op
		own.Errors = slices.Clone(op.Errors)
		register(s, &own)
	}
}
