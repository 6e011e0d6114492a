package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// In every operation of the document and at any depth, an absent required value is missing, and one that is
// empty or null is wrong. The store is not read, so one engine is enough.
func TestRequiredValues(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	c := s.NewCase(t)
	connected(t, c)
	w := &requiredWalk{t: t, d: s.Document(), c: c}
	s.Unchanged(t, c.Org.ID, func() {
		for _, op := range documentedOperations(t, s.Document()) {
			if op.body == nil {
				continue
			}
			w.op = op
			for _, body := range w.bodies() {
				w.body = body
				w.object(op.body, body, "")
			}
		}
		for _, sent := range dependentFields {
			w.op, w.body = w.operation(sent.operation), decoded(t, sent.body)
			for _, path := range sent.required {
				w.field(path)
			}
		}
	})
	if w.checked < 300 {
		t.Errorf("only %d requests were checked", w.checked)
	}
}

// requiredWalk spoils the body of an operation, one field at a time.
type requiredWalk struct {
	t       *testing.T
	d       *apitest.Document
	c       *apitest.Case
	op      documentedOperation
	body    any
	checked int
}

func (w *requiredWalk) operation(id string) documentedOperation {
	all := documentedOperations(w.t, w.d)
	i := slices.IndexFunc(all, func(op documentedOperation) bool { return op.id == id })
	if i < 0 {
		w.t.Fatalf("there is no operation %s", id)
	}
	return all[i]
}

// bodies have every field of the schema, one body for each content of a message.
func (w *requiredWalk) bodies() (all []any) {
	if w.op.id != "sendMessage" {
		return []any{w.sample(w.op.body, "")}
	}
	properties := w.op.body["properties"].(map[string]any)
	for _, kind := range properties["type"].(map[string]any)["enum"].([]any) {
		all = append(all, map[string]any{
			"messaging_product": "chat", "to": "+15550001111", "context": map[string]any{"message_id": "x"},
			"type": kind, kind.(string): w.sample(properties[kind.(string)].(map[string]any), ""),
		})
	}
	return append(all, map[string]any{
		"messaging_product": "chat", "status": "read", "message_id": "x", "typing_indicator": map[string]any{"type": "text"},
	})
}

// sample is a value with every field of its schema.
func (w *requiredWalk) sample(schema map[string]any, name string) any {
	schema = resolve(w.d, schema)
	if forms, ok := schema["oneOf"].([]any); ok {
		return w.sample(forms[len(forms)-1].(map[string]any), name)
	}
	switch kind := kindOf(schema); kind {
	case "object":
		object := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			object[name] = w.sample(property.(map[string]any), name)
		}
		return object
	case "array":
		return []any{w.sample(schema["items"].(map[string]any), name)}
	case "boolean":
		return true
	case "integer", "number":
		return max(1, wholeNumber(schema["minimum"]))
	default:
		if name == "url" {
			return "https://hooks.example/in"
		}
		return sampleText(w.t, schema)
	}
}

// kindOf is the type of a schema beside null.
func kindOf(schema map[string]any) string {
	if list, ok := schema["type"].([]any); ok {
		for _, kind := range list {
			if kind != "null" {
				return kind.(string)
			}
		}
	}
	kind, _ := schema["type"].(string)
	return kind
}

// object spoils the required fields of an object and descends into its values.
func (w *requiredWalk) object(schema map[string]any, value any, path string) {
	schema = resolve(w.d, schema)
	if forms, ok := schema["oneOf"].([]any); ok {
		schema = resolve(w.d, forms[len(forms)-1].(map[string]any))
	}
	switch value := value.(type) {
	case []any:
		w.object(schema["items"].(map[string]any), value[0], path+"[0]")
	case map[string]any:
		required, _ := schema["required"].([]any)
		properties, _ := schema["properties"].(map[string]any)
		for name, child := range value {
			at := strings.TrimPrefix(path+"."+name, ".")
			if slices.Contains(required, any(name)) {
				w.field(at)
			}
			if property, ok := properties[name].(map[string]any); ok {
				w.object(property, child, at)
			}
		}
	}
}

