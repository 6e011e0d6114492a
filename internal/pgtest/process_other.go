//go:build !unix

package pgtest

import (
	"errors"
	"syscall"
)

func unprivileged(string) (*syscall.SysProcAttr, error) {
	return nil, errors.New("cannot start PostgreSQL on this system; name a running server in " + EnvURL)
}
