package simulator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testSecret = "app-secret"
	testNumber = "100200300400500"
	testToken  = "test-token"
	testPerson = "+4915510000001"
)

// clock stands still until a test moves it.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// rig is a simulator on a real port, with a receiver of callbacks that checks every signature.
type rig struct {
	t     *testing.T
	sim   *Simulator
	url   string
	clock *clock
	recv  *receiver
}

func newRig(t *testing.T, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, clock: newClock(), recv: newReceiver(t)}
	cfg := Config{AppID: "7001", AppSecret: testSecret, CallbackURL: r.recv.url, Now: r.clock.now, Seed: 7}
	for _, f := range change {
		f(&cfg)
	}
	r.sim = New(cfg)
	r.sim.Start(context.Background())
	srv := httptest.NewServer(r.sim)
	r.url = srv.URL
	t.Cleanup(func() {
		r.sim.Stop(context.Background())
		srv.CloseClientConnections()
		srv.Close()
	})
	return r
}

// settle moves the clock and waits until everything that was due has happened.
func (r *rig) settle(d time.Duration) {
	r.t.Helper()
	r.clock.move(d)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.sim.Settle(ctx); err != nil {
		r.t.Fatalf("settle: %v", err)
	}
}

// reply is an answer of the simulator.
type reply struct {
	status int
	body   map[string]any
	raw    []byte
	header http.Header
}

func (r *rig) do(method, path string, body any) reply {
	r.t.Helper()
	got, err := r.try(method, path, body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (r *rig) try(method, path string, body any) (reply, error) {
	r.t.Helper()
	var in io.Reader
	if body != nil {
		in = bytes.NewReader(encode(r.t, body))
	}
	req, err := http.NewRequest(method, r.url+path, in)
	must(r.t, err)
	req.Header.Set("Authorization", "Bearer "+testToken)
	return r.request(req)
}

func (r *rig) request(req *http.Request) (reply, error) {
	r.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	got := reply{status: resp.StatusCode, raw: raw, header: resp.Header}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(raw, &got.body); err != nil {
			r.t.Fatalf("%s is not JSON: %s", req.URL.Path, raw)
		}
	}
	return got, nil
}

func encode(t *testing.T, body any) []byte {
	t.Helper()
	switch v := body.(type) {
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	b, err := json.Marshal(body)
	must(t, err)
	return b
}

// send posts a message and returns its id, failing the test unless it was accepted.
func (r *rig) send(body any) string {
	r.t.Helper()
	got := r.do("POST", "/v25.0/"+testNumber+"/messages", body)
	if got.status != http.StatusOK {
		r.t.Fatalf("send: %d %s", got.status, got.raw)
	}
	return at[string](r.t, got.body, "messages", 0, "id")
}

// control calls the control API and fails the test unless it works.
func (r *rig) control(method, path string, body any) reply {
	r.t.Helper()
	got := r.do(method, "/_sim/"+path, body)
	if got.status != http.StatusOK {
		r.t.Fatalf("%s %s: %d %s", method, path, got.status, got.raw)
	}
	return got
}

// inbound makes the usual person write, which opens the window.
func (r *rig) inbound() string {
	r.t.Helper()
	got := r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "from": testPerson, "text": "hello"})
	r.settle(0)
	r.recv.clear()
	return at[string](r.t, got.body, "messages", 0, "id")
}

func text(to, body string) map[string]any {
	return map[string]any{"messaging_product": "whatsapp", "to": to, "type": "text", "text": map[string]any{"body": body}}
}

func with(m map[string]any, key string, value any) map[string]any {
	m[key] = value
	return m
}

func (g reply) code() int {
	e, _ := g.body["error"].(map[string]any)
	c, _ := e["code"].(float64)
	return int(c)
}

// at follows a path into decoded JSON.
func at[T any](t *testing.T, v any, path ...any) T {
	t.Helper()
	found, ok := dig(v, path...).(T)
	if !ok {
		b, _ := json.Marshal(v)
		t.Fatalf("no %T at %v in %s", found, path, b)
	}
	return found
}

