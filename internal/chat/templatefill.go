package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxCode is the greatest length of a code in an authentication template.
const maxCode = 15

// TemplatePreview is what the recipient sees of a template message.
type TemplatePreview struct {
	Header  *PreviewHeader  `json:"header,omitempty"`
	Body    string          `json:"body" doc:"The text with its parameters."`
	Footer  string          `json:"footer,omitempty"`
	Buttons []PreviewButton `json:"buttons,omitempty"`
	Cards   []PreviewCard   `json:"cards,omitempty" doc:"Of a carousel."`
}

// PreviewHeader is the text, file or place above the body.
type PreviewHeader struct {
	Format string `json:"format" doc:"TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION."`
	Text   string `json:"text,omitempty" doc:"The text, a document's name, or the name of a place."`
	Link   string `json:"link,omitempty"`
	ID     string `json:"id,omitempty" doc:"Library media (med_…)."`
}

// PreviewButton is a button below the body.
type PreviewButton struct {
	Type        string `json:"type"`
	Text        string `json:"text,omitempty"`
	URL         string `json:"url,omitempty"`
	PhoneNumber string `json:"phone_number,omitempty"`
	Code        string `json:"code,omitempty" doc:"What COPY_CODE copies."`
}

// PreviewCard is a card of a carousel.
type PreviewCard struct {
	Header  *PreviewHeader  `json:"header,omitempty"`
	Body    string          `json:"body,omitempty"`
	Buttons []PreviewButton `json:"buttons,omitempty"`
}

// UnmarshalJSON reads a stored preview. In a request the field is ignored, so no value in it is an error.
func (p *TemplatePreview) UnmarshalJSON(text []byte) error {
	type plain TemplatePreview
	if json.Unmarshal(text, (*plain)(p)) != nil {
		*p = TemplatePreview{}
	}
	return nil
}

// Text is the preview as plain text, for logs and terminals.
func (p TemplatePreview) Text() string {
	lines := previewLines(p.Header, p.Body, p.Footer, p.Buttons)
	for i, c := range p.Cards {
		lines = append(lines, fmt.Sprintf("— card %d —", i+1))
		lines = append(lines, previewLines(c.Header, c.Body, "", c.Buttons)...)
	}
	return strings.Join(lines, "\n")
}

func previewLines(h *PreviewHeader, body, footer string, buttons []PreviewButton) (lines []string) {
	if h != nil && h.Format == "TEXT" {
		lines = append(lines, h.Text)
	} else if h != nil {
		link := h.Link
		if link == sampleLink { // nobody gave it
			link = ""
		}
		lines = append(lines, strings.TrimSpace("["+strings.ToLower(h.Format)+"] "+h.Text+link+h.ID))
	}
	for _, line := range []string{body, footer} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for _, b := range buttons {
		lines = append(lines, strings.TrimSpace("["+b.Text+"] "+b.URL+b.PhoneNumber+b.Code))
	}
	return lines
}

// Fill puts a message's parameters into the template. It refuses what the provider would refuse: a wrong number
// of parameters, a wrong kind, or one that is too long.
func (t Template) Fill(c *TemplateContent) (TemplatePreview, *Error) {
	parts, err := t.fillable()
	if err != nil { // the provider has more shapes than we know, and checks them itself
		return TemplatePreview{}, nil
	}
	f := filler{named: t.Format == FormatNamed, code: t.Is(CategoryAuthentication)}
	preview, refused := f.fill(parts, c.Components, "template.components", 1024)
	return preview, c.sent.judge(refused)
}

// fillable returns the template's parts. Until the provider has written the text of an authentication template,
// its body is the code alone.
func (t Template) fillable() ([]TemplatePart, error) {
	if t.Decoded != nil {
		return t.Decoded, nil
	}
	parts, err := t.parts()
	if body := partOf(parts, PartBody); body != nil && body.Text == "" && t.Is(CategoryAuthentication) {
		body.Text = "{{1}}"
	}
	return parts, err
}

// filler fills one template.
type filler struct {
	named bool
	code  bool // its text parameters are codes
}

// templateParameter is a value for a placeholder, a file for a header, or a button's part.
type templateParameter struct {
	Type       string        `json:"type"`
	Name       string        `json:"parameter_name"`
	Text       *string       `json:"text"`
	Payload    *string       `json:"payload"`
	CouponCode *string       `json:"coupon_code"`
	Currency   *fallback     `json:"currency"`
	DateTime   *fallback     `json:"date_time"`
	Image      *templateFile `json:"image"`
	Video      *templateFile `json:"video"`
	Document   *templateFile `json:"document"`
	Location   *struct {
		Name    string `json:"name"`
		Address string `json:"address"`
	} `json:"location"`
}

