package templates

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Input is the body of a creation or an edit.
type Input struct {
	Name       string      `json:"name"`
	Language   string      `json:"language"`
	Category   string      `json:"category"`
	Format     string      `json:"parameter_format"`
	TTL        *int        `json:"message_send_ttl_seconds"`
	Components []Component `json:"components"`

	kept []Component // for an edit without components: the existing ones, already checked
}

var (
	templateNamePattern = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)
	languagePattern     = regexp.MustCompile(`^[a-z]{2,3}(_[A-Z]{2,3})?$`)
	paramNamePattern    = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
)

// The upstream's subcodes for errors in a template.
const (
	SubcodeLength      = 2388040
	SubcodeHeader      = 2388047
	SubcodeBody        = 2388072
	SubcodeFooter      = 2388073
	SubcodeTooManyVars = 2388293
	SubcodeVarAtEdge   = 2388299
)

// Build checks the input and makes the template.
func (in Input) Build() (Template, *wire.Error) {
	t := Template{
		Name: in.Name, Language: in.Language, Category: strings.ToUpper(in.Category), Format: strings.ToUpper(in.Format),
		Status: "PENDING", Reason: "NONE", Quality: "UNKNOWN", TTL: in.TTL, Components: in.kept,
	}
	if t.Format == "" {
		t.Format = "POSITIONAL"
	}
	if err := wire.FirstError(t.checkFrame(), t.checkTTL()); err != nil {
		return t, err
	}
	if in.kept != nil {
		return t, nil
	}
	t.Components = normalizeComponents(in.Components)
	if t.Category == "AUTHENTICATION" {
		return t, t.buildAuthentication()
	}
	return t, t.checkComponents()
}

func (t *Template) checkFrame() *wire.Error {
	switch {
	case t.Name == "":
		return wire.BadParam("The parameter name is required.")
	case !templateNamePattern.MatchString(t.Name):
		return Refuse(2388040, "Invalid template name", "A name has at most 512 lowercase letters, digits and underscores.")
	case t.Language == "":
		return wire.BadParam("The parameter language is required.")
	case !languagePattern.MatchString(t.Language):
		return wire.BadParam("Param language must be a supported language code - got %q.", t.Language)
	case t.Category != "MARKETING" && t.Category != "UTILITY" && t.Category != "AUTHENTICATION":
		return wire.BadParam("Param category must be one of {AUTHENTICATION, MARKETING, UTILITY} - got %q.", t.Category)
	case t.Format != "POSITIONAL" && t.Format != "NAMED":
		return wire.BadParam("Param parameter_format must be one of {NAMED, POSITIONAL} - got %q.", t.Format)
	}
	return nil
}

// checkTTL checks the time to live: each category has its own range, and -1 stands for the longest.
func (t *Template) checkTTL() *wire.Error {
	if t.TTL == nil || *t.TTL == -1 && t.Category != "MARKETING" {
		return nil
	}
	spans := map[string][2]int{"AUTHENTICATION": {30, 900}, "UTILITY": {30, 43200}, "MARKETING": {43200, 2592000}}
	if span := spans[t.Category]; *t.TTL < span[0] || *t.TTL > span[1] {
		return wire.BadParam("Param message_send_ttl_seconds must be between %d and %d for category %s.", span[0], span[1], t.Category)
	}
	return nil
}

// normalizeComponents writes enums in capitals, as they are listed.
func normalizeComponents(list []Component) []Component {
	out := slices.Clone(list)
	for i := range out {
		c := &out[i]
		c.Type, c.Format = strings.ToUpper(c.Type), strings.ToUpper(c.Format)
		if c.Type == "HEADER" && c.Format == "" && c.Text != "" {
			c.Format = "TEXT"
		}
		c.Buttons = slices.Clone(c.Buttons)
		for j := range c.Buttons {
			b := &c.Buttons[j]
			b.Type, b.OTPType = strings.ToUpper(b.Type), strings.ToUpper(b.OTPType)
		}
		c.Cards = slices.Clone(c.Cards)
		for j := range c.Cards {
			c.Cards[j].Components = normalizeComponents(c.Cards[j].Components)
		}
	}
	return out
}

