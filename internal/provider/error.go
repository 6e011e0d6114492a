package provider

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// maxQuoted bounds how much of the upstream's own words a message's error repeats.
const maxQuoted = 500

// Error is for logs; it says what happened and carries what support will ask for.
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
	if e.Code != 0 {
		b.WriteString(", code " + strconv.Itoa(e.Code))
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

// Class is what the code and the HTTP status mean for us.
func (e *Error) Class() Class { return Classify(e.Code, e.Subcode, e.HTTPStatus) }

// Gone tells that what was asked for is not there, as far as this token can see. A 404 without a code
// says less: the address of a file is answered so when its minutes are over.
func (e *Error) Gone() bool {
	switch {
	case e.Code == 100 && e.Subcode == 33, e.Code == 131052, e.HTTPStatus == http.StatusGone:
		return true
	default:
		return e.HTTPStatus == http.StatusNotFound && e.Code != 0
	}
}

// MessageError is the failure as the message's owner sees it: what to do, then the upstream's own
// words, which often name the field at fault.
func (e *Error) MessageError() chat.MessageError {
	code := e.Class().Code
	text := advice[code]
	if said := clip(strings.TrimSpace(e.Message), maxQuoted); said != "" {
		text += " The network says: " + said
	}
	m := chat.MessageError{Code: code, Message: text}
	if e.Code != 0 {
		m.ProviderCode = new(e.Code)
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
