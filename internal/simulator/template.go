package simulator

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// template is one language of a message template. Values are copied out of the set and never
// changed in place, so a copy may be read freely.
type template struct {
	id         string
	name       string
	language   string
	category   string // MARKETING, UTILITY, AUTHENTICATION
	previous   string // category before a change
	format     string // POSITIONAL, NAMED
	status     string
	reason     string // of a rejection; NONE otherwise
	quality    string
	components []component
	ttl        *int
	created    time.Time
	edits      []time.Time // while approved
	pauses     int
	version    int // grows with each edit, so that an older review knows it is void
	builtin    bool
}

// component is a part of a template, as created and as listed.
type component struct {
	Type                string           `json:"type"`
	Format              string           `json:"format,omitempty"`
	Text                string           `json:"text,omitempty"`
	Example             *templateExample `json:"example,omitempty"`
	Buttons             []templateButton `json:"buttons,omitempty"`
	Cards               []templateCard   `json:"cards,omitempty"`
	SecurityAdvice      *bool            `json:"add_security_recommendation,omitempty"`
	CodeExpirationAfter *int             `json:"code_expiration_minutes,omitempty"`
}

type templateExample struct {
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

type templateButton struct {
	Type        string        `json:"type"`
	Text        string        `json:"text,omitempty"`
	URL         string        `json:"url,omitempty"`
	PhoneNumber string        `json:"phone_number,omitempty"`
	Example     stringOrList  `json:"example,omitempty"`
	OTPType     string        `json:"otp_type,omitempty"`
	Autofill    string        `json:"autofill_text,omitempty"`
	Apps        []templateApp `json:"supported_apps,omitempty"`
	ZeroTapOK   *bool         `json:"zero_tap_terms_accepted,omitempty"`
	FlowID      loose         `json:"flow_id,omitempty"`
}

type templateApp struct {
	Package   string `json:"package_name"`
	Signature string `json:"signature_hash"`
}

type templateCard struct {
	Components []component `json:"components"`
}

func (t template) part(kind string) *component {
	i := slices.IndexFunc(t.components, func(c component) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &t.components[i]
}

func partOf(components []component, kind string) *component {
	return template{components: components}.part(kind)
}

func (t template) named() bool { return t.format == "NAMED" }

var variablePattern = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// variables are the names or numbers between double braces, each once.
func variables(text string) []string {
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

// places are the variables of a text in the order of their parameters: numbers by their value, since
// another language may have them in another order.
func places(text string, named bool) []string {
	names := variables(text)
	if !named {
		slices.SortStableFunc(names, func(a, b string) int {
			n, _ := strconv.Atoi(a)
			m, _ := strconv.Atoi(b)
			return n - m
		})
	}
	return names
}

// hydrate puts values in place of variables.
func hydrate(text string, values map[string]string) string {
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

// templateSet is the templates of an account.
type templateSet struct {
	mu      sync.RWMutex
	byID    map[string]*template
	byName  map[string]map[string]*template // name, language
	deleted map[string]time.Time            // names that were approved, and when they were deleted
	creates []time.Time
}

func newTemplateSet(waba string) *templateSet {
	s := &templateSet{byID: map[string]*template{}, byName: map[string]map[string]*template{}, deleted: map[string]time.Time{}}
	for i, t := range builtins {
		// The same account has the same ids after a restart.
		n := hashString("template"+waba+strconv.Itoa(i)) % idSpace
		t.id = string(prefixTemplate) + zeroPad(n, 15)
		t.builtin = true
		s.insert(t)
	}
	return s
}

func zeroPad(n uint64, width int) string {
	digits := strconv.FormatUint(n, 10)
	return strings.Repeat("0", max(0, width-len(digits))) + digits
}

func (s *templateSet) insert(t template) {
	if s.byName[t.name] == nil {
		s.byName[t.name] = map[string]*template{}
	}
	s.byName[t.name][t.language] = &t
	s.byID[t.id] = &t
}

// restore puts a template back as it was.
func (s *templateSet) restore(t template) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insert(t)
}

// find returns a copy of a language of a template.
func (s *templateSet) find(name, language string) (template, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.byName[name][language]
	if t == nil {
		return template{}, false
	}
	return *t, true
}

func (s *templateSet) get(id string) (template, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.byID[id]
	if t == nil {
		return template{}, false
	}
	return *t, true
}

// change replaces a template by what change makes of a copy. It reports whether the id exists.
func (s *templateSet) change(id string, change func(*template)) (template, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byID[id]
	if old == nil {
		return template{}, false
	}
	t := *old
	change(&t)
	s.insert(t)
	return t, true
}
