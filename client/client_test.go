package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/client"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "chat.example.com", "ftp://chat.example.com", "https://", "https://u:hunter2@chat.example.com", "https://chat.example.com?x=1", "https://chat.example.com?", "https://chat.example.com/v1?", "https://chat.example.com#x", "://"} {
		if _, err := client.New(base, "svc_live_x"); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", base, err)
		}
	}
	for _, key := range []string{"", "two words", "line\nbreak", "ümlaut"} {
		if _, err := client.New("https://chat.example.com", key); err == nil {
			t.Errorf("the key %q was taken", key)
		}
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	var got []*http.Request
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		answer(200, healthy)(w, r)
	}, client.WithUserAgent("shop/1"))
	must(c.Health(t.Context()))(t)
	must(c.GetLabel(t.Context(), "a/b?c#d%"))(t)
	if r := got[0]; r.URL.Path != "/v1/health" || r.Header.Get("Authorization") != "Bearer svc_live_x" || r.UserAgent() != "shop/1" || r.Header.Get("Idempotency-Key") != "" {
		t.Errorf("got %s %s with %v", r.Method, r.URL, r.Header)
	}
	if r := got[1]; r.URL.EscapedPath() != "/v1/labels/a%2Fb%3Fc%23d%25" || r.URL.RawQuery != "" {
		t.Errorf("got %s", r.URL)
	}
	for _, id := range []string{"", ".", ".."} {
		if _, err := c.GetMessage(t.Context(), id, "msg_1"); err == nil || len(got) != 2 {
			t.Errorf("%q was sent: %v", id, err)
		}
	}
	if _, err := c.CreateContact(t.Context(), "1", client.NewContact{Metadata: map[string]any{"f": func() {}}}); err == nil || len(got) != 2 {
		t.Errorf("a function was sent: %v", err)
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"https://h", "https://h/", "https://h/v1", "https://h/v1/"} {
		c, err := client.New(base, "svc_live_x")
		if err != nil || fmt.Sprint(c) != "client of https://h/v1" {
			t.Errorf("%s: %v, %v", base, c, err)
		}
	}
}

// TestKeyStaysHome checks that neither a redirect nor a log line reveals the key.
func TestKeyStaysHome(t *testing.T) {
	t.Parallel()
	elsewhere, count := sequence(answer(200, healthy))
	var target string
	clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		target = "http://" + r.Host
		elsewhere(w, r)
	}).Health(t.Context())
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target+"/v1/health", http.StatusTemporaryRedirect)
	})
	_, err := c.Health(t.Context())
	if err == nil || count() != 1 || !strings.Contains(err.Error(), "is the base URL right?") {
		t.Errorf("got %v, %d requests", err, count())
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, c); strings.Contains(text, "svc_live") {
			t.Errorf("%s prints %s", format, text)
		}
	}
}

func TestErrorsOfOthers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", `{"error":"nope"}`, `{"error":{}}`, `null`, `{"error":{"code":7}}`} {
		_, err := clientOf(t, answer(418, body, "X-Request-Id", "req_9")).Me(t.Context())
		want := client.Error{HTTPStatus: 418, Message: "HTTP status 418, not from the API itself", RequestID: "req_9"}
		if got, ok := err.(*client.Error); !ok || *got != want {
			t.Errorf("%s: got %#v", body, err)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	e := &client.Error{Code: "invalid_phone_number", Message: "Must be digits.", Param: "to", RequestID: "req_1"}
	if got := e.Error(); got != "Must be digits. (invalid_phone_number, to, req_1)" {
		t.Error(got)
	}
	if got := (&client.Error{Message: "Bare."}).Error(); got != "Bare." {
		t.Error(got)
	}
	if client.IsCode(nil, "x") || client.IsCode(fmt.Errorf("x"), "") || !client.IsCode(fmt.Errorf("wrapped: %w", e), client.CodeInvalidPhoneNumber) {
		t.Error("IsCode is wrong")
	}
}

func TestWalkInACircle(t *testing.T) {
	t.Parallel()
	c := clientOf(t, answer(200, `{"data":[{"id":"lbl_1"}],"has_more":true,"next_cursor":"same"}`))
	labels, failures := 0, 0
	for _, err := range c.Labels(t.Context(), client.LabelFilter{}) {
		if err != nil {
			failures++
		} else {
			labels++
		}
	}
	if labels != 1 || failures != 1 {
		t.Errorf("%d labels, %d failures", labels, failures)
	}
}
