package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
)

func probe(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/probe", Body: body}
}

// probeWith is a valid body with these fields added.
func probeWith(fields string) apitest.Request { return probe(`{"name":"n","kind":"a",` + fields + `}`) }

// echoed is the answer to a probe.
func echoed(fields string) string {
	return `{"data":{"object":"probe","echo":` + fields + `},"request_id":"<req>"}`
}

func refusals(code, param string, bodies ...string) (scenarios []apitest.Scenario) {
	for _, body := range bodies {
		name := fmt.Sprintf("%.60q", body)
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: probe(body), Code: code, Param: param})
	}
	return scenarios
}

func TestBrokenJSON(t *testing.T) {
	good := `{"name":"n","kind":"a"}`
	apitest.RunEach(t, append(
		refusals("invalid_json", "",
			// No object.
			`null`, `true`, `1`, `"x"`, `[]`, `[{"name":"n","kind":"a"}]`, `""`,
			// No JSON.
			`{`, `}`, `x`, `{"name"`, `{"name":`, `{"name":"n"`, `{"name":"n",`, `{"name":"n",}`, `{,}`, `{"name" "n"}`,
			`{name:"n"}`, `{'name':'n'}`, `{"name":"n" "kind":"a"}`, `{"name":"n";"kind":"a"}`, `{"name":n}`, `{1:2}`,
			`{"name":"n","x":NaN}`, `{"x":Infinity}`, `{"x":-}`, `{"x":+1}`, `{"x":01}`, `{"x":1.}`, `{"x":.5}`, `{"x":0x1}`, `{"x":1e}`,
			`{"x":tru}`, `{"x":True}`, `{"x":undefined}`, `{"x":[1,]}`, `{"x":[}`, `{"x":[1 2]}`, `/**/{}`, `{}//`, `name=n&kind=a`, `<a/>`,
			"{\"name\":\"a\nb\"}", "{\"name\":\"a\tb\"}", "{\"name\":\"a\x00b\"}", `{"name":"\x41"}`, `{"name":"\u12"}`, `{"name":"\u12G4"}`, `{"name":"\`, `{"name":"n}`,
			"\ufeff"+good, "\x00"+good, "\v", "\f", "\u00a0", "\u0085", "\u00a0"+good,
			// More than one value.
			good+good, good+` x`, good+`,`, good+`}`, good+` null`, good+"\x00", good+"\u00a0", `{} {}`, `1 2`,
			// Broken UTF-8, wherever it is.
			"{\"name\":\"\xff\"}", "{\"name\":\"\xc0\x80\"}", "{\"name\":\"\xed\xa0\x80\"}", "{\"name\":\"\xf5\x80\x80\x80\"}", "{\"name\":\"\xe2\x82\"}",
			"{\"x\":\"\xff\"}", "{\"x\":{\"y\":[\"\xff\"]}}", "{\"\xff\":1}", "{\"x\":{\"\xff\":1}}",
			`{"name":"\ud800"}`, `{"name":"\udc00"}`, `{"name":"\ud800\u0041"}`, `{"name":"\ud800\ud800"}`, `{"name":"\udc00\ud800"}`,
			`{"x":"\ud800"}`, `{"x":["\udfff"]}`, `{"\ud800":1}`,
			// Too deep.
			`{"deep":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}`, `{"a\"":"[{","x":`+strings.Repeat(`[{"y":`, 50)+`1`+strings.Repeat("}]", 50)+`}`,
			`{"x":`+strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001)+`}`,
			`{"free":`+strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001)+`}`,
			strings.Repeat("[", 200_000), `{"x":`+strings.Repeat(`{"x":`, 100_000),
		),
		refusals("missing_required_field", "name", "", " ", "\r\n\t ", `{}`, " { } ")...,
	), api.Probes(nil))
}

