package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest/resttest"
	"github.com/parleyhq/parley/internal/store"
)

// decodeProbe decodes a body as operations do.
func decodeProbe(text []byte) (body resttest.ProbeBody, err error) {
	err = probeBinder.body.decode(text, &body)
	return body, err
}

var probeBinder = newInputBinder[struct{ Body resttest.ProbeBody }](newDocument("/", nothing))

// Any body is either refused with an error of the contract or decoded to the values in its text.
func FuzzDecodeBody(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `{}`, `{"name":"n","kind":"a"}`, `{"name":"n","kind":"a","x":1}`, `{"name":"é😀\u00e9\ud83d\ude00","kind":"b"}`,
		`{"name":"n","kind":"a","count":-5,"small":127,"big":9223372036854775807,"ratio":1.5e-3,"flag":true,"note":null}`,
		`{"name":"n","kind":"a","email":"a@b.c","at":"2026-03-01T12:00:00Z","link":"https://a.b/c","code":"ab","tags":["x","y"]}`,
		`{"name":"n","kind":"a","inner":{"id":"1","title":"t"},"items":[{"id":"2"},{"id":"3","x":{}}],"free":{"a":[1,2.5,"x",null,false]}}`,
		`{"name":"n","NAME":"m","kind":"a"}`, `{"name":"n","name":"m","kind":"a"}`, `{"free":"\u0000","name":"n","kind":"a"}`, `{"free":"\\u0000","name":"n","kind":"a"}`,
		`{"name":"\ud800","kind":"a"}`, "{\"name\":\"\xff\"}", `{"ratio":1e400}`, `{"count":01}`, `[]`, `null`, `{"a":{"a":{"a":{}}}}`, `{}{}`, "\ufeff{}", `{"x":1e999,"name":"n","kind":"a","ratio":-0.0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := decodeProbe(text)
		if err != nil {
			requireRefusal(t, err)
			return
		}
		want := map[string]any{}
		if err := decodeOld(text, &want); err != nil {
			t.Fatalf("it was taken, and encoding/json says: %v", err)
		}
		requireSame(t, "", reflect.ValueOf(got), want)
		requireRules(t, got)
	})
}

func requireRefusal(t *testing.T, err error) {
	t.Helper()
	refusal, ok := errors.AsType[*chat.Error](err)
	if !ok {
		t.Fatalf("an error of another kind: %v", err)
	}
	codes := []chat.Code{chat.CodeInvalidJSON, chat.CodeInvalidFieldValue, chat.CodeMissingRequiredField}
	if !slices.Contains(codes, refusal.Code) || refusal.Message == "" {
		t.Errorf("got %+v", refusal)
	}
	if !utf8.ValidString(refusal.Param+refusal.Message) || len(refusal.Param) > 200 || len(refusal.Message) > 1000 {
		t.Errorf("not fit to show: %q %q", refusal.Param, refusal.Message)
	}
	if refusal.Code != chat.CodeInvalidJSON && refusal.Param == "" {
		t.Error("it does not say which field")
	}
}

// decodeOld reads JSON with the standard library's first JSON package, as an independent reader.
func decodeOld(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is more")
	}
	return nil
}

// requireSame compares the decoded values with the text, field by field.
func requireSame(t *testing.T, path string, got reflect.Value, want any) {
	t.Helper()
	switch got.Kind() {
	case reflect.Struct:
		requireSameFields(t, path, got, want)
	case reflect.Pointer:
		if got.IsNil() != (want == nil) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		} else if want != nil {
			requireSame(t, path, got.Elem(), want)
		}
	case reflect.Slice:
		list, _ := want.([]any)
		if got.Len() != len(list) {
			t.Fatalf("%s: got %v, want %v", path, got, want)
		}
		for i, item := range list {
			requireSame(t, path+"[]", got.Index(i), item)
		}
	default:
		if d := cmp.Diff(plain(want, got.Kind()), got.Interface()); d != "" {
			t.Errorf("%s (-want +got)\n%s", path, d)
		}
	}
}

func requireSameFields(t *testing.T, path string, got reflect.Value, want any) {
	t.Helper()
	object, ok := want.(map[string]any)
	if !ok {
		t.Fatalf("%s: got %v, want %v", path, got, want)
	}
	for i := range got.NumField() {
		name, _, _ := strings.Cut(got.Type().Field(i).Tag.Get("json"), ",")
		if value, given := object[name]; given {
			requireSame(t, path+"."+name, got.Field(i), value)
		} else if !got.Field(i).IsZero() {
			t.Errorf("%s.%s: got %v, and nothing was given", path, name, got.Field(i))
		}
	}
}

// plain converts a value of the old package to the kind that a field holds.
func plain(v any, kind reflect.Kind) any {
	switch v := v.(type) {
	case json.Number:
		whole, _ := strconv.ParseInt(string(v), 10, 64)
		fraction, _ := strconv.ParseFloat(string(v), 64)
		return map[reflect.Kind]any{reflect.Int64: whole, reflect.Int8: int8(whole), reflect.Float64: fraction, reflect.Interface: fraction}[kind]
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item, reflect.Interface)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, item := range v {
			object[name] = plain(item, reflect.Interface)
		}
		return object
	default:
		return v
	}
}

// requireRules checks that an accepted body keeps the documented rules.
func requireRules(t *testing.T, got resttest.ProbeBody) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	length := utf8.RuneCountInString
	for rule, kept := range map[string]bool{
		"no NUL": !hasNUL(t, text),
		"name":   length(got.Name) >= 1 && length(got.Name) <= 10,
		"kind":   got.Kind == "a" || got.Kind == "b",
		"count":  got.Count >= -5 && got.Count <= 1000,
		"ratio":  !math.IsInf(got.Ratio, 0) && !math.IsNaN(got.Ratio),
		"note":   got.Note == nil || length(*got.Note) <= 10,
		"code":   got.Code == "" || len(got.Code) == 2,
		"tags":   got.Tags == nil || len(got.Tags) >= 1 && len(got.Tags) <= 3,
		"inner":  got.Inner == nil || length(got.Inner.Title) <= 5,
	} {
		if !kept {
			t.Errorf("the rule of %s is broken by %s", rule, text)
		}
	}
}

func hasNUL(t *testing.T, text []byte) bool {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(string); ok && strings.ContainsRune(s, 0) {
			return true
		}
	}
}

// A cursor opens only if we made it, and only in the scope we made it for.
func FuzzCursorDecode(f *testing.F) {
	codec := cursorCodec{[]byte("the key of this test")}
	scope := cursorScope{orgID: "org_1", list: "listLabels", filters: "team_id=x"}
	made := map[string]bool{}
	for _, at := range []store.Position{
		{At: time.UnixMilli(0), ID: ""}, {At: time.UnixMilli(1_700_000_000_000), ID: "lbl_0123456789ABCDEFGHJKMNPQRS"}, {At: time.UnixMilli(-1), ID: "é"},
	} {
		text := codec.encode(scope, at)
		made[text] = true
		f.Add(text)
		f.Add((cursorCodec{[]byte("another key")}).encode(scope, at))
		f.Add(codec.encode(cursorScope{orgID: "org_2"}, at))
		f.Add(text + "=")
		f.Add(text[:4] + "\r\n" + text[4:])
	}
	f.Add("")
	f.Add(strings.Repeat("A", 60))
	f.Fuzz(func(t *testing.T, text string) {
		at, err := codec.decode(scope, text)
		if (err == nil) != made[text] {
			t.Fatalf("%q opens: %v, %v", text, at, err)
		}
		if err == nil {
			if again := codec.encode(scope, at); again != text {
				t.Errorf("%q becomes %q", text, again)
			}
			return
		}
		if refusal, ok := errors.AsType[*chat.Error](err); !ok || refusal.Code != chat.CodeInvalidCursor || refusal.Param != "cursor" {
			t.Errorf("got %v", err)
		}
	})
}
