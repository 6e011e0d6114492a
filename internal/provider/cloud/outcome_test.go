package cloud

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

// listening hands each connection to serve, on a real socket.
func listening(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(conn)
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return "http://" + listener.Addr().String()
}

func readRequest(conn net.Conn) {
	if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

func sendText(ctx context.Context, c *Client) error {
	_, err := c.Send(ctx, number, outbound(chat.TypeText, `{"body":"x"}`))
	return err
}

func TestConnectionRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().String()
	must(t, listener.Close())
	e := failure(t, sendText(context.Background(), client(t, "http://"+address, 0)))
	if e.OutcomeUnknown || !e.Transient || e.HTTPStatus != 0 {
		t.Errorf("got %+v", e)
	}
}

func TestTLSFailsBeforeAnythingIsSent(t *testing.T) {
	url := listening(t, func(conn net.Conn) { _ = conn.Close() })
	e := failure(t, sendText(context.Background(), client(t, strings.Replace(url, "http:", "https:", 1), 0)))
	if e.OutcomeUnknown || !e.Transient {
		t.Errorf("got %+v", e)
	}
}

func TestClosedAfterTheRequest(t *testing.T) {
	answers := map[string]string{
		"without a word":      "",
		"within the head":     "HTTP/1.1 200 OK\r\nContent-Le",
		"within the body":     "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"messages\":[",
		"with something else": "SMTP 220 welcome\r\n\r\n",
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			requests := make(chan struct{}, 8)
			url := listening(t, func(conn net.Conn) {
				readRequest(conn)
				requests <- struct{}{}
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			})
			e := failure(t, sendText(context.Background(), client(t, url, 0)))
			if !e.OutcomeUnknown || !e.Transient || e.HTTPStatus != 0 {
				t.Errorf("got %+v", e)
			}
			if len(requests) != 1 {
				t.Errorf("the request went out %d times", len(requests))
			}
		})
	}
}

// A refusal whose body breaks off is still a refusal, because its status arrived.
func TestRefusalBreaksOff(t *testing.T) {
	url := listening(t, func(conn net.Conn) {
		readRequest(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 500\r\n\r\n{\"error\":")
		_ = conn.Close()
	})
	e := failure(t, sendText(context.Background(), client(t, url, 0)))
	if e.OutcomeUnknown || e.Transient || e.HTTPStatus != 400 {
		t.Errorf("got %+v", e)
	}
}

// silent accepts requests, reports them, and never answers until the test ends.
func silent(t *testing.T) (url string, got chan struct{}) {
	got = make(chan struct{}, 8)
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	return listening(t, func(conn net.Conn) {
		go func() {
			defer conn.Close()
			readRequest(conn)
			got <- struct{}{}
			<-end
		}()
	}), got
}

func TestTimesOut(t *testing.T) {
	end := make(chan struct{})
	var slow atomic.Bool
	var came atomic.Int64
	u := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		if slow.Load() {
			came.Add(1)
			<-end
		}
		_, _ = io.WriteString(w, accepted)
	})
	t.Cleanup(func() { close(end) })
	must(t, sendText(context.Background(), u.Client))
	slow.Store(true)
	// An attempt whose request has not arrived when its time is over, on a busy machine, is made again with more time.
	var e *provider.Error
	for u.timeout = 200 * time.Millisecond; came.Load() == 0; u.timeout *= 2 {
		e = failure(t, sendText(context.Background(), u.Client))
	}
	if !e.OutcomeUnknown || !e.Transient || !errors.Is(e, context.DeadlineExceeded) {
		t.Errorf("got %+v", e)
	}
}

// TestHTTP2 uses the caller's own client, and the protocol of the real upstream.
func TestHTTP2(t *testing.T) {
	var lose atomic.Bool
	protocols := make(chan string, 2)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		protocols <- r.Proto
		if lose.Load() {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, accepted)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c, err := New(Options{BaseURL: server.URL, HTTP: server.Client(), UserAgent: "Test/1"})
	must(t, err)
	must(t, sendText(context.Background(), c))
	lose.Store(true)
	if e := failure(t, sendText(context.Background(), c)); !e.OutcomeUnknown || !e.Transient {
		t.Errorf("got %+v", e)
	}
	for range 2 {
		if protocol := <-protocols; protocol != "HTTP/2.0" {
			t.Errorf("spoke %s", protocol)
		}
	}
}

func TestCallerGivesUp(t *testing.T) {
	url, got := silent(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-got
		cancel()
	}()
	e := failure(t, sendText(ctx, client(t, url, 0)))
	if !e.OutcomeUnknown || !errors.Is(e, context.Canceled) {
		t.Errorf("got %+v", e)
	}
}

func TestCallerGaveUpBefore(t *testing.T) {
	url, got := silent(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := failure(t, sendText(ctx, client(t, url, 0)))
	if e.OutcomeUnknown || !errors.Is(e, context.Canceled) {
		t.Errorf("got %+v", e)
	}
	if len(got) > 0 {
		t.Error("a request went out")
	}
}

// TestKeptConnectionIsReused checks that thousands of sends a second do not need as many handshakes.
func TestKeptConnectionIsReused(t *testing.T) {
	u := answering(t, http.StatusOK, nil, accepted)
	connections := map[string]bool{}
	u.Client = client(t, u.url, 0)
	transport := u.http.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil {
			connections[conn.LocalAddr().String()] = true
		}
		return conn, err
	}
	for range 20 {
		must(t, sendText(context.Background(), u.Client))
		<-u.requests
	}
	if len(connections) != 1 {
		t.Errorf("%d connections were made", len(connections))
	}
}

// brokenFile fails while it is being sent.
type brokenFile struct{ err error }

func (f brokenFile) Read([]byte) (int, error) { return 0, f.err }

func TestUploadThatCannotBeRead(t *testing.T) {
	url, _ := silent(t)
	broken := errors.New("disk gone")
	_, err := client(t, url, 0).UploadMedia(context.Background(), number, provider.File{MimeType: "image/png", Size: 10, Body: brokenFile{broken}})
	if e := failure(t, err); e.OutcomeUnknown || !errors.Is(e, broken) {
		t.Errorf("got %+v", e)
	}
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