type fallback struct {
	Value string `json:"fallback_value"`
}

type templateFile struct {
	Link     string `json:"link"`
	ID       string `json:"id"`
	Filename string `json:"filename"`
}

func (p templateParameter) file() *templateFile {
	return map[string]*templateFile{"image": p.Image, "video": p.Video, "document": p.Document}[p.Type]
}

// given holds the components of a message, or of one of its cards, by the part that they fill.
type given struct {
	path         string // path of the list
	header, body *givenPart
	carousel     *givenPart
	buttons      map[int]*givenPart
}

type givenPart struct {
	path       string
	subType    string
	parameters []templateParameter
	cards      []json.RawMessage
}

func sortComponents(components []TemplateComponent, path string) (given, *Error) {
	g := given{path: path, buttons: map[int]*givenPart{}}
	for i, c := range components {
		part := &givenPart{path: indexed(path, i), subType: c.SubType, cards: c.Cards}
		for j, raw := range c.Parameters {
			var p templateParameter
			if json.Unmarshal(raw, &p) != nil {
				return g, Invalid(indexed(part.path+".parameters", j), "Cannot be read as a parameter.")
			}
			part.parameters = append(part.parameters, p)
		}
		var place **givenPart
		switch c.Type {
		case "header":
			place = &g.header
		case "body":
			place = &g.body
		case "carousel":
			place = &g.carousel
		case "button":
			if err := g.addButton(c, part); err != nil {
				return g, err
			}
			continue
		default:
			return g, Invalid(part.path+".type", "Must be header, body, button or carousel.")
		}
		if *place != nil {
			return g, Invalid(part.path+".type", "There can be one %s only.", c.Type)
		}
		*place = part
	}
	return g, nil
}

func (g given) addButton(c TemplateComponent, part *givenPart) *Error {
	index := strings.Trim(string(bytes.TrimSpace(c.Index)), `"`)
	i, err := strconv.Atoi(index)
	switch {
	case index == "" || index == "null":
		return Missing(part.path + ".index")
	case err != nil || i < 0:
		return Invalid(part.path+".index", "Must be the place of a button, from 0.")
	case g.buttons[i] != nil:
		return Invalid(part.path+".index", "Another component is for this button.")
	}
	g.buttons[i] = part
	return nil
}

// lacks is the error for a component that the template needs and the message lacks, or has without parameters.
func (g given) lacks(part *givenPart, format string, args ...any) *Error {
	param := g.path
	if part != nil {
		param = part.path + ".parameters"
	}
	return &Error{Code: CodeMissingRequiredField, Param: param, Message: fmt.Sprintf(format, args...)}
}

func (f filler) fill(parts []TemplatePart, components []TemplateComponent, path string, bodyLimit int) (out TemplatePreview, err *Error) {
	g, err := sortComponents(components, path)
	if err != nil {
		return out, err
	}
	if out.Header, err = f.header(partOf(parts, PartHeader), g); err != nil {
		return out, err
	}
	if out.Body, err = f.body(partOf(parts, PartBody), g, bodyLimit); err != nil {
		return out, err
	}
	if footer := partOf(parts, PartFooter); footer != nil {
		out.Footer = footer.Text
	}
	if out.Buttons, err = f.buttons(partOf(parts, PartButtons), g); err != nil {
		return out, err
	}
	out.Cards, err = f.cards(partOf(parts, PartCarousel), g)
	return out, err
}

func (f filler) header(have *TemplatePart, g given) (*PreviewHeader, *Error) {
	switch {
	case have == nil:
		return nil, takesNone(g.header, "The template has no header.")
	case have.Format == "TEXT" || have.Format == "":
		text, err := f.text(have.Text, g.header, g, "header", 60)
		return &PreviewHeader{Format: "TEXT", Text: text}, err
	}
	out := &PreviewHeader{Format: have.Format}
	kind := strings.ToLower(have.Format)
	switch {
	case g.header == nil || len(g.header.parameters) == 0:
		return out, g.lacks(g.header, "The template's header needs a parameter of type %s.", kind)
	case len(g.header.parameters) > 1:
		return out, Invalid(g.header.path+".parameters", "The header takes one parameter.")
	}
	p, path := g.header.parameters[0], indexed(g.header.path+".parameters", 0)
	if p.Type != kind {
		return out, Invalid(path+".type", "Must be %s: that is the template's header.", kind)
	}
	if kind == "location" {
		if p.Location == nil {
			return out, Missing(path + ".location")
		}
		out.Text = p.Location.Name
		return out, nil
	}
	return out, out.fromFile(p.file(), path+"."+kind)
}

