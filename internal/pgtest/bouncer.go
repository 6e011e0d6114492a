package pgtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errNoBouncer = errors.New("PgBouncer was not found; install it with `apt-get install pgbouncer` (Debian, Ubuntu) or " +
	"`brew install pgbouncer` (macOS), or put it on PATH")

// FindBouncer returns the path of PgBouncer. Packages install it where only root's PATH leads.
func FindBouncer() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer", "/opt/homebrew/bin/pgbouncer", "/usr/local/bin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoBouncer
}

// Bouncer is the configuration of a PgBouncer, where it differs from the defaults.
type Bouncer struct {
	Mode string // session, transaction or statement
	Size int    // connections to the server for each database
}

// Start starts a PgBouncer in front of a database and returns the database's address through it. It ends with the
// test, or with this process.
func (b Bouncer) Start(t testing.TB, database string) string {
	t.Helper()
	bin, err := FindBouncer()
	must(t, err)
	behind, err := url.Parse(database)
	must(t, err)
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		must(t, err)
		address, err := b.startOnce(t, bin, behind, port)
		if err == nil {
			return address
		}
		if attempt == portAttempts {
			t.Fatal(err)
		}
	}
}

func (b Bouncer) startOnce(t testing.TB, bin string, behind *url.URL, port int) (address string, err error) {
	dir, err := os.MkdirTemp("", "parley-pgbouncer-")
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "pgbouncer.ini"), []byte(b.settings(behind, port)), 0o644); err != nil {
		return "", err
	}
	child, err := startChild(dir, keepScript, "TERM", bin, filepath.Join(dir, "pgbouncer.ini"))
	if err != nil {
		return "", err
	}
	t.Cleanup(child.stop)
	at := *behind
	at.Host = net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
	cfg, err := pgxpool.ParseConfig(at.String()) // because it understands pool settings in the address
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	return at.String(), child.await(ctx, func() error {
		conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
}

// settings makes PgBouncer log in as the user in the address, whoever connects.
func (b Bouncer) settings(behind *url.URL, port int) string {
	login := "user=" + behind.User.Username()
	if password, ok := behind.User.Password(); ok {
		login += " password='" + password + "'"
	}
	return fmt.Sprintf(`[databases]
%s = host=%s port=%s %s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = %d
max_client_conn = 1000
`, strings.TrimPrefix(behind.Path, "/"), behind.Hostname(), behind.Port(), login, port, b.Mode, b.Size)
}
