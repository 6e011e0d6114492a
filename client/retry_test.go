package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

// naps records the waits of a client that does not really wait.
type naps struct {
	mu    sync.Mutex
	waits []time.Duration
}

func (n *naps) sleep(_ context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waits = append(n.waits, d)
	return nil
}

// clientOf is a client of a small server that answers with handle.
func clientOf(t *testing.T, handle http.HandlerFunc, options ...client.Option) *client.Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, "svc_live_x", append([]client.Option{client.WithSleep(new(naps).sleep)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is a canned answer.
func answer(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func envelope(kind, code string) string {
	return fmt.Sprintf(`{"error":{"type":%q,"code":%q,"message":"No.","request_id":"req_1"}}`, kind, code)
}

// sequence answers with one handler after the other, the last one for ever, and counts.
func sequence(handlers ...http.HandlerFunc) (http.HandlerFunc, func() int) {
	var mu sync.Mutex
	n := 0
	next := func() http.HandlerFunc {
		mu.Lock()
		defer mu.Unlock()
		n++
		return handlers[min(n, len(handlers))-1]
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
	return func(w http.ResponseWriter, r *http.Request) { next()(w, r) }, count
}

func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// cutOff sends less than it promised.
func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	io.WriteString(w, `{"data":`)
}

const healthy = `{"data":{"status":"ok"},"request_id":"req_2"}`

func TestWhatIsRepeated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failure  http.HandlerFunc
		repeated bool
	}{
		"429":                  {answer(429, envelope("rate_limit_error", "rate_limit_exceeded")), true},
		"502":                  {answer(502, envelope("api_error", "whatsapp_upstream_error")), true},
		"503":                  {answer(503, envelope("api_error", "service_unavailable")), true},
		"503 of a proxy":       {answer(503, "<html>"), true},
		"504 of a proxy":       {answer(504, ""), true},
		"in progress":          {answer(409, envelope("conflict", "idempotency_in_progress")), true},
		"connection dropped":   {drop, true},
		"answer cut off":       {cutOff, true},
		"500":                  {answer(500, envelope("api_error", "internal_error")), false},
		"another conflict":     {answer(409, envelope("conflict", "registration_in_progress")), false},
		"400":                  {answer(400, envelope("invalid_request_error", "invalid_json")), false},
		"401":                  {answer(401, envelope("authentication_error", "invalid_api_key")), false},
		"422":                  {answer(422, envelope("invalid_request_error", "media_not_found")), false},
		"a redirect":           {answer(301, "", "Location", "https://elsewhere.example/"), false},
		"another page":         {answer(200, "<html>welcome</html>"), false},
		"not what was read":    {answer(200, `{"data":7}`), false},
		"304 that nobody asks": {answer(304, ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handle, count := sequence(test.failure, answer(200, healthy))
			var seen client.Response
			h, err := clientOf(t, handle).Health(t.Context(), client.Capture(&seen))
			if test.repeated && (err != nil || h.Status != "ok" || count() != 2 || seen.Attempts != 2) {
				t.Errorf("got %+v, %v after %d requests (%+v)", h, err, count(), seen)
			}
			if !test.repeated && (err == nil || count() != 1) {
				t.Errorf("got %+v, %v after %d requests", h, err, count())
			}
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{-1: 1, 0: 1, 3: 4, 5: 6} {
		handle, count := sequence(answer(503, envelope("api_error", "service_unavailable"), "Retry-After", "1"))
		slept := new(naps)
		_, err := clientOf(t, handle, client.WithRetries(retries), client.WithSleep(slept.sleep)).Me(t.Context())
		refused(t, err, client.CodeServiceUnavailable, "")
		if count() != want || len(slept.waits) != want-1 {
			t.Errorf("%d retries: %d requests, %v", retries, count(), slept.waits)
		}
	}
}

func TestWaitsGrowAndVary(t *testing.T) {
	t.Parallel()
	handle, _ := sequence(answer(503, ""))
	slept := new(naps)
	c := clientOf(t, handle, client.WithRetries(9), client.WithSleep(slept.sleep))
	for range 2 {
		if _, err := c.Me(t.Context()); err == nil {
			t.Fatal("it worked")
		}
	}
	for i, wait := range slept.waits {
		longest := min(250*time.Millisecond<<(i%9), 10*time.Second)
		if wait < longest/2 || wait > longest {
			t.Errorf("wait %d is %v, want %v to %v", i, wait, longest/2, longest)
		}
	}
	if first, second := slept.waits[:9], slept.waits[9:]; fmt.Sprint(first) == fmt.Sprint(second) {
		t.Errorf("both times %v", first)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	date := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, date: 18 * time.Second, "0": 0, "-5": 0, "soon": 0} {
		handle, _ := sequence(answer(429, envelope("rate_limit_error", "rate_limit_exceeded"), "Retry-After", header), answer(200, healthy))
		slept := new(naps)
		must(clientOf(t, handle, client.WithSleep(slept.sleep)).Health(t.Context()))(t)
		if len(slept.waits) != 1 || slept.waits[0] < want || slept.waits[0] > want+3*time.Second {
			t.Errorf("Retry-After %s: waited %v, want %v", header, slept.waits, want)
		}
	}
}

// TestLongRetryAfter returns the error instead of waiting for an hour.
func TestLongRetryAfter(t *testing.T) {
	t.Parallel()
	handle, count := sequence(answer(429, envelope("rate_limit_error", "rate_limit_exceeded"), "Retry-After", "3600"))
	_, err := clientOf(t, handle).Me(t.Context())
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.RetryAfter != time.Hour || count() != 1 {
		t.Errorf("got %v after %d requests", err, count())
	}
}

func TestContextEndsTheWait(t *testing.T) {
	t.Parallel()
	handle, count := sequence(answer(503, envelope("api_error", "service_unavailable")))
	ctx, cancel := context.WithCancel(t.Context())
	asleep := func(ctx context.Context, _ time.Duration) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	_, err := clientOf(t, handle, client.WithSleep(asleep)).Me(ctx)
	if !errors.Is(err, context.Canceled) || !client.IsCode(err, client.CodeServiceUnavailable) || count() != 1 {
		t.Errorf("got %v after %d requests", err, count())
	}
}

// TestNoWaitBeyondTheDeadline does not wait if the deadline would pass.
func TestNoWaitBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	handle, count := sequence(answer(503, envelope("api_error", "service_unavailable"), "Retry-After", "50"))
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	_, err := clientOf(t, handle, client.WithSleep(func(context.Context, time.Duration) error {
		t.Error("waited")
		return nil
	})).Me(ctx)
	refused(t, err, client.CodeServiceUnavailable, "")
	if count() != 1 {
		t.Errorf("%d requests", count())
	}
}

// inProcess answers requests without a network, so that a bubble's clock moves while a request waits.
type inProcess http.HandlerFunc

func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// TestHangingServer ends an attempt by its timeout and repeats it.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		clientOf := func(handle http.HandlerFunc, options ...client.Option) *client.Client {
			options = append(options, client.WithSleep(new(naps).sleep), client.WithHTTPClient(&http.Client{Transport: inProcess(handle)}))
			c, err := client.New("http://parley.example", "svc_live_x", options...)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		begin := time.Now()
		handle, count := sequence(hang, answer(200, healthy))
		must(clientOf(handle, client.WithTimeout(300*time.Millisecond)).Health(t.Context()))(t)
		if took := time.Since(begin); count() != 2 || took != 300*time.Millisecond {
			t.Errorf("%d requests in %v", count(), took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		handle, count = sequence(hang)
		if _, err := clientOf(handle).Health(ctx); !errors.Is(err, context.DeadlineExceeded) || count() != 1 {
			t.Errorf("got %v after %d requests", err, count())
		}
	})
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	server.Close()
	slept := new(naps)
	c, err := client.New(server.URL, "svc_live_x", client.WithSleep(slept.sleep))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Me(t.Context()); err == nil || errors.As(err, new(*client.Error)) || len(slept.waits) != 3 {
		t.Errorf("got %v after %v", err, slept.waits)
	}
}

func TestUntrustedCertificateIsNotRepeated(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(answer(200, healthy))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	slept := new(naps)
	c, err := client.New(server.URL, "svc_live_x", client.WithSleep(slept.sleep))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Health(t.Context()); err == nil || len(slept.waits) != 0 {
		t.Errorf("got %v after %v", err, slept.waits)
	}
	c, err = client.New(server.URL, "svc_live_x", client.WithHTTPClient(server.Client()))
	if err != nil {
		t.Fatal(err)
	}
	must(c.Health(t.Context()))(t)
}

// TestRepeatedPostKeepsItsKey sends all attempts of a call with the same key and body, and another call with
// another key.
func TestRepeatedPostKeepsItsKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys, bodies []string
	note := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			keys, bodies = append(keys, r.Header.Get("Idempotency-Key")), append(bodies, string(body))
			mu.Unlock()
			then(w, r)
		}
	}
	handle, _ := sequence(note(drop), note(answer(409, envelope("conflict", "idempotency_in_progress"))), note(answer(201, `{"data":{}}`)))
	c := clientOf(t, handle)
	for range 2 {
		must(c.CreateLabel(t.Context(), client.NewLabel{Name: "VIP"}))(t)
	}
	if len(keys) < 4 { // the transport may add one of its own
		t.Fatalf("%d requests", len(keys))
	}
	last := len(keys) - 1
	for i := range last {
		if keys[i] != keys[0] || len(keys[i]) < 20 || bodies[i] != `{"name":"VIP"}` {
			t.Errorf("request %d: key %q, body %q", i, keys[i], bodies[i])
		}
	}
	if keys[last] == keys[0] {
		t.Error("two calls have the same key")
	}
}

