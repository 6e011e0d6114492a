package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestReadHead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   string
		want head
		rest string
	}{
		"plain":        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP", head{status: 200, length: 2}, "okHTTP"},
		"any case":     {"HTTP/1.1 201 Created\r\ncontent-LENGTH:7\r\nX-A: b\r\n\r\n", head{status: 201, length: 7}, ""},
		"no reason":    {"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", head{status: 404}, ""},
		"no content":   {"HTTP/1.1 204 No Content\r\n\r\nnext", head{status: 204}, "next"},
		"not modified": {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", head{status: 304}, ""},
		"closing":      {"HTTP/1.1 413 x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n", head{status: 413, length: 1, closes: true}, ""},
		"keep-alive":   {"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n", head{status: 200, length: 1}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bufio.NewReader(strings.NewReader(tc.in))
			got, err := readHead(r)
			if err != nil || got != tc.want {
				t.Fatalf("readHead = %+v, %v; want %+v", got, err, tc.want)
			}
			if rest, _ := io.ReadAll(r); string(rest) != tc.rest {
				t.Errorf("left %q unread, want %q", rest, tc.rest)
			}
		})
	}
}

func TestReadHeadRefuses(t *testing.T) {
	t.Parallel()
	anyError := errors.New("any")
	for name, tc := range map[string]struct {
		in   string
		want error
	}{
		"end of stream":   {"", io.EOF},
		"cut status line": {"HTTP/1.1 200", io.ErrUnexpectedEOF},
		"cut headers":     {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", io.EOF},
		"chunked":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", errChunked},
		"no length":       {"HTTP/1.1 200 OK\r\nDate: x\r\n\r\n", errNoLength},
		"other protocol":  {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n", anyError},
		"interim answer":  {"HTTP/1.1 100 Continue\r\n\r\n", anyError},
		"bad status":      {"HTTP/1.1 2x0 OK\r\n\r\n", anyError},
		"bad length":      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", anyError},
		"huge length":     {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", anyError},
		"not a header":    {"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", anyError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readHead(bufio.NewReader(strings.NewReader(tc.in)))
			if err == nil || (tc.want != anyError && !errors.Is(err, tc.want)) {
				t.Errorf("readHead: error %v, want %v", err, tc.want)
			}
		})
	}
}

// A server that answers every third request with an error and hangs up after it must be counted exactly, over
// reconnections and both phases.
func TestLoadCounts(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var i int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &i) // the paths are ours
		if i%3 == 0 {
			w.Header().Set("Connection", "close")
			http.Error(w, "third", http.StatusTeapot)
		}
	})
	to := target{addr: addr}
	l := newLoad(addr, 4, 200, func(buf []byte, _, i int) []byte {
		return append(buf, to.get(fmt.Sprintf("/%d", i))...)
	})
	defer l.close()
	// The counter runs past a phase's bound by one per worker, so only the sum is the same every time. Its split may
	// shift by a few.
	for range 2 {
		got, err := l.phase(context.Background(), bounds{requests: 300, duration: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if got.wanted()+got.errors() != 300 || got.errors() != got.unexpected[418] || got.errors() < 98 || got.errors() > 102 {
			t.Errorf("%d wanted, %d errors %v; want about 200 and 100", got.wanted(), got.errors(), got.unexpected)
		}
		if got.firstBody != "third\n" {
			t.Errorf("first unexpected body %q", got.firstBody)
		}
	}
}

func TestLoadStopsOnTime(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(http.ResponseWriter, *http.Request) {})
	l := newLoad(addr, 2, 200, always(target{addr: addr}.get("/")))
	defer l.close()
	got, err := l.phase(context.Background(), bounds{duration: 20 * time.Millisecond})
	if err != nil || got.wanted() == 0 || got.elapsed < 20*time.Millisecond {
		t.Errorf("%d requests in %v, %v", got.wanted(), got.elapsed, err)
	}
}

func TestLoadReportsChunked(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "late") // the client has left by then
	})
	l := newLoad(addr, 2, 200, always(target{addr: addr}.get("/")))
	defer l.close()
	if _, err := l.phase(context.Background(), bounds{requests: 10, duration: time.Minute}); !errors.Is(err, errChunked) {
		t.Errorf("error %v, want %v", err, errChunked)
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().(*net.TCPAddr).String()
}
