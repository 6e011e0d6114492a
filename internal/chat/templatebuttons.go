package chat

import (
	"strings"
	"unicode/utf8"
)

// buttonLimits are the greatest numbers of buttons of each kind in a template.
var buttonLimits = map[string]int{ButtonQuickReply: 10, ButtonURL: 2, ButtonPhone: 1, ButtonCopyCode: 1}

func checkTemplateButtons(p *problems, buttons []TemplateButton, path string, most int) {
	path += ".buttons"
	switch {
	case len(buttons) == 0:
		p.add(Missing(path))
	case len(buttons) > most:
		p.add(Invalid(path, "Must have at most %d items.", most))
	}
	count, groups := map[string]int{}, 0
	for i := range buttons {
		b, at := &buttons[i], indexed(path, i)
		count[b.Type]++
		limit, known := buttonLimits[b.Type]
		switch {
		case !known:
			p.add(Invalid(at+".type", "A button of type %s is for authentication templates.", b.Type))
		case count[b.Type] > limit:
			p.add(Invalid(at+".type", "There can be at most %d buttons of type %s.", limit, b.Type))
		}
		if b.Type == ButtonQuickReply && (i == 0 || buttons[i-1].Type != ButtonQuickReply) {
			if groups++; groups > 1 {
				p.add(Invalid(at+".type", "Quick replies must stand together, not between other buttons."))
			}
		}
		b.check(p, at)
	}
}

func (b *TemplateButton) check(p *problems, path string) {
	if b.Type != ButtonCopyCode && b.Type != ButtonOTP {
		p.add(checkButtonText(b.Text, path+".text"))
	}
	switch b.Type {
	case ButtonURL:
		b.Example.single = false
		p.add(b.checkURL(path))
	case ButtonPhone:
		p.add(checkButtonPhone(b.PhoneNumber, path+".phone_number"))
	case ButtonCopyCode:
		b.Example.single = true
		p.add(checkCoupon(b.Example, path+".example"))
	}
}

func checkButtonText(text, path string) *Error {
	switch {
	case text == "":
		return Missing(path)
	case blankOr(text, false):
		return Invalid(path, "Must not be blank.")
	case utf8.RuneCountInString(text) > 25:
		return Invalid(path, "Must be at most 25 characters long.")
	case strings.Contains(text, "{{"):
		return Invalid(path, "The text of a button has no placeholders.")
	}
	return nil
}

// checkURL allows a placeholder only at the end of the address.
func (b *TemplateButton) checkURL(path string) *Error {
	if b.URL == "" {
		return Missing(path + ".url")
	}
	found, strict := parsePlaceholders(b.URL)
	fixed := b.URL
	if len(found) > 0 {
		fixed = b.URL[:found[0].start]
	}
	switch {
	case utf8.RuneCountInString(b.URL) > 2000 || len(b.URL) > 2000:
		return Invalid(path+".url", "Must be at most 2000 characters long.")
	case !strict, len(found) > 1, len(found) == 1 && (found[0].name != "1" || found[0].end != len(b.URL)):
		return Invalid(path+".url", "There can be one placeholder, {{1}}, at the end.")
	case checkWebURL(path+".url", fixed) != nil || checkWebURL(path+".url", fixed+"x") != nil:
		return Invalid(path+".url", "Must be an http or https address; the placeholder can stand for its end only.")
	case len(found) == 0:
		return nil
	case b.Example.IsZero():
		return Missing(path + ".example")
	case len(b.Example.values) != 1 || blankOr(b.Example.values[0], false):
		return Invalid(path+".example", "Give one sample of the whole address.")
	}
	return nil
}

func checkButtonPhone(number, path string) *Error {
	if number == "" {
		return Missing(path)
	}
	if _, err := CleanPhoneNumber(path, number); err != nil {
		return Invalid(path, "Must be a number in international form: 7 to 15 digits with or without +.")
	}
	return nil
}

func checkCoupon(example Samples, path string) *Error {
	switch {
	case example.IsZero():
		return Missing(path)
	case len(example.values) != 1 || blankOr(example.values[0], false) || utf8.RuneCountInString(example.values[0]) > 20:
		return Invalid(path, "Must be one code of 1 to 20 characters.")
	}
	return nil
}

