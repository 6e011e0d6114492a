package config

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// The advice is about what is wrong, and ends in the flag that changes it.
func TestListenSaysWhatToDo(t *testing.T) {
	taken, err := Listen("127.0.0.1:0", "--listen")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for addr, want := range map[string]string{
		taken.Addr().String(): "end the program that has it, or choose another address with --ops-listen",
		"192.0.2.1:0":         "this machine does not have that address", // reserved for documentation
		"127.0.0.1":           "choose another address with --ops-listen",
	} {
		listener, err := Listen(addr, "--ops-listen")
		if err == nil {
			listener.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "cannot listen on "+addr+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("listening on %s: %v", addr, err)
		}
	}
	if got := advice(fmt.Errorf("bind: %w", syscall.EACCES)); !strings.Contains(got, "choose a higher port") { // root may have any port
		t.Errorf("without the right to a port: %s", got)
	}
}
