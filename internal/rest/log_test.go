package rest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// nobody is the authority of a surface on which everything is open.
type nobody struct{}

func (nobody) Authenticate(*Call) error         { return errors.New("nobody is authenticated") }
func (nobody) Admit(*Call) error                { return errors.New("nobody is admitted") }
func (nobody) Errors(*Operation) []chat.Code    { return nil }
func (nobody) Record(*Call, int, time.Duration) {}

type secretInput struct {
	Token string `path:"token"`
}

// The log names the operation that failed. A token in the path is as good as a password, and is not in the log.
func TestSecretsInPathsAreNotLogged(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"store unavailable": func() error { return store.ErrUnavailable },
		"client went away":  func() error { return context.Canceled },
		"request failed":    func() error { return errors.New("unknown") },
		"panic":             func() error { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			s := New(Config{
				Base: "/app/api", Store: storetest.Open(t, storetest.SQLite), Authority: nobody{}, Description: nothing, Metrics: NewMetrics(nil, "x", "x"),
				Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			Read(s, Operation{Method: http.MethodGet, Path: "/links/{token}", ID: "getLink", Open: true}, func(*Call, *secretInput) (struct{}, error) {
				return struct{}{}, fail()
			})
			s.Finish()
			s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/app/api/links/s3cret", nil))
			if strings.Contains(log.String(), "s3cret") || !strings.Contains(log.String(), "route=/app/api/links/{token}") || !strings.Contains(log.String(), name) {
				t.Errorf("the log says %s", &log)
			}
		})
	}
}
