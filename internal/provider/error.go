package provider

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// maxQuoted bounds the upstream's text in a message's error.
const maxQuoted = 500

// Error is for logs. It says what happened and includes the details that support will ask for.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("upstream: ")
	switch {
	case e.Message != "":
		b.WriteString(e.Message)
	case e.HTTPStatus != 0:
		b.WriteString("refused without a reason")
	default:
		b.WriteString("no answer")
	}
	if code, given := e.Named(); given {
		b.WriteString(", code " + strconv.Itoa(code))
	}
	if e.Subcode != 0 {
		b.WriteString(", subcode " + strconv.Itoa(e.Subcode))
	}
	if e.HTTPStatus != 0 {
		b.WriteString(", HTTP " + strconv.Itoa(e.HTTPStatus))
	}
	if e.Trace != "" {
		b.WriteString(", trace " + e.Trace)
	}
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Cause }

// Class is the class of the code and the HTTP status. What a proxy refuses says nothing of the message or the number:
// it is trouble on the way.
func (e *Error) Class() Class {
	if e.Foreign && e.HTTPStatus != http.StatusTooManyRequests {
		return outage
	}
	if e.CodeZero && e.HTTPStatus == 0 { // in a callback there is no 401 to tell it
		return tokenLost
	}
	return Classify(e.Code, e.Subcode, e.HTTPStatus)
}

// Named is the code that the upstream gave; false if it gave none.
func (e *Error) Named() (int, bool) { return e.Code, e.Code != 0 || e.CodeZero }

// CodeOrOutage is the upstream's code. No code is reported as an outage.
func (e *Error) CodeOrOutage() int {
	if code, given := e.Named(); given {
		return code
	}
	return CodeOutage
}

// TokenRefused reports that the provider says that no call with this token will succeed again. A 401 without a code is not
// enough: hosts of files answer so to an expired address.
func (e *Error) TokenRefused() bool {
	_, given := e.Named()
	return given && e.Class().TokenLost
}

// Gone reports that the object does not exist, as far as this token can see. A 404 without a code is not
// enough: an expired address of a file is answered in the same way.
func (e *Error) Gone() bool {
	switch {
	case e.Code == 100 && e.Subcode == 33, e.Code == 131052, e.HTTPStatus == http.StatusGone:
		return true
	default:
		return e.HTTPStatus == http.StatusNotFound && e.Code != 0
	}
}

// MayMissFile reports that a refused message may have named a file that the upstream no longer has. It has no code of its
// own for that: a parameter is not valid.
func (e *Error) MayMissFile() bool { return e.Code == 100 && e.Subcode != 33 || e.Code == 131009 }

// MessageError is the failure for the message's owner: first advice, then the upstream's own text, which often
// names the wrong field.
func (e *Error) MessageError() chat.MessageError {
	code := e.Class().Code
	text := advice[code]
	if said := clip(strings.TrimSpace(e.Message), maxQuoted); said != "" {
		text += " The network says: " + said
	}
	m := chat.MessageError{Code: code, Message: text}
	if own, given := e.Named(); given {
		m.ProviderCode = &own
	}
	return m
}

// clip cuts s to at most n bytes without breaking a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
