// Package pgtest runs throw-away PostgreSQL servers from the binaries installed on the machine, for tests and the
// benchmark. Nothing in the parley binary may import it.
package pgtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
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

	dir   string
	port  int
	child *child
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
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	child, err := startChild(dir, superviseScript+keepScript, append([]string{bin, dir}, c.settings(dir, port)...)...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Server{
		URL: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port), dir: dir, port: port, child: child,
	}, nil
}

func (c Config) folder() (string, error) {
	in := ""
	if !c.Durable {
		in = inMemory()
	}
	return os.MkdirTemp(in, "parley-pg-")
}

func (c Config) settings(dir string, port int) []string {
	settings := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=" + dir,
		"max_connections=600",
	}
	if !c.Durable {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB", "max_wal_size=256MB")
	}
	var args []string
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// Stop shuts the server down, cuts open connections, and removes its directory. Further calls do nothing.
func (s *Server) Stop() error {
	s.child.stop()
	// A supervisor that runs as another user may be unable to remove the directory from its parent.
	return os.RemoveAll(s.dir)
}

// waitReady returns once the server accepts connections. It connects by the socket in the server's own directory,
// because another server might answer on the TCP port; ours opens the socket only after it has bound the port.
func (s *Server) waitReady(ctx context.Context) error {
	socket := fmt.Sprintf("host='%s' port=%d user=postgres dbname=postgres sslmode=disable", s.dir, s.port)
	return s.child.await(ctx, func() error {
		conn, err := pgx.Connect(ctx, socket)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