func (t *Template) checkComponents() *wire.Error {
	if len(t.Components) == 0 {
		return wire.BadParam("The parameter components is required.")
	}
	if err := checkKinds(t.Components, "HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL"); err != nil {
		return err
	}
	if t.Part("BODY") == nil {
		return Refuse(SubcodeBody, "Message template body is missing", "A template needs a component of type BODY.")
	}
	for i := range t.Components {
		if err := t.checkComponent(&t.Components[i]); err != nil {
			return err
		}
	}
	if t.Part("CAROUSEL") != nil && (t.Part("HEADER") != nil || t.Part("FOOTER") != nil || t.Part("BUTTONS") != nil) {
		return Refuse(0, "Invalid carousel template", "A carousel stands beside a body only.")
	}
	return nil
}

// checkKinds checks that every component is an allowed one, and is present at most once.
func checkKinds(list []Component, allowed ...string) *wire.Error {
	seen := map[string]bool{}
	for i, c := range list {
		if !slices.Contains(allowed, c.Type) {
			return wire.BadParam("Param components[%d]['type'] must be one of {%s} - got %q.", i, strings.Join(allowed, ", "), c.Type)
		}
		if seen[c.Type] {
			return wire.BadParam("Param components[%d] repeats the component %s.", i, c.Type)
		}
		seen[c.Type] = true
	}
	return nil
}

func (t *Template) checkComponent(c *Component) *wire.Error {
	switch c.Type {
	case "HEADER":
		return t.checkHeader(c)
	case "BODY":
		return t.checkBody(c, 1024)
	case "FOOTER":
		return checkFooter(c)
	case "BUTTONS":
		return checkButtons(c.Buttons, 10)
	}
	return t.checkCarousel(c)
}

func (t *Template) checkHeader(c *Component) *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return Refuse(SubcodeHeader, "Message template header is not valid", format, args...)
	}
	switch c.Format {
	case "TEXT":
		names := Places(c.Text, t.Named())
		switch {
		case strings.TrimSpace(c.Text) == "":
			return bad("A text header needs a text.")
		case utf8.RuneCountInString(c.Text) > 60:
			return Refuse(SubcodeLength, "Header is too long", "A header has at most 60 characters.")
		case len(names) > 1:
			return bad("A header has at most one variable.")
		}
		return t.checkVariables(names, c.Example.headerSamples(t.Named()), bad)
	case "IMAGE", "VIDEO", "DOCUMENT", "GIF":
		return checkHandle(c, bad)
	case "LOCATION":
		return nil
	}
	return wire.BadParam("Param components['format'] must be one of {DOCUMENT, GIF, IMAGE, LOCATION, TEXT, VIDEO} - got %q.", c.Format)
}

func checkHandle(c *Component, bad func(string, ...any) *wire.Error) *wire.Error {
	if c.Example == nil || len(c.Example.HeaderHandle) == 0 {
		return bad("A header with a file needs a sample: example.header_handle.")
	}
	if !names.IsUploadHandle(c.Example.HeaderHandle[0]) {
		return bad("The sample must be a handle of the Resumable Upload API.")
	}
	return nil
}

func (e *Example) headerSamples(named bool) []namedExample {
	switch {
	case e == nil:
		return nil
	case named:
		return e.HeaderNamed
	}
	return numbered(e.HeaderText)
}

func (e *Example) bodySamples(named bool) []namedExample {
	switch {
	case e == nil:
		return nil
	case named:
		return e.BodyNamed
	case len(e.BodyText) == 0:
		return nil
	}
	return numbered(e.BodyText[0])
}

func numbered(values []string) []namedExample {
	out := make([]namedExample, len(values))
	for i, v := range values {
		out[i] = namedExample{strconv.Itoa(i + 1), v}
	}
	return out
}

