package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxSecret is more than any token or password has.
const maxSecret = 10_000

// secret is a flag's value that should not be on the command line, where others on the machine can read it.
type secret string

// read returns the value, or the next line of the standard input if the flag says "-".
func (s secret) read(c *console, what string) (string, error) {
	if s != "-" {
		return string(s), nil
	}
	text, err := ask(c, what)
	if err == nil && text == "" {
		err = errors.New("nothing came on the standard input")
	}
	return text, err
}

// ask reads a line from the standard input. On a terminal it says what to type, and does not show what is typed.
func ask(c *console, what string) (string, error) {
	terminal, is := c.stdin.(*os.File)
	if is && term.IsTerminal(int(terminal.Fd())) {
		return askHidden(c, int(terminal.Fd()), what)
	}
	line, err := io.ReadAll(io.LimitReader(firstLine{c.stdin}, maxSecret))
	return strings.TrimSpace(string(line)), err
}

// askHidden reads a line from a terminal. If the command is stopped meanwhile, the terminal shows again what is typed.
func askHidden(c *console, terminal int, what string) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	fmt.Fprint(c.stderr, what+": ")
	defer fmt.Fprintln(c.stderr)
	type answer struct {
		line []byte
		err  error
	}
	typed := make(chan answer, 1)
	go func() {
		line, err := term.ReadPassword(terminal)
		typed <- answer{line, err}
	}()
	select {
	case got := <-typed:
		return strings.TrimSpace(string(got.line)), got.err
	case <-c.ctx.Done():
		return "", errors.Join(c.ctx.Err(), term.Restore(terminal, before))
	}
}
