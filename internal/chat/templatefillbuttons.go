package chat

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (f filler) buttons(have *TemplatePart, g given) ([]PreviewButton, *Error) {
	var buttons []TemplateButton
	if have != nil {
		buttons = have.Buttons
	}
	for _, i := range slices.Sorted(maps.Keys(g.buttons)) {
		if i >= len(buttons) {
			return nil, Invalid(g.buttons[i].path+".index", "The template has %d buttons.", len(buttons))
		}
	}
	var out []PreviewButton
	for i, b := range buttons {
		shown, err := f.button(b, i, g)
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

// buttonKinds maps a kind of button to the sub_type and the parameter type by which a message fills it.
var buttonKinds = map[string]struct {
	subType, parameter string
	most               int
}{
	ButtonQuickReply: {"quick_reply", "payload", 256},
	ButtonURL:        {"url", "text", 2000},
	ButtonCopyCode:   {"copy_code", "coupon_code", 20},
	ButtonOTP:        {"url", "text", maxCode},
}

func (f filler) button(b TemplateButton, i int, g given) (PreviewButton, *Error) {
	out := PreviewButton{Type: b.Type, Text: b.Text, URL: b.URL, PhoneNumber: b.PhoneNumber}
	kind, known := buttonKinds[b.Type]
	part := g.buttons[i]
	if !known {
		if b.Type == ButtonPhone {
			return out, takesNone(part, "A button with a phone number takes no parameters.")
		}
		return out, nil // the provider has more kinds than we fill
	}
	places := placeholderNames(b.URL)
	needed := b.Type == ButtonCopyCode || b.Type == ButtonOTP || len(places) > 0
	switch {
	case part == nil && needed:
		return out, g.lacks(nil, "Button %d of the template (%s) needs a component of type button with index %d and a parameter.", i, b.Text, i)
	case part == nil:
		return out, nil
	case part.subType == "":
		return out, Missing(part.path + ".sub_type")
	case !strings.EqualFold(part.subType, kind.subType):
		return out, Invalid(part.path+".sub_type", "Must be %s: that is the template's button %d.", kind.subType, i)
	case !needed && b.Type == ButtonURL:
		return out, takesNone(part, "The address of this button has no placeholder.")
	case !needed && len(part.parameters) == 0:
		return out, nil
	case len(part.parameters) == 0:
		return out, Missing(part.path + ".parameters")
	case len(part.parameters) > 1:
		return out, Invalid(part.path+".parameters", "A button takes one parameter.")
	}
	value, err := f.buttonValue(part.parameters[0], indexed(part.path+".parameters", 0), kind.parameter, kind.most)
	if err != nil {
		return out, err
	}
	switch {
	case len(places) > 0:
		out.URL = fillPlaceholders(b.URL, map[string]string{places[0]: value})
	case b.Type == ButtonCopyCode:
		out.Code = value
	}
	return out, nil
}

// buttonValue is the text of a button's only parameter.
func (f filler) buttonValue(p templateParameter, path, want string, most int) (string, *Error) {
	if p.Type == "" {
		return "", Missing(path + ".type")
	}
	if p.Type != want {
		return "", Invalid(path+".type", "Must be %s.", want)
	}
	value := map[string]*string{"payload": p.Payload, "text": p.Text, "coupon_code": p.CouponCode}[want]
	if value == nil || *value == "" {
		return "", Missing(path + "." + want)
	}
	if f.code {
		most = maxCode
	}
	if utf8.RuneCountInString(*value) > most {
		return "", Invalid(path+"."+want, "Must be at most %d characters long.", most)
	}
	return *value, nil
}

// templateCard fills one card of a carousel.
type templateCard struct {
	Index      *looseInt           `json:"card_index"`
	Components []TemplateComponent `json:"components"`
}

// looseInt is a whole number, written as a JSON number or as a text.
type looseInt int

// UnmarshalJSON takes both forms.
func (n *looseInt) UnmarshalJSON(text []byte) error {
	i, err := strconv.Atoi(strings.Trim(string(text), `"`))
	*n = looseInt(i)
	return err
}

func (f filler) cards(have *TemplatePart, g given) ([]PreviewCard, *Error) {
	if have == nil {
		return nil, takesNone(g.carousel, "The template has no carousel.")
	}
	if g.carousel == nil {
		return nil, g.lacks(nil, "The template needs a component of type carousel with %d cards.", len(have.Cards))
	}
	if len(g.carousel.cards) != len(have.Cards) {
		return nil, Invalid(g.carousel.path+".cards", "The template has %d cards, not %d.", len(have.Cards), len(g.carousel.cards))
	}
	out := make([]PreviewCard, len(have.Cards))
	seen := map[looseInt]bool{}
	for i, raw := range g.carousel.cards {
		path := indexed(g.carousel.path+".cards", i)
		var card templateCard
		if json.Unmarshal(raw, &card) != nil {
			return nil, Invalid(path, "Cannot be read as a card.")
		}
		if card.Index == nil {
			return nil, Missing(path + ".card_index")
		}
		at := *card.Index
		if at < 0 || int(at) >= len(out) || seen[at] {
			return nil, Invalid(path+".card_index", "Must name each of the %d cards once, from 0.", len(out))
		}
		seen[at] = true
		filled, err := f.fill(have.Cards[at].parts(), card.Components, path+".components", 160)
		if err != nil {
			return nil, err
		}
		out[at] = PreviewCard{Header: filled.Header, Body: filled.Body, Buttons: filled.Buttons}
	}
	return out, nil
}
