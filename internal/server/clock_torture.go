//go:build torture

package server

import (
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const clockReadEvery = 20 * time.Millisecond

// init makes the wall clock follow a file with its offset, like -1h30m.
func init() {
	path := os.Getenv("TORTURE_CLOCK")
	if path == "" {
		return
	}
	var turned atomic.Int64
	read := func() {
		text, err := os.ReadFile(path)
		if err != nil {
			return // the file is being written
		}
		if d, err := time.ParseDuration(strings.TrimSpace(string(text))); err == nil {
			turned.Store(int64(d))
		}
	}
	read()
	go func() {
		for range time.Tick(clockReadEvery) {
			read()
		}
	}()
	wallClock = func() time.Time { return time.Now().Add(time.Duration(turned.Load())) }
}