func dig(v any, path ...any) any {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				return nil
			}
			v = l[key]
		}
	}
	return v
}

// receiver is the callback address of the app.
type receiver struct {
	t   *testing.T
	url string

	mu      sync.Mutex
	answer  func(n int) int // the status of the nth answer; nil means 200
	bodies  [][]byte
	changes []change
	token   string
}

// change is one change of a callback, with the entry that contained it.
type change struct {
	entry string
	field string
	value map[string]any
}

func newReceiver(t *testing.T) *receiver {
	rc := &receiver{t: t, token: "verify"}
	srv := httptest.NewServer(rc)
	t.Cleanup(srv.Close)
	rc.url = srv.URL + "/hook"
	return rc
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		rc.verify(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		rc.t.Error(err)
	}
	mac := hmac.New(sha256.New, []byte(testSecret))
	mac.Write(body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); r.Header.Get("X-Hub-Signature-256") != want {
		rc.t.Errorf("signature %q, want %q", r.Header.Get("X-Hub-Signature-256"), want)
	}
	w.WriteHeader(rc.take(body))
}

func (rc *receiver) verify(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if q.Get("hub.mode") != "subscribe" || q.Get("hub.verify_token") != rc.token {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	_, _ = io.WriteString(w, q.Get("hub.challenge"))
}

func (rc *receiver) take(body []byte) int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.bodies = append(rc.bodies, body)
	if rc.answer != nil {
		if status := rc.answer(len(rc.bodies)); status != http.StatusOK {
			return status
		}
	}
	var in struct {
		Object string `json:"object"`
		Entry  []struct {
			ID      string `json:"id"`
			Changes []struct {
				Field string         `json:"field"`
				Value map[string]any `json:"value"`
			} `json:"changes"`
		} `json:"entry"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Object != "whatsapp_business_account" {
		rc.t.Errorf("not a callback: %s", body)
	}
	for _, e := range in.Entry {
		for _, c := range e.Changes {
			rc.changes = append(rc.changes, change{e.ID, c.Field, c.Value})
		}
	}
	return http.StatusOK
}

func (rc *receiver) all() []change {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return slices.Clone(rc.changes)
}

func (rc *receiver) requests() [][]byte {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return slices.Clone(rc.bodies)
}

func (rc *receiver) clear() {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.changes, rc.bodies = nil, nil
}

func (rc *receiver) answering(f func(n int) int) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.answer = f
}

// statuses lists the statuses of a message in the order they came.
func (rc *receiver) statuses(id string) []string {
	var list []string
	for _, st := range rc.statusObjects(id) {
		list = append(list, st["status"].(string))
	}
	return list
}

func (rc *receiver) statusObjects(id string) []map[string]any {
	var list []map[string]any
	for _, c := range rc.all() {
		items, _ := c.value["statuses"].([]any)
		for _, item := range items {
			if st := item.(map[string]any); st["id"] == id {
				list = append(list, st)
			}
		}
	}
	return list
}

// failureOf is the code that a message failed with, or 0.
func (rc *receiver) failureOf(t *testing.T, id string) int {
	for _, st := range rc.statusObjects(id) {
		if st["status"] == "failed" {
			return int(at[float64](t, st, "errors", 0, "code"))
		}
	}
	return 0
}

// Settle runs everything that is due, and waits until its callbacks have been answered or postponed.
func (s *Simulator) Settle(ctx context.Context) error {
	for {
		s.sched.runDue(s.handle)
		if err := s.callbacks.Quiet(ctx); err != nil {
			return err
		}
		s.sched.mu.Lock()
		more := len(s.sched.heap) > 0 && s.sched.heap[0].at <= s.now().UnixNano()
		s.sched.mu.Unlock()
		if !more {
			return nil
		}
	}
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
