package rest

import (
	"errors"

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

// Forget takes fields for unknown ones, which are ignored.
func (f *Fields) Forget(names ...string) {
	for _, name := range names {
		*f.at(name) = fieldState{}
	}
}

// Text is the value of a text field; empty if it is not a text.
func (f *Fields) Text(name string) string {
	text, _ := jsontext.AppendUnquote(nil, f.at(name).value)
	return string(text)
}

// Decode decodes a Part into content, and checks what its rule cannot.
func (f *Fields) Decode(name string, content chat.Content) {
	if field := f.at(name); field.value.Kind() == jsontext.KindBeginObject {
		field.found.merge(read(field.value, name, content))
	}
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
