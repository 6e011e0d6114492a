package server

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
)

func TestClientsLeaveFilesForTheRest(t *testing.T) {
	t.Parallel()
	for files, want := range map[int]int{1: 1, 64: 16, 128: 32, 256: 160, 1024: 768, 65536: 63488, mostFiles: mostFiles - mostOwnFiles} {
		if got := clientsAllowed(files); got != want {
			t.Errorf("of %d files clients get %d, want %d", files, got, want)
		}
	}
}

// Clients that are one too many wait for another to leave. The operator is told why, once, and an answer makes room.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	s, lines := open(t, settings(t))
	s.doors.slots = make(chan struct{}, 2)
	start(t, s)
	first, second := dialPublic(t, s), dialPublic(t, s)
	waitFor(func() bool { return s.doors.full.Load() })
	if status, body := get(t, s.ops.listener, "/ready"); status != http.StatusServiceUnavailable ||
		!strings.HasPrefix(body, "not ready: clients have 2 connections open") || !strings.Contains(body, "LimitNOFILE") {
		t.Errorf("/ready answers %d %q", status, body)
	}
	third := dialPublic(t, s)
	for _, conn := range []net.Conn{first, third} { // the answer closes the first, so that the third is let in
		fmt.Fprint(conn, "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if answer.StatusCode != http.StatusOK || !answer.Close {
			t.Errorf("a full node answers %d, closing %v", answer.StatusCode, answer.Close)
		}
	}
	second.Close()
	waitFor(func() bool { return s.connected.Load() == 0 && !s.doors.full.Load() })
	if status, body := get(t, s.ops.listener, "/ready"); status != http.StatusOK {
		t.Errorf("with room again /ready answers %d %q", status, body)
	}
	text := lines.String()
	if strings.Count(text, "too many connections are open") != 1 || strings.Count(text, "connections are taken at once again") != 1 {
		t.Errorf("logged %s", text)
	}
}

// A full node can be stopped.
func TestFullDoorCloses(t *testing.T) {
	t.Parallel()
	d := newDoors(8, 1, nil, nil)
	must(t, d.enter())
	l := forClients{boundTo(""), d}
	ended := make(chan error, 1)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	must(t, l.Close())
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed door says %v", err)
	}
}

func dialPublic(t *testing.T, s *Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.public.listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// waitFor waits for something that is sure to come.
func waitFor(holds func() bool) {
	for !holds() {
		runtime.Gosched()
	}
}

// noFiles is a listener whose process has no file left for a connection.
type noFiles struct {
	net.Listener
	err error
}

func (l *noFiles) Accept() (net.Conn, error) {
	if l.err != nil {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", l.err)}
	}
	return nil, nil
}

// A lack of files is told once, with what to do, and its end once connections have been taken for a while.
func TestNoFilesLeft(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{syscall.EMFILE: "all of its 128 files and connections open: raise the limit", syscall.ENFILE: "fs.file-max"} {
		synctest.Test(t, func(t *testing.T) {
			lines := &loggingtest.Book{}
			d := newDoors(128, 32, lines.Logger(), nil)
			l := &noFiles{err: err}
			clients, operator := forClients{l, d}, forOperator{l, d}
			for range 100 {
				clients.Accept()
				operator.Accept()
				<-time.After(time.Second)
			}
			if why := d.why(); why == nil || !strings.Contains(why.Error(), want) || len(d.slots) != 0 {
				t.Errorf("without files it says %v, and %d clients are inside", why, len(d.slots))
			}
			l.err = nil
			operator.Accept()
			<-time.After(shortFor)
			if why := d.why(); why != nil {
				t.Errorf("with files again it says %v", why)
			}
			operator.Accept()
			text := lines.String()
			if strings.Count(text, want) != 1 || strings.Count(text, "level=") != 2 || !strings.Contains(text, "connections can be taken again") {
				t.Errorf("logged %s", text)
			}
		})
	}
}
