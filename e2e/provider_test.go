package e2e

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator"
)

const (
	appSecret   = "the app's secret"
	verifyToken = "the callback's token"
)

// WithProvider configures provider secrets that the test knows. Without a URL the program's own simulator is the
// provider.
func WithProvider(url string) Option {
	return WithFlags("--provider-url="+url, "--provider-app-secret="+appSecret, "--provider-verify-token="+verifyToken)
}

// quick are short delays of simulated people.
var quick = simulator.Delays{
	Sent: 10 * time.Millisecond, Delivered: 10 * time.Millisecond, Read: 10 * time.Millisecond, Played: 10 * time.Millisecond,
	Retry: 100 * time.Millisecond,
}

// Sim controls a simulator, the program's own or one that the test runs.
type Sim struct {
	t    *testing.T
	base func() string
}

// Sim controls the server's own simulator, and makes it quick.
func (s *Server) Sim() Sim {
	s.t.Helper()
	sim := Sim{s.t, func() string { return s.Ops() + "/simulator/_sim/" }}
	sim.do(http.MethodPatch, "settings", map[string]any{
		"sent": quick.Sent.String(), "delivered": quick.Delivered.String(), "read": quick.Read.String(),
		"played": quick.Played.String(), "retry": quick.Retry.String(),
	})
	return sim
}

// with is the same control, but its failures are reported to another test.
func (s Sim) with(t *testing.T) Sim { return Sim{t, s.base} }

// try calls the simulator's control API and returns the answer.
func (s Sim) try(method, path string, body any) (object, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequest(method, s.base()+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s %s, %w", method, path, response.Status, answer, err)
	}
	var o object
	return o, json.Unmarshal(answer, &o)
}

// do is try for a call that must succeed.
func (s Sim) do(method, path string, body any) object {
	s.t.Helper()
	answer, err := s.try(method, path, body)
	must(s.t, err)
	return answer
}

// accepted are the messages that the provider has accepted and that match the query, oldest first.
func (s Sim) accepted(query string) []object {
	s.t.Helper()
	answer := s.do(http.MethodGet, "messages?direction=outbound&limit=100000&"+query, nil)
	list := answer.list("messages")
	slices.Reverse(list)
	return list
}

// object is any JSON object.
type object map[string]any

func parseObject(t *testing.T, text []byte) (o object) {
	t.Helper()
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

// list is a member that is an array of objects.
func (o object) list(name string) (list []object) {
	items, _ := o[name].([]any)
	for _, item := range items {
		member, _ := item.(map[string]any)
		list = append(list, member)
	}
	return list
}

// at follows names and indexes into the object; nil if they lead nowhere.
func (o object) at(path ...any) any {
	var v any = map[string]any(o)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// str is a member that is a text; empty if it is none.
func (o object) str(path ...any) string {
	s, _ := o.at(path...).(string)
	return s
}

// names are the names of an object's members, sorted.
func (o object) names(path ...any) []string {
	m, _ := o.at(path...).(map[string]any)
	names := []string{}
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Provider is a simulator in the test's own process, which outlives the servers that use it. Its callbacks go through a
// relay to the server's current address. The servers reach it through a door of their own.
type Provider struct {
	*simulator.Simulator
	Sim
	URL    string // the address of its API
	door   *door
	server atomic.Pointer[Server]
	acks   atomic.Int64 // how many callbacks the server has acknowledged
}

// StartProvider starts a simulator that accepts any message, on its own port.
func StartProvider(t *testing.T) *Provider {
	t.Helper()
	control, api := newDoor(t), newDoor(t)
	p := &Provider{URL: api.url + "/v24.0", door: api, Sim: Sim{t, func() string { return control.url + "/_sim/" }}}
	delays := quick
	p.Simulator = simulator.New(simulator.Config{
		AppSecret: appSecret, CallbackURL: control.url + "/relay", BaseURL: api.url,
		IgnoreWindow: true, Delays: &delays, MaxMessages: 1_000_000,
	})
	mux := http.NewServeMux()
	mux.HandleFunc("/relay", p.relay)
	mux.Handle("/", p.Simulator)
	control.serve(t, mux)
	api.serve(t, p.Simulator)
	p.Start(context.Background())
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}

// relay passes a callback on. Without a server nobody answers, as at a dead address.
func (p *Provider) relay(w http.ResponseWriter, r *http.Request) {
	status, err := p.pass(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if status == http.StatusOK {
		p.acks.Add(1)
	}
	w.WriteHeader(status)
}

func (p *Provider) pass(r *http.Request) (int, error) {
	srv := p.server.Load()
	if srv == nil || !srv.proc.Load().running() {
		return 0, io.ErrClosedPipe
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, srv.URL()+"/provider/webhook", r.Body)
	if err != nil {
		return 0, err
	}
	request.Header = r.Header.Clone()
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// Serve starts a server that uses the provider.
func (p *Provider) Serve(options ...Option) *Server {
	p.t.Helper()
	srv := Start(p.t, append(options, WithProvider(p.URL))...)
	p.server.Store(srv)
	return srv
}

// quiet waits until no callback to the server is under way.
func (p *Provider) quiet() {
	p.t.Helper()
	idle := within(2*patience, func() bool {
		c := p.do(http.MethodGet, "counters", nil)
		return c["callbacks_waiting"] == 0.0 && c["events_waiting"] == 0.0
	})
	if !idle {
		p.t.Fatalf("the provider still has callbacks: %v", p.do(http.MethodGet, "counters", nil))
	}
}

// sign is the provider's signature of a callback.
func sign(body string) string {
	mac := hmac.New(sha256.New, []byte(appSecret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// callBack posts a callback to the server as the provider would, with any signature.
func (s *Server) callBack(body, signature string) (Reply, error) {
	request, err := http.NewRequest(http.MethodPost, s.URL()+"/provider/webhook", bytes.NewReader([]byte(body)))
	if err != nil {
		return Reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if signature != "" {
		request.Header.Set("X-Hub-Signature-256", signature)
	}
	response, err := client.Do(request)
	if err != nil {
		return Reply{}, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return Reply{response.StatusCode, response.Header, string(answer)}, err
}

// CallBack posts a signed callback, which must be acknowledged.
func (s *Server) CallBack(body string) {
	s.t.Helper()
	if reply, err := s.callBack(body, sign(body)); err != nil || reply.Status != http.StatusOK {
		s.t.Fatalf("the callback got %+v, %v", reply, err)
	}
}
