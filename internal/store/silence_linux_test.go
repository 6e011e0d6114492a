package store

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// A database that vanishes silently is noticed: nobody waits a quarter of an hour for its answer.
func TestSilentConnectionsEnd(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	settings, err := poolSettings("postgres://somebody@" + listener.Addr().String() + "/parley")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := settings.ConnConfig.DialFunc(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var limit int
	if controlErr := raw.Control(func(fd uintptr) { limit, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout) }); controlErr != nil || err != nil {
		t.Fatal(controlErr, err)
	}
	if got := time.Duration(limit) * time.Millisecond; got != maxSilence {
		t.Errorf("a connection that is not answered ends after %v, want %v", got, maxSilence)
	}
}

// A database behind a Unix socket works as well.
func TestUnixSocketsHaveNoLimit(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/.s.PGSQL.5432"
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	settings, err := poolSettings("postgres:///parley?host=" + path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := settings.ConnConfig.DialFunc(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
