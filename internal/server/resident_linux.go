package server

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
)

// settle gives back what the start has used and nothing needs again: twice as much of the heap as a quiet server lives on,
// and most of the program's own file. A page of that which is needed after all is found in the system's cache.
func settle() {
	debug.FreeOSMemory()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	for _, m := range unchangedMaps(maps, program) {
		syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED) // the worst is that nothing is given back
	}
}

type memoryMap struct{ from, to uintptr }

// unchangedMaps returns where a file is mapped that has, in memory, only what is in the file. What was written there, by a
// loader or a debugger, would be lost.
func unchangedMaps(smaps io.Reader, file string) (unchanged []memoryMap) {
	var current memoryMap
	var mode, name string
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) > 2 && fields[0] == "Anonymous:":
			if name == file && !strings.Contains(mode, "w") && fields[1] == "0" {
				unchanged = append(unchanged, current)
			}
		case len(fields) > 4 && !strings.HasSuffix(fields[0], ":"): // the first line about a map
			mode, name = fields[1], strings.Join(fields[5:], " ")
			if _, err := fmt.Sscanf(fields[0], "%x-%x", &current.from, &current.to); err != nil {
				name = ""
			}
		}
	}
	return unchanged
}
