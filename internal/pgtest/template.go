package pgtest

import (
	"context"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// templateLock is the advisory lock that lets one process at a time make a template.
const templateLock = 7_203_114_908

// Template is a database made once that tests get copies of, which is cheaper than making each of them anew.
type Template struct {
	// Name tells what the template holds. The server keeps it for other processes, and a named server for later runs.
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

// ensure makes the template unless the server has it. It gets its name when it is complete, so that a process that
// is killed half way leaves nothing that looks like one.
func (tpl *Template) ensure(server *url.URL) error {
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // and with it the lock
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
