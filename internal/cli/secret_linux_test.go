package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// newTerminal returns the two ends of a terminal: the person's and the program's.
func newTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// A terminal does not show what is typed, and does again when the command is stopped.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	person, program := newTerminal(t)
	shows := func() bool {
		state, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return state.Lflag&unix.ECHO != 0
	}
	for _, stopped := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		asked, said := io.Pipe()
		var got string
		var err error
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			got, err = secret("-").read(&console{ctx: ctx, stdin: program, stderr: said}, "Token")
		}()
		if question, err := bufio.NewReader(asked).ReadString(':'); err != nil || question != "Token:" {
			t.Fatalf("asked %q, %v", question, err)
		}
		go io.Copy(io.Discard, asked)
		for shows() { // the question comes a moment before the darkness
			runtime.Gosched()
		}
		if stopped {
			stop()
		} else if _, err := person.WriteString("EAAGm0\n"); err != nil {
			t.Fatal(err)
		}
		<-ended
		if stopped != errors.Is(err, context.Canceled) || stopped == (got == "EAAGm0") {
			t.Errorf("stopped %v: got %q, %v", stopped, got, err)
		}
		if !shows() {
			t.Errorf("stopped %v: the terminal shows nothing any more", stopped)
		}
		stop()
	}
	program.WriteString("end")
	seen := make([]byte, 64)
	n, err := person.Read(seen)
	if err != nil || string(seen[:n]) != "end" {
		t.Errorf("the terminal shows %q, %v", seen[:n], err)
	}
}
