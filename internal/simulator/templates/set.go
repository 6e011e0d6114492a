package templates

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

const (
	MaxCreatesPerHour = 100
	MaxTemplates      = 250
	NameFreeAfter     = 30 * 24 * time.Hour // an approved name cannot be used again before this time has passed
)

// Refuse is a refusal of this part of the upstream, which puts the useful text into the user fields.
func Refuse(subcode int, title, format string, args ...any) *wire.Error {
	no := false
	return &wire.Error{
		Status: http.StatusBadRequest, Code: 100, Subcode: subcode, Message: "Invalid parameter", Transient: &no,
		UserTitle: title, UserText: fmt.Sprintf(format, args...),
	}
}

// ListedComponents shows sample files as addresses instead of handles, as the upstream's lists do.
func ListedComponents(components []Component) []Component {
	out := slices.Clone(components)
	for i := range out {
		c := &out[i]
		if c.Example != nil && len(c.Example.HeaderHandle) > 0 {
			example := *c.Example
			example.HeaderHandle = []string{fmt.Sprintf("https://%s/v/t61/%d.bin", SampleHost, names.HashString(c.Example.HeaderHandle[0]))}
			c.Example = &example
		}
		for j := range c.Cards {
			if j == 0 {
				c.Cards = slices.Clone(c.Cards)
			}
			c.Cards[j].Components = ListedComponents(c.Cards[j].Components)
		}
	}
	return out
}

// SampleHost serves the sample files of templates, but not to the upstream's own fetcher: sending a link to it fails.
const SampleHost = "scontent.whatsapp.net"

// List returns templates, the newest first.
func (s *Set) List(match func(*Template) bool) []Template {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []Template
	for _, t := range s.byID {
		if match(t) {
			list = append(list, *t)
		}
	}
	slices.SortFunc(list, func(a, b Template) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.Name+a.Language, b.Name+b.Language)
	})
	return list
}

// Create adds a template if the account has room for it.
func (s *Set) Create(t Template, now time.Time) *wire.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.creates = slices.DeleteFunc(s.creates, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if len(s.creates) >= MaxCreatesPerHour {
		return wire.Refuse(80008, "Too many templates were created within an hour")
	}
	if at, found := s.deleted[t.Name]; found && now.Sub(at) < NameFreeAfter {
		return Refuse(2388023, "The message template is being deleted",
			"New content for %s cannot be added while its old content is being deleted. Use another name, or try again in 30 days.", t.Name)
	}
	if s.byName[t.Name][t.Language] != nil {
		return Refuse(2388024, "Content in this language already exists",
			"There is already content for %s in %s. Create it with another name or edit what is there.", t.Name, t.Language)
	}
	if len(s.byID) >= MaxTemplates {
		return Refuse(2388019, "Message template limit exceeded", "An account can have at most %d templates.", MaxTemplates)
	}
	s.creates = append(s.creates, now)
	s.insert(t)
	return nil
}

const (
	maxEditsPerDay   = 1
	MaxEditsPerMonth = 10
)

// Edit is the template with the change. It must be reviewed again.
func (in Input) Edit(t Template, now time.Time) (Template, *wire.Error) {
	switch t.Status {
	case "APPROVED", "REJECTED", "PAUSED":
	default:
		return t, Refuse(2593004, "Message template cannot be edited", "A template can be edited while it is approved, rejected or paused; this one is %s.", t.Status)
	}
	if in.Category != "" && t.Status == "APPROVED" && !strings.EqualFold(in.Category, t.Category) {
		return t, Refuse(2593005, "Category cannot be changed", "The category of an approved template is fixed.")
	}
	if in.Category == "" && in.Components == nil && in.TTL == nil {
		return t, wire.BadParam("The parameter components is required.")
	}
	if t.Status == "APPROVED" {
		if err := t.countEdit(now); err != nil {
			return t, err
		}
	}
	full := in
	full.Name, full.Language, full.Format = t.Name, t.Language, t.Format
	if full.Category == "" {
		full.Category = t.Category
	}
	if full.TTL == nil {
		full.TTL = t.TTL
	}
	if full.Components == nil {
		full.kept = t.Components
	}
	fresh, err := full.Build()
	if err != nil {
		return t, err
	}
	t.Components, t.Category, t.TTL = fresh.Components, fresh.Category, fresh.TTL
	t.Status, t.Reason = "PENDING", "NONE"
	t.Version++
	return t, nil
}

func (t *Template) countEdit(now time.Time) *wire.Error {
	day, month := 0, 0
	for _, at := range t.edits {
		if now.Sub(at) < 24*time.Hour {
			day++
		}
		if now.Sub(at) < 30*24*time.Hour {
			month++
		}
	}
	if day >= maxEditsPerDay || month >= MaxEditsPerMonth {
		return Refuse(2593006, "Message template edit limit", "An approved template can be edited once a day and ten times in 30 days.")
	}
	t.edits = append(slices.Clone(t.edits), now)
	return nil
}

// Remove deletes a name in all languages, or one language by id.
func (s *Set) Remove(name, id string, now time.Time) ([]Template, *wire.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []Template
	for _, t := range s.byName[name] {
		if id != "" && t.ID != id {
			continue
		}
		if t.Status == "DISABLED" {
			return nil, Refuse(2593003, "Message template cannot be deleted", "A disabled template cannot be deleted.")
		}
		gone = append(gone, *t)
	}
	if len(gone) == 0 {
		return nil, Refuse(2593002, "Message template not found", "There is no template %s to delete.", name)
	}
	for _, t := range gone {
		delete(s.byID, t.ID)
		delete(s.byName[name], t.Language)
		if t.Status == "APPROVED" {
			s.deleted[name] = now
		}
	}
	return gone, nil
}

// Made are the templates that differ from those at the start.
func (s *Set) Made() []Template {
	return s.List(func(t *Template) bool { return !t.builtin || t.Version > 0 })
}
