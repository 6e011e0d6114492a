package server

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/housekeeping"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/store"
)

// settings are the settings of a separate node, on ports that the system picks.
func settings(t *testing.T) config.Serve {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o700))
	return config.Serve{
		Store:  config.Store{Data: dir},
		Listen: "127.0.0.1:0", OpsListen: "127.0.0.1:0", Role: config.Roles,
	}
}

func open(t *testing.T, cfg config.Serve) (*Server, *loggingtest.Book) {
	t.Helper()
	lines := &loggingtest.Book{}
	s, err := New(t.Context(), cfg, "test", lines.Logger())
	must(t, err)
	return s, lines
}

// start runs a node; stop ends it and returns the result of Run.
func start(t *testing.T, s *Server) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	serving := make(chan struct{})
	go func() { ended <- s.Run(ctx, func() { close(serving) }) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	<-serving
	return stop
}

func newKey(t *testing.T, s *Server) string {
	t.Helper()
	var key string
	err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
		org, _, err := core.CreateOrganization(tx, "Acme", "enterprise")
		if err == nil {
			_, key, err = core.CreateKey(tx, org.ID, "key", nil)
		}
		return err
	})
	must(t, err)
	return key
}

// slowRequest sends a request up to its body, and returns once the server waits for the body.
func slowRequest(t *testing.T, s *Server, body string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", s.public.listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /v1/labels HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", newKey(t, s), len(body))
	reader := bufio.NewReader(conn)
	line, err := reader.ReadString('\n')
	if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return conn, reader
}

func get(t *testing.T, l net.Listener, path string) (int, string) {
	t.Helper()
	response, err := http.Get("http://" + l.Addr().String() + path)
	must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(body)
}

// awaitDraining returns once the node tells load balancers that it is stopping.
func awaitDraining(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		status, body := get(t, s.ops.listener, "/ready")
		if status == http.StatusServiceUnavailable && body == "stopping\n" {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("/ready answers %d %q", status, body)
		}
	}
}

// requireClosed waits until a listener is closed. It does not dial: another program may listen at the port by then.
func requireClosed(t *testing.T, l net.Listener) {
	t.Helper()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%s takes connections: %v", l.Addr(), err)
	}
}

func TestDrainLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	s, lines := open(t, settings(t))
	stop := start(t, s)
	const body = `{"name":"slow"}`
	conn, reader := slowRequest(t, s, body)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	awaitDraining(t, s)
	requireClosed(t, s.public.listener)
	io.WriteString(conn, body)
	response, err := http.ReadResponse(reader, nil)
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Errorf("got %s", response.Status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_, text, stopping := strings.Cut(lines.String(), "msg=stopping")
	if !stopping || strings.Contains(text, "cut off") || strings.Contains(text, "WARN") || strings.Count(text, "\n") > 1 {
		t.Errorf("logged %s", lines)
	}
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	s, lines := open(t, settings(t))
	s.drainTimeout = 50 * time.Millisecond
	stop := start(t, s)
	_, reader := slowRequest(t, s, `{"name":"never sent"}`)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(lines.String(), `level=WARN msg="requests were cut off"`) {
		t.Errorf("logged %s", lines)
	}
	if response, err := http.ReadResponse(reader, nil); err == nil && response.StatusCode < 400 {
		t.Errorf("the request that was cut off got %s", response.Status)
	}
	requireClosed(t, s.ops.listener)
	again, _ := open(t, s.cfg) // the folder is no longer locked
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestRunEndsWhenItCannotServe(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	s.ops.listener.Close()
	if err := s.Run(t.Context(), nil); err == nil {
		t.Error("Run ended without an error")
	}
	requireClosed(t, s.public.listener)
}

func TestNewGivesBackWhatItTook(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer other.Close()
	cfg.OpsListen = other.Addr().String()
	if _, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "--ops-listen") {
		t.Fatalf("got %v", err)
	}
	cfg.OpsListen = "127.0.0.1:0"
	s, _ := open(t, cfg)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAnotherMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	s, _ := open(t, cfg)
	must(t, s.Close())
	wrong := cfg
	wrong.SecretKey = base64.StdEncoding.EncodeToString(make([]byte, 32))
	_, err := New(t.Context(), wrong, "test", slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "PARLEY_SECRET_KEY") || !strings.Contains(err.Error(), "secret.key") {
		t.Errorf("got %v", err)
	}
	right, _ := open(t, cfg)
	if err := right.Close(); err != nil {
		t.Error(err)
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	picked, _ := open(t, settings(t))
	t.Cleanup(func() { picked.Close() })
	port := picked.public.listener.Addr().(*net.TCPAddr).Port
	if want := fmt.Sprintf("http://localhost:%d", port); picked.PublicURL() != want {
		t.Errorf("got %s, want %s", picked.PublicURL(), want)
	}
	cfg := settings(t)
	cfg.PublicURL = "https://chat.example.com"
	given, _ := open(t, cfg)
	t.Cleanup(func() { given.Close() })
	if given.PublicURL() != cfg.PublicURL {
		t.Errorf("got %s", given.PublicURL())
	}
}

func TestOnlyWorkersKeepHouse(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"api", "worker"} {
		cfg := settings(t)
		cfg.Role = []string{role}
		s, _ := open(t, cfg)
		if err := start(t, s)(); err != nil {
			t.Error(err)
		}
		works := slices.ContainsFunc(s.parts, func(p part.Part) bool { _, ok := p.(*housekeeping.Housekeeper); return ok })
		if works != (role == "worker") {
			t.Errorf("role %s: keeps house: %v", role, works)
		}
	}
}

// The files of a node are closed to other users. The node warns of a folder that is open to them.
func TestDataFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	for mode, warned := range map[fs.FileMode]bool{0o700: false, 0o750: true, 0o705: true} {
		cfg := settings(t)
		must(t, os.Chmod(cfg.Data, mode))
		s, lines := open(t, cfg)
		if _, err := s.messaging.blobs.Put(t.Context(), "med_1", strings.NewReader("bytes"), 10); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(cfg.Data, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || path == cfg.Data {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return err
		})
		must(t, errors.Join(err, s.Close()))
		if got := strings.Contains(lines.String(), "chmod go-rwx"); got != warned {
			t.Errorf("folder of mode %v: the log says %s", mode, lines)
		}
	}
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
