package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

const slowBody = `{"name":"slow"}`

// slowRequest is a request whose body has not been sent, while the server waits for it.
type slowRequest struct {
	conn   net.Conn
	reader *bufio.Reader
}

func beginSlowRequest(t *testing.T, srv *Server, key string) slowRequest {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL(), "http://"))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	r := slowRequest{conn, bufio.NewReader(conn)}
	// The server answers 100 when it begins to read the body.
	fmt.Fprintf(conn, "POST /v1/labels HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", key, len(slowBody))
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if line, err := r.reader.ReadString('\n'); err != nil || line != want {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	return r
}

// finish sends the body and returns the answer.
func (r slowRequest) finish(t *testing.T) Reply {
	t.Helper()
	io.WriteString(r.conn, slowBody)
	response, err := http.ReadResponse(r.reader, nil)
	must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return Reply{response.StatusCode, response.Header, string(body)}
}

// awaitRefusal waits until the server accepts no new connections.
func awaitRefusal(t *testing.T, srv *Server) {
	t.Helper()
	refused := eventually(func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL(), "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	if !refused {
		t.Fatal("the server still takes connections")
	}
}

func TestShutdownLetsRequestsFinish(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store)
		org := srv.NewOrg()
		slow := beginSlowRequest(t, srv, org.Key)
		srv.Signal(syscall.SIGTERM)
		awaitRefusal(t, srv)
		if ready := fetch(t, srv.Ops()+"/ready"); ready.Status != http.StatusServiceUnavailable || ready.Body != "stopping\n" {
			t.Errorf("while it drains, /ready answers %+v", ready)
		}
		reply := slow.finish(t)
		expect(t, reply, http.StatusCreated, "")
		if code := srv.Wait(); code != 0 {
			t.Errorf("exit status %d", code)
		}
		if log := srv.Log(); !strings.Contains(log, `"msg":"stopping"`) || strings.Contains(log, "cut off") {
			t.Errorf("logged %s", log)
		}
		srv.Restart()
		expect(t, srv.Get(org.Key, "/v1/labels/"+reply.ID()), http.StatusOK, "")
	})
}

// Whoever closes the terminal of a server stops it like everybody else.
func TestClosedTerminalStopsTheServer(t *testing.T) {
	t.Parallel()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // else a server of tests under nohup would ignore it as well
	defer signal.Stop(heard)
	srv := Start(t)
	slow := beginSlowRequest(t, srv, srv.NewOrg().Key)
	srv.Signal(syscall.SIGHUP)
	awaitRefusal(t, srv)
	expect(t, slow.finish(t), http.StatusCreated, "")
	if code := srv.Wait(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

func TestSecondSignalEndsTheServerAtOnce(t *testing.T) {
	t.Parallel()
	srv := Start(t)
	beginSlowRequest(t, srv, srv.NewOrg().Key)
	srv.Signal(syscall.SIGTERM)
	awaitRefusal(t, srv)
	// The first signal's handler may still be active, so one more signal may not be enough.
	ended := eventually(func() bool {
		_ = srv.proc.Load().cmd.Process.Signal(syscall.SIGTERM) // fails once it has ended
		return !srv.proc.Load().running()
	})
	if !ended {
		t.Fatal("the server still waits for the request")
	}
	status := srv.proc.Load().cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", srv.proc.Load().cmd.ProcessState)
	}
}

// fetch gets a page that does not belong to the API.
func fetch(t *testing.T, url string) Reply {
	t.Helper()
	response, err := client.Get(url)
	must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return Reply{response.StatusCode, response.Header, string(body)}
}
