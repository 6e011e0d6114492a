package api

import (
	"net/url"
	"reflect"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
)

// inputBinder fills an operation's input struct from a request. It is made once, from the
// struct's tags: `path` and `query` name parameters, the field Body holds the JSON body, and
// pattern, enum, minLength, … are both the rule and its documentation.
type inputBinder struct {
	params []param
	body   *bodyBinder
}

type param struct {
	name  string
	in    string // path or query
	field int
	place int // of a path parameter among the path's variables
	rule  *rule
}

func newInputBinder[I any](d *document) *inputBinder {
	t := reflect.TypeFor[I]()
	b := &inputBinder{}
	inPath := 0
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Tag.Get("path") != "":
			b.params = append(b.params, param{name: f.Tag.Get("path"), in: "path", field: i, place: inPath, rule: d.fieldRule(f)})
			inPath++
		case f.Tag.Get("query") != "":
			b.params = append(b.params, param{name: f.Tag.Get("query"), in: "query", field: i, rule: d.fieldRule(f)})
		case f.Name == "Body":
			b.body = &bodyBinder{field: i, typ: f.Type, rule: d.typeRule(f.Type)}
		default:
			panic("input field " + f.Name + " is neither path, query nor Body")
		}
	}
	return b
}

// bind fills an input that has no body.
func (b *inputBinder) bind(c *call, in reflect.Value) error {
	for _, p := range b.params {
		value, given := p.value(c)
		if !given {
			continue
		}
		if err := p.rule.checkText(value, p.name); err != nil {
			return err
		}
		in.Field(p.field).SetString(value)
	}
	return nil
}

// bindWith fills an input with parameters and body.
func (b *inputBinder) bindWith(c *call, in reflect.Value, body []byte) error {
	if err := b.bind(c, in); err != nil {
		return err
	}
	if b.body == nil {
		return nil
	}
	if err := checkContentType(c.r, body); err != nil {
		return err
	}
	return b.body.decode(body, in.Field(b.body.field).Addr().Interface())
}

func (p param) value(c *call) (string, bool) {
	if p.in == "path" {
		return c.path[p.place], true
	}
	query := c.query()
	return query.Get(p.name), query.Has(p.name)
}

// filters is the part of the query that a cursor is bound to, in a form that does not depend on
// the order in which it was written.
func (b *inputBinder) filters(c *call) string {
	known := url.Values{}
	for _, p := range b.params {
		if value, given := p.value(c); given {
			known.Set(p.name, value)
		}
	}
	return known.Encode()
}

// query parses the query string; what cannot be parsed is ignored like an unknown parameter.
func (c *call) query() url.Values {
	if c.r.URL.RawQuery == "" {
		return nil
	}
	values, _ := url.ParseQuery(c.r.URL.RawQuery)
	return values
}

// checkText checks a parameter, which is always text.
func (r *rule) checkText(s, name string) *chat.Error {
	if !utf8.ValidString(s) {
		return chat.Invalid(name, "Must be valid UTF-8.")
	}
	return r.checkString(s, name)
}
