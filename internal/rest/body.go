package rest

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
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

// compressions are encodings that some libraries use without being told to.
var compressions = []string{"gzip", "x-gzip", "deflate", "br", "zstd", "compress"}

func checkContentType(r *http.Request, body []byte) error {
	if len(body) == 0 {
		return nil
	}
	if slices.Contains(compressions, strings.ToLower(r.Header.Get("Content-Encoding"))) {
		return chat.Fail(chat.CodeUnsupportedMediaType, "Send the body as it is, not compressed: without `Content-Encoding`.")
	}
	given := r.Header.Get("Content-Type")
	if given == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	if err != nil || kind != "application/json" || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return chat.Fail(chat.CodeUnsupportedMediaType, "Send the body as JSON in UTF-8, with `Content-Type: application/json`.")
	}
	return nil
}

// decode checks the text and decodes it into target. An empty body counts as an empty object. The text is read
// once: the check keeps the value of each field, which is then decoded by itself.
func (b *bodyBinder) decode(text []byte, target any) error {
	fields, err := b.checkFields(orObject(text))
	if err != nil {
		return err
	}
	if together, ok := target.(Together); ok {
		together.CheckTogether(&Fields{rule: b.rule, states: fields})
	}
	if err := b.rule.sumUp("", fields).first(); err != nil {
		return err
	}
	return b.rule.decode(fields, reflect.ValueOf(target).Elem())
}

// decode decodes the fields that were given into a struct, but for parts: those are decoded by CheckTogether.
func (r *rule) decode(fields []fieldState, target reflect.Value) error {
	for i, f := range r.fields {
		if !fields[i].given || f.rule.part {
			continue
		}
		if err := unmarshal(fields[i].value, f.name, target.Field(f.index).Addr().Interface()); err != nil {
			return err
		}
	}
	return nil
}

func orObject(text []byte) []byte {
	if len(bytes.Trim(text, " \t\r\n")) == 0 {
		return []byte("{}")
	}
	return text
}

// unmarshal decodes the value of a field.
func unmarshal(text []byte, name string, target any) error {
	err := json.Unmarshal(text, target)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok { // a number outside its type's range
		return chat.Invalid(dotted("/"+jsontext.Pointer(name)+wrong.JSONPointer), "The value is out of range.")
	}
	return err
}

// checkFields checks the text against the rule, and returns the result of each field. A syntax error is
// returned at once.
func (b *bodyBinder) checkFields(text []byte) ([]fieldState, error) {
	s := newScan(text)
	if s.PeekKind() != jsontext.KindBeginObject {
		if _, err := s.ReadValue(); err != nil {
			return nil, invalidJSON(err)
		}
		return nil, chat.Fail(chat.CodeInvalidJSON, "The body must be a JSON object.")
	}
	fields, err := b.rule.checkFields(s, "")
	if err == nil {
		_, err = s.ReadToken()
	}
	if err != io.EOF {
		return nil, invalidJSON(err)
	}
	return fields, nil
}

// maxDepth is how deep a body may be nested. Answers, lists and events embed bodies and have a depth limit of
// their own, so this one is far below it.
const maxDepth = 100

var errTooDeep = chat.Fail(chat.CodeInvalidJSON, "The body is nested deeper than %d levels.", maxDepth)

// scan goes over a text once. It keeps the text, so that a value is a piece of it and need not be read again.
type scan struct {
	*jsontext.Decoder
	text []byte
}

func newScan(text []byte) *scan { return &scan{jsontext.NewDecoder(bytes.NewBuffer(text)), text} }

// ReadValue reads a whole value, unless it is nested too deep.
func (s *scan) ReadValue() (jsontext.Value, error) {
	if kind := s.PeekKind(); kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		return s.Decoder.ReadValue()
	}
	begin, depth := s.InputOffset(), s.StackDepth()
	for {
		if _, err := s.ReadToken(); err != nil {
			return nil, err
		}
		switch now := s.StackDepth(); {
		case now > maxDepth:
			return nil, errTooDeep
		case now == depth:
			return s.since(begin), nil
		}
	}
}

// since is the value that was read since the scan was at begin.
func (s *scan) since(begin int64) jsontext.Value {
	return bytes.TrimLeft(s.text[begin:s.InputOffset()], " \t\r\n:,")
}

// invalidJSON explains a syntax error. A nil err means that data followed the object.
func invalidJSON(err error) *chat.Error {
	if err == error(errTooDeep) {
		return errTooDeep
	}
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
