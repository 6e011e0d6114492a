package store

import (
	"os"
	"syscall"
)

// syncData makes the data of a file durable. The journal is overwritten again and again, so mostly only data
// must be synced. Syncing the file's times as well would wait for the file system's own journal.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
