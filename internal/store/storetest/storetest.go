// Package storetest gives tests a fresh store on each engine, a clock they set, and rows to begin
// with. Only tests import it.
package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
	"github.com/parleyhq/parley/internal/store"
)

// Engine is an SQL engine, by the name that Store.Engine returns.
type Engine string

const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// engines are all of them.
var engines = []Engine{SQLite, Postgres}

// Option changes how a store is opened.
type Option func(*store.Config)

// WithClock makes the store use both clocks of c.
func WithClock(c *Clock) Option {
	return func(cfg *store.Config) { cfg.Now, cfg.Elapsed = c.Now, c.Elapsed }
}

// Exclusive opens the store as a serving process does.
func Exclusive(cfg *store.Config) { cfg.Exclusive = true }

// Each runs test once per engine, in parallel, on a fresh store.
func Each(t *testing.T, test func(t *testing.T, st *store.Store), opts ...Option) {
	t.Helper()
	EachEngine(t, func(t *testing.T, engine Engine) { test(t, Open(t, engine, opts...)) })
}

// EachWithClock is Each on a store whose clocks the test moves.
func EachWithClock(t *testing.T, test func(t *testing.T, st *store.Store, clock *Clock)) {
	t.Helper()
	EachEngine(t, func(t *testing.T, engine Engine) {
		clock := NewClock()
		test(t, Open(t, engine, WithClock(clock)), clock)
	})
}

// EachEngine is Each for a test that opens its stores itself. The test runs beside others.
func EachEngine(t *testing.T, test func(t *testing.T, engine Engine)) {
	t.Helper()
	t.Parallel()
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// Open opens a fresh store that is closed when the test ends.
func Open(t testing.TB, engine Engine, opts ...Option) *store.Store {
	t.Helper()
	return OpenAt(t, NewConfig(t, engine), opts...)
}

// OpenAt opens the store at cfg, which may be open already: the two are then like two processes on one store.
func OpenAt(t testing.TB, cfg store.Config, opts ...Option) *store.Store {
	t.Helper()
	for _, opt := range opts {
		opt(&cfg)
	}
	st, err := store.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return st
}

// NewConfig prepares an empty store with its schema.
func NewConfig(t testing.TB, engine Engine) store.Config {
	t.Helper()
	switch engine {
	case SQLite:
		return store.Config{Dir: copySQLite(t)}
	case Postgres:
		return store.Config{URL: withSmallPool(template().NewDatabase(t))}
	default:
		t.Fatalf("no engine %q", engine)
		return store.Config{}
	}
}

// NewEmptyConfig prepares a store without its schema.
func NewEmptyConfig(t testing.TB, engine Engine) store.Config {
	t.Helper()
	switch engine {
	case SQLite:
		return store.Config{Dir: t.TempDir()}
	case Postgres:
		return store.Config{URL: withSmallPool(pgtest.NewDatabase(t))}
	default:
		t.Fatalf("no engine %q", engine)
		return store.Config{}
	}
}

const databaseFile = "parley.db"

// sqliteFile is a database file with only the schema, made once.
var sqliteFile = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "parley-storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := migrate(store.Config{Dir: dir}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, databaseFile))
})

func copySQLite(t testing.TB) (dir string) {
	t.Helper()
	content, err := sqliteFile()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, databaseFile), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// template is named after the schema, so that a server kept between runs has one per schema.
var template = sync.OnceValue(func() *pgtest.Template {
	return &pgtest.Template{
		Name:    fmt.Sprintf("parley_template_%x", schemaHash()),
		Prepare: func(url string) error { return migrate(store.Config{URL: url}) },
	}
})

// migrate opens and closes a store, which creates the schema.
func migrate(cfg store.Config) error {
	st, err := store.Open(context.Background(), cfg)
	if err != nil {
		return err
	}
	return st.Close()
}
