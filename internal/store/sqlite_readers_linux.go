package store

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// SQLite's readers lock one byte each of the shared-memory file.
const firstReadLock, lastReadLock = 123, 127

// otherReaders names other processes that read the database, as far as the system shows them. It reads the
// system's table of locks, because opening and closing the file would drop our own locks.
func otherReaders(sharedMemory string) (readers []string) {
	info, err := os.Stat(sharedMemory)
	if err != nil {
		return nil
	}
	locks, err := os.Open("/proc/locks")
	if err != nil {
		return nil
	}
	defer locks.Close()
	lines := bufio.NewScanner(locks)
	for lines.Scan() {
		if pid := readerIn(lines.Text(), info.Sys().(*syscall.Stat_t).Ino); pid > 0 && pid != os.Getpid() {
			readers = append(readers, nameProcess(pid))
		}
	}
	return readers
}

// readerIn returns the process that reads the file according to a line of the table, or 0. A line is like "7:
// POSIX  ADVISORY  READ 4711 fd:01:1234 124 124".
func readerIn(line string, inode uint64) (pid int) {
	f := strings.Fields(line)
	if len(f) != 8 || f[3] != "READ" || !strings.HasSuffix(f[5], fmt.Sprintf(":%d", inode)) {
		return 0
	}
	from, err := strconv.Atoi(f[6])
	if err != nil || from < firstReadLock || from > lastReadLock {
		return 0
	}
	pid, _ = strconv.Atoi(f[4])
	return pid
}

func nameProcess(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return strconv.Itoa(pid)
	}
	return fmt.Sprintf("%d (%s)", pid, strings.TrimSpace(string(name)))
}
