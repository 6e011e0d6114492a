package store

import (
	"os"
	"strings"
	"syscall"
)

// tcpUserTimeout is the option's number (linux/tcp.h), which package syscall has no name for.
const tcpUserTimeout = 18

// endSilence has the system end a connection whose other side has not answered for maxSilence. By itself
// it goes on for a quarter of an hour, as long as something is on its way.
func endSilence(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var err error
	controlErr := conn.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(maxSilence.Milliseconds()))
	})
	if controlErr != nil {
		return controlErr
	}
	return os.NewSyscallError("setsockopt", err)
}
