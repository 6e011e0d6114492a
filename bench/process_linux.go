package main

import "syscall"

// dieWithParent has the kernel end a child when the generator dies without
// running its own clean-up (a panic, kill -9).
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