func (h *PreviewHeader) fromFile(file *templateFile, path string) *Error {
	if file == nil {
		return Missing(path)
	}
	h.Link, h.ID, h.Text = file.Link, file.ID, file.Filename
	return checkMediaSource(path, file.Link, file.ID)
}

// takesNone refuses parameters for a part without placeholders.
func takesNone(part *givenPart, format string, args ...any) *Error {
	if part == nil || len(part.parameters) == 0 && len(part.cards) == 0 {
		return nil
	}
	if len(part.cards) > 0 {
		return Invalid(part.path+".cards", format, args...)
	}
	return Invalid(part.path+".parameters", format, args...)
}

func (f filler) body(have *TemplatePart, g given, limit int) (string, *Error) {
	if have == nil {
		return "", takesNone(g.body, "There is no body.")
	}
	return f.text(have.Text, g.body, g, "body", limit)
}

func parameters(n int) string {
	if n == 1 {
		return "1 parameter"
	}
	return fmt.Sprintf("%d parameters", n)
}

// text fills the placeholders of a text.
func (f filler) text(text string, part *givenPart, g given, kind string, limit int) (string, *Error) {
	names := placeholderNames(text)
	if len(names) == 0 {
		return text, takesNone(part, "The template's %s takes no parameters.", kind)
	}
	if part == nil || len(part.parameters) == 0 {
		return "", g.lacks(part, "The template's %s needs %s: %s.", kind, parameters(len(names)), strings.Join(names, ", "))
	}
	if len(part.parameters) != len(names) {
		return "", Invalid(part.path+".parameters", "The template's %s takes %s (%s), not %d.",
			kind, parameters(len(names)), strings.Join(names, ", "), len(part.parameters))
	}
	values := make(map[string]string, len(names))
	for i, p := range part.parameters {
		path := indexed(part.path+".parameters", i)
		name, err := f.nameOf(p, path, names, i, values)
		if err != nil {
			return "", err
		}
		if values[name], err = f.value(p, path); err != nil {
			return "", err
		}
	}
	filled := fillPlaceholders(text, values)
	if n := utf8.RuneCountInString(filled); n > limit {
		return "", Invalid(part.path+".parameters", "With its parameters the %s has %d characters; at most %d are allowed.", kind, n, limit)
	}
	return filled, nil
}

// nameOf returns the placeholder that a parameter fills.
func (f filler) nameOf(p templateParameter, path string, names []string, i int, taken map[string]string) (string, *Error) {
	if !f.named {
		return names[i], nil
	}
	if p.Name == "" {
		return "", Missing(path + ".parameter_name")
	}
	for _, name := range names {
		if _, done := taken[name]; name == p.Name && !done {
			return name, nil
		}
	}
	return "", Invalid(path+".parameter_name", "Must be one of %s, each once.", strings.Join(names, ", "))
}

// value is the text of a parameter.
func (f filler) value(p templateParameter, path string) (string, *Error) {
	switch p.Type {
	case "text":
		if p.Text == nil || *p.Text == "" {
			return "", Missing(path + ".text")
		}
		return *p.Text, f.checkText(*p.Text, path+".text")
	case "currency":
		return p.Currency.text(path + ".currency")
	case "date_time":
		return p.DateTime.text(path + ".date_time")
	case "":
		return "", Missing(path + ".type")
	}
	return "", Invalid(path+".type", "Must be text, currency or date_time.")
}

func (f filler) checkText(s, path string) *Error {
	switch {
	case strings.ContainsAny(s, "\n\r\t") || strings.Contains(s, "     "):
		return Invalid(path, "A parameter has no line breaks, no tabs and no more than four blanks in a row.")
	case f.code && utf8.RuneCountInString(s) > maxCode:
		return Invalid(path, "A code has at most %d characters.", maxCode)
	}
	return nil
}

func (v *fallback) text(path string) (string, *Error) {
	if v == nil || v.Value == "" {
		return "", Missing(path + ".fallback_value")
	}
	return v.Value, nil
}
