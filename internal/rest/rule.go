package rest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// rule checks a JSON value against the schema in the OpenAPI document, so that the documented and the enforced
// rules are the same.
type rule struct {
	kind      string // a huma.Type…, or "" for anything
	nullable  bool
	fields    []fieldRule // of an object, in the documented order
	items     *rule
	values    *rule // of a free-form object; nil: they can be anything
	limits    limits
	pattern   func() *regexp.Regexp // nil without one
	enum      []string
	trimmed   bool    // white space around the text is ignored
	collapsed bool    // runs of white space count as one blank
	someOf    bool    // an object that needs at least one of its fields
	either    []*rule // the alternative forms of a value, each of another JSON type
	part      bool    // its operation decides whether it counts, and decodes it
}

// limits are those of a schema. A rule does not keep the schema itself, which is large and has patterns of its own.
type limits struct {
	format, pattern      string
	minItems, maxItems   *int
	minLength, maxLength *int
	minimum, maximum     *float64
	maxProperties        *int
}

func limitsOf(s *huma.Schema) limits {
	return limits{
		format: s.Format, pattern: s.Pattern, minItems: s.MinItems, maxItems: s.MaxItems, minLength: s.MinLength, maxLength: s.MaxLength,
		minimum: s.Minimum, maximum: s.Maximum, maxProperties: s.MaxProperties,
	}
}

type fieldRule struct {
	name     string
	index    int // in the struct
	required bool
	unless   string // the field that may be given instead
	rule     *rule
}

// partial is a value that counts only if another field says so.
type partial interface{ partOf() reflect.Type }

// findings are the first missing field and the first wrong value, in documented order.
type findings struct{ missing, bad *chat.Error }

// first returns the error to report: a missing field before a wrong value.
func (f findings) first() error {
	switch {
	case f.missing != nil:
		return f.missing
	case f.bad != nil:
		return f.bad
	default:
		return nil
	}
}

func (f *findings) merge(later findings) {
	if f.missing == nil {
		f.missing = later.missing
	}
	if f.bad == nil {
		f.bad = later.bad
	}
}

var patterns sync.Map // what returns the compiled expression, by its text

// compiled returns what compiles a pattern when it is first needed: most are not on most days. Many fields share a pattern,
// such as that of an identifier.
func compiled(pattern string) func() *regexp.Regexp {
	known, ok := patterns.Load(pattern)
	if !ok {
		known, _ = patterns.LoadOrStore(pattern, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) }))
	}
	return known.(func() *regexp.Regexp)
}

// newRule makes a rule from a schema. The order of fields comes from the Go struct, because a schema does not
// keep it.
func newRule(reg huma.Registry, t reflect.Type, s *huma.Schema) *rule {
	if t.Implements(reflect.TypeFor[partial]()) {
		r := newRule(reg, reflect.Zero(t).Interface().(partial).partOf(), s)
		r.part = true
		return r
	}
	if s.Ref != "" {
		s = reg.SchemaFromRef(s.Ref)
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	r := &rule{kind: s.Type, nullable: s.Nullable, limits: limitsOf(s)}
	if s.Pattern != "" {
		r.pattern = compiled(s.Pattern)
	}
	for _, v := range s.Enum {
		r.enum = append(r.enum, fmt.Sprint(v))
	}
	for _, form := range s.OneOf {
		r.either = append(r.either, newRule(reg, t, form))
	}
	switch {
	case t == reflect.TypeFor[chat.Patch[[]string]]():
		r.items = newRule(reg, reflect.TypeFor[string](), s.Items)
	case s.Type == huma.TypeArray && t.Kind() == reflect.Slice:
		r.items = newRule(reg, t.Elem(), s.Items)
	case s.Type == huma.TypeArray: // one of the forms of a custom type
		r.items = newRule(reg, reflect.TypeFor[any](), s.Items)
	case s.Type == huma.TypeObject && t.Kind() == reflect.Map:
		if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
			r.values = newRule(reg, t.Elem(), values)
		}
	case s.Type == huma.TypeObject && t.Kind() == reflect.Struct:
		r.fields = newFieldRules(reg, t, s)
	}
	return r
}

