package chat

import (
	"encoding/json"
	"strconv"
	"strings"
)

// sampleLink is the address shown for a sample file that has no address of its own.
const sampleLink = "https://example.com/sample"

// Sample returns a message that fills the template with its review samples. The given values replace the first
// placeholders of the body.
func (t Template) Sample(body ...string) (*TemplateContent, error) {
	parts, err := t.fillable()
	if err != nil {
		return nil, err
	}
	c := &TemplateContent{Name: t.Name, Language: TemplateLanguage{Code: t.Language}}
	c.Components = sampleComponents(parts, t.Format, body)
	if carousel := partOf(parts, PartCarousel); carousel != nil {
		component := TemplateComponent{Type: "carousel"}
		for i, card := range carousel.Cards {
			raw, err := json.Marshal(map[string]any{"card_index": i, "components": sampleComponents(card.parts(), t.Format, nil)})
			if err != nil {
				return nil, err
			}
			component.Cards = append(component.Cards, raw)
		}
		c.Components = append(c.Components, component)
	}
	return c, nil
}

func sampleComponents(parts []TemplatePart, format string, body []string) (out []TemplateComponent) {
	if header := partOf(parts, PartHeader); header != nil {
		if p := sampleHeader(*header, format); p != nil {
			out = append(out, TemplateComponent{Type: "header", Parameters: p})
		}
	}
	if part := partOf(parts, PartBody); part != nil {
		if p := sampleTexts(part.Text, bodyExamples(part.Example, format), format, body); p != nil {
			out = append(out, TemplateComponent{Type: "body", Parameters: p})
		}
	}
	if buttons := partOf(parts, PartButtons); buttons != nil {
		for i, b := range buttons.Buttons {
			if p := b.sample(); p != nil {
				out = append(out, TemplateComponent{Type: "button", SubType: buttonKinds[b.Type].subType,
					Index: json.RawMessage(strconv.Itoa(i)), Parameters: []json.RawMessage{p}})
			}
		}
	}
	return out
}

func sampleHeader(part TemplatePart, format string) []json.RawMessage {
	kind := strings.ToLower(part.Format)
	switch part.Format {
	case "TEXT", "":
		var given []NamedExample
		if part.Example != nil {
			if given = part.Example.HeaderTextNamed; format != FormatNamed {
				given = numbered(part.Example.HeaderText)
			}
		}
		return sampleTexts(part.Text, given, format, nil)
	case "LOCATION":
		return []json.RawMessage{parameter(map[string]any{"type": kind, kind: map[string]any{"latitude": "0", "longitude": "0", "name": "Sample"}})}
	}
	link := sampleLink
	if part.Example != nil && len(part.Example.HeaderHandle.values) > 0 && isWebAddress(part.Example.HeaderHandle.values[0]) {
		link = part.Example.HeaderHandle.values[0]
	}
	return []json.RawMessage{parameter(map[string]any{"type": kind, kind: map[string]any{"link": link}})}
}

// sampleTexts are the parameters of a text. A placeholder without a sample shows its own name.
func sampleTexts(text string, samples []NamedExample, format string, values []string) (out []json.RawMessage) {
	known := map[string]string{}
	for _, s := range samples {
		known[s.Name] = s.Example
	}
	for i, name := range placeholderNames(text) {
		value := known[name]
		if i < len(values) {
			value = values[i]
		}
		if value == "" {
			value = "{{" + name + "}}"
		}
		p := map[string]any{"type": "text", "text": value}
		if format == FormatNamed {
			p["parameter_name"] = name
		}
		out = append(out, parameter(p))
	}
	return out
}

func (b TemplateButton) sample() json.RawMessage {
	example := "sample"
	if len(b.Example.values) > 0 {
		example = b.Example.values[0]
	}
	found, _ := parsePlaceholders(b.URL)
	switch {
	case b.Type == ButtonCopyCode:
		return parameter(map[string]any{"type": "coupon_code", "coupon_code": example})
	case b.Type == ButtonOTP:
		return parameter(map[string]any{"type": "text", "text": "123456"})
	case b.Type == ButtonURL && len(found) > 0:
		return parameter(map[string]any{"type": "text", "text": strings.TrimPrefix(example, b.URL[:found[0].start])})
	}
	return nil
}

func parameter(p map[string]any) json.RawMessage {
	text, _ := json.Marshal(p) // strings never fail
	return text
}