// field leaves a field out, sends it empty and sends it as null.
func (w *requiredWalk) field(path string) {
	w.refused("absent", path, w.spoilt(path, nil, true), missing, path)
	w.refused("null", path, w.spoilt(path, nil, false), bad, path)
	switch value := valueAt(w.body, path).(type) {
	case string:
		if !slices.Contains(mayBeEmpty, path) {
			w.refused("empty", path, w.spoilt(path, "", false), emptyCode(w.op.id, path), path)
		}
	case []any:
		w.refused("empty", path, w.spoilt(path, []any{}, false), bad, path)
	case map[string]any:
		if len(value) > 0 { // what an empty object lacks is in it
			w.refused("empty", path, w.spoilt(path, map[string]any{}, false), missing, path+".*")
		}
	}
}

// mayBeEmpty are required texts for which empty is a value.
var mayBeEmpty = []string{"reaction.emoji"}

// emptyCode is the code of an empty text: that of any wrong value of the field.
func emptyCode(operation, path string) string {
	switch {
	case operation == "createWebhookSubscription" && path == "url":
		return "invalid_webhook_url"
	case (operation == "sendMessage" || operation == "testBroadcast") && path == "to":
		return noPhone
	}
	return bad
}

func (w *requiredWalk) refused(how, path string, body any, code, param string) {
	w.t.Helper()
	w.checked++
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	r := w.c.Call(w.t, apitest.Request{Method: w.op.method, Path: w.op.target(w.t, w.d), Body: string(text)})
	f := r.Failure(w.t)
	inside, anyInside := strings.CutSuffix(param, "*")
	if f.Code != code || f.Param != param && !(anyInside && strings.HasPrefix(f.Param, inside)) {
		w.t.Errorf("%s with %s %s: got %d %s at %q (%s), want %s at %q\n%s", w.op.id, path, how, r.Status, f.Code, f.Param, f.Message, code, param, text)
	}
}

// spoilt is the body with another value at a path, or without it.
func (w *requiredWalk) spoilt(path string, value any, absent bool) any {
	text, err := json.Marshal(w.body)
	if err != nil {
		w.t.Fatal(err)
	}
	copied := decoded(w.t, string(text))
	parent, name := copied, path
	if i := strings.LastIndex(path, "."); i >= 0 {
		parent, name = valueAt(copied, path[:i]), path[i+1:]
	}
	object, ok := parent.(map[string]any)
	if !ok {
		w.t.Fatalf("%s is not in %s", path, text)
	}
	object[name] = value
	if absent {
		delete(object, name)
	}
	return copied
}

