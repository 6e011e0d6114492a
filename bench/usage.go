package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of the times in /proc/PID/stat. Linux shows them in 1/100 s on every architecture Go supports,
// whatever the kernel's own rate.
const clockTick = 10 * time.Millisecond

// cpuTime is the user and system time that a process has used; false if the system does not report it.
func cpuTime(pid int) (time.Duration, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	return parseCPUTime(stat)
}

// cpuTimes is the time that several processes have used.
func cpuTimes(pids []int) (all time.Duration) {
	for _, pid := range pids {
		t, _ := cpuTime(pid)
		all += t
	}
	return all
}

// machineLoad is how many processes of the whole machine wanted a core in the last minute; empty if the system does not
// report it.
func machineLoad() string {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	minute, _, _ := strings.Cut(string(load), " ")
	return minute
}

// familyTime is cpuTime for a process with its children, including ended ones; zero for no process.
func familyTime(pid int) (all time.Duration) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if err != nil || pid == 0 || len(fields) < 15 {
			continue
		}
		own := file == fmt.Sprintf("/proc/%d/stat", pid)
		if !own && string(fields[1]) != strconv.Itoa(pid) {
			continue
		}
		if t, ok := parseCPUTime(stat); ok {
			all += t
		}
		for _, ended := range fields[13:15] {
			if ticks, err := strconv.ParseInt(string(ended), 10, 64); own && err == nil {
				all += time.Duration(ticks) * clockTick
			}
		}
	}
	return all
}

func parseCPUTime(stat []byte) (time.Duration, bool) {
	// The command name may contain spaces and parentheses, so fields are counted from behind its last one. utime and
	// stime are then numbers 12 and 13.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, false
	}
	user, errUser := strconv.ParseInt(string(fields[11]), 10, 64)
	system, errSystem := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * clockTick, errUser == nil && errSystem == nil
}

// memory is the resident set of a process in bytes, now and at its peak; zero if the system does not report it.
func memory(pid int) (now, peak int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	return statusBytes(string(status), "VmRSS:"), statusBytes(string(status), "VmHWM:")
}

func statusBytes(status, name string) int64 {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
