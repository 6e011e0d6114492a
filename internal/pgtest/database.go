package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// EnvURL names the environment variable with the URL of a server on which to create test databases. The value none
// skips the tests that need a server: make check does so, CI never.
const (
	EnvURL = "PARLEY_TEST_DATABASE_URL"
	none   = "none"
)

// statementTimeout bounds creating or dropping one database, which is slow only on a slow machine.
const statementTimeout = time.Minute

// processServer starts the server that the tests of this process share. Nothing stops it: it ends with the process.
var processServer = sync.OnceValues(func() (*Server, error) { return Start(context.Background()) })

// NewDatabase returns the URL of a new, empty database that is dropped when the test ends, even if connections to it
// are still open. It is on the server named by EnvURL, else on one that this process starts at the first call.
func NewDatabase(t testing.TB) string {
	t.Helper()
	server := serverFor(t)
	// template0, unlike template1, accepts no connections; an open connection would make the copy fail.
	return createDatabase(t, server, "template0")
}

func createDatabase(t testing.TB, server *url.URL, template string) string {
	t.Helper()
	name := "parley_test_" + strings.ToLower(rand.Text())
	if err := execute(server, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	t.Cleanup(func() {
		if err := execute(server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
	})
	return databaseURL(server, name)
}

func databaseURL(server *url.URL, name string) string {
	database := *server
	database.Path = "/" + name
	return database.String()
}

// serverFor is the server on which to create the databases of a test.
func serverFor(t testing.TB) *url.URL {
	t.Helper()
	if os.Getenv(EnvURL) == none {
		t.Skip("this run leaves PostgreSQL out")
	}
	server, err := serverURL()
	must(t, err)
	return server
}

func serverURL() (*url.URL, error) {
	raw := os.Getenv(EnvURL)
	if raw == "" {
		server, err := processServer()
		if err != nil {
			return nil, err
		}
		raw = server.URL
	}
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("%s must be a URL such as postgres://user:password@host:5432/postgres", EnvURL)
	}
	return parsed, nil
}

func execute(server *url.URL, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
