package apitest

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

// An expected body is JSON in which a text may stand for what is not known beforehand:
//
//	<time>     any instant, as the API writes it
//	<now>      the clock's instant
//	<cursor>   any text that is not empty
//	<text>     the same
//	<lbl>      any id with this prefix, here lbl_…
//
// Variables, written ${name}, are put in before.

// diff compares a body with the expected one.
func diff(want string, got []byte, now time.Time) (string, error) {
	expected, err := decode([]byte(want))
	if err != nil {
		return "", err
	}
	actual, err := decode(got)
	if err != nil {
		return "", err
	}
	return cmp.Diff(fill(expected, actual, now), actual), nil
}

func decode(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// fill replaces each placeholder that the actual value fits by that value.
func fill(want, got any, now time.Time) any {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		filled := map[string]any{}
		for name, value := range want {
			filled[name] = fill(value, object[name], now)
		}
		return filled
	case []any:
		list, _ := got.([]any)
		filled := make([]any, len(want))
		for i, value := range want {
			if i < len(list) {
				value = fill(value, list[i], now)
			}
			filled[i] = value
		}
		return filled
	case string:
		if text, ok := got.(string); ok && fits(want, text, now) {
			return got
		}
	}
	return want
}

func fits(placeholder, text string, now time.Time) bool {
	name, ok := strings.CutPrefix(placeholder, "<")
	name, closed := strings.CutSuffix(name, ">")
	if !ok || !closed {
		return false
	}
	switch name {
	case "time":
		_, err := time.Parse(chat.TimeLayout, text)
		return err == nil
	case "now":
		return text == chat.FormatTime(now)
	case "cursor", "text":
		return text != ""
	default:
		return chat.Kind(name).Valid(text)
	}
}
