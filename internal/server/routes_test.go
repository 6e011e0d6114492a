package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parleyhq/parley/internal/store"
)

func TestPublicRoutes(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	for _, test := range []struct {
		method, path string
		status       int
		contentType  string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"POST", "/", 404, "application/json"},
		{"GET", "/v1/health", 200, "application/json"},
		{"GET", "/v1/labels", 401, "application/json"},
		{"GET", "/nowhere", 404, "application/json"},
		{"GET", "/onboard/csl_unknown", 404, "text/html; charset=utf-8"},
		{"GET", "/onboard/callback", 400, "text/html; charset=utf-8"},
		{"GET", "/onboard", 404, "application/json"},
		{"GET", "/simulator/dialog/oauth", 400, "text/html; charset=utf-8"},
		{"GET", "/simulator/_sim", 404, "application/json"},
		{"GET", "/simulator/debug_token", 404, "application/json"},
		{"GET", "/metrics", 404, "application/json"},
		{"GET", "/ready", 404, "application/json"},
		{"GET", "/debug/pprof/", 404, "application/json"},
	} {
		response := httptest.NewRecorder()
		s.routes().ServeHTTP(response, httptest.NewRequest(test.method, test.path, nil))
		if response.Code != test.status || response.Header().Get("Content-Type") != test.contentType {
			t.Errorf("%s %s: %d %s, want %d %s", test.method, test.path, response.Code, response.Header().Get("Content-Type"), test.status, test.contentType)
		}
		if response.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s lacks the security headers", test.method, test.path)
		}
	}
}

// A browser that asks for a page that is not there gets the dashboard, which says so; a program gets the API's error.
func TestBrowsersGetAPageForUnknownPaths(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	for path, want := range map[string]string{"/home": "text/html; charset=utf-8", "/developers/keys": "text/html; charset=utf-8", "/v1/nowhere": "application/json"} {
		request := httptest.NewRequest("GET", path, nil)
		request.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
		response := httptest.NewRecorder()
		s.routes().ServeHTTP(response, request)
		if kind := response.Header().Get("Content-Type"); kind != want || response.Code == 200 {
			t.Errorf("%s: %d %s, want %s", path, response.Code, kind, want)
		}
	}
	icon := httptest.NewRecorder()
	s.routes().ServeHTTP(icon, httptest.NewRequest("GET", "/favicon.ico", nil))
	if icon.Code != 200 || icon.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the icon is %d %s", icon.Code, icon.Header().Get("Content-Type"))
	}
}

// With a real provider there is nothing of the simulator.
func TestNoDialogWithoutASimulator(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	cfg.ProviderURL, cfg.ProviderAppID, cfg.ProviderAppSecret = "http://127.0.0.1:1/v24.0", "1", "secret"
	s, _ := open(t, cfg)
	t.Cleanup(func() { s.Close() })
	response := httptest.NewRecorder()
	s.routes().ServeHTTP(response, httptest.NewRequest("GET", "/simulator/dialog/oauth", nil))
	if response.Code != 404 || response.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s", response.Code, response.Body)
	}
}

func TestOpsRoutes(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	stop := start(t, s)
	if status, _ := get(t, s.public.listener, "/v1/health"); status != http.StatusOK {
		t.Errorf("health answers %d", status)
	}
	for path, want := range map[string]string{
		"/ready":                         "ready\n",
		"/metrics":                       `parley_api_request_seconds_count{operation="getHealth",status="200"} 1`,
		"/metrics?":                      `parley_waiting{queue="deliveries"} 0`,
		"/debug/pprof/":                  "goroutine",
		"/debug/pprof/goroutine?debug=1": "goroutine profile",
	} {
		if status, body := get(t, s.ops.listener, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s answers %d %.2000s, want %q", path, status, body, want)
		}
	}
	for _, path := range []string{"/debug/pprof/cmdline", "/v1/health", "/"} {
		if status, _ := get(t, s.ops.listener, path); status != http.StatusNotFound {
			t.Errorf("%s answers %d", path, status)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestReadyNeedsTheStore(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), store.Config{Dir: t.TempDir()})
	must(t, err)
	s := &Server{store: st, doors: newDoors(8, 4, nil, nil)}
	ask := func() *httptest.ResponseRecorder {
		response := httptest.NewRecorder()
		s.opsRoutes(prometheus.NewRegistry()).ServeHTTP(response, httptest.NewRequest("GET", "/ready", nil))
		return response
	}
	if got := ask(); got.Code != http.StatusOK {
		t.Errorf("with a store: %d %s", got.Code, got.Body)
	}
	must(t, st.Close())
	if got := ask(); got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "not ready: store: closed") {
		t.Errorf("without a store: %d %s", got.Code, got.Body)
	}
}