func TestDuplicateFields(t *testing.T) {
	var scenarios []apitest.Scenario
	for body, param := range map[string]string{
		`{"name":"n","kind":"a","name":"m"}`:                 "name",
		`{"name":"n","kind":"a","name":"n"}`:                 "name",
		`{"name":"n","kind":"a","n\u0061me":"m"}`:            "name",
		`{"x":1,"name":"n","kind":"a","x":1}`:                "x",
		`{"x":{"a":1,"a":2}}`:                                "x.a",
		`{"x":[0,{"a":{"b":1,"c":2,"b":3}}]}`:                "x[1].a.b",
		`{"name":{"a":1,"a":2}}`:                             "name.a",
		`{"inner":{"id":"1","id":"2"}}`:                      "inner.id",
		`{"inner":{"id":"1","x":1,"x":2}}`:                   "inner.x",
		`{"items":[{"id":"1"},{"id":"1","id":"2"}]}`:         "items[1].id",
		`{"free":{"a":[{"b":1,"b":1}]}}`:                     "free.a[0].b",
		`{"free":{"ä":1,"\u00e4":1}}`:                        "free.ä",
		`{"x":{"a/b~c.d":{"":1,"":1}}}`:                      "x.a/b~c.d.",
		`{"tags":["a",{"a":1,"a":2}]}`:                       "tags[1].a",
		`{"` + strings.Repeat("x", 300) + `":{"a":1,"a":2}}`: strings.Repeat("x", 200),
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: fmt.Sprintf("%.60q", body), Request: probe(body), Code: "invalid_json", Param: param})
	}
	scenarios = append(scenarios,
		apitest.Scenario{Name: "at the top, without a name", Request: probe(`{"":1,"":1}`), Code: "invalid_json"},
		apitest.Scenario{Name: "names in another case are others", Request: probe(`{"name":"n","kind":"a","NAME":"m","Name":1}`), Status: http.StatusCreated, Want: echoed(`{"name":"n","kind":"a"}`)},
		apitest.Scenario{Name: "the same name in other objects", Request: probeWith(`"x":{"name":1,"x":{"name":2}},"inner":{"id":"name"}`), Status: http.StatusCreated, Want: echoed(`{"name":"n","kind":"a","inner":{"id":"name"}}`)},
	)
	apitest.RunEach(t, scenarios, api.Probes(nil))
}

func TestWrongTypesAndValues(t *testing.T) {
	bad := map[string][]string{ // by the field that is to blame
		"name":        {`"name":null`, `"name":1`, `"name":true`, `"name":[]`, `"name":{}`, `"name":""`, `"name":"12345678901"`, `"name":"a\u0000"`},
		"kind":        {`"kind":null`, `"kind":"c"`, `"kind":"A"`, `"kind":""`, `"kind":"a "`, `"kind":1`, `"kind":["a"]`},
		"count":       {`"count":null`, `"count":"1"`, `"count":1.5`, `"count":1.0`, `"count":1e2`, `"count":1001`, `"count":-6`, `"count":true`, `"count":[]`, `"count":9223372036854775808`, `"count":1e999999`, `"count":` + strings.Repeat("9", 5000)},
		"small":       {`"small":128`, `"small":-129`, `"small":1e1`},
		"big":         {`"big":9223372036854775808`, `"big":-9223372036854775809`, `"big":1E400`},
		"ratio":       {`"ratio":1e400`, `"ratio":-1e400`, `"ratio":"1"`, `"ratio":null`},
		"flag":        {`"flag":null`, `"flag":0`, `"flag":"true"`, `"flag":[]`},
		"note":        {`"note":1`, `"note":"12345678901"`, `"note":"\u0000"`},
		"email":       {`"email":"x"`, `"email":"A <a@b.c>"`, `"email":"a@b.c, d@e.f"`, `"email":""`, `"email":"a@b\n.c"`, `"email":1`},
		"at":          {`"at":"2026-03-01"`, `"at":"2026-03-01 12:00:00Z"`, `"at":"2026-02-30T12:00:00Z"`, `"at":""`, `"at":1772366400`},
		"link":        {`"link":"/path"`, `"link":""`, `"link":"http://[::1"`, `"link":1`},
		"code":        {`"code":"abc"`, `"code":"AB"`, `"code":"ab\n"`, `"code":""`},
		"tags":        {`"tags":null`, `"tags":{}`, `"tags":"a"`, `"tags":[]`, `"tags":["a","b","c","d"]`},
		"tags[1]":     {`"tags":["a",1]`, `"tags":["a",null]`, `"tags":["a",["b"]]`, `"tags":["a","\u0000"]`},
		"inner":       {`"inner":null`, `"inner":"x"`, `"inner":[]`, `"inner":1`},
		"inner.id":    {`"inner":{"id":1}`, `"inner":{"id":null}`},
		"inner.title": {`"inner":{"id":"1","title":"123456"}`, `"inner":{"title":{},"id":"1"}`},
		"items":       {`"items":null`, `"items":{}`},
		"items[0]":    {`"items":[1]`, `"items":[null]`, `"items":["x"]`},
		"items[1].id": {`"items":[{"id":"1"},{"id":2}]`},
		"free":        {`"free":"\u0000"`, `"free":{"a":["b\u0000"]}`, `"free":{"\u0000":1}`, `"free":"\\\u0000"`},
		"free.a[0]":   {`"free":{"a":[1e999]}`},
	}
	var scenarios []apitest.Scenario
	for param, fields := range bad {
		for _, field := range fields {
			request := probeWith(field)
			switch {
			case strings.HasPrefix(field, `"name"`):
				request = probe(`{` + field + `,"kind":"a"}`)
			case strings.HasPrefix(field, `"kind"`):
				request = probe(`{` + field + `,"name":"n"}`)
			}
			scenarios = append(scenarios, apitest.Scenario{Name: fmt.Sprintf("%.60q", field), Request: request, Code: "invalid_field_value", Param: param})
		}
	}
	apitest.RunEach(t, scenarios, api.Probes(nil))
}

