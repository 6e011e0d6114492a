package templates

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
)

// The upstream's subcodes for errors in a template. Rules whose refusal has no known subcode are left out: nobody
// knows what the upstream would answer, and the callers check the documented rules themselves.
const (
	SubcodeLength    = 2388040
	SubcodeHeader    = 2388047
	SubcodeBody      = 2388072
	SubcodeFooter    = 2388073
	SubcodeVarAtEdge = 2388299
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
	if err := t.checkFrame(); err != nil || in.kept != nil {
		return t, err
	}
	t.Components = normalizeComponents(in.Components)
	if t.Part("BODY") == nil {
		return t, Refuse(SubcodeBody, "Message template body is missing", "A template needs a component of type BODY.")
	}
	if t.Category == "AUTHENTICATION" {
		t.fillAuthentication()
		return t, nil
	}
	return t, t.checkComponents(t.Components)
}

func (t *Template) checkFrame() *wire.Error {
	switch {
	case t.Name == "":
		return wire.BadParam("The parameter name is required.")
	case !templateNamePattern.MatchString(t.Name):
		return Refuse(SubcodeLength, "Invalid template name", "A name has at most 512 lowercase letters, digits and underscores.")
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

func (t *Template) checkComponents(list []Component) *wire.Error {
	for i := range list {
		if err := t.checkComponent(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Template) checkComponent(c *Component) *wire.Error {
	switch c.Type {
	case "HEADER":
		return t.checkHeader(c)
	case "BODY":
		return t.checkBody(c)
	case "FOOTER":
		return checkFooter(c)
	case "BUTTONS":
		return checkButtons(c.Buttons)
	case "CAROUSEL":
		for _, card := range c.Cards {
			if err := t.checkComponents(card.Components); err != nil {
				return err
			}
		}
		return nil
	}
	return wire.BadParam("Param components['type'] must be one of {BODY, BUTTONS, CAROUSEL, FOOTER, HEADER} - got %q.", c.Type)
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

func (e *Example) headerSamples(named bool) int {
	switch {
	case e == nil:
		return 0
	case named:
		return len(e.HeaderNamed)
	}
	return len(e.HeaderText)
}

func (e *Example) bodySamples(named bool) int {
	switch {
	case e == nil:
		return 0
	case named:
		return len(e.BodyNamed)
	case len(e.BodyText) == 0:
		return 0
	}
	return len(e.BodyText[0])
}

// checkVariables wants numbers without a gap, and a sample for each variable.
func (t *Template) checkVariables(names []string, samples int, bad func(string, ...any) *wire.Error) *wire.Error {
	for i, name := range names {
		if !t.Named() && name != strconv.Itoa(i+1) {
			return bad("Variables must be {{1}}, {{2}} and so on without a gap; found {{%s}}.", name)
		}
	}
	if samples != len(names) {
		return bad("There must be one sample for each variable: %d variables, %d samples.", len(names), samples)
	}
	return nil
}

func (t *Template) checkBody(c *Component) *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return Refuse(SubcodeBody, "Message template body is not valid", format, args...)
	}
	text := strings.TrimSpace(c.Text)
	switch {
	case text == "":
		return bad("The body needs a text.")
	case utf8.RuneCountInString(c.Text) > 1024:
		return Refuse(SubcodeLength, "Body is too long", "The body has at most 1024 characters.")
	case strings.HasPrefix(text, "{{") || strings.HasSuffix(strings.TrimRight(text, ".,!?;: "), "}}"):
		return Refuse(SubcodeVarAtEdge, "Leading or trailing variables", "Variables cannot be at the start or at the end of the template.")
	}
	return t.checkVariables(Places(text, t.Named()), c.Example.bodySamples(t.Named()), bad)
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

func checkButtons(buttons []Button) *wire.Error {
	for _, b := range buttons {
		if utf8.RuneCountInString(b.Text) > 25 {
			return Refuse(SubcodeLength, "Button text is too long", "The text of a button has at most 25 characters.")
		}
	}
	return nil
}

// fillAuthentication fills in the fixed texts of an authentication template.
func (t *Template) fillAuthentication() {
	body, footer, buttons := t.Part("BODY"), t.Part("FOOTER"), t.Part("BUTTONS")
	body.Text, body.Example = "*{{1}}* is your verification code.", bodyExample("123456")
	if body.SecurityAdvice != nil && *body.SecurityAdvice {
		body.Text += " For your security, do not share this code."
	}
	if footer != nil && footer.CodeExpirationAfter != nil {
		footer.Text = "This code expires in " + strconv.Itoa(*footer.CodeExpirationAfter) + " minutes."
	}
	if buttons != nil && len(buttons.Buttons) > 0 {
		b := buttons.Buttons[0]
		buttons.Buttons = []Button{otpButton(b.OTPType, cmp.Or(b.Text, "Copy code"))}
	}
}
