package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestTemplateIsPreparedOnceForAllProcesses(t *testing.T) {
	t.Parallel()
	name := newTemplateName(t)
	var prepared atomic.Int32
	prepare := func(url string) error {
		prepared.Add(1)
		return runOn(url, "CREATE TABLE made (by TEXT)")
	}
	urls := make([]string, 4)
	var group sync.WaitGroup
	for i := range urls {
		template := &Template{Name: name, Prepare: prepare} // one each, like separate processes
		group.Go(func() { urls[i] = template.NewDatabase(t) })
	}
	group.Wait()

	if n := prepared.Load(); n != 1 {
		t.Errorf("prepared %d times", n)
	}
	for i, url := range urls {
		conn := connect(t, url)
		if rows := queryString(t, conn, "SELECT count(*)::text FROM made"); rows != "0" {
			t.Errorf("copy %d has %s rows", i, rows)
		}
		if _, err := conn.Exec(t.Context(), "INSERT INTO made VALUES ('one copy')"); err != nil {
			t.Error(err)
		}
	}
}

func TestTemplateThatFailedIsMadeAgain(t *testing.T) {
	t.Parallel()
	server, err := serverURL()
	must(t, err)
	name := newTemplateName(t)
	boom := errors.New("boom")
	failing := &Template{Name: name, Prepare: func(url string) error {
		return errors.Join(runOn(url, "CREATE TABLE half (a TEXT)"), boom)
	}}
	if err := failing.ensure(server); !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	whole := &Template{Name: name, Prepare: func(url string) error { return runOn(url, "CREATE TABLE whole (a TEXT)") }}
	conn := connect(t, whole.NewDatabase(t))
	if got := queryString(t, conn, "SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = 'public'"); got != "whole" {
		t.Errorf("the tables are %q", got)
	}
}

func newTemplateName(t *testing.T) string {
	t.Helper()
	name := "parley_template_test_" + strings.ToLower(rand.Text())
	t.Cleanup(func() {
		server, err := serverURL()
		must(t, err)
		if err := execute(server, "DROP DATABASE IF EXISTS "+name); err != nil {
			t.Error(err)
		}
	})
	return name
}

func runOn(url, statement string) error {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(context.Background(), statement)
	return err
}
