package chat

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Sent is the JSON text from which a value was decoded. A struct cannot tell an absent field from an empty one;
// the text can. With the zero value, empty fields count as absent.
type Sent struct {
	Text json.RawMessage
	Path string // where the text stands in the request; empty for the whole body
}

// judge turns the error for a missing field into one for a wrong value if the field is present but empty.
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

// isEmpty reports whether the request has the field with an empty value. A field inside null counts as empty.
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
