package config

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen listens on an address that was given with a flag. Its error says what to do.
func Listen(addr, flag string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; %s with %s", addr, err, advice(err), flag)
	}
	return listener, nil
}

func advice(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "end the program that has it, or choose another address"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "this machine does not have that address: choose one of its own, or none for all of them, as in :8080,"
	case errors.Is(err, syscall.EACCES):
		return "ports below 1024 take a right that this user does not have: grant CAP_NET_BIND_SERVICE, or choose a higher port"
	default:
		return "choose another address"
	}
}
