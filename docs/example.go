package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// schema is what an example needs of a JSON schema.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        kinds              `json:"type"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	Enum        []any              `json:"enum"`
	Default     any                `json:"default"`
	Examples    []any              `json:"examples"`
	Pattern     string             `json:"pattern"`
	Format      string             `json:"format"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	MaxLength   *int               `json:"maxLength"`
	OneOf       []*schema          `json:"oneOf"`
	AnyOf       []*schema          `json:"anyOf"`
}

// kinds is one type, or several.
type kinds []string

// UnmarshalJSON takes either.
func (k *kinds) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(k))
}

// deepest is how far an example goes down.
const deepest = 6

func (d document) resolve(s *schema) *schema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if s == nil {
		return &schema{}
	}
	return s
}

// names are the fields of an object in an order that people expect: what it is first, then the rest.
func (s *schema) names() []string {
	names := slices.Sorted(maps.Keys(s.Properties))
	first := []string{"data", "id", "object", "messaging_product", "to", "recipient", "type", "name"}
	slices.SortStableFunc(names, func(a, b string) int { return rank(first, a) - rank(first, b) })
	return names
}

func rank(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// field is a field of an example, in its place.
type field struct {
	name  string
	value any
}

type object []field

// MarshalJSON keeps the order.
func (o object) MarshalJSON() ([]byte, error) {
	parts := make([]string, len(o))
	for i, f := range o {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		parts[i] = fmt.Sprintf("%q:%s", f.name, value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// example makes a value of a schema; name is that of the field.
func (d document) example(s *schema, name string, depth int) any {
	s = d.resolve(s)
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return d.example(s.OneOf[0], name, depth)
	case len(s.AnyOf) > 0:
		return d.example(s.AnyOf[0], name, depth)
	case slices.Contains(s.Type, "object") || len(s.Properties) > 0:
		return d.exampleObject(s, depth)
	case slices.Contains(s.Type, "array"):
		if depth >= deepest || s.Items == nil {
			return []any{}
		}
		return []any{d.example(s.Items, name, depth+1)}
	case slices.Contains(s.Type, "boolean"):
		return false
	case slices.Contains(s.Type, "integer"), slices.Contains(s.Type, "number"):
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	default:
		return exampleText(s, name)
	}
}

func (d document) exampleObject(s *schema, depth int) any {
	o := object{}
	for _, name := range s.names() {
		property := s.Properties[name]
		if depth >= deepest || !slices.Contains(s.Required, name) && !telling[name] {
			continue
		}
		if resolved := d.resolve(property); len(resolved.Type) == 0 && len(resolved.Properties) == 0 && len(resolved.Enum) == 0 && len(resolved.OneOf) == 0 {
			continue // anything at all: an example would say nothing
		}
		o = append(o, field{name, d.example(property, name, depth+1)})
	}
	return o
}

// telling are fields that an example shows although they may be left out.
var telling = map[string]bool{
	"to": true, "text": true, "name": true, "description": true, "email": true, "status": true, "phone_number": true, "assigned_to": true, "url": true,
	"color": true, "events": true, "label_ids": true, "components": true,
}

// texts are values for fields whose schema says little of them.
var texts = map[string]string{
	"phone_number_id": "100200300400500", "phone_number": "+4915112345678", "to": "+4915112345678", "from": "+15550100200", "name": "Ada",
	"email": "ada@acme.example", "url": "https://acme.example/webhooks", "body": "Your order has left.", "language": "en_US", "code": "en_US",
	"messaging_product": "chat", "color": "blue", "pin": "123456", "message_id": "wamid.HBgN", "event_id": "evt_01M7H5KBHF0JT2J2CEXF66GW87",
	"last4": "Sx5k", "plan": "enterprise", "token_last4": "Sx5k", "secret": "whsec_…", "initial_secret": "whsec_…",
	"bsuid": "DE.13491208655302741918", "title": "Yes", "filename": "photo.jpg", "mime_type": "image/jpeg", "next_cursor": "eyJ2IjoxfQ",
}

var idPattern = regexp.MustCompile(`^\^([a-z]+_)\[`)

func exampleText(s *schema, name string) any {
	if match := idPattern.FindStringSubmatch(s.Pattern); match != nil {
		return match[1] + "01M7H5K9QGF8MMPFW6812SEYV1"
	}
	if value, ok := texts[name]; ok {
		return value
	}
	switch {
	case s.Format == "date-time":
		return "2026-03-01T12:00:00.000Z"
	case name == "request_id":
		return "req_01M7H4E58C7MAWB5PGWQMRWQS2"
	case strings.HasSuffix(name, "_at"):
		return "2026-03-01T12:00:00.000Z"
	case slices.Contains(s.Type, "null"):
		return nil
	case len(s.Type) == 0:
		return nil
	default:
		return "text"
	}
}

// rule says what a value must be like, beyond its meaning.
func (s *schema) rule() string {
	var rules []string
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			words[i] = fmt.Sprintf("`%v`", v)
		}
		rules = append(rules, "One of "+strings.Join(words, ", ")+".")
	}
	if s.Default != nil {
		rules = append(rules, fmt.Sprintf("Default: `%v`.", s.Default))
	}
	if s.Minimum != nil && s.Maximum != nil {
		rules = append(rules, fmt.Sprintf("%v to %v.", *s.Minimum, *s.Maximum))
	}
	if s.MaxLength != nil {
		rules = append(rules, fmt.Sprintf("At most %d characters.", *s.MaxLength))
	}
	if len(rules) == 0 {
		return ""
	}
	return " " + strings.Join(rules, " ")
}

// rules are those of a field, and of the type that it refers to.
func (d document) rules(field *schema) string {
	if field.Ref == "" {
		return field.rule()
	}
	return field.rule() + d.resolve(field).rule()
}

func indent(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
