package simulator

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

type templateSend struct {
	Name     string `json:"name"`
	Language *struct {
		Code   string `json:"code"`
		Policy string `json:"policy"`
	} `json:"language"`
	Components []sendComponent `json:"components"`
}

type sendComponent struct {
	Type       string          `json:"type"`
	SubType    string          `json:"sub_type"`
	Index      loose           `json:"index"`
	Parameters []sendParameter `json:"parameters"`
	Cards      []sendCard      `json:"cards"`
}

type sendCard struct {
	Index      loose           `json:"card_index"`
	Components []sendComponent `json:"components"`
}

type sendParameter struct {
	Type       string          `json:"type"`
	Name       string          `json:"parameter_name"`
	Text       *string         `json:"text"`
	Payload    *string         `json:"payload"`
	CouponCode *string         `json:"coupon_code"`
	Currency   *fallback       `json:"currency"`
	DateTime   *fallback       `json:"date_time"`
	Image      *asset          `json:"image"`
	Video      *asset          `json:"video"`
	Document   *asset          `json:"document"`
	Location   json.RawMessage `json:"location"`
}

type fallback struct {
	Value string `json:"fallback_value"`
}

func (v *validation) templateMessage() *graphError {
	var m templateSend
	if err := v.content(v.env.Template, &m); err != nil {
		return err
	}
	if m.Name == "" {
		return missing("template['name']", "template")
	}
	if m.Language == nil || m.Language.Code == "" {
		return missing("template['language']['code']", "template")
	}
	t, err := v.findTemplate(m.Name, m.Language.Code)
	if err != nil {
		return err
	}
	v.template = &t
	if t.category == "AUTHENTICATION" && v.byUser {
		return refuse(131062, "Authentication templates can be sent to phone numbers only")
	}
	return v.components(t, t.components, m.Components, "")
}

func (v *validation) findTemplate(name, language string) (template, *graphError) {
	t, found := v.templates.find(name, language)
	if !found {
		return t, refuse(132001, "template name (%s) does not exist in %s", name, language)
	}
	switch t.status {
	case "APPROVED":
		return t, nil
	case "PAUSED":
		return t, refuse(132015, "template (%s) is paused because of low quality", name)
	case "DISABLED":
		return t, refuse(132016, "template (%s) is disabled", name)
	}
	return t, refuse(132001, "template name (%s) in %s is not approved: its status is %s", name, language, t.status)
}

// components compares what was sent with what the template has; where is empty, or the card.
func (v *validation) components(t template, have []component, sent []sendComponent, where string) *graphError {
	var header, body []sendParameter
	var cards []sendCard
	buttons := map[int]sendComponent{}
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
				return missing("template['components']['index']", "template")
			}
			buttons[i] = c
		case "footer":
			return refuse(132012, "%sfooter: a footer takes no parameters", where)
		default:
			return badParam("Param template['components'][0]['type'] must be one of {BODY, BUTTON, CAROUSEL, HEADER} - got %q.", c.Type)
		}
	}
	return firstError(
		v.sentHeader(t, partOf(have, "HEADER"), header, where),
		v.sentBody(t, partOf(have, "BODY"), body, where),
		v.sentButtons(t, partOf(have, "BUTTONS"), buttons, where),
		v.sentCards(t, partOf(have, "CAROUSEL"), cards),
	)
}

func (v *validation) sentHeader(t template, have *component, sent []sendParameter, where string) *graphError {
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
		if !isSet(p.Location) {
			return missing("location", "location")
		}
		return nil
	}
	file := map[string]*asset{"IMAGE": p.Image, "VIDEO": p.Video, "DOCUMENT": p.Document}[have.Format]
	if file == nil {
		return missing(strings.ToLower(have.Format), "template")
	}
	return v.file(*file, strings.ToLower(have.Format), where)
}

func wrongFormat(where, want, got string) *graphError {
	return refuse(132012, "%s: Format mismatch, expected %s, received %s", where, want, got)
}

func wrongCount(where string, got, want int) *graphError {
	if got == want {
		return nil
	}
	return refuse(132000, "%s: number of localizable_params (%d) does not match the expected number of params (%d)", where, got, want)
}

func (v *validation) sentBody(t template, have *component, sent []sendParameter, where string) *graphError {
	if have == nil {
		return wrongCount(where+"body", len(sent), 0)
	}
	return v.sentText(t, have.Text, sent, where+"body", 1024)
}

