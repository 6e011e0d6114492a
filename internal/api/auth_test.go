package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
)

// authorization is a request for labels with this header, and no other key.
func authorization(values ...string) apitest.Request {
	return apitest.Request{Path: "/v1/labels", Header: http.Header{"Authorization": values}}
}

const emptyPage = `{"data":[],"has_more":false,"next_cursor":null,"request_id":"<req>"}`

func TestKeyForms(t *testing.T) {
	scenarios := []apitest.Scenario{
		{Name: "none", Request: apitest.Request{Path: "/v1/labels"}, Code: "missing_api_key"},
		{Name: "empty", Request: authorization(""), Code: "missing_api_key"},
		{Name: "blank", Request: authorization("  "), Code: "missing_api_key"},
		{Name: "in the query", Request: apitest.Request{Path: "/v1/labels?api_key=${key}&key=${key}&access_token=${key}"}, Code: "missing_api_key"},
		{Name: "in a cookie", Request: apitest.Request{Path: "/v1/labels", Header: http.Header{"Cookie": {"api_key=${key}; Authorization=Bearer ${key}"}}}, Code: "missing_api_key"},
		{Name: "in another header", Request: apitest.Request{Path: "/v1/labels", Header: http.Header{"X-Api-Key": {"${key}"}}}, Code: "missing_api_key"},
		{Name: "proxy authorization", Request: apitest.Request{Path: "/v1/labels", Header: http.Header{"Proxy-Authorization": {"Bearer ${key}"}}}, Code: "missing_api_key"},
		{Name: "bearer", Request: authorization("Bearer ${key}"), Status: http.StatusOK, Want: emptyPage},
		{Name: "lower case scheme", Request: authorization("bearer ${key}"), Status: http.StatusOK},
		{Name: "upper case scheme", Request: authorization("BEARER ${key}"), Status: http.StatusOK},
		{Name: "more blanks", Request: authorization(" Bearer   ${key} "), Status: http.StatusOK},
	}
	for name, value := range map[string]string{
		"without scheme":    "${key}",
		"scheme only":       "Bearer",
		"no blank":          "Bearer${key}",
		"token scheme":      "Token ${key}",
		"scheme in front":   "Basic Bearer ${key}",
		"two keys":          "Bearer ${key} ${key}",
		"two by comma":      "Bearer ${key}, Bearer ${key}",
		"longer":            "Bearer ${key}A",
		"shorter":           "Bearer ${short}",
		"test prefix":       "Bearer svc_test_" + strings.Repeat("A", 24),
		"no prefix":         "Bearer " + strings.Repeat("A", 33),
		"upper case prefix": "Bearer SVC_LIVE_" + strings.Repeat("A", 24),
		"other alphabet":    "Bearer svc_live_" + strings.Repeat("+", 24),
		"last one changed":  "Bearer ${another}",
		"unknown":           "Bearer svc_live_" + strings.Repeat("A", 24),
		"basic as user":     "Basic ${basic_user}",
		"basic as password": "Basic ${basic_password}",
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: authorization(value), Code: "invalid_api_key"})
	}
	scenarios = append(scenarios,
		apitest.Scenario{Name: "two headers", Request: authorization("Bearer ${key}", "Bearer ${key}"), Code: "invalid_api_key"},
		apitest.Scenario{Name: "two headers, the first empty", Request: authorization("", "Bearer ${key}"), Code: "missing_api_key"},
	)
	for i := range scenarios {
		scenarios[i].Anonymous, scenarios[i].Given = true, setKeyForms
	}
	apitest.RunEach(t, scenarios)
}

func setKeyForms(_ *testing.T, c *apitest.Case) {
	key := c.Org.Key
	c.Set("another", key[:len(key)-1]+map[bool]string{true: "B", false: "A"}[strings.HasSuffix(key, "A")])
	c.Set("short", key[:len(key)-1])
	c.Set("basic_user", base64.StdEncoding.EncodeToString([]byte(key+":")))
	c.Set("basic_password", base64.StdEncoding.EncodeToString([]byte("user:"+key)))
}

func TestRevokedKey(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		id, text := s.NewKey(t, org.ID, nil)
		other := s.Another(t) // a process of its own, like the operator's command
		list := apitest.Request{Path: "/v1/labels", Key: text}
		s.Do(t, list).RequireStatus(t, http.StatusOK)

		other.RevokeKey(t, id)

		s.Do(t, list).RequireFailure(t, "revoked_api_key", "")
		other.Do(t, list).RequireFailure(t, "revoked_api_key", "")
		s.Do(t, apitest.Request{Path: "/v1/labels", Key: org.Key}).RequireStatus(t, http.StatusOK)
	})
}

func TestKeyExpiresAtItsInstant(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		end := s.Clock.Now().Add(time.Hour)
		id, text := s.NewKey(t, org.ID, &end)
		list := apitest.Request{Path: "/v1/labels", Key: text}

		s.Clock.Advance(time.Hour - time.Millisecond)
		s.Do(t, list).RequireStatus(t, http.StatusOK)
		s.Clock.Advance(time.Millisecond)
		s.Do(t, list).RequireFailure(t, "expired_api_key", "")
		s.RevokeKey(t, id)
		s.Do(t, list).RequireFailure(t, "revoked_api_key", "")
	})
}

// Without a key nobody learns which paths exist, except the two that need none.
func TestKeyComesBeforeTheRoute(t *testing.T) {
	var scenarios []apitest.Scenario
	for _, request := range []apitest.Request{
		{Path: "/v1"}, {Path: "/v1/"}, {Path: "/v1/nothing"}, {Path: "/v1/labels/"}, {Path: "/v1//labels"},
		{Path: "/v1/health/"}, {Path: "/v1/Health"}, {Path: "/v1/labels/lbl_bad"}, {Path: "/v1/labels?limit=0"},
		{Method: http.MethodPut, Path: "/v1/labels"}, {Method: http.MethodOptions, Path: "/v1/me"},
		{Method: http.MethodPost, Path: "/v1/labels", Body: "{"},
		{Path: "/v1/labels?pad=" + strings.Repeat("x", 9000)},
	} {
		name := fmt.Sprint(request.Method, " ", request.Path[:min(len(request.Path), 30)])
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: request, Anonymous: true, Code: "missing_api_key"})
	}
	apitest.RunEach(t, scenarios)
}
