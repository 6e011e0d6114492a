package chat

import (
	"encoding/json"
	"strings"
)

// The kinds of a template's components.
const (
	PartHeader   = "HEADER"
	PartBody     = "BODY"
	PartFooter   = "FOOTER"
	PartButtons  = "BUTTONS"
	PartCarousel = "CAROUSEL"
)

// The kinds of buttons.
const (
	ButtonQuickReply = "QUICK_REPLY"
	ButtonURL        = "URL"
	ButtonPhone      = "PHONE_NUMBER"
	ButtonCopyCode   = "COPY_CODE"
	ButtonOTP        = "OTP"
)

// TemplatePart is a component of a template, in the provider's shape.
type TemplatePart struct {
	Type                      string           `json:"type" enum:"HEADER,BODY,FOOTER,BUTTONS,CAROUSEL"`
	Format                    string           `json:"format,omitempty" enum:"TEXT,IMAGE,VIDEO,DOCUMENT,LOCATION" doc:"Of a HEADER."`
	Text                      string           `json:"text,omitempty" doc:"HEADER of format TEXT: up to 60 characters and one placeholder. BODY: up to 1024. FOOTER: up to 60, no placeholders. None in authentication templates."`
	Example                   *TemplateExample `json:"example,omitempty" doc:"A sample for each placeholder, or of the header's file."`
	Buttons                   []TemplateButton `json:"buttons,omitempty" maxItems:"10" doc:"Of BUTTONS."`
	Cards                     []TemplateCard   `json:"cards,omitempty" maxItems:"10" doc:"Of CAROUSEL: 1 to 10, all with the same kinds of header and buttons."`
	AddSecurityRecommendation *bool            `json:"add_security_recommendation,omitempty" doc:"BODY of an authentication template."`
	CodeExpirationMinutes     *int             `json:"code_expiration_minutes,omitempty" minimum:"1" maximum:"90" doc:"FOOTER of an authentication template."`
}

// TemplateExample holds the samples that reviewers see in place of placeholders and files.
type TemplateExample struct {
	HeaderText      []string       `json:"header_text,omitempty"`
	HeaderTextNamed []NamedExample `json:"header_text_named_params,omitempty"`
	HeaderURL       Samples        `json:"header_url,omitzero" doc:"Public https address of the header's file, or http in a network that the operator opened. It is fetched once: JPEG or PNG up to 5 MB, MP4 or 3GPP up to 16 MB, PDF up to 100 MB."`
	HeaderHandle    Samples        `json:"header_handle,omitzero" doc:"The provider's handle of an uploaded file, the id of a library file, or an https address as in header_url."`
	BodyText        [][]string     `json:"body_text,omitempty" doc:"One list, with a sample for each placeholder."`
	BodyTextNamed   []NamedExample `json:"body_text_named_params,omitempty"`
}

// NamedExample is the sample of a named placeholder.
type NamedExample struct {
	Name    string `json:"param_name" minLength:"1"`
	Example string `json:"example" minLength:"1"`
}

// TemplateButton is a button of a template.
type TemplateButton struct {
	Type             string        `json:"type" enum:"QUICK_REPLY,URL,PHONE_NUMBER,COPY_CODE,OTP"`
	Text             string        `json:"text,omitempty" maxLength:"25" doc:"Needed but for COPY_CODE and OTP."`
	URL              string        `json:"url,omitempty" maxLength:"2000" doc:"Of URL: may end in {{1}}."`
	PhoneNumber      string        `json:"phone_number,omitempty" maxLength:"20" doc:"Of PHONE_NUMBER."`
	Example          Samples       `json:"example,omitzero" doc:"URL with a placeholder: the whole address. COPY_CODE: the code, up to 20 characters."`
	OTPType          string        `json:"otp_type,omitempty" enum:"COPY_CODE,ONE_TAP,ZERO_TAP" doc:"Of OTP."`
	AutofillText     string        `json:"autofill_text,omitempty" maxLength:"25" doc:"Of OTP, ONE_TAP and ZERO_TAP."`
	SupportedApps    []TemplateApp `json:"supported_apps,omitempty" maxItems:"5" doc:"Of OTP: ONE_TAP and ZERO_TAP need 1 to 5."`
	ZeroTapTermsOkay *bool         `json:"zero_tap_terms_accepted,omitempty" doc:"Of OTP: ZERO_TAP needs true."`
}

