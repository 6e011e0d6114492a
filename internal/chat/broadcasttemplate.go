package chat

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// BroadcastTemplate is the template of a broadcast as the caller gives it. It is the template of a send, with
// variables in the texts of its parameters.
type BroadcastTemplate struct {
	Name       string          `json:"name"`
	Language   string          `json:"language"`
	Components json.RawMessage `json:"components,omitempty"` // an array
}

// variablePattern finds a variable in JSON text. In valid JSON, two opening braces in a row occur only inside a
// string.
var variablePattern = regexp.MustCompile(`\{\{(.*?)\}\}`)

// HasVariable reports whether a text has a variable in it.
func HasVariable(text string) bool { return variablePattern.MatchString(text) }

// contactFields are the variables that come from the contact itself.
var contactFields = map[string]func(Contact) *string{
	"contact.name":         func(c Contact) *string { return c.Name },
	"contact.phone_number": func(c Contact) *string { return c.PhoneNumber },
	"contact.email":        func(c Contact) *string { return c.Email },
	"contact.username":     func(c Contact) *string { return c.Username },
}

// variable is a place in the template whose text differs by recipient.
type variable struct {
	name     string
	fallback string // JSON text, without the quotes; empty: there is none
}

// Mailing is a broadcast's template, parsed once and filled in for each recipient.
type Mailing struct {
	texts     []string // the JSON text before each variable and after the last
	variables []variable
}

// NewMailing parses a template's components. It refuses unknown variables.
func NewMailing(components json.RawMessage) (Mailing, *Error) {
	text := string(components)
	var m Mailing
	at := 0
	for _, found := range variablePattern.FindAllStringSubmatchIndex(text, -1) {
		v, err := newVariable(text[found[2]:found[3]])
		if err != nil {
			return Mailing{}, err
		}
		m.texts, m.variables = append(m.texts, text[at:found[0]]), append(m.variables, v)
		at = found[1]
	}
	m.texts = append(m.texts, text[at:])
	return m, nil
}

// CheckBraces refuses a variable that is not closed, and one inside a fallback. Recipients would see its braces.
func (m Mailing) CheckBraces() *Error {
	for i, text := range m.texts {
		if strings.Contains(text, "{{") || i < len(m.variables) && strings.Contains(m.variables[i].fallback, "{{") {
			return Invalid("template.components", "A variable is not closed, or stands inside another's fallback. Write it as {{contact.name|friend}}.")
		}
	}
	return nil
}

func newVariable(text string) (v variable, _ *Error) {
	v.name, v.fallback, _ = strings.Cut(text, "|")
	v.name, v.fallback = strings.TrimSpace(unescaped(v.name)), strings.TrimSpace(v.fallback)
	metadata, isMetadata := strings.CutPrefix(v.name, "contact.metadata.")
	column, isColumn := strings.CutPrefix(v.name, "recipient.")
	if contactFields[v.name] == nil && !(isMetadata && metadata != "") && !(isColumn && column != "") {
		return v, Invalid("template.components", "There is no variable {{%s}}. There are contact.name, contact.phone_number, "+
			"contact.email, contact.username, contact.metadata.KEY and recipient.KEY, each with a fallback behind | if wanted.", v.name)
	}
	return v, nil
}

// unescaped decodes the inside of a JSON string.
func unescaped(s string) (text string) {
	if json.Unmarshal([]byte(`"`+s+`"`), &text) != nil {
		return s
	}
	return text
}

// Fill returns the components for one recipient. missing names the first variable that has neither a value nor
// a fallback.
func (m Mailing) Fill(contact Contact, r Recipient) (components json.RawMessage, missing string) {
	var out bytes.Buffer
	for i, v := range m.variables {
		out.WriteString(m.texts[i])
		value := v.text(contact, r)
		switch {
		case value != "":
			out.WriteString(escaped(value))
		case v.fallback != "":
			out.WriteString(v.fallback)
		default:
			return nil, v.name
		}
	}
	out.WriteString(m.texts[len(m.texts)-1])
	return out.Bytes(), ""
}

func escaped(s string) string {
	text, _ := json.Marshal(s) // a string never fails
	return string(text[1 : len(text)-1])
}

// text is the value on one line, because parameters have no line breaks.
func (v variable) text(contact Contact, r Recipient) string {
	return strings.Join(strings.Fields(v.of(contact, r)), " ")
}

func (v variable) of(contact Contact, r Recipient) string {
	if field := contactFields[v.name]; field != nil {
		if value := field(contact); value != nil {
			return *value
		}
		return ""
	}
	if key, ok := strings.CutPrefix(v.name, "contact.metadata."); ok {
		return metadataText(contact.Metadata, key)
	}
	return r.Variables[strings.TrimPrefix(v.name, "recipient.")]
}

// metadataText returns a value of a contact's metadata as text. Lists and objects have no text.
func metadataText(metadata json.RawMessage, key string) string {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(metadata))
	dec.UseNumber()
	if metadata == nil || dec.Decode(&fields) != nil {
		return ""
	}
	switch v := fields[key].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return map[bool]string{true: "true", false: "false"}[v]
	}
	return ""
}

// CleanComponents brings components into one form, in which only what must be escaped is escaped, so that
// variablePattern finds every variable. It refuses JSON that is not a list.
func CleanComponents(raw json.RawMessage) (json.RawMessage, *Error) {
	if len(raw) == 0 || isNull(raw) {
		return nil, nil
	}
	var list []any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&list) != nil {
		return nil, Invalid("template.components", "Must be a list of components, as in a send.")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return nil, Invalid("template.components", "Cannot be read.")
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// Content is the content of a message with the filled components.
func (t BroadcastTemplate) Content(components json.RawMessage) (*TemplateContent, *Error) {
	c := &TemplateContent{Name: t.Name, Language: TemplateLanguage{Code: t.Language, short: true}}
	if len(components) > 0 && json.Unmarshal(components, &c.Components) != nil {
		return nil, Invalid("template.components", "Cannot be read as components of a template message.")
	}
	return c, nil
}
