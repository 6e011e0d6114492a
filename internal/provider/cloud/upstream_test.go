package cloud

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

var number = provider.Number{PhoneNumberID: "100200300400", WABAID: "555", Token: "EAAtoken"}

// request is what the upstream got.
type request struct {
	method, path string
	header       http.Header
	body         []byte
}

// upstream answers every request on a real socket and remembers it.
type upstream struct {
	*Client
	url      string
	requests chan request
}

func answering(t *testing.T, status int, header map[string]string, answer string) *upstream {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	})
}

func serving(t *testing.T, handler http.HandlerFunc) *upstream {
	t.Helper()
	u := &upstream{requests: make(chan request, 16)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("reading the request: %v", err)
		}
		u.requests <- request{r.Method, r.URL.RequestURI(), r.Header, body}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	u.url = server.URL
	u.Client = client(t, server.URL, 0)
	return u
}

func client(t *testing.T, url string, timeout time.Duration) *Client {
	t.Helper()
	c, err := New(Options{BaseURL: url + "/v24.0", Timeout: timeout})
	must(t, err)
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

func failure(t *testing.T, err error) *provider.Error {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](err)
	if !ok {
		t.Fatalf("got %T %v, want a *provider.Error", err, err)
	}
	return e
}

func sameJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("the expectation is not JSON: %v\n%s", err, want)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