func TestFirstErrorByDocumentOrder(t *testing.T) {
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "both missing", Request: probe(`{}`), Code: "missing_required_field", Param: "name"},
		{Name: "the second missing", Request: probe(`{"name":"n"}`), Code: "missing_required_field", Param: "kind"},
		{Name: "missing before bad, though later", Request: probe(`{"name":1}`), Code: "missing_required_field", Param: "kind"},
		{Name: "missing inside before bad outside", Request: probe(`{"name":1,"kind":"c","inner":{}}`), Code: "missing_required_field", Param: "inner.id"},
		{Name: "missing in a list before bad in it", Request: probe(`{"name":"n","kind":"a","items":[{"id":1},{"title":"t"}]}`), Code: "missing_required_field", Param: "items[1].id"},
		{Name: "an object before a list", Request: probe(`{"items":[{}],"inner":{},"name":"n","kind":"a"}`), Code: "missing_required_field", Param: "inner.id"},
		{Name: "two bad, in the text the other way round", Request: probe(`{"ratio":"x","count":"x","kind":"x","name":"n"}`), Code: "invalid_field_value", Param: "kind"},
		{Name: "two bad inside", Request: probe(`{"name":"n","kind":"a","inner":{"title":1,"id":1}}`), Code: "invalid_field_value", Param: "inner.id"},
		{Name: "the first of a list", Request: probe(`{"name":"n","kind":"a","tags":["a",1,2]}`), Code: "invalid_field_value", Param: "tags[1]"},
		{Name: "syntax before everything", Request: probe(`{"name":1,"kind":1,}`), Code: "invalid_json"},
		{Name: "a duplicate before everything", Request: probe(`{"name":1,"x":{"y":1,"y":1}}`), Code: "invalid_json", Param: "x.y"},
	}, api.Probes(nil))
}

