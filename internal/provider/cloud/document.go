package cloud

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a parsed JSON text. The upstream's types are unreliable (a number today, a string tomorrow,
// absent in between), so callbacks and answers are read through forgiving getters instead of structs: a value
// of the wrong type counts as absent.
//
// The values are in one list, in the order of the text, each with the index of its next sibling. Parsing is one
// pass, memory is a small multiple of the text, and deep nesting does no harm.
type document struct {
	text   []byte
	values []value
}

// value is a span of the text. Its name, if it is a member of an object, is a span too.
type value struct {
	nameStart, nameEnd uint32
	start, end         uint32
	next               uint32 // index of the value after this one and everything inside it
}

// node is a value of a document. The zero node is an absent value, whose getters return zero values.
type node struct {
	doc *document
	at  uint32
}

// parse reads a text that holds one JSON value.
func parse(text []byte) (node, error) {
	if len(text) > math.MaxInt32 {
		return node{}, errTooLarge
	}
	doc := &document{text: text, values: make([]value, 0, len(text)/16+8)}
	// People write broken characters, and their messages must arrive anyway.
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowInvalidUTF8(true))
	if err := doc.read(dec); err != nil {
		return node{}, err
	}
	if len(bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n")) > 0 {
		return node{}, errTrailingData
	}
	return node{doc: doc}, nil
}

// read reads the tokens of one value.
func (d *document) read(dec *jsontext.Decoder) error {
	var open []uint32
	for {
		var v value
		if len(open) > 0 && d.isObject(open[len(open)-1]) && dec.PeekKind() == '"' {
			name, err := dec.ReadValue()
			if err != nil {
				return err
			}
			v.nameEnd = uint32(dec.InputOffset())
			v.nameStart = v.nameEnd - uint32(len(name))
		}
		switch dec.PeekKind() {
		case '{', '[':
			if _, err := dec.ReadToken(); err != nil {
				return err
			}
			v.start = uint32(dec.InputOffset()) - 1
			open = append(open, uint32(len(d.values)))
			d.values = append(d.values, v)
			continue
		case '}', ']':
			if _, err := dec.ReadToken(); err != nil {
				return err
			}
			closed := &d.values[open[len(open)-1]]
			closed.end, closed.next = uint32(dec.InputOffset()), uint32(len(d.values))
			open = open[:len(open)-1]
		default:
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			v.end = uint32(dec.InputOffset())
			v.start = v.end - uint32(len(raw))
			v.next = uint32(len(d.values)) + 1
			d.values = append(d.values, v)
		}
		if len(open) == 0 {
			return nil
		}
	}
}

func (d *document) isObject(i uint32) bool { return d.text[d.values[i].start] == '{' }

func (n node) isObject() bool { return n.kind() == '{' }
func (n node) isArray() bool  { return n.kind() == '[' }

func (n node) kind() byte {
	if n.doc == nil {
		return 0
	}
	return n.doc.text[n.doc.values[n.at].start]
}

func (n node) raw() []byte {
	if n.doc == nil {
		return nil
	}
	v := n.doc.values[n.at]
	return n.doc.text[v.start:v.end]
}

func (n node) name() string { return unquote(n.quotedName()) }

// quotedName is the name in its JSON form; empty for elements of an array.
func (n node) quotedName() []byte {
	v := n.doc.values[n.at]
	return n.doc.text[v.nameStart:v.nameEnd]
}

// called compares the name without allocating a string.
func (n node) called(name string) bool {
	quoted := n.quotedName()
	if len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name {
		return true
	}
	return bytes.IndexByte(quoted, '\\') >= 0 && unquote(quoted) == name
}

// each visits the members of an object or the elements of an array.
func (n node) each(yield func(node) bool) {
	if !n.isObject() && !n.isArray() {
		return
	}
	for at, end := n.at+1, n.doc.values[n.at].next; at < end; at = n.doc.values[at].next {
		if !yield(node{n.doc, at}) {
			return
		}
	}
}

func (n node) get(name string) node {
	if n.isObject() {
		for member := range n.each {
			if member.called(name) {
				return member
			}
		}
	}
	return node{}
}

// elements visits the elements of the array that is the member of this name.
func (n node) elements(name string) func(yield func(node) bool) {
	list := n.get(name)
	if !list.isArray() {
		return func(func(node) bool) {}
	}
	return list.each
}

// text returns the first non-empty of the named members: a string, or the digits of a number.
func (n node) text(names ...string) string {
	for _, name := range names {
		if s := n.get(name).str(); s != "" {
			return s
		}
	}
	return ""
}

// str is the text of a scalar; empty for other kinds.
func (n node) str() string {
	switch k := n.kind(); {
	case k == '"':
		return unquote(n.raw())
	case k == '-' || k >= '0' && k <= '9':
		return string(n.raw())
	}
	return ""
}

// integer accepts a number or a string that holds one; everything else is 0.
func (n node) integer(name string) int64 {
	s := strings.TrimSpace(n.text(name))
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(f) > 1<<53 || f != f {
		return 0
	}
	return int64(f)
}

func (n node) flag(name string) bool {
	member := n.get(name)
	return member.kind() == 't' || strings.EqualFold(member.str(), "true")
}

// unquote decodes a JSON string. Broken characters become U+FFFD, and NUL is dropped because PostgreSQL cannot
// store it.
func unquote(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return strings.ToValidUTF8(string(inner), "\uFFFD")
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // the only possible error is about broken characters
	return strings.ReplaceAll(string(text), "\x00", "")
}

// first is the first element of the array that is the member of this name.
func (n node) first(name string) node {
	for element := range n.elements(name) {
		return element
	}
	return node{}
}