// newFieldRules makes the rules of a struct's fields.
func newFieldRules(reg huma.Registry, t reflect.Type, s *huma.Schema) (fields []fieldRule) {
	for f := range t.Fields() {
		if f.Anonymous {
			panic("rest: the embedded " + f.Name + " of " + t.String() + " would be in no document and never be read: name its fields")
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := s.Properties[name]
		if property == nil || f.Tag.Get("readOnly") == "true" { // only in answers: in a request it is an unknown field
			continue
		}
		r := newRule(reg, f.Type, property)
		r.trimmed, r.collapsed = f.Tag.Get("trimmed") == "true", f.Tag.Get("collapsed") == "true"
		fields = append(fields, fieldRule{name, f.Index[0], slices.Contains(s.Required, name), f.Tag.Get("unless"), r})
	}
	return fields
}

// check reads one value. It returns syntax errors as an error and broken rules as findings.
func (r *rule) check(s *scan, path string) (findings, error) {
	kind := s.PeekKind()
	switch {
	case r.either != nil:
		return r.checkEither(s, path)
	case r.kind == huma.TypeObject && kind == jsontext.KindBeginObject && r.fields != nil:
		return r.checkObject(s, path)
	case r.kind == huma.TypeArray && kind == jsontext.KindBeginArray:
		return r.checkArray(s, path)
	}
	value, err := s.ReadValue()
	if err != nil {
		return findings{}, err
	}
	return findings{bad: r.checkValue(value, path)}, nil
}

// checkEither checks a value against the form of its JSON type.
func (r *rule) checkEither(s *scan, path string) (findings, error) {
	kinds := map[string]jsontext.Kind{
		huma.TypeString: jsontext.KindString, huma.TypeObject: jsontext.KindBeginObject, huma.TypeArray: jsontext.KindBeginArray,
	}
	var names []string
	for _, form := range r.either {
		if kinds[form.kind] == s.PeekKind() {
			return form.check(s, path)
		}
		names = append(names, withArticle(form.kind))
	}
	_, err := s.ReadValue()
	return findings{bad: chat.Invalid(path, "Must be %s.", strings.Join(names, " or "))}, err
}

func (r *rule) checkObject(s *scan, path string) (findings, error) {
	fields, err := r.checkFields(s, path)
	return r.sumUp(path, fields), err
}

// checkFields checks an object's fields one by one.
func (r *rule) checkFields(s *scan, path string) ([]fieldState, error) {
	fields := make([]fieldState, len(r.fields))
	if _, err := s.ReadToken(); err != nil {
		return fields, err
	}
	for s.PeekKind() != jsontext.KindEndObject {
		name, err := s.ReadToken()
		if err != nil {
			return fields, err
		}
		i := r.fieldIndex(name.String())
		if i < 0 {
			_, err = s.ReadValue()
		} else {
			begin := s.InputOffset()
			fields[i].given, fields[i].null = true, s.PeekKind() == jsontext.KindNull
			fields[i].found, err = r.fields[i].rule.check(s, join(path, r.fields[i].name))
			fields[i].value = s.since(begin)
		}
		if err != nil {
			return fields, err
		}
	}
	_, err := s.ReadToken()
	return fields, err
}

// fieldState is the result for one field of an object.
type fieldState struct {
	given, null bool
	value       jsontext.Value
	found       findings
}

// sumUp combines the results of an object's fields in documented order.
func (r *rule) sumUp(path string, fields []fieldState) findings {
	if r.someOf && !slices.ContainsFunc(fields, func(f fieldState) bool { return f.given }) {
		return findings{missing: r.needsSome(path)}
	}
	var all findings
	for i, f := range r.fields {
		switch {
		case f.required && !fields[i].given:
			all.merge(findings{missing: chat.Missing(join(path, f.name))})
		case f.unless != "" && !fields[i].hasValue() && !fields[r.fieldIndex(f.unless)].hasValue():
			all.merge(findings{missing: &chat.Error{Code: chat.CodeMissingRequiredField, Param: join(path, f.name),
				Message: "Give " + f.name + " or " + f.unless + "."}})
		}
		all.merge(fields[i].found)
	}
	return all
}

func (f fieldState) hasValue() bool { return f.given && !f.null }

func (r *rule) needsSome(path string) *chat.Error {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.name
	}
	return &chat.Error{Code: chat.CodeMissingRequiredField, Param: join(path, names[0]),
		Message: "Give at least one of " + strings.Join(names, ", ") + "."}
}

func (r *rule) fieldIndex(name string) int {
	return slices.IndexFunc(r.fields, func(f fieldRule) bool { return f.name == name })
}

func (r *rule) checkArray(s *scan, path string) (findings, error) {
	if _, err := s.ReadToken(); err != nil {
		return findings{}, err
	}
	var all findings
	n := 0
	for ; s.PeekKind() != jsontext.KindEndArray; n++ {
		found, err := r.items.check(s, fmt.Sprintf("%s[%d]", path, n))
		if err != nil {
			return findings{}, err
		}
		all.merge(found)
	}
	if least := r.limits.minItems; least != nil && n < *least {
		all = findings{bad: chat.Invalid(path, "Must have at least %s.", items(*least))}
	}
	if most := r.limits.maxItems; most != nil && n > *most {
		all = findings{bad: chat.Invalid(path, "Must have at most %s.", items(*most))}
	}
	_, err := s.ReadToken()
	return all, err
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func withArticle(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// oneOf lists the values that a field may have.
func oneOf(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	return "one of " + strings.Join(values, ", ")
}
