package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"
)

func ReadForm(kind string, body []byte) (url.Values, error) {
	mediaType, params, err := mime.ParseMediaType(kind)
	if err != nil {
		return nil, err
	}
	if mediaType == "multipart/form-data" {
		return multipartValues(body, params["boundary"])
	}
	return url.ParseQuery(string(body))
}

func FormObject(form url.Values) []byte {
	fields := map[string]string{}
	for name := range form {
		fields[name] = form.Get(name)
	}
	return MustJSON(fields)
}

// AddParams adds the parameters that the object does not have. A body that is not an object is left unchanged, and
// refused later.
func AddParams(body []byte, query url.Values) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	for name := range query {
		if _, given := fields[name]; !given && name != "access_token" {
			fields[name] = MustJSON(query.Get(name))
		}
	}
	return MustJSON(fields)
}

// DecodeParams decodes one JSON object and reports mistakes as the upstream does. It returns the object with strings
// that hold JSON of another type replaced by that JSON, as the upstream accepts it.
func DecodeParams(body []byte, v any) ([]byte, *Error) {
	if len(body) == 0 || body[0] != '{' {
		return body, BadParam("Invalid parameter: the body must be a JSON object")
	}
	err := json.Unmarshal(body, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Value == "string" {
		target := reflect.ValueOf(v).Elem()
		target.SetZero()
		body = unwrapStrings(body, target.Type())
		err = json.Unmarshal(body, v)
	}
	return body, typeError("", err)
}

// unwrapStrings replaces each parameter that is a string but should be of another type with the JSON in that string, if
// it holds any. A parameter that should be a string stays one, whatever it looks like.
func unwrapStrings(body []byte, target reflect.Type) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	for field := range target.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		var text string
		if isText(field.Type) || json.Unmarshal(fields[name], &text) != nil {
			continue
		}
		if json.Valid([]byte(text)) {
			fields[name] = json.RawMessage(text)
		}
	}
	return MustJSON(fields)
}

func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.String
}

// Raw is a parameter that is an object or a list. It is decoded later, when its type is known.
type Raw json.RawMessage

func (p *Raw) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[struct{}]()}
	}
	*p = bytes.Clone(b)
	return nil
}

// DecodeField decodes the value of a parameter that was kept raw.
func DecodeField[R ~[]byte](name string, raw R, v any) *Error {
	return typeError(name, json.Unmarshal(raw, v))
}

func typeError(within string, err error) *Error {
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return BadParam("Param %s must be a %s.", ParamName(within, wrong.Field), jsonKind(wrong.Type.Kind().String()))
	}
	return BadParam("Invalid parameter: the body is not valid JSON")
}

// ParamName writes a.b.c as a['b']['c'].
func ParamName(within, field string) string {
	parts := strings.Split(strings.Trim(within+"."+field, "."), ".")
	name := parts[0]
	for _, p := range parts[1:] {
		name += "['" + p + "']"
	}
	return name
}

func jsonKind(goKind string) string {
	switch goKind {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	case "slice":
		return "JSON array"
	case "struct", "map":
		return "JSON object"
	}
	return "number"
}

// Loose is a string that may also be written as a number, as ids, indexes and coordinates are.
type Loose string

func (l *Loose) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9') {
		*l = Loose(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(l))
}

// IsSet reports whether a raw parameter is present and not null.
func IsSet[R ~[]byte](raw R) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}

// TooLong reports a text over its limit, in characters.
func TooLong(param, s string, limit int) *Error {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return nil
	}
	return BadParam("Param %s must be at most %d characters long.", param, limit)
}

// Between reports a text that is empty or over its limit.
func Between(param, messageType, s string, limit int) *Error {
	if strings.TrimSpace(s) == "" {
		return Missing(param, messageType)
	}
	return TooLong(param, s, limit)
}

func IsWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && len(s) <= 2048
}

func multipartValues(body []byte, boundary string) (url.Values, error) {
	form := url.Values{}
	if boundary == "" {
		return form, errors.New("no boundary")
	}
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		form.Add(part.FormName(), string(value))
	}
}

// FirstError is the first error of several checks. All checks run, so it is for checks that change nothing.
func FirstError(errs ...*Error) *Error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func MustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // all values are our own
	}
	return b
}

// StringOrList is one string or several.
type StringOrList []string

func (l *StringOrList) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = StringOrList{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}
