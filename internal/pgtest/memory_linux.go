package pgtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

const (
	shm = "/dev/shm"
	// roomInMemory is several times what the databases and the log of all tests need.
	roomInMemory = 4 << 30
)

// inMemory is a folder in memory with room for the databases of tests, or empty. A database is a thousand files: making
// and removing them takes ten times as long on a disk.
func inMemory() string {
	const tmpfs = 0x01021994
	var fs syscall.Statfs_t
	if syscall.Statfs(shm, &fs) != nil || fs.Type != tmpfs || fs.Bavail*uint64(fs.Bsize) < roomInMemory || available() < roomInMemory {
		return ""
	}
	return shm
}

// available is how many bytes of memory the machine could give; 0 where it does not say.
func available() (bytes uint64) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	if _, line, ok := strings.Cut(string(info), "MemAvailable:"); ok {
		fmt.Sscan(line, &bytes)
	}
	return bytes << 10 // the line is in kB
}