// TestLostAnswers breaks the connection after the API has done its work; the work is not repeated.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.fail.coming(loseAnswer, loseAnswer)
	sent := must(s.SendMessage(t.Context(), s.number, client.Text(person, "Once")))(t)
	if page := must(s.ListMessages(t.Context(), s.number, client.MessageFilter{}))(t); len(page.Data) != 1 || page.Data[0].ID != sent.ID {
		t.Errorf("there are %d messages", len(page.Data))
	}
	contact := s.rows.NewContact(t, s.acct, chat.NewContact{PhoneNumber: new("+4915510000009")})
	s.fail.coming(loseAnswer)
	changed := must(s.UpdateContact(t.Context(), s.number, contact.ID, client.ContactPatch{Name: client.Set("Ada")}))(t)
	if *changed.Name != "Ada" {
		t.Errorf("changed to %+v", changed)
	}
	s.fail.coming(loseAnswer)
	deleted := must(s.DeleteContact(t.Context(), s.number, contact.ID))(t)
	if *deleted != (client.Deleted{ID: contact.ID, Object: "contact", Deleted: true}) {
		t.Errorf("got %+v", deleted)
	}
	_, err := s.DeleteContact(t.Context(), s.number, contact.ID)
	refused(t, err, client.CodeResourceNotFound, "")
}

func TestLostUploads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	refuse := func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		answer(503, "")(w, nil) // before the file was read
	}
	content := bytes.Repeat([]byte("picture "), 1<<18)
	s.fail.coming(loseAnswer, refuse, loseAnswer)
	media := must(s.UploadMedia(t.Context(), s.number, client.File{Name: "a.jpg", Content: bytes.NewReader(content)}))(t)
	if media.Size != int64(len(content)) {
		t.Errorf("uploaded %+v", media)
	}
	s.fail.coming(refuse)
	_, err := s.UploadMedia(t.Context(), s.number, client.File{Name: "a.jpg", Content: io.MultiReader(strings.NewReader("picture"))})
	if refusal, ok := errors.AsType[*client.Error](err); !ok || refusal.HTTPStatus != 503 {
		t.Errorf("a stream that is gone was sent again: %v", err)
	}
}
