package chat

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// NewTemplate is a template to be reviewed. The struct tags of its parts are the simple rules; Check has those
// that a tag cannot express.
type NewTemplate struct {
	Name       string
	Language   string
	Category   string
	Format     string // empty: positional
	TTLSeconds *int
	Components []TemplatePart
	Variables  []string // nil: not given
	Sent       Sent     `json:"-"`
}

// Check returns the first missing field, or else the first wrong value. It also brings fields that can be
// written in several ways into one form.
func (n *NewTemplate) Check() error {
	if n.Format == "" {
		n.Format = FormatPositional
	}
	p := problems{sent: n.Sent}
	n.checkComponents(&p)
	if n.Variables != nil {
		p.add(n.checkVariables())
	}
	p.add(checkTTL(n.Category, n.TTLSeconds))
	return p.first()
}

// first returns the error to report: a missing field before a wrong value.
func (p problems) first() error {
	switch {
	case p.missing != nil:
		return p.missing
	case p.bad != nil:
		return p.bad
	}
	return nil
}

// checkVariables compares the given names with the placeholders of the body.
func (n *NewTemplate) checkVariables() *Error {
	var names []string
	if body := partOf(n.Components, PartBody); body != nil && n.Category != CategoryAuthentication {
		names = placeholderNames(body.Text)
	}
	if len(names) != len(n.Variables) {
		return Invalid("variables", "Must name the placeholders of the body in their order; there are %d.", len(names))
	}
	for i, name := range names {
		if n.Variables[i] != name {
			return Invalid(indexed("variables", i), "Must be %s: the placeholders of the body in their order.", name)
		}
	}
	return nil
}

// ttlSpans are the allowed times to live of each category, in seconds.
var ttlSpans = map[string][2]int{CategoryAuthentication: {30, 900}, CategoryUtility: {30, 43_200}, CategoryMarketing: {43_200, 2_592_000}}

// CheckTTL checks a time to live against the category's limits.
func CheckTTL(category string, ttl *int) error {
	if e := checkTTL(category, ttl); e != nil {
		return e
	}
	return nil
}

func checkTTL(category string, ttl *int) *Error {
	span, known := ttlSpans[category]
	if !known || ttl == nil || *ttl == -1 && category != CategoryMarketing || *ttl >= span[0] && *ttl <= span[1] {
		return nil
	}
	return Invalid("message_send_ttl_seconds", "Must be %d to %d for the category %s.", span[0], span[1], category)
}

func (n *NewTemplate) checkComponents(p *problems) {
	seen := map[string]bool{}
	for i := range n.Components {
		part, path := &n.Components[i], indexed("components", i)
		if seen[part.Type] {
			p.add(Invalid(path+".type", "There can be one %s only.", part.Type))
		}
		seen[part.Type] = true
		n.checkPart(p, part, path)
	}
	if !seen[PartBody] {
		p.add(&Error{Code: CodeMissingRequiredField, Param: "components", Message: "A component of type BODY is required."})
	}
	if n.Category == CategoryAuthentication && !seen[PartButtons] {
		p.add(&Error{Code: CodeMissingRequiredField, Param: "components",
			Message: "An authentication template needs a component of type BUTTONS with one button of type OTP."})
	}
}

func (n *NewTemplate) checkPart(p *problems, part *TemplatePart, path string) {
	switch {
	case n.Category == CategoryAuthentication:
		checkAuthenticationPart(p, part, path)
	case part.Type == PartHeader:
		n.checkHeader(p, part, path)
	case part.Type == PartBody:
		checkBody(p, part, path, 1024, n.Format)
	case part.Type == PartFooter:
		checkFooter(p, part, path)
	case part.Type == PartButtons:
		checkTemplateButtons(p, part.Buttons, path, 10)
	case part.Type == PartCarousel:
		n.checkCarousel(p, part, path)
	}
	if partOf(n.Components, PartCarousel) != nil && part.Type != PartBody && part.Type != PartCarousel {
		p.add(Invalid(path+".type", "Beside a CAROUSEL there can be a BODY only."))
	}
}

