package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// For any method and target, the document promises the answer. The document has a matcher of its own, so two
// routers must agree.
func FuzzRouter(f *testing.F) {
	s := apitest.Start(f, storetest.SQLite, api.Probes(nil))
	org := s.NewOrg(f)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions, "get", "X"} {
		for _, target := range []string{
			"/", "/v1", "/v1/", "/v1/labels", "/v1/labels/", "/v1/labels/lbl_00000000000000000000000000", "/v1/labels/%00", "/v1/l%61bels?limit=1", "/v1/labels?limit=101",
			"/v1/labels?cursor=x&team_id=%ff", "/v1/me", "/v1/health", "/v1/openapi.json", "/v1/123456/x%2Fy", "/v1/probe/abc", "/v1/me/x", "//v1/labels", "/v1//labels", "/v1/../v1/me", "*", "http://host/v1/me", "/v1/%zz", "/v1%2fme",
		} {
			f.Add(method, target)
		}
	}
	f.Fuzz(func(t *testing.T, method, target string) {
		request, err := http.NewRequest(method, "/", http.NoBody)
		if err != nil {
			return // no HTTP server lets such a method through
		}
		if request.URL, err = url.ParseRequestURI(target); err != nil {
			return
		}
		request.RequestURI, request.RemoteAddr = target, "192.0.2.1:1234"
		for _, key := range []string{"", org.Key} {
			request.Header = http.Header{}
			if key != "" {
				request.Header.Set("Authorization", "Bearer "+key)
			}
			answerFits(t, s, request)
		}
	})
}

func answerFits(t *testing.T, s *apitest.Server, r *http.Request) {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.API.ServeHTTP(recorder, r)
	x := apitest.Exchange{
		Method: r.Method, Target: r.URL.EscapedPath() + "?" + r.URL.RawQuery, Sent: r.Header,
		Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes(),
	}
	if r.Method == http.MethodHead { // the HTTP server omits the body
		x.Body = nil
	}
	s.Document().Require(t, x)
	if x.Status >= http.StatusInternalServerError {
		t.Errorf("got %d %s", x.Status, x.Body)
	}
}
