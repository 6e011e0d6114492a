package chat

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// measured are the fields of parameters in which the length of a text decides whether a template takes it.
var measured = map[string]bool{"text": true, "payload": true, "coupon_code": true, "fallback_value": true}

// Measured reports whether all variables stand where their length alone decides whether the template takes the message.
// It is different in the address of a file, for example.
func (m Mailing) Measured(components json.RawMessage) bool {
	if len(m.variables) == 0 {
		return true
	}
	var list any
	return json.Unmarshal(components, &list) == nil && measuredIn(list, "")
}

// measuredIn is Measured for a value that stands in the given field.
func measuredIn(value any, field string) bool {
	switch v := value.(type) {
	case string:
		return measured[field] || !strings.Contains(v, "{{")
	case []any:
		for _, item := range v {
			if !measuredIn(item, field) {
				return false
			}
		}
	case map[string]any:
		for name, item := range v {
			if strings.Contains(name, "{{") || !measuredIn(item, name) {
				return false
			}
		}
	}
	return true
}

// Names reports whether the components name this file for everybody, and not as the value of a variable.
func (m Mailing) Names(fileID string) bool {
	for _, part := range m.texts {
		if strings.Contains(part, `"id":"`+escaped(fileID)+`"`) {
			return true
		}
	}
	return false
}

// Measure returns the length of what stands in the place of each variable for a recipient. missing reports whether
// there is neither a value nor a fallback for one of them.
func (m Mailing) Measure(contact Contact, r Recipient) (lengths []int, missing bool) {
	lengths = make([]int, len(m.variables))
	for i, v := range m.variables {
		text := v.text(contact, r)
		if text == "" {
			text = unescaped(v.fallback)
		}
		if text == "" {
			return nil, true
		}
		lengths[i] = utf8.RuneCountInString(text)
	}
	return lengths, false
}

// Sized returns the components with texts of the given lengths.
func (m Mailing) Sized(lengths []int) json.RawMessage {
	var out strings.Builder
	for i, n := range lengths {
		out.WriteString(m.texts[i])
		out.WriteString(strings.Repeat("x", n))
	}
	out.WriteString(m.texts[len(m.texts)-1])
	return json.RawMessage(out.String())
}
