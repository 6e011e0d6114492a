package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
)

// patience is far longer than anything here takes; only a hanging server uses it up.
const patience = time.Minute

// target is a node under attack.
type target struct {
	*Server
	document *apitest.Document
	key      string
}

// newTarget runs a node. tune shortens its time limits, so that tests need not wait for the real ones.
func newTarget(t *testing.T, tune func(*http.Server)) *target {
	t.Helper()
	s, _ := open(t, settings(t))
	if tune != nil {
		tune(s.public.http)
	}
	start(t, s)
	g := &target{Server: s, key: newKey(t, s)}
	document, err := apitest.ParseDocument(g.ask("/v1/openapi.json"))
	must(t, err)
	g.document = document
	return g
}

// ask gets a path without the socket and its time limits.
func (g *target) ask(path string) []byte {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Authorization", "Bearer "+g.key)
	response := httptest.NewRecorder()
	g.routes().ServeHTTP(response, request)
	return response.Body.Bytes()
}

func (g *target) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", g.public.listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// alive checks that the node still serves others. On a busy machine a short time limit can hit them too, so they may
// have to ask again.
func (g *target) alive(t *testing.T) {
	t.Helper()
	var last error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		response, err := http.Get("http://" + g.public.listener.Addr().String() + "/v1/health")
		if err == nil {
			response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("health answers %s", response.Status)
			}
			return
		}
		last = err
	}
	t.Errorf("health does not answer: %v", last)
}

// requireEnd reads until the server ends the connection. The server may say why first.
func requireEnd(t *testing.T, conn net.Conn) string {
	t.Helper()
	text, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the server does not let go of the connection")
	}
	return string(text)
}

// send writes raw bytes, closes that direction and reads the answers. A refusing server may close its side before
// everything is written.
func (g *target) send(t *testing.T, raw string) string {
	t.Helper()
	conn := g.dial(t)
	io.WriteString(conn, raw)
	conn.(*net.TCPConn).CloseWrite()
	return requireEnd(t, conn)
}