// TemplateApp is an app that reads a code without the user's help.
type TemplateApp struct {
	PackageName   string `json:"package_name" pattern:"^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z0-9_]+)+$" maxLength:"255"`
	SignatureHash string `json:"signature_hash" minLength:"11" maxLength:"11"`
}

// TemplateCard is a card of a carousel.
type TemplateCard struct {
	Components []TemplateCardPart `json:"components" minItems:"1"`
}

// TemplateCardPart is a component of a card.
type TemplateCardPart struct {
	Type    string           `json:"type" enum:"HEADER,BODY,BUTTONS"`
	Format  string           `json:"format,omitempty" enum:"IMAGE,VIDEO" doc:"Of a HEADER."`
	Text    string           `json:"text,omitempty" doc:"Of a BODY: up to 160 characters."`
	Example *TemplateExample `json:"example,omitempty"`
	Buttons []TemplateButton `json:"buttons,omitempty" maxItems:"2" doc:"Of BUTTONS: 1 or 2."`
}

// parts converts a card's components to those of a template, of which they are a subset.
func (c TemplateCard) parts() []TemplatePart {
	parts := make([]TemplatePart, len(c.Components))
	for i, p := range c.Components {
		parts[i] = TemplatePart{Type: p.Type, Format: p.Format, Text: p.Text, Example: p.Example, Buttons: p.Buttons}
	}
	return parts
}

// words are the texts of a component.
func (p TemplatePart) words() []string {
	words := []string{p.Text}
	for _, b := range p.Buttons {
		words = append(words, b.Text)
	}
	return words
}

func partOf(parts []TemplatePart, kind string) *TemplatePart {
	for i := range parts {
		if parts[i].Type == kind {
			return &parts[i]
		}
	}
	return nil
}

// Samples is a list of texts. JSON may also give it as a single text.
type Samples struct {
	values []string
	single bool
}

// SampleList is a list of samples.
func SampleList(values ...string) Samples { return Samples{values: values} }

// IsZero reports whether no samples were given.
func (s Samples) IsZero() bool { return s.values == nil }

// UnmarshalJSON takes both forms.
func (s *Samples) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil && !isNull(text) {
		*s = Samples{[]string{one}, true}
		return nil
	}
	*s = Samples{values: []string{}}
	return json.Unmarshal(text, &s.values)
}

// MarshalJSON writes the form in which they were given.
func (s Samples) MarshalJSON() ([]byte, error) {
	if s.single && len(s.values) == 1 {
		return json.Marshal(s.values[0])
	}
	return json.Marshal(s.values)
}

func isNull(text []byte) bool { return strings.TrimSpace(string(text)) == "null" }

// Sample is the file of a header that has to be uploaded to the provider: from an address, or from the library.
type Sample struct {
	URL     string
	MediaID string // instead of URL
	Format  string // IMAGE, VIDEO or DOCUMENT
	Place   string // the component that shows it
	Param   string // its path in the request
}

// Source identifies the file.
func (s Sample) Source() string { return s.URL + s.MediaID }

// ReplaceSamples replaces every file's address or library id by the provider's handle.
func ReplaceSamples(parts []TemplatePart, handle func(Sample) (string, error)) error {
	for i := range parts {
		p := &parts[i]
		if err := p.Example.replaceSample(p.Format, indexed("components", i), handle); err != nil {
			return err
		}
		for j := range p.Cards {
			for k := range p.Cards[j].Components {
				c := &p.Cards[j].Components[k]
				path := indexed(indexed(indexed("components", i)+".cards", j)+".components", k)
				if err := c.Example.replaceSample(c.Format, path, handle); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *TemplateExample) replaceSample(format, path string, handle func(Sample) (string, error)) error {
	if e == nil {
		return nil
	}
	given, name := e.HeaderURL, "header_url"
	if given.IsZero() {
		given, name = e.HeaderHandle, "header_handle"
	}
	if len(given.values) != 1 {
		return nil
	}
	sample := Sample{Format: format, Place: path, Param: path + ".example." + name}
	switch value := given.values[0]; {
	case isWebAddress(value):
		sample.URL = value
	case KindMedia.Valid(value):
		sample.MediaID = value
	default:
		return nil
	}
	h, err := handle(sample)
	if err != nil {
		return err
	}
	e.HeaderURL, e.HeaderHandle = Samples{}, SampleList(h)
	return nil
}

// isWebAddress tells an address from a handle. Whether plain http is allowed is decided when the file is
// fetched.
func isWebAddress(s string) bool {
	scheme, rest, found := strings.Cut(s, "://")
	return found && rest != "" && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}
