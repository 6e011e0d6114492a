package store

import (
	"os"
	"strings"
	"syscall"
)

// tcpUserTimeout is the option's number (linux/tcp.h), for which package syscall has no name.
const tcpUserTimeout = 18

// endSilence makes the system close a connection whose peer has not answered for maxSilence. By default it
// would wait for a quarter of an hour while data is unacknowledged.
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
