package chat

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Sent is the JSON that a value was read from. A struct does not tell a field that is absent from one that
// is empty; its text does. The zero value knows nothing: then what is empty counts as absent.
type Sent struct {
	Text json.RawMessage
	Path string // of the text in the request; empty for the whole body
}

// judge tells a field that is there but empty from one that is missing.
func (s Sent) judge(e *Error) *Error {
	if e == nil || e.Code != CodeMissingRequiredField || s.Text == nil {
		return e
	}
	params := []string{e.Param}
	if file, ok := strings.CutSuffix(e.Param, ".link"); ok { // or its id
		params = append(params, file+".id")
	}
	for _, param := range params {
		if s.isEmpty(param) {
			return &Error{Code: CodeInvalidFieldValue, Param: param, Message: strings.Replace(e.Message, requiredMessage, "Must not be empty.", 1)}
		}
	}
	return e
}

// isEmpty reports whether the request has the field, with nothing in it. What is inside of null is so too.
func (s Sent) isEmpty(param string) bool {
	var value any
	if json.Unmarshal(s.Text, &value) != nil {
		return false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(param, s.Path), ".")
	for _, step := range strings.FieldsFunc(rest, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		switch container := value.(type) {
		case map[string]any:
			member, given := container[step]
			if !given {
				return false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(container) {
				return false
			}
			value = container[i]
		default:
			return value == nil
		}
	}
	list, isList := value.([]any)
	return value == nil || value == "" || isList && len(list) == 0
}
