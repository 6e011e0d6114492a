package rest

import (
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
)

// Sent is the input of an operation that takes a body.
type Sent[Body any] struct{ Body Body }

// ByID is the input of an operation on the object that the path names.
type ByID[ID ~string] struct {
	ID ID `path:"id"`
}

// SentTo is ByID with a body.
type SentTo[ID ~string, Body any] struct {
	ByID[ID]
	Body Body
}

// NumberSent is Sent under a number's path.
type NumberSent[Body any] struct {
	AccountPath
	Body Body
}

// NumberByID is ByID under a number's path.
type NumberByID[ID ~string] struct {
	AccountPath
	ByID[ID]
}

// NumberSentTo is SentTo under a number's path.
type NumberSentTo[ID ~string, Body any] struct {
	AccountPath
	SentTo[ID, Body]
}

// inputBinder fills an operation's input struct from a request. It is built once from the struct's tags: `path`
// and `query` name parameters, the field Body holds the JSON body, and pattern, enum, minLength, … are both the
// rule and its documentation. Operations share parameters by embedding a struct.
type inputBinder struct {
	typ    reflect.Type
	params []param
	body   *bodyBinder
}

type param struct {
	name  string
	in    string // path or query
	field []int
	place int // index among the path's variables
	rule  *rule
}

func newInputBinder[I any](d *document) *inputBinder {
	b := &inputBinder{typ: reflect.TypeFor[I]()}
	inPath := 0
	for _, f := range reflect.VisibleFields(b.typ) {
		switch {
		case f.Anonymous: // its fields follow
		case f.Tag.Get("path") != "":
			b.params = append(b.params, param{name: f.Tag.Get("path"), in: "path", field: f.Index, place: inPath, rule: d.paramRule(f)})
			inPath++
		case f.Tag.Get("query") != "":
			b.params = append(b.params, param{name: f.Tag.Get("query"), in: "query", field: f.Index, rule: d.paramRule(f)})
		case f.Name == "Body":
			b.body = &bodyBinder{field: f.Index, typ: f.Type, rule: d.typeRule(f.Type)}
		default:
			panic("input field " + f.Name + " is neither path, query nor Body")
		}
	}
	return b
}

// bind fills an input that has no body.
func (b *inputBinder) bind(c *Call, in reflect.Value) error {
	for _, p := range b.params {
		value, given := p.value(c)
		if !given {
			continue
		}
		if err := p.check(value); err != nil {
			return err
		}
		p.set(in.FieldByIndex(p.field), value.text)
	}
	return c.query().checkNames()
}

// checkPath checks the path's variables against their rules.
func (b *inputBinder) checkPath(c *Call) error {
	for _, p := range b.params {
		if p.in != "path" {
			continue
		}
		if err := p.rule.checkText(c.path[p.place], p.name); err != nil {
			return err
		}
	}
	return nil
}

// set stores a checked value in its field: a text or an instant.
func (p param) set(field reflect.Value, value string) {
	if field.Kind() == reflect.String {
		field.SetString(value)
		return
	}
	t, err := parseInstant(value)
	if err != nil {
		panic(err) // the rule accepted it
	}
	field.Set(reflect.ValueOf(&t))
}

// bindWith fills an input with parameters and body.
func (b *inputBinder) bindWith(c *Call, in reflect.Value, body []byte) error {
	if err := b.bind(c, in); err != nil {
		return err
	}
	if b.body == nil {
		return nil
	}
	c.text = body
	if err := checkContentType(c.R, body); err != nil {
		return err
	}
	return b.body.decode(body, in.FieldByIndex(b.body.field).Addr().Interface())
}

func (p param) value(c *Call) (value queryValue, given bool) {
	if p.in == "path" {
		return queryValue{text: c.path[p.place]}, true
	}
	value, given = c.query().values[p.name]
	switch p.rule.limits.format {
	case "date-time", formatPhoneNumber:
		// An unescaped + arrives as a space. Neither of these formats contains a space, nor a letter whose case matters:
		// RFC 3339 also has instants with t and z.
		value.text = strings.ToUpper(strings.ReplaceAll(value.text, " ", "+"))
	}
	return value, given
}

// filters is the part of the query to which a cursor is bound, in an order that does not depend on the
// request's.
func (b *inputBinder) filters(c *Call) string {
	known := url.Values{}
	for _, p := range b.params {
		if value, given := p.value(c); given {
			known.Set(p.name, value.text)
		}
	}
	return known.Encode()
}

// checkText checks a parameter, which is always text.
func (r *rule) checkText(s, name string) *chat.Error {
	failure := r.checkString(s, name)
	if failure == nil && !utf8.ValidString(s) {
		return chat.Invalid(name, "Must be valid UTF-8.")
	}
	return failure
}
