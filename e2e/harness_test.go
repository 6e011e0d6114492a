package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/pgtest"
)

const (
	// patience is how long a test waits for anything before it gives up.
	patience = 2 * time.Minute
	// pollFirst and pollMost are the first and the longest wait between two checks of a condition.
	pollFirst = 5 * time.Millisecond
	pollMost  = 80 * time.Millisecond
)

// eventually waits until a condition holds, and tells whether it did.
func eventually(holds func() bool) bool { return within(patience, holds) }

// within is eventually with its own time limit.
func within(limit time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	wait := pollFirst
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !holds() {
		select {
		case <-timer.C:
			wait = min(wait*3/2, pollMost)
			timer.Reset(wait)
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// process is a run of the program.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr loggingtest.Book
	exited         chan struct{}
	url, ops       string
	startup        time.Duration // from the start to the first successful /ready
}

// launch runs the program with the given variables and no other variables of its own.
func launch(env []string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, args...), exited: make(chan struct{})}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "PARLEY_") {
			p.cmd.Env = append(p.cmd.Env, entry)
		}
	}
	p.cmd.Env = append(p.cmd.Env, "GORACE=atexit_sleep_ms=0") // otherwise the race detector delays every exit by a second
	p.cmd.Env = append(p.cmd.Env, env...)
	return p, p.start()
}

func (p *process) start() error {
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.SysProcAttr = dieWithParent()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = p.cmd.Wait() // the result is in its ProcessState
		close(p.exited)
	}()
	return nil
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// await waits for the end and returns the exit status, -1 for a signal.
func (p *process) await() (int, error) {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		return 0, fmt.Errorf("the process did not end; it printed:\n%s", &p.stderr)
	}
}

var servingLine = regexp.MustCompile(`"msg":"serving","listen":"([^"]+)","ops":"([^"]+)"`)

// awaitReady waits until the process serves, and finds its addresses.
func (p *process) awaitReady(begin time.Time) error {
	ready := eventually(func() bool {
		if !p.running() {
			return true
		}
		if match := servingLine.FindStringSubmatch(p.stderr.String()); match != nil {
			p.url, p.ops = "http://"+match[1], "http://"+match[2]
		}
		return p.ops != "" && answers(p.ops+"/ready")
	})
	if !ready || !p.running() {
		return fmt.Errorf("the server did not get ready; it printed:\n%s", &p.stderr)
	}
	p.startup = time.Since(begin)
	return nil
}

func answers(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Option says how a server differs from one on an empty SQLite folder.
type Option func(*Server)

// OnFolder keeps the store in a given folder.
func OnFolder(dir string) Option {
	return func(s *Server) { s.store = []string{"--data", dir} }
}

// OnDatabase keeps the store in PostgreSQL. Files still go to the server's own folder.
func OnDatabase(url string) Option {
	return func(s *Server) { s.store = append(s.store, "--database-url", url) }
}

// WithFlags adds flags of serve.
func WithFlags(flags ...string) Option {
	return func(s *Server) { s.flags = append(s.flags, flags...) }
}

// WithEnv adds variables, as NAME=value.
func WithEnv(env ...string) Option {
	return func(s *Server) { s.env = append(s.env, env...) }
}

// onEachEngine runs a test with an empty SQLite store and with an empty PostgreSQL one. The option can be used for
// several servers if the engine allows it.
func onEachEngine(t *testing.T, test func(t *testing.T, store Option)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, OnFolder(t.TempDir()))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, OnDatabase(pgtest.NewDatabase(t)))
	})
}

// Server is a serving process that can be killed and started again on the same store. The system picks its ports, which
// change with each start.
type Server struct {
	t     *testing.T
	store []string
	flags []string
	env   []string
	proc  atomic.Pointer[process]
}

// Start starts a server and waits until it is ready. It is stopped with the test.
func Start(t *testing.T, options ...Option) *Server {
	t.Helper()
	s := prepare(t, options...)
	s.Restart()
	t.Cleanup(s.cleanUp)
	return s
}

func prepare(t *testing.T, options ...Option) *Server {
	s := &Server{t: t, store: []string{"--data", filepath.Join(t.TempDir(), "data")}}
	for _, option := range options {
		option(s)
	}
	return s
}

func (s *Server) serveArgs() []string {
	args := []string{"serve", "--listen=127.0.0.1:0", "--ops-listen=127.0.0.1:0", "--log-format=json", "--drain-delay=0s"}
	return append(append(args, s.store...), s.flags...)
}

// with is the same running server, but its failures are reported to another test.
func (s *Server) with(t *testing.T) *Server {
	same := &Server{t: t, store: s.store, flags: s.flags, env: s.env}
	same.proc.Store(s.proc.Load())
	return same
}

// Restart starts the server again after Kill or Stop.
func (s *Server) Restart() {
	s.t.Helper()
	must(s.t, s.tryStart())
}

func (s *Server) tryStart() error {
	begin := time.Now()
	p, err := launch(s.env, s.serveArgs()...)
	if err != nil {
		return err
	}
	if err := p.awaitReady(begin); err != nil {
		_ = p.cmd.Process.Kill() // fails if it has ended already
		return err
	}
	s.proc.Store(p)
	return nil
}

// URL is the current address of the API.
func (s *Server) URL() string { return s.proc.Load().url }

// Ops is the current address of the operator's pages.
func (s *Server) Ops() string { return s.proc.Load().ops }

// Log is what the current process has logged.
func (s *Server) Log() string { return s.proc.Load().stderr.String() }