func (n *NewTemplate) checkHeader(p *problems, part *TemplatePart, path string) {
	if part.Format == "" && part.Text != "" {
		part.Format = "TEXT"
	}
	switch part.Format {
	case "":
		p.add(Missing(path + ".format"))
	case "TEXT":
		checkHeaderText(p, part, path, n.Format)
	case "LOCATION":
	default:
		checkHeaderFileSample(p, part.Example, path)
	}
	if part.Format != "TEXT" && part.Text != "" {
		p.add(Invalid(path+".text", "A header of format %s has no text.", part.Format))
	}
}

func checkHeaderText(p *problems, part *TemplatePart, path, format string) {
	found, strict := parsePlaceholders(part.Text)
	names := placeholderNames(part.Text)
	switch short := checkShortText(part, path); {
	case short != nil:
		p.add(short)
	case strings.ContainsAny(part.Text, "\n\r*"):
		p.add(Invalid(path+".text", "A header has no line breaks and no formatting."))
	case !strict:
		p.add(malformed(path))
	case len(found) > 1:
		p.add(Invalid(path+".text", "A header has at most one placeholder."))
	default:
		p.add(checkNames(names, path, format))
	}
	var given []NamedExample
	param := path + ".example.header_text"
	if format == FormatNamed {
		param += "_named_params"
	}
	if part.Example != nil {
		given = part.Example.HeaderTextNamed
		if format != FormatNamed {
			given = numbered(part.Example.HeaderText)
		}
	}
	p.add(checkExamples(names, given, param))
}

func malformed(path string) *Error {
	return Invalid(path+".text", "A placeholder is written {{1}}, or {{name}}: letters, digits and underscores between two braces on each side.")
}

// checkHeaderFileSample wants exactly one sample: an address or a handle of the provider.
func checkHeaderFileSample(p *problems, e *TemplateExample, path string) {
	if e == nil || e.HeaderURL.IsZero() && e.HeaderHandle.IsZero() {
		p.add(&Error{Code: CodeMissingRequiredField, Param: path + ".example.header_url",
			Message: "A header with a file needs a sample of it: header_url or header_handle."})
		return
	}
	e.HeaderHandle.single = false // the provider takes a list
	given, param := e.HeaderURL, path+".example.header_url"
	if given.IsZero() {
		given, param = e.HeaderHandle, path+".example.header_handle"
	}
	switch {
	case !e.HeaderURL.IsZero() && !e.HeaderHandle.IsZero():
		p.add(Invalid(path+".example.header_handle", "Give header_url or header_handle, not both."))
	case len(given.values) != 1:
		p.add(Invalid(param, "Give one sample."))
	case isWebAddress(given.values[0]):
		if checkWebURL(param, given.values[0]) != nil || len(given.values[0]) > 2048 {
			p.add(Invalid(param, "Must be an https address of at most 2048 characters."))
		}
	case !e.HeaderURL.IsZero():
		p.add(Invalid(param, "Must be an https address of at most 2048 characters."))
	case !strings.HasPrefix(given.values[0], "4:") && !KindMedia.Valid(given.values[0]):
		p.add(Invalid(param, "Must be a handle of the provider's upload API, which starts with 4:, the id of a library file, or an https address."))
	}
}

func checkBody(p *problems, part *TemplatePart, path string, limit int, format string) {
	found, strict := parsePlaceholders(part.Text)
	names := placeholderNames(part.Text)
	switch {
	case part.Text == "":
		p.add(Missing(path + ".text"))
	case blankOr(part.Text, false):
		p.add(Invalid(path+".text", "Must not be blank."))
	case utf8.RuneCountInString(part.Text) > limit:
		p.add(Invalid(path+".text", "Must be at most %d characters long.", limit))
	case !strict:
		p.add(malformed(path))
	case len(found) > 0:
		p.add(checkNames(names, path, format))
		p.add(checkPlaces(part.Text, found, len(names), path))
	}
	p.add(checkExamples(names, bodyExamples(part.Example, format), bodyExampleParam(path, format)))
	if part.Example != nil && len(part.Example.BodyText) > 1 {
		p.add(Invalid(path+".example.body_text", "Give one list of samples."))
	}
}

