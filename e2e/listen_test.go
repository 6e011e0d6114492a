package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	parley "github.com/parleyhq/parley/client"
)

// hookReceiver is a developer's server that accepts and keeps events.
type hookReceiver struct {
	*httptest.Server
	status atomic.Int64 // the status of its answers
	mu     sync.Mutex
	seen   []receivedHook
}

type receivedHook struct {
	Header http.Header
	Body   string
}

func newHookReceiver(t *testing.T, status int) *hookReceiver {
	t.Helper()
	r := &hookReceiver{}
	r.status.Store(int64(status))
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return // the sender has closed the connection
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, receivedHook{request.Header, string(body)})
		w.WriteHeader(int(r.status.Load()))
	}))
	t.Cleanup(r.Close)
	return r
}

// all is everything received so far.
func (r *hookReceiver) all() []receivedHook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[:len(r.seen):len(r.seen)]
}

// await waits for n events.
func (r *hookReceiver) await(t *testing.T, n int) []receivedHook {
	t.Helper()
	if !eventually(func() bool { return len(r.all()) >= n }) {
		t.Fatalf("%d events came, want %d", len(r.all()), n)
	}
	return r.all()
}

// relay is a fixed address for a server whose own address changes with each start.
func relay(t *testing.T, srv *Server) string {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			target, err := url.Parse(srv.URL())
			if err == nil {
				r.SetURL(target)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

var secretLine = regexp.MustCompile(`whsec_[A-Za-z0-9_-]{32}`)

// listen starts parley listen and returns it once it listens, with its secret.
func listen(t *testing.T, address, key, forwardTo string, args ...string) (*process, string) {
	t.Helper()
	p, err := launch([]string{"PARLEY_API_KEY=" + key}, append([]string{"listen", "--url", address, "--forward-to", forwardTo}, args...)...)
	must(t, err)
	t.Cleanup(func() {
		if p.running() {
			_ = p.cmd.Process.Kill() // it may have ended already
		}
	})
	var secret string
	if !eventually(func() bool {
		secret = secretLine.FindString(p.stdout.String())
		return secret != "" || !p.running()
	}) || secret == "" {
		t.Fatalf("it does not listen: %s%s", &p.stdout, &p.stderr)
	}
	return p, secret
}

func (n *Number) newContact(t *testing.T) string {
	t.Helper()
	r := n.srv.Post(n.org.Key, n.path("/contacts"), fmt.Sprintf(`{"phone_number":%q}`, newPerson()))
	expect(t, r, http.StatusCreated, "")
	return r.ID()
}

// TestListen: events reach a developer's server as deliveries do, and none is lost while the service is down.
func TestListen(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		w := newWorld(t, store)
		n := w.number(t)
		n.newContact(t) // an earlier event: it is not forwarded
		local := newHookReceiver(t, http.StatusAccepted)
		p, secret := listen(t, relay(t, w.srv), n.org.Key, strings.TrimPrefix(local.URL, "http://")+"/hooks", "--events", "contact.created,message.received")

		first := n.newContact(t)
		got := local.await(t, 1)[0]
		if !strings.Contains(got.Body, first) {
			t.Errorf("another event came: %s", got.Body)
		}
		checkForwarded(t, got, secret)
		if !eventually(func() bool { return strings.Contains(p.stdout.String(), "202 Accepted") }) {
			t.Errorf("it prints %s", &p.stdout)
		}

		w.srv.Kill()
		w.srv.Restart()
		n.srv = w.srv.with(t)
		second, third := n.newContact(t), n.newContact(t)
		for i, id := range []string{first, second, third} {
			if body := local.await(t, 3)[i].Body; !strings.Contains(body, id) {
				t.Errorf("event %d is %s, want that of %s", i, body, id)
			}
		}
		must(t, p.cmd.Process.Signal(syscall.SIGINT))
		if code, err := p.await(); code != 0 || err != nil || p.stderr.String() != "" {
			t.Errorf("it ended with %d, %v: %s", code, err, &p.stderr)
		}
		if n := len(local.all()); n != 3 {
			t.Errorf("%d events were forwarded, want 3", n)
		}
	})
}

// checkForwarded compares a forwarded event with a delivery.
func checkForwarded(t *testing.T, got receivedHook, secret string) {
	t.Helper()
	event, err := parley.ParseWebhook(got.Header, []byte(got.Body), time.Now(), secret)
	must(t, err)
	if event.Type != parley.EventContactCreated || event.Source != "svc" || event.Attempt != 1 ||
		!strings.HasPrefix(event.DeliveryID, "wbd_") || !strings.HasPrefix(event.EventID, "evt_") {
		t.Errorf("got %+v", event)
	}
	if got.Header.Get("User-Agent") != "Svc-Webhook/1.0" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %v", got.Header)
	}
}

// TestWaitingForEventsDoesNotHoldUpAStop: a server stops at once although a client waits for events, and the client
// gets an answer.
func TestWaitingForEventsDoesNotHoldUpAStop(t *testing.T) {
	t.Parallel()
	srv := Start(t)
	org := srv.NewOrg()
	cursor := parseObject(t, []byte(srv.Get(org.Key, "/v1/events").Body)).str("data", "cursor")
	answered := make(chan Reply, 1)
	const wait = 20 * time.Second // the most that a client can ask for
	begin := time.Now()
	go func() {
		reply, err := srv.Try(Call{Method: http.MethodGet, Path: fmt.Sprintf("/v1/events?wait=%.0f&cursor=%s", wait.Seconds(), cursor), Key: org.Key})
		if err != nil {
			reply.Body = err.Error()
		}
		answered <- reply
	}()
	waits := func() bool {
		return strings.Contains(fetch(t, srv.Ops()+"/debug/pprof/goroutine?debug=1").Body, ".awaitEvents")
	}
	if !eventually(func() bool { return waits() || len(answered) > 0 }) || len(answered) > 0 {
		t.Fatalf("it does not wait: %v", <-answered)
	}
	srv.Stop()
	if reply := <-answered; reply.Status != http.StatusOK || time.Since(begin) >= wait {
		t.Errorf("it was answered %d %s after %v", reply.Status, reply.Body, time.Since(begin))
	}
}

func TestListenRefused(t *testing.T) {
	t.Parallel()
	srv := Start(t)
	org := srv.NewOrg()
	for name, test := range map[string]struct {
		key  string
		args []string
		want string
		code int
	}{
		"unknown key":   {"svc_live_000000000000000000000000", []string{"--forward-to", "localhost:1"}, "check --key", 1},
		"malformed key": {"x", []string{"--forward-to", "localhost:1"}, "must be an API key", 2},
		"unknown event": {org.Key, []string{"--forward-to", "localhost:1", "--events", "message.lost"}, "there is no event", 2},
		"bad target":    {org.Key, []string{"--forward-to", "ftp://x"}, "--forward-to must be", 2},
	} {
		r := runProgram(t, []string{"PARLEY_API_KEY=" + test.key}, append([]string{"listen", "--url", srv.URL()}, test.args...)...)
		if r.Code != test.code || !strings.Contains(r.Stderr, test.want) || strings.Contains(r.Stderr+r.Stdout, org.Key) {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}
