package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a server under load. Its output goes to a file, because a pipe read by the generator would charge the
// server's log lines to the client's CPU.
type process struct {
	cmd     *exec.Cmd
	log     string
	exited  chan struct{}
	cancel  context.CancelFunc
	started time.Duration // from exec to the first 200 of /v1/health
}

const (
	startDeadline = 30 * time.Second
	stopDeadline  = 10 * time.Second
)

// startProcess runs a server and waits until it answers on addr.
func startProcess(ctx context.Context, dir, addr, program string, args ...string) (*process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &process{exited: make(chan struct{}), cancel: cancel, log: filepath.Join(dir, "output.log")}
	out, err := os.Create(p.log)
	if err != nil {
		cancel()
		return nil, err
	}
	defer out.Close()
	p.cmd = command(ctx, program, args...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // its output says how it ended, and is shown if it ended too early
		close(p.exited)
	}()
	if err := p.awaitHealth(ctx, addr); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, p.logTail())
	}
	p.started = time.Since(begin)
	return p, nil
}

// command prepares a child that ends with ctx: by a signal first, then by force.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = withoutSettings(os.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopDeadline
	cmd.SysProcAttr = dieWithParent()
	return cmd
}

// withoutSettings drops PARLEY_* variables. A PARLEY_DATABASE_URL left in the shell must not direct the load to a real
// database.
func withoutSettings(env []string) []string {
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, "PARLEY_") {
			kept = append(kept, v)
		}
	}
	return kept
}

func (p *process) awaitHealth(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !healthy(ctx, addr) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no 200 from /v1/health: %w", ctx.Err())
		case <-p.exited:
			return fmt.Errorf("ended before it served (%v)", p.cmd.ProcessState)
		case <-poll.C:
		}
	}
	return nil
}

func healthy(ctx context.Context, addr string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/v1/health", nil)
	if err != nil {
		return false
	}
	// The connection is not kept, because it would stay open in the server during the run.
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// pause stops the process until resume is called. Neither fails on a child that runs, and the next request to one that
// has ended does.
func (p *process) pause()  { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) resume() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// stop ends the process and waits for it; safe to call twice.
func (p *process) stop() {
	p.cancel()
	p.resume()
	<-p.exited
}

// logTail is the end of the process's output, for error messages.
func (p *process) logTail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text[max(0, len(text)-2000):]))
}

// freeAddr picks a loopback port that nobody listens on. Another process could take it first; the start then fails with
// a clear message.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
