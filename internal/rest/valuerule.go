package rest

import (
	"bytes"
	"errors"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// checkValue checks a value without fields or items of its own.
func (r *rule) checkValue(v jsontext.Value, path string) *chat.Error {
	kind := v.Kind()
	if kind == jsontext.KindNull {
		if r.nullable || r.kind == "" {
			return nil
		}
		return chat.Invalid(path, "Must not be null.")
	}
	switch r.kind {
	case "":
		return checkNoNUL(v, path)
	case huma.TypeObject: // free-form, without known fields
		if kind == jsontext.KindBeginObject {
			return r.checkFreeForm(v, path)
		}
	case huma.TypeString:
		if kind == jsontext.KindString {
			text, _ := jsontext.AppendUnquote(nil, v)
			return r.checkString(string(text), path)
		}
	case huma.TypeBoolean:
		if kind == jsontext.KindTrue || kind == jsontext.KindFalse {
			return nil
		}
	case huma.TypeInteger, huma.TypeNumber:
		if kind == jsontext.KindNumber {
			return r.checkNumber(string(v), path)
		}
	}
	return chat.Invalid(path, "Must be %s.", withArticle(r.kind))
}

func (r *rule) checkString(s, path string) *chat.Error {
	counted := s
	switch {
	case r.trimmed:
		counted = strings.TrimSpace(s)
	case r.collapsed:
		counted = strings.Join(strings.Fields(s), " ")
	}
	n := utf8.RuneCountInString(counted)
	switch least, most := r.limits.minLength, r.limits.maxLength; {
	case strings.ContainsRune(s, 0):
		return chat.Invalid(path, "Must not contain the NUL character.")
	case r.enum != nil && !slices.Contains(r.enum, s):
		return chat.Invalid(path, "Must be %s.", oneOf(r.enum))
	case least != nil && n < *least && *least == 1:
		return chat.Invalid(path, "Must be at least 1 character long.")
	case least != nil && n < *least:
		return chat.Invalid(path, "Must be at least %d characters long.", *least)
	case most != nil && n > *most:
		return chat.Invalid(path, "Must be at most %d characters long.", *most)
	case r.pattern != nil && !r.pattern().MatchString(s):
		return chat.Invalid(path, "%s", mismatch(r.limits.pattern))
	case checkedFormats[r.limits.format] != nil:
		failure, _ := errors.AsType[*chat.Error](checkedFormats[r.limits.format](path, s))
		return failure
	case !validFormat(r.limits.format, s):
		return chat.Invalid(path, "Must be a valid %s%s.", r.limits.format, formatExamples[r.limits.format])
	}
	return nil
}

const formatPhoneNumber = "phone-number"

// checkedFormats are formats of our own, most of them with error codes of their own.
var checkedFormats = map[string]func(path, s string) error{
	formatPhoneNumber: func(path, s string) error {
		_, err := chat.CleanPhoneNumber(path, s)
		return err
	},
	"email-or-empty": func(path, s string) error { // by the known format an empty text is wrong
		if s == "" || validFormat("email", s) {
			return nil
		}
		return chat.Invalid(path, "Must be a valid email, or empty.")
	},
	"event-type": chat.CheckEventType,
	"event-types": func(path, s string) error {
		for name := range strings.SplitSeq(s, ",") {
			if err := chat.CheckEventType(path, strings.TrimSpace(name)); err != nil {
				return err
			}
		}
		return nil
	},
}

// formatExamples show the formats that a name does not explain: that an instant needs its zone, say.
var formatExamples = map[string]string{
	"date-time": ", such as 2026-01-31T12:00:00Z",
	"uri":       ", such as https://example.com/page",
}

func validFormat(format, s string) bool {
	switch format {
	case "date-time":
		_, err := parseInstant(s)
		return err == nil
	case "email":
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	case "uri":
		u, err := url.Parse(s)
		return err == nil && u.IsAbs()
	default:
		return true
	}
}

func (r *rule) checkNumber(text, path string) *chat.Error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) {
		return chat.Invalid(path, "The number is out of range.")
	}
	if r.kind == huma.TypeInteger {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return chat.Invalid(path, "Must be a whole number in the range of 64 bits, written without fraction or exponent.")
		}
	}
	if least := r.limits.minimum; least != nil && n < *least {
		return chat.Invalid(path, "Must be at least %v.", *least)
	}
	if most := r.limits.maximum; most != nil && n > *most {
		return chat.Invalid(path, "Must be at most %v.", *most)
	}
	return nil
}

// checkFreeForm checks an object whose fields the caller chooses.
func (r *rule) checkFreeForm(v jsontext.Value, path string) *chat.Error {
	if most := r.limits.maxProperties; most != nil {
		var fields map[string]jsontext.Value
		if err := json.Unmarshal(v, &fields); err == nil && len(fields) > *most {
			return chat.Invalid(path, "Must have at most %d keys.", *most)
		}
	}
	if r.values != nil {
		if err := r.checkValues(v, path); err != nil {
			return err
		}
	}
	return checkNoNUL(v, path)
}

// checkValues checks the values of a free-form object whose values are of one kind.
func (r *rule) checkValues(v jsontext.Value, path string) *chat.Error {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	d.ReadToken() // the brace; the text was read before, and has no errors
	for d.PeekKind() == jsontext.KindString {
		name, _ := d.ReadToken()
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if err := r.values.checkValue(value, join(path, key)); err != nil {
			return err
		}
	}
	return nil
}

// checkNoNUL refuses a NUL in free-form JSON, where it can only be written as an escape. A backslash that is
// itself escaped does not begin one.
func checkNoNUL(v jsontext.Value, path string) *chat.Error {
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(v[i:], []byte(`\u0000`)) {
			return chat.Invalid(path, "Must not contain the NUL character.")
		}
		i++
	}
	return nil
}
