package rest

import "slices"

// Place is where an operation is registered: a surface, or several.
type Place interface{ surfaces() []*Surface }

// Several are surfaces that have operations in common. Each has those that its callers can use.
type Several []*Surface

func (s *Surface) surfaces() []*Surface { return []*Surface{s} }
func (s Several) surfaces() []*Surface  { return s }

// each registers an operation wherever it belongs. Each surface has its own: what can go wrong depends on
// who calls.
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
