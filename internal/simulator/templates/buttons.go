package templates

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// buttonLimits is how many buttons of each kind a template may have.
var buttonLimits = map[string]int{
	"QUICK_REPLY": 10, "URL": 2, "PHONE_NUMBER": 1, "COPY_CODE": 1, "FLOW": 1, "CATALOG": 1, "MPM": 1, "VOICE_CALL": 1, "ORDER_DETAILS": 1,
}

func badButtons(format string, args ...any) *wire.Error {
	return Refuse(0, "Message template buttons are not valid", format, args...)
}

func checkButtons(buttons []Button, limit int) *wire.Error {
	if len(buttons) == 0 || len(buttons) > limit {
		return badButtons("There must be 1 to %d buttons.", limit)
	}
	count := map[string]int{}
	runs := 0 // runs of adjacent quick replies
	for i, b := range buttons {
		most, known := buttonLimits[b.Type]
		if !known {
			return wire.BadParam("Param components['buttons'][%d]['type'] must be one of {CATALOG, COPY_CODE, FLOW, MPM, ORDER_DETAILS, PHONE_NUMBER, QUICK_REPLY, URL, VOICE_CALL} - got %q.", i, b.Type)
		}
		if count[b.Type]++; count[b.Type] > most {
			return badButtons("There can be at most %d buttons of type %s.", most, b.Type)
		}
		if b.Type == "QUICK_REPLY" && (i == 0 || buttons[i-1].Type != "QUICK_REPLY") {
			runs++
		}
		if err := b.check(); err != nil {
			return err
		}
	}
	if runs > 1 {
		return badButtons("Quick replies must stand together, not between other buttons.")
	}
	return nil
}

func (b Button) check() *wire.Error {
	if b.Type != "COPY_CODE" {
		if strings.TrimSpace(b.Text) == "" {
			return badButtons("A button of type %s needs a text.", b.Type)
		}
		if utf8.RuneCountInString(b.Text) > 25 {
			return Refuse(SubcodeLength, "Button text is too long", "The text of a button has at most 25 characters.")
		}
	}
	switch b.Type {
	case "URL":
		return b.checkURL()
	case "PHONE_NUMBER":
		if _, valid := names.NormalizePhone(b.PhoneNumber); !valid || len(b.PhoneNumber) > 20 {
			return badButtons("A phone button needs a valid phone_number of at most 20 characters.")
		}
	case "COPY_CODE":
		if len(b.Example) != 1 || b.Example[0] == "" || utf8.RuneCountInString(b.Example[0]) > 20 {
			return badButtons("A coupon button needs an example of at most 20 characters.")
		}
	}
	return nil
}

// checkURL checks the button's address: at most one variable, at the end, with a sample.
func (b Button) checkURL() *wire.Error {
	names := Variables(b.URL)
	plain := variablePattern.ReplaceAllString(b.URL, "x")
	switch {
	case len(b.URL) > 2000 || !wire.IsWebURL(plain):
		return badButtons("A URL button needs a valid url of at most 2000 characters.")
	case len(names) > 1 || len(names) == 1 && (names[0] != "1" || !strings.HasSuffix(b.URL, "}}")):
		return badButtons("A url has at most one variable, {{1}}, at its end.")
	case len(names) == 1 && (len(b.Example) != 1 || b.Example[0] == ""):
		return badButtons("A url with a variable needs an example.")
	}
	return nil
}

// buildAuthentication checks the few options that authentication templates have, and fills in their fixed texts.
func (t *Template) buildAuthentication() *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return Refuse(0, "Authentication template is not valid", format, args...)
	}
	if err := checkKinds(t.Components, "BODY", "FOOTER", "BUTTONS"); err != nil {
		return err
	}
	body, footer, buttons := t.Part("BODY"), t.Part("FOOTER"), t.Part("BUTTONS")
	switch {
	case body == nil || buttons == nil:
		return bad("The components BODY and BUTTONS are needed.")
	case body.Text != "":
		return bad("The text of an authentication template is fixed.")
	case len(buttons.Buttons) != 1 || buttons.Buttons[0].Type != "OTP":
		return bad("There must be one button of type OTP.")
	}
	if err := buttons.Buttons[0].checkOTP(bad); err != nil {
		return err
	}
	if footer != nil {
		m := footer.CodeExpirationAfter
		if m == nil || *m < 1 || *m > 90 {
			return bad("code_expiration_minutes must be 1 to 90.")
		}
		footer.Text = "This code expires in " + strconv.Itoa(*m) + " minutes."
	}
	body.Text = "*{{1}}* is your verification code."
	if body.SecurityAdvice != nil && *body.SecurityAdvice {
		body.Text += " For your security, do not share this code."
	}
	body.Example = bodyExample("123456")
	b := buttons.Buttons[0]
	if b.Text == "" {
		b.Text = "Copy code"
	}
	buttons.Buttons = []Button{otpButton(b.OTPType, b.Text)}
	return nil
}

func (b Button) checkOTP(bad func(string, ...any) *wire.Error) *wire.Error {
	if utf8.RuneCountInString(b.Text) > 25 || utf8.RuneCountInString(b.Autofill) > 25 {
		return Refuse(SubcodeLength, "Button text is too long", "The text of a button has at most 25 characters.")
	}
	switch b.OTPType {
	case "COPY_CODE":
		return nil
	case "ONE_TAP", "ZERO_TAP":
	default:
		return wire.BadParam("Param components['buttons'][0]['otp_type'] must be one of {COPY_CODE, ONE_TAP, ZERO_TAP} - got %q.", b.OTPType)
	}
	if len(b.Apps) == 0 || len(b.Apps) > 5 {
		return bad("%s needs 1 to 5 supported_apps.", b.OTPType)
	}
	for _, a := range b.Apps {
		if a.Package == "" || len(a.Signature) != 11 {
			return bad("Each of supported_apps needs a package_name and a signature_hash of 11 characters.")
		}
	}
	if b.OTPType == "ZERO_TAP" && (b.ZeroTapOK == nil || !*b.ZeroTapOK) {
		return bad("ZERO_TAP needs zero_tap_terms_accepted.")
	}
	return nil
}
