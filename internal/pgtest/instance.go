package pgtest

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed keep.sh
var keepScript string

// Instance is a PostgreSQL that a test can stop, crash, start again and fail over. Its port stays the same.
type Instance struct {
	t        testing.TB
	bin, dir string
	port     int
	lifeline io.Closer
	exited   chan struct{}
}

// NewInstance starts an instance. It ends with the test, or with this process.
func NewInstance(t testing.TB) *Instance {
	t.Helper()
	if os.Getenv(EnvURL) == none {
		t.Skip("this run leaves PostgreSQL out")
	}
	i := newInstance(t)
	i.run("initdb", "-D", i.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions",
		"--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
	i.Start()
	return i
}

func newInstance(t testing.TB) *Instance {
	t.Helper()
	bin, err := FindBinaries()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "parley-pg-")
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	i := &Instance{t: t, bin: bin, dir: dir, port: port}
	t.Cleanup(func() { // runs before earlier cleanups, and after those of everything that uses the instance
		if i.lifeline != nil {
			_ = i.lifeline.Close()
			<-i.exited
		}
		os.RemoveAll(dir)
	})
	return i
}

func (i *Instance) data() string { return filepath.Join(i.dir, "data") }

// URL is the address of the instance's one database.
func (i *Instance) URL() string {
	return fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", i.Host())
}

// Host is the address on which the instance listens.
func (i *Instance) Host() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(i.port)) }

// run runs one of PostgreSQL's programs to its end.
func (i *Instance) run(program string, args ...string) {
	i.t.Helper()
	attr, err := unprivileged(i.dir)
	if err != nil {
		i.t.Fatal(err)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(i.bin, "initdb")) // its directory has them all
	if err != nil {
		i.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(filepath.Dir(path), program), args...)
	cmd.Dir, cmd.SysProcAttr, cmd.Env = i.dir, attr, append(os.Environ(), "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		i.t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// Start starts the instance and waits until it accepts connections.
func (i *Instance) Start() {
	i.t.Helper()
	attr, err := unprivileged(i.dir)
	if err != nil {
		i.t.Fatal(err)
	}
	args := []string{"-c", keepScript, "keep", i.bin, i.data()}
	args = append(args, Config{Durable: true}.settings(i.dir, i.port)...)
	args = append(args, "-c", "fsync=off", "-c", "wal_retrieve_retry_interval=100ms") // only the server crashes, not the machine: written data stays
	cmd := exec.Command("/bin/sh", args...)
	log, err := os.OpenFile(filepath.Join(i.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		i.t.Fatal(err)
	}
	defer log.Close()
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr, cmd.Env = i.dir, attr, log, log, append(os.Environ(), "LC_ALL=C")
	if i.lifeline, err = cmd.StdinPipe(); err != nil {
		i.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	exited := make(chan struct{})
	i.exited = exited
	go func() {
		_ = cmd.Wait() // its log says how it ended
		close(exited)
	}()
	i.await("SELECT 1")
}

// await waits until a query returns a row.
func (i *Instance) await(query string) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := i.ask(ctx, query)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(i.dir, "log"))
			i.t.Fatalf("PostgreSQL: %v; its log:\n%s", err, log[max(0, len(log)-2000):])
		}
	}
}

func (i *Instance) ask(ctx context.Context, query string) error {
	conn, err := pgx.Connect(ctx, i.URL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var one int
	return conn.QueryRow(ctx, query).Scan(&one)
}

// Stop stops the instance as an operator does: connections are cut, nothing is lost.
func (i *Instance) Stop() { i.t.Helper(); i.signal(syscall.SIGINT) }

// Crash ends the instance without letting it tidy up.
func (i *Instance) Crash() { i.t.Helper(); i.signal(syscall.SIGQUIT) }

func (i *Instance) signal(s syscall.Signal) {
	i.t.Helper()
	text, err := os.ReadFile(filepath.Join(i.data(), "postmaster.pid"))
	if err != nil {
		i.t.Fatal(err)
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(first))
	if err != nil {
		i.t.Fatal(err)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Signal(s)
	}
	if err != nil {
		i.t.Fatal(err)
	}
	<-i.exited
}

// Standby starts a copy that follows the instance. From then on, nothing counts as committed before the copy has it.
func (i *Instance) Standby() *Instance {
	i.t.Helper()
	s := newInstance(i.t)
	s.run("pg_basebackup", "-h", "127.0.0.1", "-p", strconv.Itoa(i.port), "-U", "postgres", "-D", s.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync")
	s.Start()
	i.exec("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	i.await("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return s
}

func (i *Instance) exec(statements ...string) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, i.URL())
	if err != nil {
		i.t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			i.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Promote makes a standby accept writes.
func (i *Instance) Promote() {
	i.t.Helper()
	i.exec("SELECT pg_promote(true, 60)")
	i.await("SELECT 1 WHERE NOT pg_is_in_recovery()")
}
