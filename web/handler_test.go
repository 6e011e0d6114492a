package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

var site = newHandler(fstest.MapFS{
	"index.html":      {Data: []byte(`<meta name="style-nonce" content=""><script>early()</script><script type="module" src="/assets/a.js"></script>`)},
	"assets/a.js":     {Data: []byte(strings.Repeat("run();\n", 100))},
	"favicon.svg":     {Data: []byte("<svg/>")},
	"sources.sha256":  {Data: []byte("0")},
	"assets/page.css": {Data: []byte("a{}")},
})

func fetch(t *testing.T, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestPagesAreOneDocument(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{"/": 200, "/login": 200, "/inbox/mine/cnv_1": 200, "/settings/users": 200, "/sources.sha256": 404, "/home": 404} {
		answer := fetch(t, "GET", path)
		if text := body(t, answer.Body); answer.StatusCode != status || !strings.Contains(text, "early()") {
			t.Errorf("%s: %d %s", path, answer.StatusCode, text)
		}
		if got := answer.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s may be kept: %q", path, got)
		}
	}
}

var nonces = regexp.MustCompile(`style-src 'self' 'nonce-([A-Z2-7]{26})'`)

func TestEveryDocumentHasItsOwnNonce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		answer := fetch(t, "GET", "/")
		match := nonces.FindStringSubmatch(answer.Header.Get("Content-Security-Policy"))
		if match == nil || seen[match[1]] {
			t.Fatalf("the policy has no nonce of its own: %s", answer.Header.Get("Content-Security-Policy"))
		}
		seen[match[1]] = true
		if text := body(t, answer.Body); !strings.Contains(text, `name="style-nonce" content="`+match[1]+`"`) {
			t.Errorf("the document does not have the policy's nonce: %s", text)
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	policy := fetch(t, "GET", "/").Header.Get("Content-Security-Policy")
	for _, part := range []string{
		"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'",
		// echo -n 'early()' | openssl dgst -sha256 -binary | base64
		"script-src 'self' 'sha256-G2Y/0fpEoq/QMzbid/byF0KE5sX9e6ar19Om2+xoMnU='; ",
	} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %q: %s", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what is unsafe: %s", policy)
	}
}

// The built document must have the place for the nonce, or no page would have its styles.
func TestTheBuiltDocumentTakesANonce(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	nonce := nonces.FindStringSubmatch(w.Header().Get("Content-Security-Policy"))[1]
	if !strings.Contains(w.Body.String(), `name="style-nonce" content="`+nonce+`"`) {
		t.Errorf("the document has no nonce: %s", w.Body)
	}
	if !strings.Contains(w.Header().Get("Content-Security-Policy"), "'sha256-") {
		t.Error("the script in the document is not allowed")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	answer := fetch(t, "GET", "/assets/a.js", "Accept-Encoding", "br, gzip;q=0.8")
	if got := answer.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("a file with a hash in its name: %q", got)
	}
	if got := answer.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
		t.Errorf("a script is served as %q", got)
	}
	packed, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text := body(t, packed); !strings.HasPrefix(text, "run();") {
		t.Errorf("unpacked: %q", text)
	}
	plain := fetch(t, "GET", "/assets/a.js", "Accept-Encoding", "gzip;q=0")
	if plain.Header.Get("Content-Encoding") != "" || !strings.HasPrefix(body(t, plain.Body), "run();") {
		t.Error("who takes no gzip gets it")
	}
	if plain.Header.Get("ETag") == answer.Header.Get("ETag") {
		t.Error("packed and plain have one tag")
	}
	again := fetch(t, "GET", "/favicon.svg", "If-None-Match", fetch(t, "GET", "/favicon.svg").Header.Get("ETag"))
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same file again: %d", again.StatusCode)
	}
}

// A tab from before an update asks for files that are gone. It must see that, and not get a page instead.
func TestFilesThatAreGone(t *testing.T) {
	t.Parallel()
	if answer := fetch(t, "GET", "/assets/old.js"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("%d", answer.StatusCode)
	}
}

func TestPagesAreOnlyRead(t *testing.T) {
	t.Parallel()
	if answer := fetch(t, "POST", "/login"); answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("%d", answer.StatusCode)
	}
}

func TestOwns(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/": true, "/inbox": true, "/inbox/mine": true, "/settings/me": true, "/dev/webhooks/wbs_1": true, "/invite/abc": true, "/assets/x.js": true,
		"/favicon.svg": true, "/v1/health": false, "/app/api/me": false, "/inboxes": false, "/media": true, "/media/x": false, "/onboard/x": false,
	} {
		if Owns(path) != want {
			t.Errorf("Owns(%q) is %t", path, !want)
		}
	}
}
