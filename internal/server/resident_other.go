//go:build !linux

package server

import "runtime/debug"

// settle gives back what the start has used and nothing needs again: twice as much as a quiet server lives on.
func settle() { debug.FreeOSMemory() }