func TestBodiesAreTakenExactly(t *testing.T) {
	same := func(fields string) apitest.Scenario {
		return apitest.Scenario{
			Name: fmt.Sprintf("%.60q", fields), Request: probe(`{"name":"n","kind":"a",` + fields + `}`),
			Status: http.StatusCreated, Want: echoed(`{"name":"n","kind":"a",` + fields + `}`),
		}
	}
	apitest.RunEach(t, []apitest.Scenario{
		same(`"count":1000`), same(`"count":-5`), same(`"small":127`), same(`"small":-128`), same(`"big":9223372036854775807`), same(`"big":-9223372036854775808`),
		same(`"ratio":0.1`), same(`"ratio":-1.5`), same(`"flag":true`), same(`"note":"x"`), same(`"email":"a.b+c@example.com"`),
		same(`"at":"2026-03-01T12:00:00.123+05:30"`), same(`"link":"https://example.com/a?b#c"`), same(`"code":"ab"`), same(`"tags":["","b","c"]`),
		same(`"inner":{"id":"","title":"12345"}`), same(`"items":[{"id":"1"},{"id":"2","title":"😀😀😀😀😀"}]`),
		same(`"free":{"a":[1,2.5,"x",null,true,{"b":{}}]}`), same(`"free":"\\u0000"`), same(`"free":["\\\\u0000","\\"]`), same(`"free":[]`), same(`"free":false`),
		{Name: "null where it is allowed", Request: probeWith(`"note":null,"free":null`), Status: http.StatusCreated, Want: echoed(`{"name":"n","kind":"a"}`)},
		{Name: "minus zero", Request: probeWith(`"count":-0`), Status: http.StatusCreated},
		{Name: "a tiny number", Request: probeWith(`"ratio":1e-400`), Status: http.StatusCreated},
		{Name: "escapes", Request: probe(`{"n\u0061me":"\u00e9\ud83d\ude00\/","kind":"\u0061"}`), Status: http.StatusCreated, Want: echoed(`{"name":"é😀/","kind":"a"}`)},
		{Name: "white space", Request: probe(" \r\n\t{ \"name\" :\n\"n\" , \"kind\":\"a\"\t} \r\n"), Status: http.StatusCreated},
		{Name: "much that is unknown", Request: probeWith(`"x":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `,"y":1e999999,"z":{"name":"","kind":0}`), Status: http.StatusCreated, Want: echoed(`{"name":"n","kind":"a"}`)},
		{Name: "unknown parameters", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/probe?name=x&;=;&a=%FF&b=%zz", Body: `{"name":"n","kind":"a"}`}, Status: http.StatusCreated, Want: echoed(`{"name":"n","kind":"a"}`)},
	}, api.Probes(nil))
}

func TestPatchNeedsAKnownField(t *testing.T) {
	patch := func(body string) apitest.Request {
		return apitest.Request{Method: http.MethodPatch, Path: "/v1/probe/abc", Body: body}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "none", Request: patch(`{}`), Code: "missing_required_field", Param: "name"},
		{Name: "unknown", Request: patch(`{"x":1}`), Code: "missing_required_field", Param: "name"},
		{Name: "unknown with a duplicate", Request: patch(`{"x":1,"x":2}`), Code: "invalid_json", Param: "x"},
		{Name: "the second", Request: patch(`{"count":0}`), Status: http.StatusOK, Want: echoed(`{"count":0}`)},
		{Name: "null", Request: patch(`{"count":null}`), Code: "invalid_field_value", Param: "count"},
		{Name: "bad", Request: patch(`{"name":""}`), Code: "invalid_field_value", Param: "name"},
		{Name: "no body", Request: patch(``), Code: "missing_required_field", Param: "name"},
		{Name: "bad id", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/probe/ABC", Body: `{"count":0}`}, Code: "invalid_field_value", Param: "id"},
	}, api.Probes(nil))
}

func TestContentTypes(t *testing.T) {
	as := func(contentType string) apitest.Request {
		r := newLabel(`{"name":"x"}`)
		r.Header = http.Header{"Content-Type": {contentType}}
		return r
	}
	var scenarios []apitest.Scenario
	for _, given := range []string{"application/json", "APPLICATION/JSON", "application/json; charset=utf-8", `application/json;charset="UTF-8"`, "application/json; version=2", ""} {
		scenarios = append(scenarios, apitest.Scenario{Name: "taken " + given, Request: as(given), Status: http.StatusCreated, Change: labelMade})
	}
	for _, given := range []string{
		"text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/problem+json", "application/*", "*/*",
		"application/json; charset=iso-8859-1", "application/json; charset=utf-16", "application/json; charset", "application", "application/json, text/plain", ";",
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: "refused " + given, Request: as(given), Code: "unsupported_media_type"})
	}
	for _, given := range []string{"gzip", "GZIP", "br", "identity", "utf-8"} {
		r := as("application/json")
		r.Header.Set("Content-Encoding", given)
		scenario := apitest.Scenario{Name: "encoded as " + given, Request: r, Code: "unsupported_media_type"}
		if given == "identity" || given == "utf-8" { // some think that this is the place for it
			scenario.Code, scenario.Status, scenario.Change = "", http.StatusCreated, labelMade
		}
		scenarios = append(scenarios, scenario)
	}
	none := as("text/plain")
	none.Body = ""
	scenarios = append(scenarios, apitest.Scenario{Name: "without a body it does not matter", Request: none, Code: "missing_required_field", Param: "name"})
	apitest.RunEach(t, scenarios)
}

func TestLargeBodies(t *testing.T) {
	padded := func(size int) string {
		start, end := `{"name":"x","pad":"`, `"}`
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	closes := func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
		if !r.Closed {
			t.Error("the connection stays open, and the rest of the body with it")
		}
	}
	stream := func(size int) apitest.Request {
		r := newLabel("")
		r.Stream = io.MultiReader(strings.NewReader(padded(size))) // hides its length
		return r
	}
	apitest.Each(t, func(t *testing.T, s *apitest.Server) { // a stream can be read once
		apitest.Run(t, s, []apitest.Scenario{
			{Name: "as large as may be", Request: newLabel(padded(api.MaxBody)), Status: http.StatusCreated, Change: labelMade},
			{Name: "as large as may be, in chunks", Request: stream(api.MaxBody), Status: http.StatusCreated, Change: labelMade},
			{Name: "larger", Request: newLabel(padded(api.MaxBody + 1)), Code: "payload_too_large", Then: closes},
			{Name: "larger, in chunks", Request: stream(api.MaxBody + 1), Code: "payload_too_large", Then: closes},
			{Name: "larger and broken", Request: newLabel(strings.Repeat("x", api.MaxBody+1)), Code: "payload_too_large"},
			{Name: "larger on PATCH", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/" + noLabel, Body: padded(api.MaxBody + 1)}, Code: "payload_too_large"},
			{Name: "larger, with an idempotency key", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Body: padded(api.MaxBody + 1), Header: http.Header{"Idempotency-Key": {"k"}}}, Code: "payload_too_large"},
		})
	})
}
