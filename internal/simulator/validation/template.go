package validation

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

type TemplateSend struct {
	Name     string `json:"name"`
	Language *struct {
		Code   string `json:"code"`
		Policy string `json:"policy"`
	} `json:"language"`
	Components []SendComponent `json:"components"`
}

type SendComponent struct {
	Type       string          `json:"type"`
	SubType    string          `json:"sub_type"`
	Index      wire.Loose      `json:"index"`
	Parameters []sendParameter `json:"parameters"`
	Cards      []sendCard      `json:"cards"`
}

type sendCard struct {
	Index      wire.Loose      `json:"card_index"`
	Components []SendComponent `json:"components"`
}

type sendParameter struct {
	Type       string          `json:"type"`
	Name       string          `json:"parameter_name"`
	Text       *string         `json:"text"`
	Payload    *string         `json:"payload"`
	CouponCode *string         `json:"coupon_code"`
	Currency   *fallback       `json:"currency"`
	DateTime   *fallback       `json:"date_time"`
	Image      *Asset          `json:"image"`
	Video      *Asset          `json:"video"`
	Document   *Asset          `json:"document"`
	Location   json.RawMessage `json:"location"`
}

type fallback struct {
	Value string `json:"fallback_value"`
}

func (v *Send) templateMessage() *wire.Error {
	var m TemplateSend
	if err := v.content(v.Env.Template, &m); err != nil {
		return err
	}
	if m.Name == "" {
		return wire.Missing("template['name']", "template")
	}
	if m.Language == nil || m.Language.Code == "" {
		return wire.Missing("template['language']['code']", "template")
	}
	t, err := v.findTemplate(m.Name, m.Language.Code)
	if err != nil {
		return err
	}
	v.Template = &t
	if t.Category == "AUTHENTICATION" && v.ByUser {
		return wire.Refuse(131062, "Authentication templates can be sent to phone numbers only")
	}
	return v.components(t, t.Components, m.Components, "")
}

func (v *Send) findTemplate(name, language string) (templates.Template, *wire.Error) {
	t, found := v.Templates.Find(name, language)
	if !found {
		return t, wire.Refuse(132001, "template name (%s) does not exist in %s", name, language)
	}
	switch t.Status {
	case "APPROVED":
		return t, nil
	case "PAUSED":
		return t, wire.Refuse(132015, "template (%s) is paused because of low quality", name)
	case "DISABLED":
		return t, wire.Refuse(132016, "template (%s) is disabled", name)
	}
	return t, wire.Refuse(132001, "template name (%s) in %s is not approved: its status is %s", name, language, t.Status)
}

// components compares the sent components with those of the template. where is empty, or names the card.
func (v *Send) components(t templates.Template, have []templates.Component, sent []SendComponent, where string) *wire.Error {
	var header, body []sendParameter
	var cards []sendCard
	buttons := map[int]SendComponent{}
	for _, c := range sent {
		switch strings.ToLower(c.Type) {
		case "header":
			header = c.Parameters
		case "body":
			body = c.Parameters
		case "carousel":
			cards = c.Cards
		case "button":
			i, err := strconv.Atoi(string(c.Index))
			if err != nil {
				return wire.Missing("template['components']['index']", "template")
			}
			buttons[i] = c
		case "footer":
			return wire.Refuse(132012, "%sfooter: a footer takes no parameters", where)
		default:
			return wire.BadParam("Param template['components'][0]['type'] must be one of {BODY, BUTTON, CAROUSEL, HEADER} - got %q.", c.Type)
		}
	}
	return wire.FirstError(
		v.sentHeader(t, templates.PartOf(have, "HEADER"), header, where),
		v.sentBody(t, templates.PartOf(have, "BODY"), body, where),
		v.sentButtons(t, templates.PartOf(have, "BUTTONS"), buttons, where),
		v.sentCards(t, templates.PartOf(have, "CAROUSEL"), cards),
	)
}