// valueAt is the value at a path like items[0].name.
func valueAt(body any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(step, "[")
		object, _ := body.(map[string]any)
		body = object[name]
		if list, ok := body.([]any); ok && indexed {
			var i int
			fmt.Sscanf(index, "%d]", &i)
			body = list[i]
		}
	}
	return body
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// dependentFields are required because of another field, which a schema cannot express.
var dependentFields = []struct {
	operation, body string
	required        []string
}{
	{"sendMessage", toAda(hello), []string{"to", "type", "text"}},
	{"sendMessage", `{"messaging_product":"chat","recipient":"DE.abc",` + hello + `}`, []string{"type", "text"}},
	{"sendMessage", `{"messaging_product":"chat","status":"read","message_id":"x"}`, []string{"message_id"}},
	{"sendMessage", content("image", `{"link":"https://a.example"}`), []string{"image", "image.link"}},
	{"sendMessage", content("video", `{"link":"https://a.example"}`), []string{"video.link"}},
	{"sendMessage", content("document", `{"link":"https://a.example"}`), []string{"document.link"}},
	{"sendMessage", content("audio", `{"link":"https://a.example"}`), []string{"audio.link"}},
	{"sendMessage", content("interactive", `{"type":"button","header":{"type":"text","text":"x"},"body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"x"}}]}}`),
		[]string{"interactive.header.text", "interactive.action.buttons"}},
	{"sendMessage", content("interactive", `{"type":"button","header":{"type":"image","image":{"link":"https://a.example"}},"body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"x"}}]}}`),
		[]string{"interactive.header.image", "interactive.header.image.link"}},
	{"sendMessage", content("interactive", `{"type":"button","header":{"type":"document","document":{"link":"https://a.example"}},"body":{"text":"x"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"x"}}]}}`),
		[]string{"interactive.header.document", "interactive.header.document.link"}},
	{"sendMessage", content("interactive", `{"type":"cta_url","body":{"text":"x"},"action":{"name":"cta_url","parameters":{"display_text":"x","url":"https://a.example"}}}`),
		[]string{"interactive.action.name", "interactive.action.parameters"}},
	{"sendMessage", content("interactive", `{"type":"list","body":{"text":"x"},"action":{"button":"x","sections":[{"title":"a","rows":[{"id":"1","title":"x"}]},{"title":"b","rows":[{"id":"2","title":"x"}]}]}}`),
		[]string{"interactive.action.button", "interactive.action.sections", "interactive.action.sections[1].title", "interactive.action.sections[1].rows"}},
	{"createTemplate", newTemplate("UTILITY", `{"type":"HEADER","format":"TEXT","text":"x"},{"type":"BODY","text":"x"},{"type":"FOOTER","text":"x"}`),
		[]string{"components[0].text", "components[1].text", "components[2].text"}},
	{"createTemplate", newTemplate("UTILITY", `{"type":"HEADER","format":"IMAGE","example":{"header_url":"https://a.example"}},{"type":"BODY","text":"x"}`),
		[]string{"components[0].format", "components[0].example.header_url"}},
	{"createTemplate", newTemplate("UTILITY", `{"type":"BODY","text":"Hello {{1}} there, and good day.","example":{"body_text":[["x"]]}}`), []string{"components[0].example.body_text"}},
	{"createTemplate", newTemplate("UTILITY", `{"type":"BODY","text":"x"},{"type":"BUTTONS","buttons":[{"type":"URL","text":"x","url":"https://a.example/{{1}}","example":["https://a.example/1"]},{"type":"PHONE_NUMBER","text":"x","phone_number":"+15550001111"}]}`),
		[]string{"components[1].buttons", "components[1].buttons[0].text", "components[1].buttons[0].url", "components[1].buttons[0].example", "components[1].buttons[1].phone_number"}},
	{"createTemplate", newTemplate("MARKETING", `{"type":"BODY","text":"x"},{"type":"CAROUSEL","cards":[{"components":[{"type":"HEADER","format":"IMAGE","example":{"header_url":"https://a.example"}},{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"x"}]}]}]}`),
		[]string{"components[1].cards", "components[1].cards[0].components[0].format", "components[1].cards[0].components[1].buttons"}},
	{"createTemplate", newTemplate("AUTHENTICATION", `{"type":"BODY"},{"type":"FOOTER","code_expiration_minutes":5},{"type":"BUTTONS","buttons":[{"type":"OTP","otp_type":"ZERO_TAP","zero_tap_terms_accepted":true,"supported_apps":[{"package_name":"a.b","signature_hash":"01234567890"}]}]}`),
		[]string{"components[1].code_expiration_minutes", "components[2].buttons", "components[2].buttons[0].otp_type", "components[2].buttons[0].supported_apps", "components[2].buttons[0].zero_tap_terms_accepted"}},
}

func newTemplate(category, components string) string {
	return `{"name":"x","language":"de","category":"` + category + `","components":[` + components + `]}`
}