// Printed is what the current process has printed to stdout.
func (s *Server) Printed() string { return s.proc.Load().stdout.String() }

// Signal sends a signal to the process.
func (s *Server) Signal(sig syscall.Signal) {
	s.t.Helper()
	must(s.t, s.proc.Load().cmd.Process.Signal(sig))
}

// Kill ends the process as a crash would, and waits for its end.
func (s *Server) Kill() {
	s.t.Helper()
	s.Signal(syscall.SIGKILL)
	s.Wait()
}

// Stop asks the process to end, as an operator would, and checks that it ends cleanly.
func (s *Server) Stop() {
	s.t.Helper()
	s.Signal(syscall.SIGTERM)
	if code := s.Wait(); code != 0 {
		s.t.Errorf("the server ended with status %d; it printed:\n%s", code, s.Log())
	}
}

// Wait waits for the end of the process and returns its exit status, -1 for a signal.
func (s *Server) Wait() int {
	s.t.Helper()
	code, err := s.proc.Load().await()
	must(s.t, err)
	s.checkHealth()
	return code
}

// checkHealth looks for output that no process may ever print.
func (s *Server) checkHealth() {
	s.t.Helper()
	for _, sign := range []string{"DATA RACE", "panic", "fatal error"} {
		if strings.Contains(s.Log(), sign) {
			s.t.Errorf("the server printed:\n%s", s.Log())
		}
	}
}

func (s *Server) cleanUp() {
	if s.proc.Load().running() {
		s.Stop()
		return
	}
	s.checkHealth() // it may have ended already
}

// Result is the result of a command.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// CLI runs a command on the server's store, beside the server.
func (s *Server) CLI(args ...string) Result {
	s.t.Helper()
	return runProgram(s.t, s.env, append(args, s.store...)...)
}

// Refused starts another server of the same kind, which must not come up.
func (s *Server) Refused() Result {
	s.t.Helper()
	return runProgram(s.t, s.env, s.serveArgs()...)
}

func runProgram(t *testing.T, env []string, args ...string) Result {
	t.Helper()
	p, err := launch(env, args...)
	must(t, err)
	code, err := p.await()
	if err != nil {
		t.Fatal(errors.Join(err, p.cmd.Process.Kill()))
	}
	return Result{code, p.stdout.String(), p.stderr.String()}
}

// CLIObject runs a command with --json, which must succeed, and returns its output.
func (s *Server) CLIObject(args ...string) map[string]any {
	s.t.Helper()
	r := s.CLI(append(args, "--json")...)
	var object map[string]any
	if err := json.Unmarshal([]byte(r.Stdout), &object); r.Code != 0 || err != nil {
		s.t.Fatalf("parley %s: %+v, %v", strings.Join(args, " "), r, err)
	}
	return object
}

// Org is an organization with a key.
type Org struct{ ID, TeamID, Key, KeyID string }

// NewOrg creates an organization and a key with the program's commands.
func (s *Server) NewOrg() Org {
	s.t.Helper()
	org := s.CLIObject("org", "create", "--name", "Acme")
	key := s.CLIObject("key", "create", "--org", org["id"].(string))
	return Org{ID: org["id"].(string), TeamID: org["team_id"].(string), Key: key["key"].(string), KeyID: key["id"].(string)}
}

// Call is a request to the API.
type Call struct {
	Method, Path   string
	Key            string // the API key
	Body           string
	IdempotencyKey string
	Traceparent    string
}

// Reply is a response to a Call.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// Code is the error's code, if the reply is an error.
func (r Reply) Code() string {
	var envelope struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(r.Body), &envelope) // without JSON there is no code
	return envelope.Error.Code
}

// ID is the id of the resource in the reply.
func (r Reply) ID() string {
	var envelope struct{ Data struct{ ID string } }
	_ = json.Unmarshal([]byte(r.Body), &envelope) // without JSON there is no id
	return envelope.Data.ID
}

var client = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// Try makes a call and reports whether it was answered. Any goroutine may use it, even while the server is down.
func (s *Server) Try(c Call) (Reply, error) {
	if !s.proc.Load().running() { // another process may have its port by now
		return Reply{}, errors.New("the server is down")
	}
	request, err := http.NewRequest(c.Method, s.URL()+c.Path, strings.NewReader(c.Body))
	if err != nil {
		return Reply{}, err
	}
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if c.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", c.IdempotencyKey)
	}
	if c.Traceparent != "" {
		request.Header.Set("Traceparent", c.Traceparent)
	}
	response, err := client.Do(request)
	if err != nil {
		return Reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Reply{response.StatusCode, response.Header, string(body)}, err
}

// Do makes a call that must be answered.
func (s *Server) Do(c Call) Reply {
	s.t.Helper()
	reply, err := s.Try(c)
	must(s.t, err)
	return reply
}

// Get reads a path of the API.
func (s *Server) Get(key, path string) Reply {
	s.t.Helper()
	return s.Do(Call{Method: http.MethodGet, Path: path, Key: key})
}

// Post posts to a path of the API.
func (s *Server) Post(key, path, body string) Reply {
	s.t.Helper()
	return s.Do(Call{Method: http.MethodPost, Path: path, Key: key, Body: body})
}

// expect checks a reply's status and, for an error, its code.
func expect(t *testing.T, r Reply, status int, code string) {
	t.Helper()
	if r.Status != status || r.Code() != code {
		t.Errorf("got %d %s, want %d %q", r.Status, r.Body, status, code)
	}
}
