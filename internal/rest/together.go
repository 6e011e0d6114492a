package rest

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// Together is a body with rules that a schema cannot express: which fields go together. It is checked before
// the body is decoded.
type Together interface{ CheckTogether(*Fields) }

// Fields are the findings in a body, by field.
type Fields struct {
	rule   *rule
	states []fieldState
	text   []byte
	values map[string]jsontext.Value // decoded when first needed
}

func (f *Fields) at(name string) *fieldState { return &f.states[f.rule.fieldIndex(name)] }

// Given reports whether a field is present.
func (f *Fields) Given(name string) bool { return f.at(name).given }

// Require makes a field required.
func (f *Fields) Require(name, message string) {
	if !f.Given(name) {
		f.at(name).found.missing = &chat.Error{Code: chat.CodeMissingRequiredField, Param: name, Message: message}
	}
}

// Forget drops the findings of a field.
func (f *Fields) Forget(name string) { f.at(name).found = findings{} }

// Text is the value of a text field; empty if it is not a text.
func (f *Fields) Text(name string) string {
	text, _ := jsontext.AppendUnquote(nil, f.value(name))
	return string(text)
}

func (f *Fields) value(name string) jsontext.Value {
	if f.values == nil {
		json.Unmarshal(f.text, &f.values) // checked before: it is an object
	}
	return f.values[name]
}

// Check checks a Part against its rule and decodes it into content.
func (f *Fields) Check(name string, content chat.Content) {
	text := f.value(name)
	found, _ := f.rule.fields[f.rule.fieldIndex(name)].rule.inner.check(jsontext.NewDecoder(bytes.NewReader(text)), name) // its syntax was checked before
	if text.Kind() == jsontext.KindBeginObject {
		found.merge(read(text, name, content))
	}
	f.at(name).found = found
}

func read(text jsontext.Value, path string, content chat.Content) findings {
	if err := unmarshal(text, path, content); err != nil {
		failure, ok := errors.AsType[*chat.Error](err)
		if !ok {
			failure = chat.Invalid(path, "Cannot be read.")
		}
		return findings{bad: failure}
	}
	missing, bad := content.Check(chat.Sent{Text: []byte(text), Path: path})
	return findings{missing, bad}
}
