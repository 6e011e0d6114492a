package client_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// service is the real API on a fresh store, behind a socket, with a client that refuses unknown fields.
type service struct {
	*client.Client
	rows   *apitest.Server // for its factories only
	store  *store.Store
	url    string
	org    apitest.Org
	number string // the phone_number_id
	acct   chat.Account
	fail   *failures
}

// failures are the spoilt answers of a proxy in front of the API, in the order of requests.
type failures struct {
	api http.Handler

	mu    sync.Mutex
	spoil []spoiler
}

// spoiler answers in place of the API. It may pass the request on and then lose the answer.
type spoiler func(w http.ResponseWriter, r *http.Request, api http.Handler)

func (f *failures) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if spoil := f.next(); spoil != nil {
		spoil(w, r, f.api)
		return
	}
	f.api.ServeHTTP(w, r)
}

func (f *failures) next() (s spoiler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.spoil) > 0 {
		s, f.spoil = f.spoil[0], f.spoil[1:]
	}
	return s
}

// coming spoils the next answers.
func (f *failures) coming(s ...spoiler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil = s
}

// loseAnswer lets the API do its work and breaks the connection before the answer.
func loseAnswer(_ http.ResponseWriter, r *http.Request, api http.Handler) {
	api.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

func newService(t *testing.T) *service {
	t.Helper()
	st := storetest.Open(t, storetest.SQLite)
	blobs, err := blob.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := api.New(api.Config{
		Store: st, CursorKey: []byte("cursors"), Version: "test", Log: slog.New(slog.DiscardHandler), Metrics: api.NewMetrics(nil),
		Provider: obligingProvider{simulated(t)}, Token: func(chat.Account) (string, error) { return "token", nil },
		Blobs: blobs, PublicURL: "https://chat.example.com",
		Vault: must(vault.New([]byte("32 bytes that are no secret here")))(t), CheckURL: func(context.Context, string) error { return nil },
	})
	parttest.Start(t, a)
	fail := &failures{api: a}
	server := httptest.NewServer(fail)
	t.Cleanup(server.Close)
	s := &service{rows: &apitest.Server{Store: st}, store: st, url: server.URL, fail: fail}
	s.org = s.rows.NewOrg(t)
	s.acct = s.rows.NewAccount(t, s.org)
	s.number = *s.acct.PhoneNumberID
	s.Client = s.newClient(t)
	return s
}

// newClient is a client of the service that does not wait between attempts.
func (s *service) newClient(t *testing.T, options ...client.Option) *client.Client {
	t.Helper()
	noWait := client.WithSleep(func(context.Context, time.Duration) error { return nil })
	c, err := client.New(s.url, s.org.Key, append([]client.Option{client.WithStrictAnswers(), noWait}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// simulated is a provider behind which a simulator runs.
func simulated(t *testing.T) provider.Client {
	t.Helper()
	upstream := httptest.NewServer(simulator.New(simulator.Config{Seed: 1}))
	t.Cleanup(upstream.Close)
	c, err := cloud.New(cloud.Options{BaseURL: upstream.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// obligingProvider accepts every call about messages and numbers; a simulator does the rest.
type obligingProvider struct{ provider.Client }

func (obligingProvider) MarkRead(context.Context, provider.Number, string, bool) error { return nil }

func (obligingProvider) Register(_ context.Context, _ provider.Number, pin string) error {
	if pin != "123456" {
		return &provider.Error{HTTPStatus: http.StatusBadRequest, Code: 133005, Message: "Two step verification PIN Mismatch"}
	}
	return nil
}

func (obligingProvider) PhoneNumber(context.Context, provider.Number) (provider.PhoneNumber, error) {
	return provider.PhoneNumber{Status: "CONNECTED"}, nil
}

// receive stores an inbound message as the provider's callback does.
func (s *service) receive(t *testing.T, from string, m provider.Message) {
	t.Helper()
	m.Contact.Phone = from
	update := provider.InboundMessage{Origin: provider.Origin{PhoneNumberID: s.number}, Message: m}
	s.rows.InTx(t, func(tx *store.Tx) error {
		return core.Applier{Log: slog.New(slog.DiscardHandler)}.Apply(tx, update)
	})
}

// must returns the value of a call that has to succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refused checks that a call failed with the code.
func refused(t *testing.T, err error, code client.ErrorCode, param string) {
	t.Helper()
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.Code != code || refusal.Param != param {
		t.Errorf("got %v, want %s on %q", err, code, param)
		return
	}
	if !client.IsCode(err, code) || refusal.HTTPStatus < 400 || refusal.Type == "" || refusal.Message == "" || refusal.RequestID == "" {
		t.Errorf("incomplete: %+v", refusal)
	}
}