func (v *Send) sentHeader(t templates.Template, have *templates.Component, sent []sendParameter, where string) *wire.Error {
	where += "header"
	if have == nil {
		return wrongCount(where, len(sent), 0)
	}
	if have.Format == "TEXT" || have.Format == "" {
		return v.sentText(t, have.Text, sent, where, 60)
	}
	if len(sent) != 1 {
		return wrongFormat(where, have.Format, "UNKNOWN")
	}
	p := sent[0]
	if !strings.EqualFold(p.Type, have.Format) {
		return wrongFormat(where, have.Format, strings.ToUpper(p.Type))
	}
	if have.Format == "LOCATION" {
		if !wire.IsSet(p.Location) {
			return wire.Missing("location", "location")
		}
		return nil
	}
	file := map[string]*Asset{"IMAGE": p.Image, "VIDEO": p.Video, "DOCUMENT": p.Document}[have.Format]
	if file == nil {
		return wire.Missing(strings.ToLower(have.Format), "template")
	}
	return v.file(*file, strings.ToLower(have.Format), where)
}

func wrongFormat(where, want, got string) *wire.Error {
	return wire.Refuse(132012, "%s: Format mismatch, expected %s, received %s", where, want, got)
}

func wrongCount(where string, got, want int) *wire.Error {
	if got == want {
		return nil
	}
	return wire.Refuse(132000, "%s: number of localizable_params (%d) does not match the expected number of params (%d)", where, got, want)
}

func (v *Send) sentBody(t templates.Template, have *templates.Component, sent []sendParameter, where string) *wire.Error {
	if have == nil {
		return wrongCount(where+"body", len(sent), 0)
	}
	return v.sentText(t, have.Text, sent, where+"body", 1024)
}

// sentText checks the parameters of a text, and that the text with them is not too long.
func (v *Send) sentText(t templates.Template, text string, sent []sendParameter, where string, limit int) *wire.Error {
	names := templates.Places(text, t.Named())
	if err := wrongCount(where, len(sent), len(names)); err != nil {
		return err
	}
	values := make(map[string]string, len(names))
	for i, p := range sent {
		value, err := p.TextValue(where)
		if err != nil {
			return err
		}
		name := names[i]
		if t.Named() {
			if p.Name == "" {
				return wire.Refuse(100, "Parameter name is missing or empty")
			}
			name = p.Name
		}
		if err := checkOTP(t, value); err != nil {
			return err
		}
		values[name] = value
	}
	for _, name := range names {
		if _, found := values[name]; !found {
			return wire.Refuse(132000, "%s: the parameter '%s' is missing", where, name)
		}
	}
	if n := utf8.RuneCountInString(templates.Hydrate(text, values)); n > limit {
		return wire.Refuse(132005, "%s text too long: %d characters with its parameters, at most %d", where, n, limit)
	}
	return nil
}

func checkOTP(t templates.Template, value string) *wire.Error {
	if t.Category == "AUTHENTICATION" && utf8.RuneCountInString(value) > 15 {
		return wire.Refuse(132018, "The code must be at most 15 characters long")
	}
	return nil
}

