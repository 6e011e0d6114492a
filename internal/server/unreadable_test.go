package server

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Whatever is wrong with a request, the answer has the error envelope.
func TestUnreadableRequestsGetTheEnvelope(t *testing.T) {
	t.Parallel()
	g := newTarget(t, nil)
	for name, raw := range map[string]string{
		"an id that cannot be decoded":     "GET /v1/labels/%zz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + g.key + "\r\n\r\n",
		"a number that cannot be decoded":  "POST /v1/%F/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
		"a percent sign":                   "GET /v1/labels/100% HTTP/1.1\r\nHost: a\r\n\r\n",
		"a header without a name":          "GET /v1/health HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
		"no host":                          "GET /v1/health HTTP/1.1\r\n\r\n",
		"a length that is none":            "POST /v1/labels HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
		"noise":                            "\x00\xff\xfe\r\n\r\n\r\n",
		"a good request before the broken": "GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/labels/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := g.send(t, raw)
			answers := bufio.NewReader(strings.NewReader(text[strings.LastIndex(text, "HTTP/1.1 "):]))
			response, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatalf("%v in %q", err, text)
			}
			body, err := io.ReadAll(response.Body)
			must(t, err)
			var envelope struct {
				Error struct{ Type, Code, Message, Param, RequestID string }
			}
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(body), "request_id", "RequestID")), &envelope); err != nil {
				t.Fatalf("%v in %q", err, text)
			}
			e := envelope.Error
			if response.StatusCode != http.StatusBadRequest || e.Type != "invalid_request_error" || e.Code != "invalid_field_value" || e.Param != "request" ||
				!strings.Contains(e.Message, "%25") || e.RequestID == "" || e.RequestID != response.Header.Get("X-Request-Id") {
				t.Errorf("got %q", text)
			}
			if response.Header.Get("Content-Type") != "application/json" || response.Header.Get("X-Content-Type-Options") != "nosniff" || !response.Close {
				t.Errorf("the headers are %v", response.Header)
			}
			g.alive(t)
		})
	}
}
