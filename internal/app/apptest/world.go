// Package apptest drives the dashboard's API as browsers do: over a socket, with a cookie, on a fresh store of
// either engine. Every answer is checked against the API's own description. Only tests may import it.
package apptest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/contactjobs"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/numbers"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// SetupToken is the token for the set-up.
const SetupToken = "the token in the log"

// World is a node with the dashboard's API.
type World struct {
	URL   string
	Store *store.Store
	Clock *storetest.Clock
	Index *store.SearchIndex
	// Provider answers the provider calls.
	Provider *providertest.Client
	// App answers the dashboard's requests.
	App *app.App
	// Tables are the store's rows.
	Tables *apitest.Tables

	place            store.Config
	document, public *apitest.Document
}

// Each runs test on a world of each engine.
func Each(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { test(t, Start(t, engine)) })
}

// Start makes a world on a fresh store. It ends with the test.
func Start(t testing.TB, engine storetest.Engine, options ...func(*app.Config)) *World {
	t.Helper()
	place, clock := storetest.NewConfig(t, engine), storetest.NewClock()
	place.Now, place.Elapsed = clock.Now, clock.Elapsed
	st := storetest.OpenAt(t, place)
	v, err := vault.New([]byte("32 bytes that are no secret here"))
	must(t, err)
	log := slog.New(slog.DiscardHandler)
	hub := live.New(live.Config{Store: st, Node: func() string { return "node_a" }, Visible: visible(st), Log: log,
		CheckEvery: time.Hour}) // what ends a session is told, and no test waits for a look around
	index, err := st.OpenSearch(context.Background())
	must(t, err)
	blobs, err := blob.OpenFolder(t.TempDir())
	must(t, err)
	network := &providertest.Client{}
	token := func(chat.Account) (string, error) { return "token", nil }
	cfg := app.Config{
		Blobs: blobs, Numbers: &numbers.Service{Store: st, Provider: network, Token: token},
		Store: st, CursorKey: []byte("a key that all nodes of a test share"), Vault: v, SetupToken: SetupToken,
		Live: hub, Search: search.NewSearcher(st, index), Version: "test", Log: log, Metrics: app.NewMetrics(nil),
	}
	server := httptest.NewUnstartedServer(nil)
	cfg.PublicURL = "http://" + server.Listener.Addr().String()
	for _, option := range options {
		option(&cfg)
	}
	work := contactjobs.New(st, cfg.Blobs, log)
	cfg.ContactWork = work.Wake
	a := app.New(cfg)
	public := api.New(api.Config{
		Store: st, CursorKey: []byte("a key"), Version: "test", Log: log, Metrics: api.NewMetrics(nil), Vault: v, Dashboard: a.Surface(), Blobs: cfg.Blobs,
		Provider: network, Token: token, PublicURL: cfg.PublicURL,
		CheckURL: func(context.Context, string) error { return nil },
	})
	a.Finish()
	var parts part.List
	must(t, parts.Start(context.Background(), hub, work, public))
	server.Config.Handler = clientaddr.Behind([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, bySurface(a, public)) // with X-Forwarded-For a test is elsewhere
	server.Start()
	w := &World{URL: cfg.PublicURL, Store: st, Clock: clock, Index: index, Provider: network, App: a, Tables: apitest.OpenTables(t, place), place: place}
	t.Cleanup(func() {
		parts.Drain()
		server.Close()
		parts.Stop(context.Background())
		index.Close()
	})
	w.document, w.public = w.loadDocument(t, app.Base), w.loadDocument(t, publicBase)
	return w
}

// publicBase is the path of the public API, which is on the same address as in a server.
const publicBase = "/v1"

func bySurface(dashboard, public http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, publicBase+"/") {
			public.ServeHTTP(w, r)
			return
		}
		dashboard.ServeHTTP(w, r)
	})
}

// visible filters the conversations that a user may see, for the hub.
func visible(st *store.Store) func(context.Context, chat.User, []string) ([]string, error) {
	return func(ctx context.Context, u chat.User, ids []string) ([]string, error) {
		return core.VisibleConversations(st.Read(ctx), u, ids)
	}
}

var documents struct {
	sync.Mutex
	byText map[string]*apitest.Document
}

func (w *World) loadDocument(t testing.TB, base string) *apitest.Document {
	t.Helper()
	answer, err := http.Get(w.URL + base + "/openapi.json")
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	documents.Lock()
	defer documents.Unlock()
	if documents.byText == nil {
		documents.byText = map[string]*apitest.Document{}
	}
	d := documents.byText[string(text)]
	if d == nil {
		if d, err = apitest.ParseDocument(text); err != nil {
			t.Fatal(err)
		}
		documents.byText[string(text)] = d
	}
	return d
}