// sentText checks the parameters of a text, and that it is not too long with them.
func (v *validation) sentText(t template, text string, sent []sendParameter, where string, limit int) *graphError {
	names := places(text, t.named())
	if err := wrongCount(where, len(sent), len(names)); err != nil {
		return err
	}
	values := make(map[string]string, len(names))
	for i, p := range sent {
		value, err := p.textValue(where)
		if err != nil {
			return err
		}
		name := names[i]
		if t.named() {
			if p.Name == "" {
				return refuse(100, "Parameter name is missing or empty")
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
			return refuse(132000, "%s: the parameter '%s' is missing", where, name)
		}
	}
	if n := utf8.RuneCountInString(hydrate(text, values)); n > limit {
		return refuse(132005, "%s text too long: %d characters with its parameters, at most %d", where, n, limit)
	}
	return nil
}

func checkOTP(t template, value string) *graphError {
	if t.category == "AUTHENTICATION" && utf8.RuneCountInString(value) > 15 {
		return refuse(132018, "The code must be at most 15 characters long")
	}
	return nil
}

// textValue is what a parameter of a text becomes.
func (p sendParameter) textValue(where string) (string, *graphError) {
	switch p.Type {
	case "text":
		if p.Text == nil || *p.Text == "" {
			return "", refuse(100, "Parameter of type text is missing text value")
		}
		if hasBadSpace(*p.Text) {
			return "", refuse(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces")
		}
		return *p.Text, nil
	case "currency":
		return p.Currency.text(where)
	case "date_time":
		return p.DateTime.text(where)
	case "":
		return "", missing("template['components']['parameters']['type']", "template")
	}
	return "", wrongFormat(where, "TEXT", strings.ToUpper(p.Type))
}

// place is the variable that a parameter is for.
func (p sendParameter) place(i int) string {
	if p.Name != "" {
		return p.Name
	}
	return strconv.Itoa(i + 1)
}

func (f *fallback) text(where string) (string, *graphError) {
	if f == nil || f.Value == "" {
		return "", refuse(131008, "%s: Parameter 'fallback_value' is mandatory", where)
	}
	return f.Value, nil
}

func hasBadSpace(s string) bool {
	return strings.ContainsAny(s, "\n\r\t") || strings.Contains(s, "     ")
}

func (v *validation) sentButtons(t template, have *component, sent map[int]sendComponent, where string) *graphError {
	var buttons []templateButton
	if have != nil {
		buttons = have.Buttons
	}
	for i := range sent {
		if i < 0 || i >= len(buttons) {
			return refuse(132012, "%sbuttons: the template has no button at index %d", where, i)
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
func checkSentButton(t template, b templateButton, s sendComponent, found bool, where string) *graphError {
	needs := b.Type == "COPY_CODE" || b.Type == "URL" && len(variables(b.URL)) > 0
	if !found {
		if needs {
			return refuse(131008, "%s requires a parameter", where)
		}
		return nil
	}
	if !strings.EqualFold(s.SubType, b.Type) {
		return refuse(132012, "%s was sent as '%s'", where, s.SubType)
	}
	if len(s.Parameters) != 1 {
		if !needs && len(s.Parameters) == 0 {
			return nil
		}
		return refuse(132000, "%s takes 1 parameter, got %d", where, len(s.Parameters))
	}
	return s.Parameters[0].checkButton(t, b, where, needs)
}

func (p sendParameter) checkButton(t template, b templateButton, where string, needs bool) *graphError {
	want := map[string]string{"URL": "text", "COPY_CODE": "coupon_code", "QUICK_REPLY": "payload"}[b.Type]
	if want == "" {
		return nil
	}
	if p.Type != want {
		return wrongFormat(where, strings.ToUpper(want), strings.ToUpper(p.Type))
	}
	if want == "text" && !needs {
		return refuse(132000, "%s has no variable", where)
	}
	value := map[string]*string{"text": p.Text, "coupon_code": p.CouponCode, "payload": p.Payload}[want]
	if value == nil || *value == "" {
		return refuse(131008, "%s requires a parameter", where)
	}
	switch want {
	case "payload":
		return tooLong("template['components']['parameters']['payload']", *value, 256)
	case "coupon_code":
		return tooLong("template['components']['parameters']['coupon_code']", *value, 20)
	}
	return firstError(checkOTP(t, *value), tooLong("template['components']['parameters']['text']", *value, 2000))
}

func (v *validation) sentCards(t template, have *component, sent []sendCard) *graphError {
	var cards []templateCard
	if have != nil {
		cards = have.Cards
	}
	if len(sent) != len(cards) {
		return refuse(132012, "carousel: number of cards (%d) does not match the expected number of cards (%d)", len(sent), len(cards))
	}
	seen := map[int]bool{}
	for _, c := range sent {
		i, err := strconv.Atoi(string(c.Index))
		if err != nil || i < 0 || i >= len(cards) || seen[i] {
			return refuse(132012, "carousel: card_index must name each card once")
		}
		seen[i] = true
		if err := v.components(t, cards[i].Components, c.Components, fmt.Sprintf("card %d: ", i)); err != nil {
			return err
		}
	}
	return nil
}
