package store

import (
	"os"
	"syscall"
)

// syncData makes what was written to a file durable. The journal is written over and over, so there is
// mostly nothing but data to sync: the file's times need not be, and would make it wait for the file
// system's own journal.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
