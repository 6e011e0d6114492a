// Package templates implements message templates as the upstream has them: what it accepts, lists and refuses, and how
// a review ends.
package templates

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Template is one language of a message template. Values are copied out of the set and never changed in place, so a
// copy may be read freely. Its JSON is how it is saved.
type Template struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Language   string      `json:"language"`
	Category   string      `json:"category"` // MARKETING, UTILITY, AUTHENTICATION
	Previous   string      `json:"-"`        // the category before a change
	Format     string      `json:"format"`   // POSITIONAL, NAMED
	Status     string      `json:"status"`
	Reason     string      `json:"reason"` // the reason of a rejection; NONE otherwise
	Quality    string      `json:"quality"`
	Components []Component `json:"components"`
	TTL        *int        `json:"ttl,omitempty"`
	Created    time.Time   `json:"created"`
	edits      []time.Time // edits while approved
	Pauses     int         `json:"pauses,omitempty"`
	Version    int         `json:"-"` // grows with each edit, so that an older review knows that it is outdated
	builtin    bool
}

// Component is a part of a template, as created and as listed.
type Component struct {
	Type                string   `json:"type"`
	Format              string   `json:"format,omitempty"`
	Text                string   `json:"text,omitempty"`
	Example             *Example `json:"example,omitempty"`
	Buttons             []Button `json:"buttons,omitempty"`
	Cards               []Card   `json:"cards,omitempty"`
	SecurityAdvice      *bool    `json:"add_security_recommendation,omitempty"`
	CodeExpirationAfter *int     `json:"code_expiration_minutes,omitempty"`
}

type Example struct {
	HeaderText   []string       `json:"header_text,omitempty"`
	HeaderNamed  []namedExample `json:"header_text_named_params,omitempty"`
	HeaderHandle []string       `json:"header_handle,omitempty"`
	BodyText     [][]string     `json:"body_text,omitempty"`
	BodyNamed    []namedExample `json:"body_text_named_params,omitempty"`
}

type namedExample struct {
	Name    string `json:"param_name"`
	Example string `json:"example"`
}

type Button struct {
	Type        string            `json:"type"`
	Text        string            `json:"text,omitempty"`
	URL         string            `json:"url,omitempty"`
	PhoneNumber string            `json:"phone_number,omitempty"`
	Example     wire.StringOrList `json:"example,omitempty"`
	OTPType     string            `json:"otp_type,omitempty"`
	FlowID      wire.Loose        `json:"flow_id,omitempty"`
}

type Card struct {
	Components []Component `json:"components"`
}

func (t Template) Part(kind string) *Component {
	i := slices.IndexFunc(t.Components, func(c Component) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &t.Components[i]
}

func PartOf(components []Component, kind string) *Component {
	return Template{Components: components}.Part(kind)
}

func (t Template) Named() bool { return t.Format == "NAMED" }

var variablePattern = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// Variables are the names or numbers between double braces, each once.
func Variables(text string) []string {
	if !strings.Contains(text, "{{") {
		return nil
	}
	var names []string
	for _, m := range variablePattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Places are the variables of a text in the order of their parameters. Numbers are sorted by value, because another
// language may have them in another order.
func Places(text string, named bool) []string {
	names := Variables(text)
	if !named {
		slices.SortStableFunc(names, func(a, b string) int {
			n, _ := strconv.Atoi(a)
			m, _ := strconv.Atoi(b)
			return n - m
		})
	}
	return names
}

// Hydrate replaces variables with values.
func Hydrate(text string, values map[string]string) string {
	if len(values) == 0 {
		return text
	}
	return variablePattern.ReplaceAllStringFunc(text, func(v string) string {
		name := variablePattern.FindStringSubmatch(v)[1]
		if value, found := values[name]; found {
			return value
		}
		return v
	})
}

// Set is the set of an account's templates.
type Set struct {
	mu      sync.RWMutex
	byID    map[string]*Template
	byName  map[string]map[string]*Template // by name, then language
	deleted map[string]time.Time            // approved names, and when they were deleted
	creates []time.Time
}

func NewSet(waba string) *Set {
	s := &Set{byID: map[string]*Template{}, byName: map[string]map[string]*Template{}, deleted: map[string]time.Time{}}
	for i, t := range Builtins {
		// The same account has the same ids after a restart.
		n := names.HashString("template"+waba+strconv.Itoa(i)) % names.IDSpace
		t.ID = string(names.Template) + zeroPad(n, 15)
		t.builtin = true
		s.insert(t)
	}
	return s
}

func zeroPad(n uint64, width int) string {
	digits := strconv.FormatUint(n, 10)
	return strings.Repeat("0", max(0, width-len(digits))) + digits
}

func (s *Set) insert(t Template) {
	if s.byName[t.Name] == nil {
		s.byName[t.Name] = map[string]*Template{}
	}
	s.byName[t.Name][t.Language] = &t
	s.byID[t.ID] = &t
}

// Restore puts a saved template back.
func (s *Set) Restore(t Template) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insert(t)
}

// Find returns a copy of one language of a template.
func (s *Set) Find(name, language string) (Template, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.byName[name][language]
	if t == nil {
		return Template{}, false
	}
	return *t, true
}

func (s *Set) Get(id string) (Template, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.byID[id]
	if t == nil {
		return Template{}, false
	}
	return *t, true
}

// Change replaces a template with the result of change on a copy. It reports whether the id exists.
func (s *Set) Change(id string, change func(*Template)) (Template, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byID[id]
	if old == nil {
		return Template{}, false
	}
	t := *old
	change(&t)
	s.insert(t)
	return t, true
}