// TextValue is the text that a parameter stands for.
func (p sendParameter) TextValue(where string) (string, *wire.Error) {
	switch p.Type {
	case "text":
		if p.Text == nil || *p.Text == "" {
			return "", wire.Refuse(100, "Parameter of type text is missing text value")
		}
		if hasBadSpace(*p.Text) {
			return "", wire.Refuse(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces")
		}
		return *p.Text, nil
	case "currency":
		return p.Currency.text(where)
	case "date_time":
		return p.DateTime.text(where)
	case "":
		return "", wire.Missing("template['components']['parameters']['type']", "template")
	}
	return "", wrongFormat(where, "TEXT", strings.ToUpper(p.Type))
}

// Place is the variable that a parameter is for.
func (p sendParameter) Place(i int) string {
	if p.Name != "" {
		return p.Name
	}
	return strconv.Itoa(i + 1)
}

func (f *fallback) text(where string) (string, *wire.Error) {
	if f == nil || f.Value == "" {
		return "", wire.Refuse(131008, "%s: Parameter 'fallback_value' is mandatory", where)
	}
	return f.Value, nil
}

func hasBadSpace(s string) bool {
	return strings.ContainsAny(s, "\n\r\t") || strings.Contains(s, "     ")
}

func (v *Send) sentButtons(t templates.Template, have *templates.Component, sent map[int]SendComponent, where string) *wire.Error {
	var buttons []templates.Button
	if have != nil {
		buttons = have.Buttons
	}
	for i := range sent {
		if i < 0 || i >= len(buttons) {
			return wire.Refuse(132012, "%sbuttons: the template has no button at index %d", where, i)
		}
	}
	for i, b := range buttons {
		s, found := sent[i]
		if err := checkSentButton(t, b, s, found, fmt.Sprintf("%sbuttons: Button at index %d of type %s", where, i, buttonLabel(b.Type))); err != nil {
			return err
		}
	}
	return nil
}

func buttonLabel(kind string) string {
	words := strings.Split(strings.ToLower(kind), "_")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// checkSentButton compares one button. Only URLs with a variable and coupons need a parameter.
func checkSentButton(t templates.Template, b templates.Button, s SendComponent, found bool, where string) *wire.Error {
	needs := b.Type == "COPY_CODE" || b.Type == "URL" && len(templates.Variables(b.URL)) > 0
	if !found {
		if needs {
			return wire.Refuse(131008, "%s requires a parameter", where)
		}
		return nil
	}
	if !strings.EqualFold(s.SubType, b.Type) {
		return wire.Refuse(132012, "%s was sent as '%s'", where, s.SubType)
	}
	if len(s.Parameters) != 1 {
		if !needs && len(s.Parameters) == 0 {
			return nil
		}
		return wire.Refuse(132000, "%s takes 1 parameter, got %d", where, len(s.Parameters))
	}
	return s.Parameters[0].checkButton(t, b, where, needs)
}

func (p sendParameter) checkButton(t templates.Template, b templates.Button, where string, needs bool) *wire.Error {
	want := map[string]string{"URL": "text", "COPY_CODE": "coupon_code", "QUICK_REPLY": "payload"}[b.Type]
	if want == "" {
		return nil
	}
	if p.Type != want {
		return wrongFormat(where, strings.ToUpper(want), strings.ToUpper(p.Type))
	}
	if want == "text" && !needs {
		return wire.Refuse(132000, "%s has no variable", where)
	}
	value := map[string]*string{"text": p.Text, "coupon_code": p.CouponCode, "payload": p.Payload}[want]
	if value == nil || *value == "" {
		return wire.Refuse(131008, "%s requires a parameter", where)
	}
	switch want {
	case "payload":
		return wire.TooLong("template['components']['parameters']['payload']", *value, 256)
	case "coupon_code":
		return wire.TooLong("template['components']['parameters']['coupon_code']", *value, 20)
	}
	return wire.FirstError(checkOTP(t, *value), wire.TooLong("template['components']['parameters']['text']", *value, 2000))
}

func (v *Send) sentCards(t templates.Template, have *templates.Component, sent []sendCard) *wire.Error {
	var cards []templates.Card
	if have != nil {
		cards = have.Cards
	}
	if len(sent) != len(cards) {
		return wire.Refuse(132012, "carousel: number of cards (%d) does not match the expected number of cards (%d)", len(sent), len(cards))
	}
	seen := map[int]bool{}
	for _, c := range sent {
		i, err := strconv.Atoi(string(c.Index))
		if err != nil || i < 0 || i >= len(cards) || seen[i] {
			return wire.Refuse(132012, "carousel: card_index must name each card once")
		}
		seen[i] = true
		if err := v.components(t, cards[i].Components, c.Components, fmt.Sprintf("card %d: ", i)); err != nil {
			return err
		}
	}
	return nil
}
