package rest

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
)

// bodyBinder decodes a JSON body. It checks the text against the rule before decoding, so that the reported
// error is the first in documented order, not in the order of the text.
type bodyBinder struct {
	field []int
	typ   reflect.Type
	rule  *rule
}

func checkContentType(r *http.Request, body []byte) error {
	given := r.Header.Get("Content-Type")
	if given == "" || len(body) == 0 {
		return nil
	}
	kind, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	if err != nil || kind != "application/json" || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return chat.Fail(chat.CodeUnsupportedMediaType, "Send the body as JSON in UTF-8, with `Content-Type: application/json`.")
	}
	return nil
}

// decode checks the text and decodes it into target. An empty body counts as an empty object.
func (b *bodyBinder) decode(text []byte, target any) error {
	text = orObject(text)
	fields, err := b.checkFields(text)
	if err != nil {
		return err
	}
	if together, ok := target.(Together); ok {
		together.CheckTogether(&Fields{rule: b.rule, states: fields, text: text})
	}
	if err := b.rule.sumUp("", fields).first(); err != nil {
		return err
	}
	return unmarshal(text, "", target)
}

func orObject(text []byte) []byte {
	if len(bytes.Trim(text, " \t\r\n")) == 0 {
		return []byte("{}")
	}
	return text
}

func unmarshal(text []byte, path string, target any) error {
	err := json.Unmarshal(text, target)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok { // a number outside its type's range
		return chat.Invalid(strings.Trim(path+"."+dotted(wrong.JSONPointer), "."), "The value is out of range.")
	}
	return err
}

// checkFields checks the text against the rule, and returns the result of each field. A syntax error is
// returned at once.
func (b *bodyBinder) checkFields(text []byte) ([]fieldState, error) {
	if nestedTooDeep(text) {
		return nil, chat.Fail(chat.CodeInvalidJSON, "The body is nested deeper than %d levels.", maxDepth)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if dec.PeekKind() != jsontext.KindBeginObject {
		if err := firstSyntaxError(text); err != nil {
			return nil, err
		}
		return nil, chat.Fail(chat.CodeInvalidJSON, "The body must be a JSON object.")
	}
	fields, err := b.rule.checkFields(dec, "")
	if err == nil {
		_, err = dec.ReadToken()
	}
	if err != io.EOF {
		return nil, invalidJSON(err)
	}
	return fields, nil
}

// maxDepth is how deep a body may be nested. Answers, lists and events embed bodies and have a depth limit of
// their own, so this one is far below it.
const maxDepth = 100

// nestedTooDeep looks only at brackets and strings. The decoder finds other mistakes later.
func nestedTooDeep(text []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

func firstSyntaxError(text []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if err := dec.SkipValue(); err != nil {
		return invalidJSON(err)
	}
	return nil
}

// invalidJSON explains a syntax error. A nil err means that data followed the object.
func invalidJSON(err error) *chat.Error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == nil:
		return chat.Fail(chat.CodeInvalidJSON, "The body goes on after the JSON object.")
	case !ok || errors.Is(err, io.ErrUnexpectedEOF):
		return chat.Fail(chat.CodeInvalidJSON, "The body is not complete JSON.")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &chat.Error{Code: chat.CodeInvalidJSON, Param: dotted(syntax.JSONPointer), Message: "The body names this field twice."}
	default:
		return chat.Fail(chat.CodeInvalidJSON, "The body is not valid JSON, at byte %d: %s.", syntax.ByteOffset, syntax.Err)
	}
}

// maxParam bounds the length of a path in an error, because a hostile body can nest very deep.
const maxParam = 200

// dotted turns a JSON pointer into the contract's form: text.body, contact_ids[3].
func dotted(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "" && b.Len() > 0:
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
		if b.Len() > maxParam {
			return strings.ToValidUTF8(b.String()[:maxParam], "")
		}
	}
	return b.String()
}

// Marshal encodes our own values. It fails only if a view is wrong.
func Marshal(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return body
}
