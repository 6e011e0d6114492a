package pgtest

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Instance is a PostgreSQL that a test can stop, crash, start again and fail over. Its port stays the same.
type Instance struct {
	t        testing.TB
	bin, dir string
	port     int
	child    *child
}

// NewInstance starts an instance. It ends with the test, or with this process.
func NewInstance(t testing.TB) *Instance {
	t.Helper()
	if os.Getenv(EnvURL) == none {
		t.Skip("this run leaves PostgreSQL out")
	}
	i := NewEmptyInstance(t)
	i.run("initdb", "-D", i.Data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions",
		"--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
	i.Start()
	return i
}

// NewEmptyInstance makes an instance without data. It is started when a test has put some there.
func NewEmptyInstance(t testing.TB) *Instance {
	t.Helper()
	bin, err := FindBinaries()
	must(t, err)
	dir, err := os.MkdirTemp("", "parley-pg-")
	must(t, err)
	port, err := freePort()
	must(t, err)
	i := &Instance{t: t, bin: bin, dir: dir, port: port}
	t.Cleanup(func() { // runs before earlier cleanups, and after those of everything that uses the instance
		if i.child != nil {
			i.child.stop()
		}
		os.RemoveAll(dir)
	})
	return i
}

// Data is the folder of the instance's data.
func (i *Instance) Data() string { return filepath.Join(i.dir, "data") }

// URL is the address of the instance's one database.
func (i *Instance) URL() string {
	return fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", i.Host())
}

// Host is the address on which the instance listens.
func (i *Instance) Host() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(i.port)) }

// run runs one of PostgreSQL's programs to its end.
func (i *Instance) run(program string, args ...string) {
	i.t.Helper()
	i.output(exec.Command(filepath.Join(i.programs(), program), args...))
}

// Shell runs commands as the user of the server, with its programs on the path and its address in their variables, and
// returns what they print.
func (i *Instance) Shell(commands string) string {
	i.t.Helper()
	cmd := exec.Command("/bin/sh", "-euc", commands)
	cmd.Env = []string{"PATH=" + i.programs() + string(os.PathListSeparator) + os.Getenv("PATH"),
		"PGHOST=127.0.0.1", "PGPORT=" + strconv.Itoa(i.port), "PGUSER=postgres"}
	return strings.TrimSpace(i.output(cmd))
}

// programs is the directory with all of PostgreSQL's programs.
func (i *Instance) programs() string {
	i.t.Helper()
	path, err := filepath.EvalSymlinks(filepath.Join(i.bin, "initdb"))
	must(i.t, err)
	return filepath.Dir(path)
}

// output runs a command as the user of the server, in the instance's folder.
func (i *Instance) output(cmd *exec.Cmd) string {
	i.t.Helper()
	attr, err := unprivileged(i.dir)
	must(i.t, err)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Dir, cmd.SysProcAttr, cmd.Env = i.dir, attr, append(cmd.Env, "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		i.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// Start starts the instance and waits until it accepts connections.
func (i *Instance) Start() {
	i.t.Helper()
	args := append([]string{"INT", filepath.Join(i.bin, "postgres"), "-D", i.Data()}, Config{Durable: true}.settings(i.dir, i.port)...)
	args = append(args, "-c", "fsync=off", "-c", "wal_retrieve_retry_interval=100ms") // only the server crashes, not the machine: written data stays
	var err error
	if i.child, err = startChild(i.dir, keepScript, args...); err != nil {
		i.t.Fatal(err)
	}
	i.await("SELECT 1")
}

// await waits until a query returns a row.
func (i *Instance) await(query string) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := i.child.await(ctx, func() error { return i.ask(ctx, query) }); err != nil {
		log, _ := os.ReadFile(filepath.Join(i.dir, "log"))
		i.t.Fatalf("PostgreSQL: %v; its log:\n%s", err, log[max(0, len(log)-2000):])
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
	text, err := os.ReadFile(filepath.Join(i.Data(), "postmaster.pid"))
	must(i.t, err)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(first))
	must(i.t, err)
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Signal(s)
	}
	must(i.t, err)
	<-i.child.exited
	i.child.stop()
}

// Standby starts a copy that follows the instance. From then on, nothing counts as committed before the copy has it.
func (i *Instance) Standby() *Instance {
	i.t.Helper()
	s := NewEmptyInstance(i.t)
	s.run("pg_basebackup", "-h", "127.0.0.1", "-p", strconv.Itoa(i.port), "-U", "postgres", "-D", s.Data(), "-R", "-X", "stream", "-c", "fast", "--no-sync")
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
	must(i.t, err)
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
	i.AwaitRecovered()
}

// AwaitRecovered waits until the instance has replayed what it was given, and accepts writes.
func (i *Instance) AwaitRecovered() {
	i.t.Helper()
	i.await("SELECT 1 WHERE NOT pg_is_in_recovery()")
}

// Running reports whether the instance has not ended by itself.
func (i *Instance) Running() bool {
	select {
	case <-i.child.exited:
		return false
	default:
		return true
	}
}
