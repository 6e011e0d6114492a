package api_test

import (
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
)

func TestUnknownPaths(t *testing.T) {
	var scenarios []apitest.Scenario
	for _, path := range []string{
		"/v1", "/v1/", "/v1/nothing", "/v1/labels/", "/v1//labels", "/v1/labels//", "/v1/labels/a/b", "/v1/LABELS",
		"/v1/labels%2F", "/v1/openapi.yaml", "/v1/health/x", "/v1/%2E%2E/labels", "/v1/labels/%2e%2e/me", "/v1/./labels",
		"/v1%2Flabels", "/v10/labels", "/v2/labels", "/labels", "/favicon.ico", "/robots.txt", "/.env", "/V1/labels", "/v1.",
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: path, Request: apitest.Request{Path: path}, Code: "resource_not_found"})
	}
	apitest.RunEach(t, scenarios)
}

func TestPathsOutsideNeedNoKey(t *testing.T) {
	var scenarios []apitest.Scenario
	for _, path := range []string{"/nothing", "/v10", "/v2/labels", "/v1x/labels"} {
		scenarios = append(scenarios, apitest.Scenario{Name: path, Request: apitest.Request{Path: path}, Anonymous: true, Code: "resource_not_found"})
	}
	apitest.RunEach(t, scenarios)
}

func TestMethods(t *testing.T) {
	request := func(method, path string) apitest.Request { return apitest.Request{Method: method, Path: path} }
	const one = "/v1/labels/lbl_00000000000000000000000000"
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "collection", Request: request(http.MethodPut, "/v1/labels"), Code: "method_not_allowed", Header: map[string]string{"Allow": "GET, HEAD, POST"}},
		{Name: "item", Request: request(http.MethodPost, one), Code: "method_not_allowed", Header: map[string]string{"Allow": "DELETE, GET, HEAD, PATCH"}},
		{Name: "item with a malformed id", Request: request(http.MethodPost, "/v1/labels/x"), Code: "method_not_allowed"},
		{Name: "delete a collection", Request: request(http.MethodDelete, "/v1/labels"), Code: "method_not_allowed"},
		{Name: "options", Request: request(http.MethodOptions, "/v1/labels"), Code: "method_not_allowed"},
		{Name: "trace", Request: request(http.MethodTrace, "/v1/labels"), Code: "method_not_allowed"},
		{Name: "made up", Request: request("PROPFIND", "/v1/labels"), Code: "method_not_allowed"},
		{Name: "lower case", Request: request("patch", one), Code: "method_not_allowed"},
		{Name: "very long", Request: request("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "/v1/labels"), Code: "method_not_allowed"},
		{Name: "on an unknown path", Request: request(http.MethodPost, "/v1/nothing"), Code: "resource_not_found"},
		{Name: "on an open path, without a key", Request: request(http.MethodPost, "/v1/health"), Anonymous: true, Code: "method_not_allowed", Header: map[string]string{"Allow": "GET, HEAD"}},
		{Name: "on the description, without a key", Request: request(http.MethodDelete, "/v1/openapi.json"), Anonymous: true, Code: "method_not_allowed", Header: map[string]string{"Allow": "GET, HEAD"}},
	})
}

func TestHead(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		c.Make(t, "label", "/v1/labels", `{"name":"x"}`)
		for _, path := range []string{"/v1/labels", "/v1/labels/${label}", "/v1/labels/lbl_00000000000000000000000000", "/v1/nothing", "/v1/me", "/v1/health", "/v1/openapi.json", "/nothing"} {
			get := c.Call(t, apitest.Request{Path: path})
			head := c.Call(t, apitest.Request{Method: http.MethodHead, Path: path})
			if head.Status != get.Status || head.Header.Get("Content-Length") != get.Header.Get("Content-Length") || head.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: HEAD answers %d %v, GET %d %v", path, head.Status, head.Header, get.Status, get.Header)
			}
		}
		if head := c.Call(t, apitest.Request{Method: http.MethodHead, Path: "/v1/probe/abc"}); head.Status != http.StatusMethodNotAllowed {
			t.Errorf("HEAD without GET answers %d", head.Status)
		}
	}, api.Probes(nil))
}

// A fixed word of one path can be the variable of another. The word wins; if it leads nowhere, the variable is
// tried.
func TestFixedWordsWin(t *testing.T) {
	echo := func(text string) string {
		return `{"data":{"object":"probe","echo":"` + text + `"},"request_id":"<req>"}`
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "variables", Request: apitest.Request{Path: "/v1/123456/abc"}, Status: http.StatusOK, Want: echo("123456 abc")},
		{Name: "escaped", Request: apitest.Request{Path: "/v1/%31%32%33456/a%2Fb%20c%25"}, Status: http.StatusOK, Want: echo("123456 a/b c%")},
		{Name: "word", Request: apitest.Request{Path: "/v1/labels/lbl_00000000000000000000000000"}, Code: "resource_not_found"},
		{Name: "escaped word", Request: apitest.Request{Path: "/v1/l%61bels/lbl_00000000000000000000000000"}, Code: "resource_not_found"},
		{Name: "word that leads nowhere", Request: apitest.Request{Path: "/v1/me/abc"}, Code: "invalid_field_value", Param: "number"},
		{Name: "word as a second part", Request: apitest.Request{Path: "/v1/123456/labels"}, Status: http.StatusOK, Want: echo("123456 labels")},
		{Name: "a number that is a word", Request: apitest.Request{Path: "/v1/777777/abc"}, Status: http.StatusOK, Want: echo("sevens abc")},
		{Name: "back out of a dead end", Request: apitest.Request{Path: "/v1/777777/abc/deep"}, Status: http.StatusOK, Want: echo("deep 777777 abc")},
		{Name: "NUL", Request: apitest.Request{Path: "/v1/123456/a%00b"}, Code: "invalid_field_value", Param: "word"},
		{Name: "broken UTF-8", Request: apitest.Request{Path: "/v1/123456/%FF"}, Code: "invalid_field_value", Param: "word"},
		{Name: "a word's method", Request: apitest.Request{Path: "/v1/probe/abc"}, Code: "method_not_allowed", Header: map[string]string{"Allow": "PATCH"}},
	}, api.Probes(nil))
}

func TestRequestIDsAreOurs(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		const theirs = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV"
		seen := map[string]bool{theirs: true}
		for range 3 {
			r := s.Do(t, apitest.Request{Path: "/v1/health", Header: http.Header{"X-Request-Id": {theirs}}})
			if id := r.Header.Get("X-Request-Id"); seen[id] {
				t.Errorf("%s was used before", id)
			} else {
				seen[id] = true
			}
		}
	})
}