// checkCarousel checks that all cards have the same components, so that they can be shown side by side.
func (n *NewTemplate) checkCarousel(p *problems, part *TemplatePart, path string) {
	if n.Category != CategoryMarketing {
		p.add(Invalid(path+".type", "A CAROUSEL is for the category MARKETING only."))
	}
	if len(part.Cards) == 0 {
		p.add(Missing(path + ".cards"))
	}
	if len(part.Cards) > 10 {
		p.add(Invalid(path+".cards", "Must have at most 10 items."))
	}
	for i := range part.Cards {
		at := indexed(path+".cards", i)
		checkCard(p, part.Cards[i].Components, at, n.Format)
		if i > 0 && cardShape(part.Cards[i]) != cardShape(part.Cards[0]) {
			p.add(Invalid(at+".components", "All cards must have the same components in the same order, with the same header format and kinds of buttons."))
		}
	}
}

func checkCard(p *problems, parts []TemplateCardPart, path, format string) {
	seen := map[string]bool{}
	for i := range parts {
		c, at := &parts[i], indexed(path+".components", i)
		if seen[c.Type] {
			p.add(Invalid(at+".type", "There can be one %s only.", c.Type))
		}
		seen[c.Type] = true
		switch c.Type {
		case PartHeader:
			if c.Format == "" {
				p.add(Missing(at + ".format"))
			}
			checkHeaderFileSample(p, c.Example, at)
		case PartBody:
			checkBody(p, &TemplatePart{Text: c.Text, Example: c.Example}, at, 160, format)
		case PartButtons:
			checkTemplateButtons(p, c.Buttons, at, 2)
		}
	}
	for _, kind := range []string{PartHeader, PartButtons} {
		if !seen[kind] {
			p.add(&Error{Code: CodeMissingRequiredField, Param: path + ".components", Message: "Each card needs a component of type " + kind + "."})
		}
	}
}

func cardShape(c TemplateCard) string {
	var b strings.Builder
	for _, p := range c.Components {
		b.WriteString(p.Type + " " + p.Format + ";")
		for _, button := range p.Buttons {
			b.WriteString(button.Type + ",")
		}
	}
	return b.String()
}

// checkAuthenticationPart allows the few choices that remain, since the provider writes the texts.
func checkAuthenticationPart(p *problems, part *TemplatePart, path string) {
	if part.Text != "" {
		p.add(Invalid(path+".text", "The texts of an authentication template are the provider's."))
	}
	switch part.Type {
	case PartBody:
	case PartFooter:
		if part.CodeExpirationMinutes == nil {
			p.add(Missing(path + ".code_expiration_minutes"))
		}
	case PartButtons:
		if len(part.Buttons) == 0 {
			p.add(Missing(path + ".buttons"))
		}
		if len(part.Buttons) > 1 {
			p.add(Invalid(path+".buttons", "An authentication template has one button."))
		}
		for i := range part.Buttons {
			part.Buttons[i].checkOTP(p, indexed(path+".buttons", i))
		}
	default:
		p.add(Invalid(path+".type", "An authentication template has BODY, FOOTER and BUTTONS only."))
	}
	if m := part.CodeExpirationMinutes; m != nil && (*m < 1 || *m > 90) {
		p.add(Invalid(path+".code_expiration_minutes", "Must be 1 to 90."))
	}
}

func (b *TemplateButton) checkOTP(p *problems, path string) {
	switch {
	case b.Type != ButtonOTP:
		p.add(Invalid(path+".type", "The button of an authentication template is of type OTP."))
		return
	case b.OTPType == "":
		p.add(Missing(path + ".otp_type"))
		return
	case b.OTPType == "COPY_CODE":
		return
	}
	if len(b.SupportedApps) == 0 {
		p.add(&Error{Code: CodeMissingRequiredField, Param: path + ".supported_apps", Message: b.OTPType + " needs 1 to 5 apps."})
	}
	if b.OTPType == "ZERO_TAP" {
		switch {
		case b.ZeroTapTermsOkay == nil:
			p.add(Missing(path + ".zero_tap_terms_accepted"))
		case !*b.ZeroTapTermsOkay:
			p.add(Invalid(path+".zero_tap_terms_accepted", "ZERO_TAP needs the terms to be accepted: true."))
		}
	}
}
