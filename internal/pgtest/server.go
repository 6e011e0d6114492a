// Package pgtest runs throw-away PostgreSQL servers from the binaries installed on the machine, for tests and the
// benchmark. Nothing in the parley binary may import it.
package pgtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed supervise.sh
var superviseScript string

const (
	startTimeout = time.Minute
	pollInterval = 20 * time.Millisecond
	portAttempts = 3
)

// errPortTaken reports that another process took the port after we chose it and before the server bound it.
var errPortTaken = errors.New("port already in use")

// Config is the configuration of a server. The zero value is the fast one for tests.
type Config struct {
	// Durable keeps PostgreSQL's own settings for durability and memory, so that measurements on it are honest.
	Durable bool
}

// Server is one running PostgreSQL with its own directory.
type Server struct {
	URL string // the maintenance database, as superuser

	dir      string
	port     int
	lifeline io.Closer     // closing it makes the supervisor stop the server
	exited   chan struct{} // closed when the supervisor has ended
	log      *os.File      // kept open, so that it can be read after the supervisor removed the directory
	stop     func() error
}

// Start starts a server that trades durability for speed.
func Start(ctx context.Context) (*Server, error) { return Config{}.Start(ctx) }

// Start starts a server and waits until it accepts connections; ctx bounds only that wait. The server runs until Stop
// or until this process ends, however it ends.
func (c Config) Start(ctx context.Context) (*Server, error) {
	bin, err := FindBinaries()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		server, err := c.startOnce(ctx, bin)
		if err == nil {
			return server, nil
		}
		if !errors.Is(err, errPortTaken) || attempt == portAttempts {
			return nil, fmt.Errorf("start PostgreSQL from %s: %w", bin, err)
		}
	}
}

func (c Config) startOnce(ctx context.Context, bin string) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	server, err := c.launch(bin, port)
	if err != nil {
		return nil, err
	}
	if err := server.waitReady(ctx); err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// launch starts the supervisor, which initializes and runs the server.
func (c Config) launch(bin string, port int) (*Server, error) {
	dir, err := os.MkdirTemp("", "parley-pg-")
	if err != nil {
		return nil, err
	}
	server := &Server{
		URL:    fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
		dir:    dir,
		port:   port,
		exited: make(chan struct{}),
	}
	server.stop = sync.OnceValue(server.shutDown)
	if err := server.supervise(bin, c.settings(dir, port)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return server, nil
}

func (s *Server) supervise(bin string, settings []string) error {
	attr, err := unprivileged(s.dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", superviseScript + keepScript, "supervise", bin, s.dir}, settings...)...)
	cmd.Dir, cmd.SysProcAttr = s.dir, attr
	cmd.Env = append(os.Environ(), "LC_ALL=C") // for English messages; and the server on macOS needs a locale
	if s.lifeline, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		return errors.Join(err, s.log.Close())
	}
	go func() {
		_ = cmd.Wait() // the log says how it ended
		close(s.exited)
	}()
	return nil
}

func (c Config) settings(dir string, port int) []string {
	settings := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=" + dir,
		"max_connections=600",
	}
	if !c.Durable {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB")
	}
	var args []string
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// Stop shuts the server down, cuts open connections, and removes its directory. Further calls do nothing.
func (s *Server) Stop() error { return s.stop() }

func (s *Server) shutDown() error {
	_ = s.lifeline.Close() // fails only if the supervisor has already ended
	<-s.exited
	_ = s.log.Close()
	// A supervisor that runs as another user may be unable to remove the directory from its parent.
	return os.RemoveAll(s.dir)
}

// waitReady returns once the server accepts connections. It connects by the socket in the server's own directory,
// because another server might answer on the TCP port; ours opens the socket only after it has bound the port.
func (s *Server) waitReady(ctx context.Context) error {
	socket := fmt.Sprintf("host='%s' port=%d user=postgres dbname=postgres sslmode=disable", s.dir, s.port)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, socket)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-tick.C:
		case <-s.exited:
			return s.startError()
		case <-ctx.Done():
			return fmt.Errorf("wait for it to accept connections: %w (last answer: %w)", ctx.Err(), err)
		}
	}
}

// startError explains from the server's log why it ended before it was ready.
func (s *Server) startError() error {
	log, err := io.ReadAll(io.NewSectionReader(s.log, 0, 1<<20))
	if err != nil {
		return err
	}
	if strings.Contains(string(log), "could not bind") {
		return errPortTaken
	}
	return fmt.Errorf("it ended during startup (Parley needs PostgreSQL 15 or newer); its log:\n%s", log)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
