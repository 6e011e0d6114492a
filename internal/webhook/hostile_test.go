package webhook

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/netguard/netguardtest"
	"github.com/parleyhq/parley/internal/store"
)

// raw is an endpoint that calls serve for each connection after it has read a request.
func raw(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					serve(conn)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// post makes one attempt without an engine.
func post(t *testing.T, p *poster, rawURL string) answer {
	t.Helper()
	to := &endpoint{url: parseURL(t, rawURL), always: []string{"whsec_one"}}
	j := &store.DeliveryJob{ID: "wbd_1", EventID: "evt_1", EventType: chat.EventContactCreated, Source: chat.SourceService, Payload: []byte("{}")}
	return p.post(context.Background(), to, j, time.Now(), func() {})
}

func newTestPoster(t *testing.T, cfg Config) *poster {
	t.Helper()
	if cfg.Guard == nil {
		cfg.Guard = loopback()
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = patience
	}
	p := newPoster(cfg)
	t.Cleanup(p.close)
	return p
}

func requireCode(t *testing.T, a answer, code string) {
	t.Helper()
	if got := a.attempt.ErrorCode; got == nil && code != "" || got != nil && *got != code {
		t.Errorf("the error is %v, want %q", deref(got), code)
	}
	if code != "" && (a.verdict == good || *a.attempt.ErrorMessage == "") {
		t.Errorf("the answer is %+v", a)
	}
	if message := deref(a.attempt.ErrorMessage); strings.Contains(message, "127.0.0.1") {
		t.Errorf("the message tells an address: %q", message)
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Things that an endpoint can do instead of answering.
func TestHostileEndpoints(t *testing.T) {
	t.Parallel()
	const answered = "HTTP/1.1 200 OK\r\n"
	until := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) } // until the other side gives up
	for name, test := range map[string]struct {
		serve   func(net.Conn)
		code    string
		verdict verdict
	}{
		"hangs":               {until, codeTimeout, choking},
		"hangs in its header": {func(c net.Conn) { _, _ = io.WriteString(c, answered+"X-A: b\r\n"); until(c) }, codeTimeout, choking},
		"hangs in its body": {func(c net.Conn) {
			_, _ = io.WriteString(c, answered+"Content-Length: 5\r\n\r\nab")
			until(c)
		}, codeTimeout, choking},
		"drips": {func(c net.Conn) {
			_, err := io.WriteString(c, answered+"\r\n")
			for err == nil {
				_, err = io.WriteString(c, "a")
				<-time.After(20 * time.Millisecond)
			}
		}, codeTimeout, choking},
		"closes":              {func(net.Conn) {}, codeReset, failed},
		"half-closes":         {func(c net.Conn) { _ = c.(*net.TCPConn).CloseWrite(); until(c) }, codeReset, failed},
		"resets":              {func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, codeReset, failed},
		"cuts off its header": {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-") }, codeHTTP, failed},
		"cuts off its body": {func(c net.Conn) {
			_, _ = io.WriteString(c, answered+"Content-Length: 5\r\n\r\nab")
		}, "", good}, // it has said that it accepted the delivery
		"talks nonsense":      {func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n\r\n") }, codeHTTP, failed},
		"has a huge header":   {func(c net.Conn) { fmt.Fprintf(c, answered+"X-A: %s\r\n\r\n", strings.Repeat("a", 100<<10)) }, codeHTTP, failed},
		"has endless headers": {func(c net.Conn) { endless(c, answered, "X-A: b\r\n") }, codeHTTP, failed},
		"has an endless body": {func(c net.Conn) { endless(c, answered+"\r\n", strings.Repeat("a", 4096)) }, "", good},
		"switches protocols": {func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			until(c)
		}, codeHTTP, failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := patience
			if test.code == codeTimeout {
				timeout = 100 * time.Millisecond
			}
			a := post(t, newTestPoster(t, Config{Timeout: timeout}), raw(t, test.serve))
			requireCode(t, a, test.code)
			if a.verdict != test.verdict {
				t.Errorf("the verdict is %v", a.verdict)
			}
			if len(deref(a.attempt.ResponseBodySnippet)) > maxSnippet {
				t.Error("the snippet is too long")
			}
		})
	}
}

// endless writes until the other side closes the connection.
func endless(c net.Conn, begin, rest string) {
	_, err := io.WriteString(c, begin)
	for err == nil {
		_, err = io.WriteString(c, rest)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]struct {
		code    string
		verdict verdict
	}{
		200: {"", good}, 202: {"", good}, 299: {"", good}, 300: {codeRedirect, failed}, 304: {codeRedirect, failed}, 308: {codeRedirect, failed},
		400: {codeHTTP, failed}, 404: {codeHTTP, failed}, 410: {codeGone, failed}, 429: {codeHTTP, choking}, 500: {codeHTTP, choking}, 503: {codeHTTP, choking},
	} {
		server := httptest.NewServer(status(code))
		a := post(t, newTestPoster(t, Config{}), server.URL)
		server.Close()
		requireCode(t, a, want.code)
		if a.verdict != want.verdict || a.gone != (code == 410) || *a.attempt.ResponseStatus != int64(code) {
			t.Errorf("%d: %+v", code, a)
		}
	}
}

func TestRedirectToLoopbackIsNotFollowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer inner.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		outer := httptest.NewServer(http.RedirectHandler(inner.URL, code))
		requireCode(t, post(t, newTestPoster(t, Config{}), outer.URL), codeRedirect)
		outer.Close()
	}
	if reached.Load() {
		t.Error("a redirect was followed")
	}
}

