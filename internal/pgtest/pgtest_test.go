package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// envChild makes TestServerEndsWithItsProcess act as the process that is killed.
const envChild = "PARLEY_PGTEST_CHILD"

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config Config
		want   string
	}{
		{"default", Config{}, "off"},
		{"durable", Config{Durable: true}, "on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, err := test.config.Start(t.Context())
			must(t, err)
			t.Cleanup(func() { _ = server.Stop() })
			conn := connect(t, server.URL)
			for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
				if got := queryString(t, conn, "SHOW "+setting); got != test.want {
					t.Errorf("%s is %s, want %s", setting, got, test.want)
				}
			}
			if got := queryString(t, conn, "SHOW max_connections"); got != "600" {
				t.Errorf("max_connections is %s", got)
			}
		})
	}
}

func TestStopRemovesEverythingAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	server, err := Start(t.Context())
	must(t, err)
	connect(t, server.URL) // an open connection must not delay the shutdown
	for range 2 {
		must(t, server.Stop())
	}
	if _, err := os.Stat(server.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	if _, err := pgx.Connect(t.Context(), server.URL); err == nil {
		t.Error("the server still answers")
	}
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTakenPortIsRecognized(t *testing.T) {
	t.Parallel()
	bin, err := FindBinaries()
	must(t, err)
	first, err := Start(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = first.Stop() })
	second, err := Config{}.launch(bin, first.port)
	must(t, err)
	t.Cleanup(func() { _ = second.Stop() })
	if err := second.waitReady(t.Context()); !errors.Is(err, errPortTaken) {
		t.Errorf("got %v", err)
	}
}

func TestServerEndsWithItsProcess(t *testing.T) {
	if os.Getenv(envChild) != "" {
		runUntilKilled(t)
	}
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), envChild+"=1")
	out, err := child.StdoutPipe()
	must(t, err)
	in, err := child.StdinPipe()
	must(t, err)
	defer in.Close()
	must(t, child.Start())
	url, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	conn := connect(t, strings.TrimSpace(url))

	must(t, child.Process.Kill())
	_ = child.Wait() // returns the kill as an error

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = conn.WaitForNotification(ctx) // returns when the server cuts the connection
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "57P01" {
		t.Errorf("got %v, want the server's notice that it shuts down", err)
	}
}

func runUntilKilled(t *testing.T) {
	server, err := Start(t.Context())
	must(t, err)
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestNewDatabase(t *testing.T) {
	t.Parallel()
	var dropped string
	t.Run("is empty, new and dropped while in use", func(t *testing.T) {
		dropped = NewDatabase(t)
		if other := NewDatabase(t); other == dropped {
			t.Error("got the same database twice")
		}
		conn, err := pgx.Connect(t.Context(), dropped) // deliberately left open
		must(t, err)
		tables := queryString(t, conn, "SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'")
		if tables != "0" {
			t.Errorf("has %s tables", tables)
		}
	})
	_, err := pgx.Connect(t.Context(), dropped)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "3D000" {
		t.Errorf("got %v, want that the database does not exist", err)
	}
}

func TestServerURLRejectsOtherForms(t *testing.T) {
	t.Setenv(EnvURL, "host=localhost dbname=postgres")
	if _, err := serverURL(); err == nil || !strings.Contains(err.Error(), EnvURL) {
		t.Errorf("got %v", err)
	}
}

func TestFindBinaries(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	onPath := filepath.Join(root, "onpath")
	half := filepath.Join(root, "half")
	install(t, onPath, "initdb", "postgres")
	install(t, half, "initdb")
	for _, version := range []string{"9.6", "15", "17"} {
		install(t, filepath.Join(root, "debian", version, "bin"), "initdb", "postgres")
	}
	install(t, filepath.Join(root, "brew", "postgresql@18", "bin"), "initdb", "postgres")
	debian := filepath.Join(root, "debian", "*", "bin")
	brew := filepath.Join(root, "brew", "postgresql@*", "bin")

	for _, test := range []struct {
		name           string
		path, patterns []string
		want           string
	}{
		{"PATH wins", []string{half, onPath}, []string{debian}, "onpath"},
		{"newest", []string{half}, []string{debian}, "debian/17/bin"},
		{"newest of all places", nil, []string{debian, brew}, "brew/postgresql@18/bin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := findBinaries(test.path, test.patterns)
			must(t, err)
			if want := filepath.Join(root, test.want); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}

	_, err := findBinaries([]string{half}, nil)
	for _, hint := range []string{"apt-get install postgresql", "brew install postgresql@17", EnvURL} {
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%v does not mention %s", err, hint)
		}
	}
}

func install(t *testing.T, dir string, programs ...string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	for _, program := range programs {
		must(t, os.WriteFile(filepath.Join(dir, program), nil, 0o755))
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func queryString(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	var value string
	must(t, conn.QueryRow(t.Context(), query).Scan(&value))
	return value
}
