package server

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

// boundTo is a listener that only has an address.
type boundTo string

func (b boundTo) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (b boundTo) Close() error              { return nil }
func (b boundTo) Addr() net.Addr {
	at, err := net.ResolveTCPAddr("tcp", string(b))
	if err != nil {
		panic(err)
	}
	return at
}

// guarded is the guard of an operator's address with nothing behind it.
func guarded(at string, hosts ...string) (http.Handler, *loggingtest.Book) {
	lines := &loggingtest.Book{}
	s := &Server{cfg: config.Serve{OpsListen: at, OpsHost: hosts}, ops: face{listener: boundTo(at)}, log: lines.Logger()}
	return s.guardOps(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})), lines
}

// A page whose own name server makes its name resolve to this address gets no answer. Tools get one, by IP address and
// by the names that they use.
func TestOpsHosts(t *testing.T) {
	t.Parallel()
	loopback, _ := guarded("127.0.0.1:9464", "ops.Example.com.")
	network, _ := guarded("0.0.0.0:9464", "ops.example.com")
	for _, test := range []struct {
		host              string
		loopback, network bool
	}{
		{"127.0.0.1:9464", true, true},
		{"127.0.0.1", true, true},
		{"[::1]:9464", true, true},
		{"[::1]", true, true},
		{"10.1.2.3:9464", true, true},
		{"localhost:9464", true, true},
		{"LOCALHOST.", true, true},
		{"parley.localhost:9464", true, true},
		{"ops.example.com:9464", true, true},
		{"OPS.example.com.:443", true, true},
		{"", true, true},             // HTTP/1.0
		{"parley:9464", false, true}, // a service of the network
		{"evil.example:9464", false, false},
		{"evil.example", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"localhost.evil.example", false, false},
		{"localhost.evil.example.", false, false},
		{"ops.example.com.evil.example", false, false},
		{"xops.example.com", false, false},
		{"127.0.0.1@evil.example", false, false},
		{strings.Repeat("a", 300) + ".evil.example", false, false},
	} {
		for name, guard := range map[string]struct {
			http.Handler
			want bool
		}{"loopback": {loopback, test.loopback}, "network": {network, test.network}} {
			for path, want := range map[string]bool{"/metrics": guard.want, "/ready": true, "/ready/": guard.want} {
				request := httptest.NewRequest(http.MethodGet, path, nil)
				request.Host = test.host
				response := httptest.NewRecorder()
				guard.ServeHTTP(response, request)
				if (response.Code == http.StatusOK) != want {
					t.Errorf("%s of %.50s on a %s address: %d %s", path, test.host, name, response.Code, response.Body)
				}
			}
		}
	}
}

// Pages of other sites get no answer, and have no effect.
func TestOpsOrigins(t *testing.T) {
	t.Parallel()
	guard, _ := guarded("127.0.0.1:9464")
	for name, test := range map[string]struct {
		method string
		header map[string]string
		taken  bool
	}{
		"a tool":                    {"GET", nil, true},
		"a tool that posts":         {"POST", nil, true},
		"typed in":                  {"GET", map[string]string{"Sec-Fetch-Site": "none"}, true},
		"its own page":              {"POST", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:9464"}, true},
		"its own page, old browser": {"POST", map[string]string{"Origin": "http://127.0.0.1:9464"}, true},
		"a link that was followed":  {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, true},
		"a form of another site":    {"POST", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, false},
		"a frame of another site":   {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, false},
		"an image of another site":  {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, false},
		"a script of another site":  {"DELETE", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		"a script of another port":  {"POST", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:8080"}, false},
		"another site, old browser": {"POST", map[string]string{"Origin": "https://evil.example"}, false},
		"another port, old browser": {"PATCH", map[string]string{"Origin": "http://127.0.0.1:8080"}, false},
		"a page of nowhere":         {"POST", map[string]string{"Origin": "null"}, false},
		"a look before a real call": {"OPTIONS", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		"a read of a script":        {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, false},
	} {
		request := httptest.NewRequest(test.method, "http://127.0.0.1:9464/simulator/_sim/reset", nil)
		for key, value := range test.header {
			request.Header.Set(key, value)
		}
		response := httptest.NewRecorder()
		guard.ServeHTTP(response, request)
		if (response.Code == http.StatusOK) != test.taken {
			t.Errorf("%s gets %d %s", name, response.Code, response.Body)
		}
	}
}

// When one of the operator's own names is refused, the log says what to do.
func TestOpsRefusalsAreExplained(t *testing.T) {
	t.Parallel()
	s, lines := open(t, settings(t))
	start(t, s)
	for what, at := range map[string]net.Listener{"the operator's address": s.ops.listener, "the simulator": s.messaging.simulator.listener} {
		request, err := http.NewRequest(http.MethodGet, "http://"+at.Addr().String()+"/metrics", nil)
		must(t, err)
		request.Host = "metrics.example.com"
		response, err := http.DefaultClient.Do(request)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s answers %s", what, response.Status)
		}
	}
	if text := lines.String(); !strings.Contains(text, "metrics.example.com") || !strings.Contains(text, "--ops-host") {
		t.Errorf("logged %s", text)
	}
}