// A compressed answer is not unpacked, however small it is.
func TestGzipBomb(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("compression was asked for")
		}
		rw.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(rw)
		_, _ = zip.Write(make([]byte, 8<<20))
		_ = zip.Close()
	}))
	defer server.Close()
	a := post(t, newTestPoster(t, Config{}), server.URL)
	requireCode(t, a, "")
	if s := deref(a.attempt.ResponseBodySnippet); !utf8.ValidString(s) || len(s) > maxSnippet || strings.Contains(s, "\x00") {
		t.Errorf("the snippet is %q", s)
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", maxSnippet)
	for _, test := range []struct{ body, want string }{
		{"", ""}, {"ok", "ok"}, {"a\x00b", "a\uFFFDb"}, {"a\xffb", "a\uFFFDb"}, {long, long[:maxSnippet]}, {"x" + long, "x" + long[:maxSnippet-2]},
		{strings.Repeat("\x00", maxSnippet), strings.Repeat("\uFFFD", maxSnippet/3)},
		{strings.Repeat("\xff\xfe", maxSnippet), "\uFFFD"}, // a run of invalid bytes becomes one
	} {
		if got, err := readSnippet(strings.NewReader(test.body)); got != test.want || err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("of %.20q it is %.40q (%d), %v", test.body, got, len(got), err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		status int
		header string
		want   time.Duration
	}{
		{429, "", time.Minute}, {429, "5", 5 * time.Second}, {429, "soon", time.Minute}, {429, "-1", time.Minute}, {429, "999999999", 24 * time.Hour},
		{429, "4294967296", 24 * time.Hour}, {503, "99999999999999999999", 24 * time.Hour}, {429, "1e3", time.Minute}, {503, "", 0}, {503, "120", 2 * time.Minute}, {500, "120", 0}, {404, "120", 0},
		{503, now.Add(time.Hour).Format(http.TimeFormat), time.Hour}, {503, now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{503, now.Add(100 * time.Hour).Format(http.TimeFormat), 24 * time.Hour},
	} {
		response := &http.Response{StatusCode: test.status, Header: http.Header{}}
		if test.header != "" {
			response.Header.Set("Retry-After", test.header)
		}
		if a := judge(response, now); a.retryAfter != test.want {
			t.Errorf("%d with %q: %v", test.status, test.header, a.retryAfter)
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	secure := quietServer()
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(status(200))
	defer plain.Close()
	old := quietServer()
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	defer old.Close()
	names := netguardtest.Resolver(func(host string) []netip.Addr {
		if host == "private.test" {
			return []netip.Addr{netip.MustParseAddr("127.0.0.2")}
		}
		return nil
	})
	guard := netguard.New(netip.MustParsePrefix("127.0.0.1/32")).WithResolver(names)
	for _, test := range []struct{ url, code string }{
		{"http://" + closed, codeRefused},
		{secure.URL, codeTLS}, // signed by an unknown authority
		{strings.Replace(plain.URL, "http:", "https:", 1), codeTLS},
		{old.URL, codeTLS},
		{"https://unknown.test/", codeDNS},
		{"https://private.test/", codeBlocked},
		{"https://10.0.0.1/", codeBlocked},
		{"https://[::1]/", codeBlocked},
		{"https://169.254.169.254/latest/meta-data", codeBlocked},
		{"http://93.184.215.14/", codeBlocked}, // unencrypted, to a public address
	} {
		a := post(t, newTestPoster(t, Config{Guard: guard}), test.url)
		requireCode(t, a, test.code)
		if says := a.attempt.ErrorMessage; test.code == codeBlocked && (says == nil || !strings.Contains(*says, "--allow-network")) {
			t.Errorf("%s: %v", test.url, says)
		}
	}
}

// quietServer is a server that does not log failed handshakes.
func quietServer() *httptest.Server {
	s := httptest.NewUnstartedServer(status(200))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// A host name is public when the URL is saved, and resolves to an internal address when it is used.
func TestRebinding(t *testing.T) {
	t.Parallel()
	inner := httptest.NewTLSServer(status(200))
	defer inner.Close()
	var inside atomic.Bool
	guard := netguard.New().WithResolver(netguardtest.Resolver(func(string) []netip.Addr {
		if inside.Load() {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}
	}))
	rawURL := strings.Replace(inner.URL, "127.0.0.1", "rebind.test", 1)
	if err := guard.CheckURL(t.Context(), rawURL); err != nil {
		t.Fatal(err)
	}
	inside.Store(true)
	requireCode(t, post(t, newTestPoster(t, Config{Guard: guard}), rawURL), codeBlocked)
}

func TestHTTP2(t *testing.T) {
	t.Parallel()
	var proto atomic.Value
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { proto.Store(r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	requireCode(t, post(t, newTestPoster(t, Config{Roots: roots}), server.URL), "")
	if proto.Load() != "HTTP/2.0" {
		t.Errorf("it was %v", proto.Load())
	}
}

// A request that goes into a connection that the endpoint has closed is sent once more, and only once.
func TestStaleConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		closes int32 // how many requests in a row are cut off after the first
		sent   int32
		code   string
	}{"one": {1, 3, ""}, "every one": {100, 3, codeReset}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				if n := requests.Add(1); n > 1 && n <= 1+test.closes {
					conn, _, err := http.NewResponseController(rw).Hijack()
					if err == nil {
						conn.Close()
					}
				}
			}))
			defer server.Close()
			p := newTestPoster(t, Config{})
			requireCode(t, post(t, p, server.URL), "")
			requireCode(t, post(t, p, server.URL), test.code) // this goes into the same connection
			if requests.Load() != test.sent {
				t.Errorf("%d requests", requests.Load())
			}
		})
	}
}
