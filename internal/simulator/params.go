package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"
)

// decodeParams decodes one JSON object and reports mistakes as the upstream does.
func decodeParams(body []byte, v any) *graphError {
	if len(body) == 0 || body[0] != '{' {
		return badParam("Invalid parameter: the body must be a JSON object")
	}
	return typeError("", json.Unmarshal(body, v))
}

// decodeField decodes the value of a parameter that was kept raw.
func decodeField(name string, raw json.RawMessage, v any) *graphError {
	return typeError(name, json.Unmarshal(raw, v))
}

func typeError(within string, err error) *graphError {
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return badParam("Param %s must be a %s.", paramName(within, wrong.Field), jsonKind(wrong.Type.Kind().String()))
	}
	return badParam("Invalid parameter: the body is not valid JSON")
}

// paramName writes a.b.c as a['b']['c'].
func paramName(within, field string) string {
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

// loose is a string that may also be written as a number, as ids, indexes and coordinates are.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9') {
		*l = loose(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(l))
}

// isSet reports whether a raw parameter is present and not null.
func isSet(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}

// tooLong reports a text over its limit, in characters.
func tooLong(param, s string, limit int) *graphError {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return nil
	}
	return badParam("Param %s must be at most %d characters long.", param, limit)
}

// between reports a text that is empty or over its limit.
func between(param, messageType, s string, limit int) *graphError {
	if strings.TrimSpace(s) == "" {
		return missing(param, messageType)
	}
	return tooLong(param, s, limit)
}

func isWebURL(s string) bool {
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

// firstError is the first of several checks that failed. All of them run: it is for checks that
// change nothing.
func firstError(errs ...*graphError) *graphError {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
