package chat

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// BroadcastTemplate is the template of a broadcast as it is given: a send's, with variables in the texts of its
// parameters.
type BroadcastTemplate struct {
	Name       string          `json:"name"`
	Language   string          `json:"language"`
	Components json.RawMessage `json:"components,omitempty"` // an array
}

// variablePattern finds a variable in JSON text. Outside of a text nothing begins with two braces.
var variablePattern = regexp.MustCompile(`\{\{(.*?)\}\}`)

// contactFields are the variables that are a contact's own.
var contactFields = map[string]func(Contact) *string{
	"contact.name":         func(c Contact) *string { return c.Name },
	"contact.phone_number": func(c Contact) *string { return c.PhoneNumber },
	"contact.email":        func(c Contact) *string { return c.Email },
	"contact.username":     func(c Contact) *string { return c.Username },
}

// variable is a place that is another for each recipient.
type variable struct {
	name     string
	fallback string // JSON text, without the quotes
	given    bool   // there is a fallback
}

// Mailing is a broadcast's template, ready to be filled in for one recipient after the other.
type Mailing struct {
	texts     []string // JSON text before each variable, and behind the last
	variables []variable
}

// NewMailing takes a template's components apart. It refuses variables that there are none of.
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

func newVariable(text string) (v variable, _ *Error) {
	v.name, v.fallback, v.given = strings.Cut(text, "|")
	v.name, v.fallback = strings.TrimSpace(unescaped(v.name)), strings.TrimSpace(v.fallback)
	metadata, isMetadata := strings.CutPrefix(v.name, "contact.metadata.")
	column, isColumn := strings.CutPrefix(v.name, "recipient.")
	if contactFields[v.name] == nil && !(isMetadata && metadata != "") && !(isColumn && column != "") {
		return v, Invalid("template.components", "There is no variable {{%s}}. There are contact.name, contact.phone_number, "+
			"contact.email, contact.username, contact.metadata.KEY and recipient.KEY, each with a fallback behind | if wanted.", v.name)
	}
	return v, nil
}

// unescaped is what a piece of JSON text says.
func unescaped(s string) (text string) {
	if json.Unmarshal([]byte(`"`+s+`"`), &text) != nil {
		return s
	}
	return text
}

// Fill is the components for one recipient. missing is the variable that has no value and no fallback, if
// there is one.
func (m Mailing) Fill(contact Contact, r Recipient) (components json.RawMessage, missing string) {
	var out bytes.Buffer
	for i, v := range m.variables {
		out.WriteString(m.texts[i])
		value := strings.Join(strings.Fields(v.of(contact, r)), " ") // parameters have no line breaks
		switch {
		case value != "":
			out.WriteString(escaped(value))
		case v.given && v.fallback != "":
			out.WriteString(v.fallback)
		default:
			return nil, v.name
		}
	}
	out.WriteString(m.texts[len(m.texts)-1])
	return out.Bytes(), ""
}

func escaped(s string) string {
	text, _ := json.Marshal(s) // a text always can be
	return string(text[1 : len(text)-1])
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

// metadataText is a value of a contact's metadata as text; lists and objects have none.
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

// CleanComponents gives components the one form in which variables are found: nothing is escaped that need not
// be. It refuses what is no list.
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

// Content is the template of a message, with components that are filled in.
func (t BroadcastTemplate) Content(components json.RawMessage) (*TemplateContent, *Error) {
	c := &TemplateContent{Name: t.Name, Language: TemplateLanguage{Code: t.Language, short: true}}
	if len(components) > 0 && json.Unmarshal(components, &c.Components) != nil {
		return nil, Invalid("template.components", "Cannot be read as components of a template message.")
	}
	return c, nil
}
