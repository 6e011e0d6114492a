package simulator

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxCreatesPerHour = 100
	maxTemplates      = 250
	nameFreeAfter     = 30 * 24 * time.Hour // an approved name cannot be used again before
)

// templateError is how this part of the upstream refuses: the useful text is in the user fields.
func templateError(subcode int, title, format string, args ...any) *graphError {
	no := false
	return &graphError{
		status: http.StatusBadRequest, code: 100, subcode: subcode, message: "Invalid parameter", transient: &no,
		userTitle: title, userText: fmt.Sprintf(format, args...),
	}
}

// listedComponents shows sample files as addresses, which is what becomes of handles.
func listedComponents(components []component) []component {
	out := slices.Clone(components)
	for i := range out {
		c := &out[i]
		if c.Example != nil && len(c.Example.HeaderHandle) > 0 {
			example := *c.Example
			example.HeaderHandle = []string{fmt.Sprintf("https://%s/v/t61/%d.bin", sampleHost, hashString(c.Example.HeaderHandle[0]))}
			c.Example = &example
		}
		for j := range c.Cards {
			if j == 0 {
				c.Cards = slices.Clone(c.Cards)
			}
			c.Cards[j].Components = listedComponents(c.Cards[j].Components)
		}
	}
	return out
}

// sampleHost serves the sample files of templates, but not to the upstream's own fetcher: sending a
// link to it fails.
const sampleHost = "scontent.whatsapp.net"

// list returns templates, the newest first.
func (s *templateSet) list(match func(*template) bool) []template {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []template
	for _, t := range s.byID {
		if match(t) {
			list = append(list, *t)
		}
	}
	slices.SortFunc(list, func(a, b template) int {
		if c := b.created.Compare(a.created); c != 0 {
			return c
		}
		return strings.Compare(a.name+a.language, b.name+b.language)
	})
	return list
}

// create adds a template if the account has room for it.
func (s *templateSet) create(t template, now time.Time) *graphError {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.creates = slices.DeleteFunc(s.creates, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if len(s.creates) >= maxCreatesPerHour {
		return refuse(80008, "Too many templates were created within an hour")
	}
	if at, found := s.deleted[t.name]; found && now.Sub(at) < nameFreeAfter {
		return templateError(2388023, "The message template is being deleted",
			"New content for %s cannot be added while its old content is being deleted. Use another name, or try again in 30 days.", t.name)
	}
	if s.byName[t.name][t.language] != nil {
		return templateError(2388024, "Content in this language already exists",
			"There is already content for %s in %s. Create it with another name or edit what is there.", t.name, t.language)
	}
	if len(s.byID) >= maxTemplates {
		return templateError(2388019, "Message template limit exceeded", "An account can have at most %d templates.", maxTemplates)
	}
	s.creates = append(s.creates, now)
	s.insert(t)
	return nil
}

const (
	maxEditsPerDay   = 1
	maxEditsPerMonth = 10
)

// edit is the template with the change, which has to be reviewed again.
func (in templateInput) edit(t template, now time.Time) (template, *graphError) {
	switch t.status {
	case "APPROVED", "REJECTED", "PAUSED":
	default:
		return t, templateError(2593004, "Message template cannot be edited", "A template can be edited while it is approved, rejected or paused; this one is %s.", t.status)
	}
	if in.Category != "" && t.status == "APPROVED" && !strings.EqualFold(in.Category, t.category) {
		return t, templateError(2593005, "Category cannot be changed", "The category of an approved template is fixed.")
	}
	if in.Category == "" && in.Components == nil && in.TTL == nil {
		return t, badParam("The parameter components is required.")
	}
	if t.status == "APPROVED" {
		if err := t.countEdit(now); err != nil {
			return t, err
		}
	}
	full := in
	full.Name, full.Language, full.Format = t.name, t.language, t.format
	if full.Category == "" {
		full.Category = t.category
	}
	if full.TTL == nil {
		full.TTL = t.ttl
	}
	if full.Components == nil {
		full.kept = t.components
	}
	fresh, err := full.build()
	if err != nil {
		return t, err
	}
	t.components, t.category, t.ttl = fresh.components, fresh.category, fresh.ttl
	t.status, t.reason = "PENDING", "NONE"
	t.version++
	return t, nil
}

func (t *template) countEdit(now time.Time) *graphError {
	day, month := 0, 0
	for _, at := range t.edits {
		if now.Sub(at) < 24*time.Hour {
			day++
		}
		if now.Sub(at) < 30*24*time.Hour {
			month++
		}
	}
	if day >= maxEditsPerDay || month >= maxEditsPerMonth {
		return templateError(2593006, "Message template edit limit", "An approved template can be edited once a day and ten times in 30 days.")
	}
	t.edits = append(slices.Clone(t.edits), now)
	return nil
}

// remove deletes a name in all languages, or one of them by id.
func (s *templateSet) remove(name, id string, now time.Time) ([]template, *graphError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []template
	for _, t := range s.byName[name] {
		if id != "" && t.id != id {
			continue
		}
		if t.status == "DISABLED" {
			return nil, templateError(2593003, "Message template cannot be deleted", "A disabled template cannot be deleted.")
		}
		gone = append(gone, *t)
	}
	if len(gone) == 0 {
		return nil, templateError(2593002, "Message template not found", "There is no template %s to delete.", name)
	}
	for _, t := range gone {
		delete(s.byID, t.id)
		delete(s.byName[name], t.language)
		if t.status == "APPROVED" {
			s.deleted[name] = now
		}
	}
	return gone, nil
}

// made are the templates that are not as they were at the start.
func (s *templateSet) made() []template {
	return s.list(func(t *template) bool { return !t.builtin || t.version > 0 })
}
