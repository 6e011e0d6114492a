package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/pgtest"
)

func TestCommandGetsAServerThatStopsAfterIt(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "")
	file := filepath.Join(t.TempDir(), "url")
	code, err := runWithServer([]string{"sh", "-c", `printf %s "$PARLEY_TEST_DATABASE_URL" >"$0"; exit 7`, file})
	if code != 7 || err != nil {
		t.Fatalf("got code %d, error %v", code, err)
	}
	url, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(url), "postgres://") {
		t.Fatalf("the command saw %q", url)
	}
	if _, err := pgx.Connect(context.Background(), string(url)); err == nil {
		t.Error("the server still answers")
	}
}

func TestServerOfTheEnvironmentIsKept(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "postgres://elsewhere/postgres")
	code, err := runWithServer([]string{"sh", "-c", `test "$PARLEY_TEST_DATABASE_URL" = postgres://elsewhere/postgres`})
	if code != 0 || err != nil {
		t.Errorf("got code %d, error %v", code, err)
	}
}

func TestSignalsReachTheCommand(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	code, err := runCommand([]string{"sleep", "60"}, os.Environ(), signals)
	if want := 128 + int(syscall.SIGTERM); code != want || err != nil {
		t.Errorf("got code %d, error %v, want code %d", code, err, want)
	}
}

func TestMissingCommandIsAnError(t *testing.T) {
	t.Parallel()
	_, err := runCommand([]string{filepath.Join(t.TempDir(), "missing")}, nil, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
