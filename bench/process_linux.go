package main

import "syscall"

// dieWithParent makes the kernel end a child if the generator dies without its own clean-up (a panic, kill -9).
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