// TakeNoWrites makes the store answer reads alone from now on.
func (w *World) TakeNoWrites(t testing.TB) {
	t.Helper()
	storetest.TakeNoWrites(t, w.place)
}

// Document is the surface's own description.
func (w *World) Document() *apitest.Document { return w.document }

// User makes a user of an organization, without a password.
func (w *World) User(t testing.TB, org storetest.Organization, role chat.Role, sees chat.Visibility, teams ...string) chat.User {
	t.Helper()
	var u chat.User
	storetest.InTx(t, w.Store, func(tx *store.Tx) (err error) {
		id := tx.NewID(chat.KindUser)
		u = chat.User{
			ID: id, OrgID: org.ID, Email: strings.ToLower(id) + "@example.com", Name: "User " + id[len(id)-4:],
			Role: role, Sees: sees, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		for _, team := range teams {
			if err := tx.PutMember(org.ID, team, u.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return u
}

// Public is the description of the public API.
func (w *World) Public() *apitest.Document { return w.public }

// Browser is a browser that keeps its cookies.
type Browser struct {
	Token    string
	Known    string // what says that somebody has signed in there
	world    *World
	base     string
	document *apitest.Document
	key      string // of a program instead
	client   *http.Client
}

// Browser makes a browser that is not signed in.
func (w *World) Browser() *Browser {
	return &Browser{world: w, base: app.Base, document: w.document, client: &http.Client{
		Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// As is a browser in which the user is signed in.
func (w *World) As(t testing.TB, u chat.User) *Browser {
	t.Helper()
	b := w.Browser()
	b.Token = chat.NewToken()
	storetest.InTx(t, w.Store, func(tx *store.Tx) error {
		return tx.InsertSession(chat.Session{
			ID: tx.NewID(chat.KindSession), OrgID: u.OrgID, UserID: u.ID, Hash: chat.HashToken(b.Token), CreatedAt: tx.Now(), SeenAt: tx.Now(),
		})
	})
	return b
}

// WithKey is a program that calls the public API with a key of the organization.
func (w *World) WithKey(t testing.TB, orgID string) *Browser {
	t.Helper()
	b := w.Browser()
	b.base, b.document = publicBase, w.public
	_, b.key = storetest.Key(t, w.Store, orgID)
	return b
}

// Do calls an operation by its path under the base, and checks the answer against the document.
func (b *Browser) Do(t testing.TB, method, path, body string, header ...string) *apitest.Response {
	t.Helper()
	request := b.request(t, method, path, body, header...)
	r := b.send(t, request)
	b.document.Require(t, apitest.Exchange{Method: method, Target: b.base + path, Sent: request.Header, Status: r.Status, Header: r.Header, Body: r.Body})
	return r
}

// Try is Do for an answer that may be a file, which no schema describes.
func (b *Browser) Try(t testing.TB, method, path, body string) *apitest.Response {
	t.Helper()
	return b.send(t, b.request(t, method, path, body))
}

func (b *Browser) send(t testing.TB, request *http.Request) *apitest.Response {
	t.Helper()
	answer, err := b.client.Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	for _, c := range answer.Cookies() {
		switch c.Name {
		case "parley":
			b.Token = c.Value
		case "parley-known":
			b.Known = c.Value
		}
	}
	return &apitest.Response{Status: answer.StatusCode, Header: answer.Header, Body: text}
}

func (b *Browser) request(t testing.TB, method, path, body string, header ...string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.world.URL+b.base+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if b.Token != "" {
		request.AddCookie(&http.Cookie{Name: "parley", Value: b.Token})
	}
	if b.Known != "" {
		request.AddCookie(&http.Cookie{Name: "parley-known", Value: b.Known})
	}
	if b.key != "" {
		request.Header.Set("Authorization", "Bearer "+b.key)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return request
}

// Get calls an operation that reads.
func (b *Browser) Get(t testing.TB, path string) *apitest.Response {
	t.Helper()
	return b.Do(t, http.MethodGet, path, "")
}

// Download reads a generated file, whose body has no schema.
func (b *Browser) Download(t testing.TB, path string) []byte {
	t.Helper()
	answer, err := b.client.Do(b.request(t, http.MethodGet, path, ""))
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%s answered %s with %v, %v: %.200s", path, answer.Status, answer.Header, err, text)
	}
	return text
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