// checkVariables compares the variables of a text with their samples.
func (t *Template) checkVariables(names []string, samples []namedExample, bad func(string, ...any) *wire.Error) *wire.Error {
	for i, name := range names {
		if t.Named() {
			if !paramNamePattern.MatchString(name) {
				return bad("The variable {{%s}} must have lowercase letters and underscores.", name)
			}
			continue
		}
		if name != strconv.Itoa(i+1) {
			return bad("Variables must be {{1}}, {{2}} and so on without a gap; found {{%s}}.", name)
		}
	}
	if len(samples) != len(names) {
		return bad("There must be one sample for each variable: %d variables, %d samples.", len(names), len(samples))
	}
	for _, s := range samples {
		if !slices.Contains(names, s.Name) || strings.TrimSpace(s.Example) == "" {
			return bad("The sample of %q is empty or has no variable.", s.Name)
		}
	}
	return nil
}

var adjacentVariables = regexp.MustCompile(`\}\}\s*\{\{`)

func (t *Template) checkBody(c *Component, limit int) *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return Refuse(SubcodeBody, "Message template body is not valid", format, args...)
	}
	text := strings.TrimSpace(c.Text)
	names := Places(text, t.Named())
	switch {
	case text == "":
		return bad("The body needs a text.")
	case utf8.RuneCountInString(c.Text) > limit:
		return Refuse(SubcodeLength, "Body is too long", "The body has at most %d characters.", limit)
	case strings.HasPrefix(text, "{{") || strings.HasSuffix(strings.TrimRight(text, ".,!?;: "), "}}"):
		return Refuse(SubcodeVarAtEdge, "Leading or trailing variables", "Variables cannot be at the start or at the end of the template.")
	case adjacentVariables.MatchString(text):
		return bad("Two variables cannot stand side by side.")
	case plainWords(text) < 2*len(names):
		return Refuse(SubcodeTooManyVars, "Too many variables for the length", "This template has too many variables for its length.")
	}
	return t.checkVariables(names, c.Example.bodySamples(t.Named()), bad)
}

// plainWords counts the words that are not variables. Two for each variable are enough.
func plainWords(text string) int {
	return len(strings.FieldsFunc(variablePattern.ReplaceAllString(text, " "), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}))
}

func checkFooter(c *Component) *wire.Error {
	switch {
	case strings.TrimSpace(c.Text) == "":
		return Refuse(SubcodeFooter, "Message template footer is not valid", "The footer needs a text.")
	case utf8.RuneCountInString(c.Text) > 60:
		return Refuse(SubcodeLength, "Footer is too long", "A footer has at most 60 characters.")
	case len(Variables(c.Text)) > 0:
		return Refuse(SubcodeFooter, "Message template footer is not valid", "A footer has no variables.")
	}
	return nil
}

func (t *Template) checkCarousel(c *Component) *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return Refuse(0, "Invalid carousel template", format, args...)
	}
	if t.Category != "MARKETING" {
		return bad("Carousels are of category MARKETING.")
	}
	if len(c.Cards) < 1 || len(c.Cards) > 10 {
		return bad("A carousel has 1 to 10 cards.")
	}
	shape := ""
	for i, card := range c.Cards {
		if err := t.checkCard(card.Components, bad); err != nil {
			return err
		}
		s := cardShape(card.Components)
		if i > 0 && s != shape {
			return bad("All cards must have the same components, header format and buttons.")
		}
		shape = s
	}
	return nil
}

func (t *Template) checkCard(list []Component, bad func(string, ...any) *wire.Error) *wire.Error {
	if err := checkKinds(list, "HEADER", "BODY", "BUTTONS"); err != nil {
		return err
	}
	header, body, buttons := PartOf(list, "HEADER"), PartOf(list, "BODY"), PartOf(list, "BUTTONS")
	if header == nil || header.Format != "IMAGE" && header.Format != "VIDEO" {
		return bad("Each card needs a header with an image or a video.")
	}
	if err := checkHandle(header, bad); err != nil {
		return err
	}
	if body != nil {
		if err := t.checkBody(body, 160); err != nil {
			return err
		}
	}
	if buttons == nil {
		return bad("Each card needs one or two buttons.")
	}
	return checkButtons(buttons.Buttons, 2)
}

func cardShape(list []Component) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s %s;", c.Type, c.Format)
		for _, button := range c.Buttons {
			b.WriteString(button.Type + ",")
		}
	}
	return b.String()
}