func bodyExampleParam(path, format string) string {
	if format == FormatNamed {
		return path + ".example.body_text_named_params"
	}
	return path + ".example.body_text"
}

func bodyExamples(e *TemplateExample, format string) []NamedExample {
	switch {
	case e == nil:
		return nil
	case format == FormatNamed:
		return e.BodyTextNamed
	case len(e.BodyText) == 0:
		return nil
	}
	return numbered(e.BodyText[0])
}

func numbered(values []string) []NamedExample {
	out := make([]NamedExample, len(values))
	for i, v := range values {
		out[i] = NamedExample{strconv.Itoa(i + 1), v}
	}
	return out
}

// checkNames wants placeholders to be numbered without a gap, or named.
func checkNames(names []string, path, format string) *Error {
	for i, name := range names {
		switch {
		case format == FormatNamed && (isPosition(name) || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || name[0] >= '0' && name[0] <= '9'):
			return Invalid(path+".text", "The placeholder {{%s}} must have a name of lowercase letters, digits and underscores, the first no digit.", name)
		case format != FormatNamed && name != strconv.Itoa(i+1):
			return Invalid(path+".text", "Placeholders must be {{1}}, {{2}} and so on without a gap; found {{%s}}. For names, give parameter_format named.", name)
		}
	}
	return nil
}

// checkPlaces enforces the provider's rules on the text around placeholders.
func checkPlaces(text string, found []placeholder, names int, path string) *Error {
	if blankOr(text[:found[0].start], false) || blankOr(text[found[len(found)-1].end:], true) {
		return Invalid(path+".text", "A placeholder cannot be at the start or at the end of the text.")
	}
	for i := 1; i < len(found); i++ {
		if blankOr(text[found[i-1].end:found[i].start], false) {
			return Invalid(path+".text", "Two placeholders cannot stand side by side.")
		}
	}
	if wordsBeside(text, found) < 2*names {
		return Invalid(path+".text", "There are too many placeholders for the length of the text: it needs two words for each.")
	}
	return nil
}

// checkExamples wants one example for each placeholder.
func checkExamples(names []string, given []NamedExample, param string) *Error {
	if len(names) > 0 && len(given) == 0 {
		return &Error{Code: CodeMissingRequiredField, Param: param, Message: "Each placeholder needs a sample."}
	}
	if len(names) != len(given) {
		return Invalid(param, "There must be one sample for each placeholder: %d placeholders, %d samples.", len(names), len(given))
	}
	samples := map[string]string{}
	for _, e := range given {
		samples[e.Name] = e.Example
	}
	for _, name := range names {
		if blankOr(samples[name], false) {
			return Invalid(param, "The placeholder {{%s}} has no sample, or a blank one.", name)
		}
	}
	return nil
}

// checkShortText checks the rules that headers and footers share.
func checkShortText(part *TemplatePart, path string) *Error {
	switch {
	case part.Text == "":
		return Missing(path + ".text")
	case blankOr(part.Text, false):
		return Invalid(path+".text", "Must not be blank.")
	case utf8.RuneCountInString(part.Text) > 60:
		return Invalid(path+".text", "Must be at most 60 characters long.")
	default:
		return nil
	}
}

func checkFooter(p *problems, part *TemplatePart, path string) {
	switch short := checkShortText(part, path); {
	case short != nil:
		p.add(short)
	case strings.Contains(part.Text, "{{"):
		p.add(Invalid(path+".text", "A footer has no placeholders."))
	}
}
