// Package apitest drives the API as its clients do: over a socket, on a fresh store of either engine, with a
// clock that stands still until a test moves it. Every response is checked against the OpenAPI document that
// the server itself serves. Only tests may import it.
package apitest

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/netguard/netguardtest"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// Each runs test on a fresh server of each engine.
func Each(t *testing.T, test func(t *testing.T, s *Server), options ...Option) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { test(t, Start(t, engine, options...)) })
}

// Option changes an API before its server starts.
type Option func(*api.API)

// Server is one node: an API on a store, behind a socket.
type Server struct {
	URL   string
	Store *store.Store
	API   *api.API
	Clock *storetest.Clock

	place    store.Config
	options  []Option
	http     *httptest.Server
	client   *http.Client
	document *Document
	tables   *Tables
}

// Start starts a node on a fresh store. It ends with the test.
func Start(t testing.TB, engine storetest.Engine, options ...Option) *Server {
	t.Helper()
	return StartAt(t, storetest.NewConfig(t, engine), options...)
}

// StartAt starts a node on the store at the place.
func StartAt(t testing.TB, place store.Config, options ...Option) *Server {
	t.Helper()
	clock := storetest.NewClock()
	clock.Advance(250 * time.Millisecond) // an instant between two seconds reveals rounding
	place.Now, place.Elapsed = clock.Now, clock.Elapsed
	return start(t, place, clock, options)
}

// Another starts a second node on the store of the first, with the same clock.
func (s *Server) Another(t testing.TB) *Server {
	t.Helper()
	return start(t, s.place, s.Clock, s.options)
}

func start(t testing.TB, place store.Config, clock *storetest.Clock, options []Option) *Server {
	t.Helper()
	st := storetest.OpenAt(t, place)
	a := api.New(api.Config{
		Store: st, CursorKey: []byte("a key that all nodes of a test share"), Version: "test",
		Log: logTo(t), Metrics: api.NewMetrics(nil), Vault: testVault, CheckURL: guard.CheckURL,
	})
	for _, option := range options {
		option(a)
	}
	parttest.Start(t, a)
	s := &Server{Store: st, API: a, Clock: clock, place: place, options: options, http: httptest.NewServer(a)}
	s.URL = s.http.URL
	s.client = &http.Client{
		Timeout:       2 * time.Minute, // a server that hangs fails its test, not the whole run
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(s.close)
	s.document = s.loadDocument(t)
	s.tables = OpenTables(t, place)
	return s
}

// testVault is the same on all nodes of a test.
var testVault = func() *vault.Vault {
	v, err := vault.New([]byte("32 bytes that are no secret here"))
	if err != nil {
		panic(err)
	}
	return v
}()

// opened is the only private range that the nodes may reach.
var opened = netip.MustParsePrefix("10.9.0.0/16")

// guard resolves a few names; all others do not exist.
var guard = netguard.New(opened).WithResolver(netguardtest.Resolver(func(host string) []netip.Addr {
	public, private, opened := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.9.0.1")
	switch host {
	case "hooks.example", "other.example":
		return []netip.Addr{public}
	case "private.example":
		return []netip.Addr{private}
	case "mixed.example":
		return []netip.Addr{public, private}
	case "opened.example":
		return []netip.Addr{opened}
	case "half-opened.example":
		return []netip.Addr{public, opened}
	default:
		return nil
	}
}))

func (s *Server) close() {
	s.client.CloseIdleConnections()
	s.http.Close()
}

// Document is the server's own description.
func (s *Server) Document() *Document { return s.document }

// InTx changes the store directly, without the API.
func (s *Server) InTx(t testing.TB, fn func(*store.Tx) error) {
	t.Helper()
	storetest.InTx(t, s.Store, fn)
}

// LoseCommits has the store lose the outcome of the next commit that writes to the table.
func (s *Server) LoseCommits(t testing.TB, table string) {
	t.Helper()
	storetest.LoseCommits(t, s.place, table)
}

func logTo(t testing.TB) *slog.Logger {
	if _, ok := t.(*testing.F); ok { // a fuzz test must not log while its targets run
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(logWriter{t}, nil))
}

// logWriter writes the node's log to the test's output.
type logWriter struct{ t testing.TB }

var _ io.Writer = logWriter{}

func (w logWriter) Write(line []byte) (int, error) {
	w.t.Log(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
