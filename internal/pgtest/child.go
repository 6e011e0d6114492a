package pgtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:embed keep.sh
var keepScript string

// child is a server process that ends with this one, however this one ends.
type child struct {
	lifeline io.Closer     // closing it makes the shell stop the server
	exited   chan struct{} // closed when the shell has ended
	log      *os.File      // kept open, so that it can be read after the directory was removed
}

// startChild runs a shell script in a directory, as a user that PostgreSQL accepts.
func startChild(dir, script string, args ...string) (*child, error) {
	attr, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "keep"}, args...)...)
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = dir, attr, log, log
	cmd.Env = append(os.Environ(), "LC_ALL=C") // for English messages; and the server on macOS needs a locale
	c := &child{exited: make(chan struct{}), log: log}
	if c.lifeline, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		_ = cmd.Wait() // the log says how it ended
		close(c.exited)
	}()
	return c, nil
}

// await tries something until it succeeds, the server has ended, or the context has.
func (c *child) await(ctx context.Context, try func() error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-c.exited:
			return c.startError()
		case <-ctx.Done():
			return fmt.Errorf("wait for it to accept connections: %w (last answer: %w)", ctx.Err(), err)
		}
	}
}

// startError explains from the server's log why it ended before it was ready.
func (c *child) startError() error {
	log, err := io.ReadAll(io.NewSectionReader(c.log, 0, 1<<20))
	if err != nil {
		return err
	}
	if strings.Contains(string(log), "could not bind") {
		return errPortTaken
	}
	return fmt.Errorf("it ended during startup (Parley needs PostgreSQL 15 or newer); its log:\n%s", log)
}

// stop ends the server. Further calls do nothing.
func (c *child) stop() {
	_ = c.lifeline.Close() // fails only if the shell has already ended
	<-c.exited
	_ = c.log.Close()
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