// answers parses the server's answers. Answers of the API must match its description.
func (g *target) answers(t *testing.T, method, path, text string) []*http.Response {
	t.Helper()
	var all []*http.Response
	reader := bufio.NewReader(strings.NewReader(text))
	for reader.Buffered() > 0 || len(all) == 0 {
		if _, err := reader.Peek(1); err == io.EOF {
			return all
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		if response.Header.Get("Content-Type") == "application/json" {
			g.document.Require(t, apitest.Exchange{Method: method, Target: path, Status: response.StatusCode, Header: response.Header, Body: body})
		}
		all = append(all, response)
	}
	return all
}

func TestTimeLimitsAreSet(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	h := s.public.http
	for name, limit := range map[string]time.Duration{
		"ReadHeaderTimeout": h.ReadHeaderTimeout, "ReadTimeout": h.ReadTimeout, "WriteTimeout": h.WriteTimeout, "IdleTimeout": h.IdleTimeout,
	} {
		if limit <= 0 || limit > 2*time.Minute {
			t.Errorf("%s is %v", name, limit)
		}
	}
	if h.MaxHeaderBytes <= 0 || h.MaxHeaderBytes > 64<<10 {
		t.Errorf("MaxHeaderBytes is %d", h.MaxHeaderBytes)
	}
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	g := newTarget(t, func(h *http.Server) { h.ReadHeaderTimeout = 100 * time.Millisecond })
	var slow []net.Conn
	for range 50 {
		conn := g.dial(t)
		io.WriteString(conn, "GET /v1/labels HTTP/1.1\r\nHost: parley\r\nX-Slow: ")
		slow = append(slow, conn)
	}
	g.alive(t)
	for _, conn := range slow {
		if text := requireEnd(t, conn); strings.HasPrefix(text, "HTTP/1.1 2") {
			t.Errorf("half a request got %q", text)
		}
	}
	g.alive(t)
}

func TestSlowBodiesAreCutOff(t *testing.T) {
	t.Parallel()
	g := newTarget(t, func(h *http.Server) { h.ReadTimeout = 200 * time.Millisecond })
	for name, framing := range map[string]string{"length": "Content-Length: 15", "chunks": "Transfer-Encoding: chunked"} {
		t.Run(name, func(t *testing.T) {
			conn := g.dial(t)
			fmt.Fprintf(conn, "POST /v1/labels HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n", g.key, framing)
			io.WriteString(conn, map[string]string{"length": `{"name"`, "chunks": "7\r\n{\"name\"\r\n"}[name])
			text := requireEnd(t, conn) // with an answer or, on a busy machine, without
			for _, answer := range g.answers(t, http.MethodPost, "/v1/labels", text) {
				if answer.StatusCode != http.StatusBadRequest {
					t.Errorf("got %q", text)
				}
			}
		})
	}
	if list := g.ask("/v1/labels"); !strings.Contains(string(list), `"data":[]`) {
		t.Errorf("the list is %s", list)
	}
	g.alive(t)
}

func TestIdleConnectionsAreCutOff(t *testing.T) {
	t.Parallel()
	g := newTarget(t, func(h *http.Server) { h.IdleTimeout = 100 * time.Millisecond })
	idle := g.dial(t)
	io.WriteString(idle, "GET /v1/health HTTP/1.1\r\nHost: parley\r\n\r\n")
	if text := requireEnd(t, idle); !strings.HasPrefix(text, "HTTP/1.1 200 OK") {
		t.Errorf("got %q", text)
	}
}

func TestOverlongRequests(t *testing.T) {
	t.Parallel()
	g := newTarget(t, nil)
	for _, test := range []struct {
		name, path, header string
		status             int
	}{
		{"the longest URL", "/v1/health?" + strings.Repeat("x", 8000), "", http.StatusOK},
		{"a long URL", "/v1/health?" + strings.Repeat("x", 9000), "", http.StatusBadRequest},
		{"a very long URL", "/v1/health?" + strings.Repeat("x", 100_000), "", http.StatusRequestHeaderFieldsTooLarge},
		{"a long header", "/v1/health", "X-Long: " + strings.Repeat("x", 30_000) + "\r\n", http.StatusOK},
		{"a very long header", "/v1/health", "X-Long: " + strings.Repeat("x", 100_000) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
		{"many headers", "/v1/health", strings.Repeat("X-Many: x\r\n", 10_000), http.StatusRequestHeaderFieldsTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := g.dial(t)
			go fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: parley\r\nConnection: close\r\n%s\r\n", test.path, test.header)
			// A server that stops reading resets the connection, and its answer may be lost.
			text := requireEnd(t, conn)
			if text == "" && test.status == http.StatusRequestHeaderFieldsTooLarge {
				return
			}
			answers := g.answers(t, http.MethodGet, test.path, text)
			if len(answers) != 1 || answers[0].StatusCode != test.status {
				t.Errorf("got %.200q, want %d", text, test.status)
			}
			g.alive(t)
		})
	}
}

// malformed are requests that a parser might read in two ways, or fail on. All must be refused.
var malformed = map[string]string{
	"two lengths":                 "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
	"a list of lengths":           "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 6\r\n\r\nhello!",
	"a negative length":           "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
	"a signed length":             "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
	"a length in hex":             "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello",
	"a length beyond all numbers": "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
	"an unknown encoding":         "POST /v1/labels HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"an encoding in disguise":     "POST /v1/labels HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
	"two encodings":               "POST /v1/labels HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
	"a blank before a colon":      "GET /v1/health HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello",
	"a folded header":             "GET /v1/health HTTP/1.1\r\n Host: a\r\n\r\n",
	"NUL in a header":             "GET /v1/health HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
	"a header without a name":     "GET /v1/health HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
	"no host":                     "GET /v1/health HTTP/1.1\r\n\r\n",
	"two hosts":                   "GET /v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
	"a broken host":               "GET /v1/health HTTP/1.1\r\nHost: a b\r\n\r\n",
	"no version":                  "GET /v1/health\r\n\r\n",
	"another version":             "GET /v1/health HTTP/3.7\r\nHost: a\r\n\r\n",
	"HTTP/2 without an upgrade":   "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"no method":                   " /v1/health HTTP/1.1\r\nHost: a\r\n\r\n",
	"a method with a colon":       "GE:T /v1/health HTTP/1.1\r\nHost: a\r\n\r\n",
	"a blank in the path":         "GET /v1/hea lth HTTP/1.1\r\nHost: a\r\n\r\n",
	"a broken escape":             "GET /v1/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
	"a relative path":             "GET v1/health HTTP/1.1\r\nHost: a\r\n\r\n",
	"TLS":                         "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	"noise":                       "\x00\xff\xfe\r\n\r\n\r\n",
	"a wish that cannot be met":   "POST /v1/labels HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}",
	"a tunnel":                    "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
	"options of the server":       "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
}

func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	g := newTarget(t, nil)
	for name, raw := range malformed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := g.send(t, raw)
			if status, _, _ := strings.Cut(strings.TrimPrefix(text, "HTTP/1.1 "), " "); status < "400" || status == "500" {
				t.Errorf("got %q", text)
			}
			if strings.Count(text, "HTTP/1.1 ") != 1 {
				t.Errorf("got several answers: %q", text)
			}
			if strings.Contains(text, "application/json") && !strings.Contains(text, `"param":"request"`) { // the request reached the API
				method, rest, _ := strings.Cut(raw, " ")
				path, _, _ := strings.Cut(rest, " ")
				g.answers(t, method, path, text)
			}
			g.alive(t)
		})
	}
}

// A request with a truncated or badly framed body is refused, and the bytes after it are not taken for a request.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	g := newTarget(t, nil)
	const smuggled = "GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n"
	const chunks, bad = "Transfer-Encoding: chunked", http.StatusBadRequest
	for name, test := range map[string]struct {
		header, body string
		status       int
	}{
		"breaks off":             {"Content-Length: 100", `{"name":"x"`, bad},
		"a chunk that breaks":    {chunks, "5\r\n{\"na", bad},
		"a chunk without a size": {chunks, "\r\n" + smuggled, bad},
		"a chunk of no size":     {chunks, "xyz\r\n{}\r\n0\r\n\r\n" + smuggled, bad},
		"a huge chunk":           {chunks, "FFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n" + smuggled, bad},
		"a negative chunk":       {chunks, "-2\r\n{}\r\n0\r\n\r\n" + smuggled, bad},
		"a chunk too long":       {chunks, "1\r\n{}\r\n0\r\n\r\n" + smuggled, bad},
		"a declared gigabyte":    {"Content-Length: 1073741824", smuggled, http.StatusRequestEntityTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := g.send(t, fmt.Sprintf("POST /v1/labels HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n%s", g.key, test.header, test.body))
			answers := g.answers(t, http.MethodPost, "/v1/labels", text)
			if len(answers) != 1 || answers[0].StatusCode != test.status {
				t.Errorf("got %q", text)
			}
			g.alive(t)
		})
	}
}

func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	g := newTarget(t, nil)
	conn := g.dial(t)
	io.WriteString(conn, "GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	text := requireEnd(t, conn)
	missing, health := strings.Index(text, "missing_api_key"), strings.Index(text, `"status":"ok"`)
	if missing < 0 || health < missing {
		t.Errorf("got %q", text)
	}
}
