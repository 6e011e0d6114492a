package pgtest

import (
	"context"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// templateLock is the advisory lock with which only one process at a time makes a template.
const templateLock = 7_203_114_908

// Template is a database that is made once and copied for tests, which is cheaper than making each one anew.
type Template struct {
	// Name says what the template contains. The server keeps the template for other processes, and a server named by
	// EnvURL also for later runs.
	Name string
	// Prepare fills the template. It must leave no connection open.
	Prepare func(url string) error

	once sync.Once
	err  error
}

// NewDatabase returns the URL of a new copy of the template that is dropped when the test ends.
func (tpl *Template) NewDatabase(t testing.TB) string {
	t.Helper()
	server := serverFor(t)
	tpl.once.Do(func() { tpl.err = tpl.ensure(server) })
	if tpl.err != nil {
		t.Fatalf("make the template of the test databases: %v", tpl.err)
	}
	return createDatabase(t, server, tpl.Name)
}

// ensure makes the template unless the server has it. The template gets its name when it is complete, so that a
// process that is killed half way leaves nothing that looks like one.
func (tpl *Template) ensure(server *url.URL) error {
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // also releases the lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(templateLock)); err != nil {
		return err
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", tpl.Name).Scan(&exists)
	if err != nil || exists {
		return err
	}
	return tpl.make(ctx, conn, server)
}

func (tpl *Template) make(ctx context.Context, conn *pgx.Conn, server *url.URL) error {
	unfinished := tpl.Name + "_unfinished"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + unfinished + " WITH (FORCE)",
		"CREATE DATABASE " + unfinished + " TEMPLATE template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := tpl.Prepare(databaseURL(server, unfinished)); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "ALTER DATABASE "+unfinished+" RENAME TO "+tpl.Name)
	return err
}
