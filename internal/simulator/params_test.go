package simulator

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// wireForms are the ways in which a client may send the same parameters.
var wireForms = map[string]func(t *rapid.T, params map[string]any) *http.Request{
	"json": func(t *rapid.T, params map[string]any) *http.Request {
		return jsonRequest("/", params)
	},
	"json in strings": func(t *rapid.T, params map[string]any) *http.Request {
		wrapped := map[string]any{}
		for name, v := range params {
			wrapped[name] = v
			if _, isText := v.(string); !isText && rapid.Bool().Draw(t, "wrap "+name) {
				wrapped[name] = asText(v)
			}
		}
		return jsonRequest("/", wrapped)
	},
	"form": func(t *rapid.T, params map[string]any) *http.Request {
		req := httptest.NewRequest("POST", "/", strings.NewReader(asForm(params).Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return req
	},
	"multipart": func(t *rapid.T, params map[string]any) *http.Request {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for name, values := range asForm(params) {
			if err := w.WriteField(name, values[0]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest("POST", "/", &body)
		req.Header.Set("Content-Type", w.FormDataContentType())
		return req
	},
	"query": func(t *rapid.T, params map[string]any) *http.Request {
		inQuery, inBody := map[string]any{}, map[string]any{}
		for name, v := range params {
			if rapid.Bool().Draw(t, "in query "+name) {
				inQuery[name] = v
			} else {
				inBody[name] = v
			}
		}
		return jsonRequest("/?access_token=x&"+asForm(inQuery).Encode(), inBody)
	},
}

func jsonRequest(target string, params map[string]any) *http.Request {
	return httptest.NewRequest("POST", target, bytes.NewReader(wire.MustJSON(params)))
}

func asText(v any) string {
	if s, isText := v.(string); isText {
		return s
	}
	return string(wire.MustJSON(v))
}

func asForm(params map[string]any) url.Values {
	form := url.Values{}
	for name, v := range params {
		form.Set(name, asText(v))
	}
	return form
}

// kinds has a parameter of every kind that calls take.
type kinds struct {
	Text   string            `json:"text"`
	Maybe  *string           `json:"maybe"`
	Loose  wire.Loose        `json:"loose"`
	Raw    wire.Raw          `json:"raw"`
	Object map[string]string `json:"object"`
	Struct *struct {
		Name string `json:"name"`
	} `json:"struct"`
	List []string `json:"list"`
	On   *bool    `json:"on"`
	Many int      `json:"many"`
}

// TestParametersMeanTheSameInEveryForm shows that parameters can be sent as JSON, as JSON inside strings, as forms or
// in the query. A text stays a text, even if it looks like JSON.
func TestParametersMeanTheSameInEveryForm(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`{"a": 1}`, `["x"]`, `"quoted"`, "12", "true", "null", "{", ""}))
	object := rapid.MapOf(rapid.StringN(1, 5, -1), text)
	rapid.Check(t, func(t *rapid.T) {
		params := map[string]any{
			"text": text.Draw(t, "text"), "maybe": text.Draw(t, "maybe"), "loose": text.Draw(t, "loose"), "raw": object.Draw(t, "raw"),
			"object": object.Draw(t, "object"), "struct": map[string]any{"name": text.Draw(t, "name")},
			"list": rapid.SliceOf(text).Draw(t, "list"), "on": rapid.Bool().Draw(t, "on"), "many": rapid.Int().Draw(t, "many"),
		}
		for name := range params {
			if rapid.Bool().Draw(t, "leave out "+name) {
				delete(params, name)
			}
		}
		var want kinds
		if err := json.Unmarshal(wire.MustJSON(params), &want); err != nil {
			t.Fatal(err)
		}
		form := rapid.SampledFrom(sortedKeys(wireForms)).Draw(t, "form")
		c := &call{Request: wireForms[form](t, params)}
		var got kinds
		if err := c.decode(&got); err != nil {
			t.Fatalf("%s: %s", form, err.Text())
		}
		if !reflect.DeepEqual(canonical(got), canonical(want)) {
			t.Fatalf("%s: got %s, want %s", form, wire.MustJSON(got), wire.MustJSON(want))
		}
		var again kinds
		if err := json.Unmarshal(c.sent, &again); err != nil || !reflect.DeepEqual(canonical(again), canonical(want)) {
			t.Fatalf("%s: what is kept is %s, %v", form, c.sent, err)
		}
	})
}

// canonical makes raw JSON comparable by its content.
func canonical(k kinds) any {
	var raw any
	_ = json.Unmarshal(k.Raw, &raw) // it is empty if it was left out
	k.Raw = nil
	return []any{k, raw}
}

func TestMessageInEveryForm(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	body := text(testPerson, "hi")
	stringed := map[string]any{}
	for name, v := range with(body, "biz_opaque_callback_data", `{"order": 7}`) {
		stringed[name] = asText(v)
	}
	id := r.send(stringed)
	sent := r.control("GET", "messages/"+id, nil)
	if dig(sent.body, "body", "text", "body") != "hi" || dig(sent.body, "biz_opaque_callback_data") != `{"order": 7}` {
		t.Errorf("kept: %s", sent.raw)
	}
	for name, wrong := range map[string]any{"a text": "hi", "an object that is cut off": `{"body": "hi"`, "a number": "12"} {
		got := r.do("POST", "/"+testNumber+"/messages", with(text(testPerson, ""), "text", wrong))
		if got.code() != 100 || !strings.Contains(string(got.raw), "Param text must be a JSON object.") {
			t.Errorf("%s instead of an object: %s", name, got.raw)
		}
	}
}

// TestScriptedReplyToAForm shows that a person reads a message whatever form it was sent in.
func TestScriptedReplyToAForm(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	form := url.Values{"messaging_product": {"whatsapp"}, "to": {DemoPhone}, "type": {"text"}, "text": {`{"body": "hi"}`}}
	req, err := http.NewRequest("POST", r.url+"/"+testNumber+"/messages", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+testToken)
	if got, err := r.request(req); err != nil || got.status != http.StatusOK {
		t.Fatalf("send: %v %s", err, got.raw)
	}
	r.settle(1e10)
	for _, c := range r.recv.all() {
		if c.value["messages"] != nil {
			return
		}
	}
	t.Error("nobody answered")
}

// TestParametersInTheQuery uses the form in which the upstream's documentation requests codes.
func TestParametersInTheQuery(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "status": "PENDING", "unverified": true})
	for _, call := range []string{"request_code?code_method=SMS&language=en_US", "verify_code?code=123456"} {
		if got := r.do("POST", "/v20.0/"+testNumber+"/"+call, nil); got.body["success"] != true {
			t.Errorf("%s: %s", call, got.raw)
		}
	}
}
