package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
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

// ask reads a line from the standard input.
func ask(c *console, what string) (string, error) {
	fmt.Fprint(c.stderr, what+": ")
	line, err := io.ReadAll(io.LimitReader(firstLine{c.stdin}, maxSecret))
	return strings.TrimSpace(string(line)), err
}
