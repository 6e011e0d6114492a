package e2e

import "syscall"

// dieWithParent ends a child when the tests end, however they end.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
