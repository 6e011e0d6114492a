package apitest_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// A checker that accepts everything would make every API test worthless, so each good answer is spoilt in one
// way at a time.
func TestCheckerFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	org := s.NewOrg(t)
	good := map[string]apitest.Exchange{
		"list":    exchange(t, s, apitest.Request{Path: "/v1/labels", Key: org.Key}),
		"refused": exchange(t, s, apitest.Request{Path: "/v1/labels?limit=0", Key: org.Key}),
		"unknown": exchange(t, s, apitest.Request{Path: "/v1/nothing", Key: org.Key}),
		"method":  exchange(t, s, apitest.Request{Method: http.MethodPut, Path: "/v1/labels", Key: org.Key}),
		"health":  exchange(t, s, apitest.Request{Path: "/v1/health"}),
	}
	for name, x := range good {
		if problems := s.Document().Check(x); len(problems) > 0 {
			t.Fatalf("%s: %v", name, problems)
		}
	}
	for _, test := range spoilt {
		t.Run(test.name, func(t *testing.T) {
			x := good[test.of]
			x.Header = maps.Clone(x.Header)
			test.spoil(&x)
			all := strings.Join(s.Document().Check(x), "\n")
			if !strings.Contains(all, test.want) {
				t.Errorf("found %q, want %q", all, test.want)
			}
		})
	}
}

func exchange(t *testing.T, s *apitest.Server, r apitest.Request) apitest.Exchange {
	t.Helper()
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	answer := s.Do(t, r)
	return apitest.Exchange{Method: r.Method, Target: r.Path, Status: answer.Status, Header: answer.Header, Body: answer.Body}
}

type spoiler struct {
	name, of string
	spoil    func(x *apitest.Exchange)
	want     string
}

var spoilt = []spoiler{
	{"an extra field", "list", inBody(`"has_more":false`, `"has_more":false,"total":0`), "breaks its schema"},
	{"a field of another type", "list", inBody(`"has_more":false`, `"has_more":"no"`), "breaks its schema"},
	{"a missing field", "list", inBody(`"has_more":false,`, ``), "breaks its schema"},
	{"no JSON", "list", inBody(`{`, ``), "not JSON"},
	{"an unknown status", "list", func(x *apitest.Exchange) { x.Status = http.StatusTeapot }, "does not know the status"},
	{"another code", "refused", inBody("invalid_limit", "invalid_event_type"), "does not name the code"},
	{"another type", "refused", inBody("invalid_request_error", "conflict"), "comes as {400 conflict}"},
	{"a telling message", "refused", inBody("Must be", "panic: must be"), "not for its reader"},
	{"a list as Go writes it", "refused", inBody("Must be", "Must be one of [image/jpeg image/png]"), "as Go writes it"},
	{"a short list as Go writes it", "refused", inBody("Must be", "Must be one of [image/png]"), "as Go writes it"},
	{"a map as Go writes it", "refused", inBody("Must be", "Must be map[a:1]"), "as Go writes it"},
	{"a struct as Go writes it", "refused", inBody("Must be", "Must be {Ada 5}"), "as Go writes it"},
	{"a struct with names as Go writes it", "refused", inBody("Must be", "Must be {Name:Ada}"), "as Go writes it"},
	{"nothing as Go writes it", "refused", inBody("Must be", "Must be <nil>"), "as Go writes it"},
	{"a format that does not fit", "refused", inBody("Must be", "Must be %!d(string=x)"), "as Go writes it"},
	{"an address in memory", "refused", inBody("Must be", "Must be 0xc000123456"), "as Go writes it"},
	{"a type of Go", "refused", inBody("Must be", "Must be an int64"), "as Go writes it"},
	{"a type of ours", "refused", inBody("Must be", "Must be a chat.Code"), "as Go writes it"},
	{"a library's error", "refused", inBody("Must be", "strconv: parsing"), "as Go writes it"},
	{"an error without param", "refused", inBody(`"param":"limit",`, ``), "there is no param"},
	{"an error with more", "unknown", inBody(`"code"`, `"hint":"x","code"`), "has a field hint"},
	{"a router's error with another code", "unknown", inBody("resource_not_found", "method_not_allowed"), "without an operation"},
	{"an empty param", "unknown", inBody(`"code"`, `"param":"","code"`), "param is"},
	{"another request id", "refused", inBody("req_", "req_0"), "in the header"},
	{"no request id", "list", inHeader("X-Request-Id", ""), "X-Request-Id is"},
	{"another content type", "list", inHeader("Content-Type", "text/plain"), "Content-Type is"},
	{"no security headers", "list", inHeader("X-Content-Type-Options", ""), "X-Content-Type-Options"},
	{"no caching headers", "list", inHeader("Cache-Control", ""), "caching"},
	{"no rate limit", "list", inHeader("X-Ratelimit-Reset", ""), "rate limit headers"},
	{"no rate limit on a router's error", "unknown", inHeader("X-Ratelimit-Limit", ""), "rate limit headers"},
	{"more left than there is", "list", inHeader("X-Ratelimit-Remaining", "99999999"), "rate limit headers"},
	{"a rate limit for strangers", "health", inHeader("X-Ratelimit-Limit", "1"), "stranger"},
	{"an undue Retry-After", "list", inHeader("Retry-After", "1"), "Retry-After"},
	{"an undocumented ETag", "list", inHeader("Etag", "x"), "Etag is not documented"},
	{"a replay nobody asked for", "list", inHeader("Idempotent-Replayed", "true"), "without an Idempotency-Key"},
	{"no Allow", "method", inHeader("Allow", ""), "Allow is"},
	{"an Allow that lacks HEAD", "method", inHeader("Allow", "GET, POST"), "Allow is"},
	{"a header twice", "list", func(x *apitest.Exchange) { x.Header["Cache-Control"] = []string{"a", "b"} }, "2 times"},
	{"a body to HEAD", "list", func(x *apitest.Exchange) { x.Method = http.MethodHead }, "there is a body"},
	{"work under way without Retry-After", "refused", func(x *apitest.Exchange) {
		x.Status = http.StatusConflict
		x.Body = []byte(strings.Replace(string(x.Body), "invalid_limit", "idempotency_in_progress", 1))
	}, "Retry-After"},
	{"overload without Retry-After", "refused", func(x *apitest.Exchange) { x.Status = http.StatusServiceUnavailable }, "Retry-After"},
}

func inBody(old, replacement string) func(*apitest.Exchange) {
	return func(x *apitest.Exchange) { x.Body = []byte(strings.Replace(string(x.Body), old, replacement, 1)) }
}

func inHeader(name, value string) func(*apitest.Exchange) {
	return func(x *apitest.Exchange) {
		x.Header.Set(name, value)
		if value == "" {
			x.Header.Del(name)
		}
	}
}
