package app

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
)

// mask hides people's numbers from a user who must not see them. Every answer of the surface passes through it,
// so that no operation can forget it.
func mask(c *rest.Call, body []byte) []byte {
	if c.Caller.User == nil || !c.Caller.User.Masked {
		return body
	}
	return maskAnswer(body)
}

// maskAnswer hides people's numbers and ids in an answer. The texts that people wrote, and contact cards, stay.
func maskAnswer(body []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var answer any
	if err := d.Decode(&answer); err != nil {
		return body // an answer that is not JSON names nobody
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(maskValue(answer, "", nil)); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// written are the members with texts that people wrote or cards that they sent.
var written = []string{"body", "text", "caption", "preview", "phones", "description", "metadata"}

func maskValue(v any, name string, in map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		maskIDs(v)
		maskSnippet(v)
		for key, value := range v {
			if !slices.Contains(written, key) {
				v[key] = maskValue(value, key, v)
			}
		}
	case []any:
		for i := range v {
			v[i] = maskValue(v[i], name, in)
		}
	case string:
		return maskText(v, name, in)
	}
	return v
}

// maskIDs replaces the provider's ids of messages, which contain the number, by ours. Sending, reacting and
// marking as read accept ours as well.
func maskIDs(message map[string]any) {
	if id, ours := message["id"].(string); ours && providerID(message["message_id"]) {
		message["message_id"] = id
	}
	context, _ := message["context"].(map[string]any)
	if quoted, ok := message["quoted"].(map[string]any); ok && context != nil {
		context["message_id"] = quoted["id"]
	}
}

// maskSnippet hides a number in a contact's name. Other snippets are texts that people wrote.
func maskSnippet(found map[string]any) {
	snippet, ok := found["snippet"].(map[string]any)
	if text, is := snippet["text"].(string); ok && is && found["message_id"] == nil && found["note_id"] == nil {
		if masked := numberInside.ReplaceAllStringFunc(text, maskNumber); masked != text {
			snippet["text"], snippet["marks"] = masked, []any{} // the marks would no longer fit
		}
	}
}

func providerID(v any) bool {
	s, ok := v.(string)
	return ok && strings.HasPrefix(s, "wamid.")
}

var (
	wholeNumber  = regexp.MustCompile(`^\+[0-9]{7,15}$`)
	plainNumber  = regexp.MustCompile(`^\+?[0-9][0-9 ().-]{5,24}$`)
	numberInside = regexp.MustCompile(`\+?[0-9][0-9 ().-]{6,22}[0-9]`)
)

// maskText hides a number in one member of an object.
func maskText(s, name string, in map[string]any) string {
	switch {
	case providerID(s):
		return ""
	case name == "request_id": // it may contain as many digits in a row as a number
		return s
	case ofBusiness(name, in):
		return s
	case name == "bsuid" || name == "parent_bsuid":
		return maskBSUID(s)
	case name == "name" || in["code"] != nil: // a name, or the message of an error
		return numberInside.ReplaceAllStringFunc(s, maskNumber)
	case wholeNumber.MatchString(s), slices.Contains(ofPeople, name) && plainNumber.MatchString(s):
		return maskNumber(s)
	}
	return s
}

// ofPeople are the members that may hold a person's number, in any form.
var ofPeople = []string{"phone_number", "phone", "wa_id", "from", "to", "input", "recipient_id"}

// ofBusiness reports whether a number is one of the organization's own.
func ofBusiness(name string, in map[string]any) bool {
	if _, own := in["phone_number_id"]; own {
		return true
	}
	return name == "from" && in["direction"] == "outbound" || name == "to" && in["direction"] == "inbound"
}

// maskNumber keeps the country's code and the last two digits, so that people can be told apart.
func maskNumber(s string) string {
	digits := chat.Digits(s)
	if len(digits) < 5 {
		return "•••"
	}
	return "+" + digits[:2] + " ••• ••• " + digits[len(digits)-2:]
}

func maskBSUID(s string) string {
	country, rest, found := strings.Cut(s, ".")
	if !found || len(rest) < 6 {
		return "•••"
	}
	return country + ".•••" + rest[len(rest)-2:]
}
