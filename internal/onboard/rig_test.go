package onboard_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/logging/loggingtest"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// rig is the page on a store of either engine and a simulated provider, all over real sockets.
type rig struct {
	*worldtest.World // without a number
	t                *testing.T
	sim              *simulator.Simulator
	provider         *spoiled
	url              string
	log              *loggingtest.Book
	customer         chat.Customer
}

// each runs a test with a rig on each engine.
func each(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) { test(t, newRig(t, engine)) })
}

func newRig(t *testing.T, engine storetest.Engine) *rig {
	t.Helper()
	r := &rig{World: &worldtest.World{T: t, Clock: storetest.NewClock()}, t: t, log: &loggingtest.Book{}}
	r.Store = storetest.Open(t, engine, storetest.WithClock(r.Clock))
	r.sim = simulator.New(simulator.Config{AppSecret: "secret", Strict: true, Now: r.Clock.Now, Seed: 7})
	upstream := httptest.NewServer(r.sim)
	t.Cleanup(upstream.Close)
	client, err := cloud.New(cloud.Options{BaseURL: upstream.URL + "/v24.0", App: cloud.App{ID: simulator.DefaultAppID, Secret: "secret"}})
	r.Must(err)
	r.provider = &spoiled{Signup: client, fail: map[string]error{}}
	r.url = r.serve("")
	r.InTx(func(tx *store.Tx) error {
		org, team, err := core.CreateOrganization(tx, "Acme & Söhne", chat.DefaultPlan)
		if err != nil {
			return err
		}
		r.Org = storetest.Organization{ID: org.ID, TeamID: team.ID}
		r.customer, err = core.CreateCustomer(tx, r.Org.ID, chat.NewCustomer{Name: "Toko Maju"})
		return err
	})
	return r
}

// serve starts a node and returns its address, which is also its public URL if none is given.
func (r *rig) serve(publicURL string) string {
	server := httptest.NewUnstartedServer(nil)
	address := "http://" + server.Listener.Addr().String()
	server.Config.Handler = r.page(cmp.Or(publicURL, address))
	server.Start()
	r.t.Cleanup(server.Close)
	return address
}

func (r *rig) page(publicURL string) *onboard.Page {
	return onboard.New(onboard.Config{
		Store: r.Store, Provider: r.provider, Key: []byte("a key that all nodes share"), PublicURL: publicURL,
		Seal: func(token, accountID string) string { return "sealed for " + accountID + ": " + token },
		PIN:  func(string) string { return "123456" },
		Log:  r.log.Logger(),
	})
}

// worker starts a worker with a clock that stands still, so it looks for jobs only when it is woken.
func (r *rig) worker(change func(*onboard.WorkerConfig)) *onboard.Worker {
	r.t.Helper()
	return parttest.Start(r.t, r.newWorker(change))
}

func (r *rig) newWorker(change func(*onboard.WorkerConfig)) *onboard.Worker {
	r.t.Helper()
	cfg := onboard.WorkerConfig{
		Store: r.Store, Provider: r.provider, Log: r.log.Logger(), Token: openToken, PIN: func(string) string { return "123456" },
		Lease: func() store.Lease { return store.LeaseForGood("node") },
	}
	r.Alive("node")
	if change != nil {
		change(&cfg)
	}
	return onboard.NewWorker(cfg)
}

func openToken(a chat.Account) (string, error) {
	token, ok := strings.CutPrefix(a.Token, "sealed for "+a.ID+": ")
	if !ok {
		return "", fmt.Errorf("%q is not sealed for %s", a.Token, a.ID)
	}
	return token, nil
}

// spoiled is a provider whose calls can be made to fail, before or after their effect.
type spoiled struct {
	provider.Signup

	mu    sync.Mutex
	fail  map[string]error
	hangs map[string]chan struct{}
	calls []string
}

func (s *spoiled) note(call string) error {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	hangs, err := s.hangs[call], s.fail[call]
	s.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	return err
}

// hang makes a call wait until it is let go.
func (s *spoiled) hang(call string) (letGo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hangs := make(chan struct{})
	s.hangs = map[string]chan struct{}{call: hangs}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.hangs = nil
		s.mu.Unlock()
		close(hangs)
	})
}

// spoil makes a call fail from now on; nil heals it.
func (s *spoiled) spoil(call string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail[call] = err
}

func (s *spoiled) count(call string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

func (s *spoiled) ExchangeCode(ctx context.Context, code, redirectURI string) (string, error) {
	if err := s.note("exchange"); err != nil {
		return "", err
	}
	token, err := s.Signup.ExchangeCode(ctx, code, redirectURI)
	if late := s.note("exchanged"); late != nil {
		return "", late
	}
	return token, err
}

func (s *spoiled) SharedNumbers(ctx context.Context, token string) (string, []provider.PhoneNumber, error) {
	if err := s.note("numbers"); err != nil {
		return "", nil, err
	}
	return s.Signup.SharedNumbers(ctx, token)
}

func (s *spoiled) Subscribe(ctx context.Context, n provider.Number) error {
	if err := s.note("subscribe"); err != nil {
		return err
	}
	return s.Signup.Subscribe(ctx, n)
}

func (s *spoiled) Unsubscribe(ctx context.Context, n provider.Number) error {
	if err := s.note("unsubscribe"); err != nil {
		return err
	}
	return s.Signup.Unsubscribe(ctx, n)
}

func (s *spoiled) Register(ctx context.Context, n provider.Number, pin string) error {
	if err := s.note("register"); err != nil {
		return err
	}
	return s.Signup.Register(ctx, n, pin)
}

func (s *spoiled) SyncApp(ctx context.Context, n provider.Number, what provider.AppData) error {
	if err := s.note("sync " + string(what)); err != nil {
		return err
	}
	return s.Signup.SyncApp(ctx, n, what)
}

// link makes a setup link for the customer and returns it with its address.
func (r *rig) link(in chat.NewSetupLink) (link chat.SetupLink, address string) {
	r.t.Helper()
	return r.linkFor(r.customer, in)
}

func (r *rig) linkFor(customer chat.Customer, in chat.NewSetupLink) (link chat.SetupLink, address string) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) (err error) {
		var token string
		link, token, err = core.CreateSetupLink(tx, customer.OrgID, customer.ID, in)
		address = r.url + core.OnboardPath + token
		return err
	})
	return link, address
}

// browser keeps cookies and goes only where it is told to.
type browser struct {
	t      *testing.T
	client *http.Client
	accept string
}

func newBrowser(t *testing.T) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// seen is an answer.
type seen struct {
	status   int
	location string
	header   http.Header
	body     string
}

func (b *browser) do(method, address string, form url.Values) seen {
	b.t.Helper()
	request, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.accept != "" {
		request.Header.Set("Accept-Language", b.accept)
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.t.Error(err) // not Fatal: several browsers may run at once
		return seen{header: http.Header{}}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Error(err)
	}
	return seen{response.StatusCode, response.Header.Get("Location"), response.Header, string(body)}
}

func (b *browser) get(address string) seen { b.t.Helper(); return b.do(http.MethodGet, address, nil) }

// begin opens the link and presses its button; it returns the provider's address.
func (b *browser) begin(address string) string {
	b.t.Helper()
	if page := b.get(address); page.status != http.StatusOK {
		b.t.Errorf("the link answers %d %s", page.status, page.body)
	}
	page := b.get(address + "/start")
	if page.status != http.StatusSeeOther {
		b.t.Errorf("the button answers %d %s", page.status, page.body)
	}
	return page.location
}

// decide answers the provider's page and returns where that sends the browser.
func (b *browser) decide(dialog, decision string, fields url.Values) string {
	b.t.Helper()
	u, err := url.Parse(dialog)
	if err != nil {
		b.t.Fatal(err)
	}
	form := u.Query()
	maps.Copy(form, fields)
	form.Set("decision", decision)
	u.RawQuery = ""
	page := b.do(http.MethodPost, u.String(), form)
	if page.status != http.StatusFound {
		b.t.Errorf("the provider answers %d %s", page.status, page.body)
	}
	return page.location
}

// signUp goes all the way with a new number.
func (b *browser) signUp(address, phone string) seen {
	b.t.Helper()
	return b.get(b.decide(b.begin(address), "approve", newNumber(phone)))
}

func newNumber(phone string) url.Values {
	return url.Values{"number": {"new"}, "phone": {phone}, "name": {"Shop " + phone}}
}

func (s seen) says(t *testing.T, status int, parts ...string) {
	t.Helper()
	if s.status != status {
		t.Errorf("got %d %s, want %d", s.status, s.body, status)
	}
	for _, part := range parts {
		if !strings.Contains(s.body, part) {
			t.Errorf("the page does not say %q: %s", part, s.body)
		}
	}
}

// events are the types of the events since the customer was made.
func (r *rig) events() (types []string) {
	r.t.Helper()
	events, err := r.Read().EventsAfter(r.Org.ID, "", 1000)
	r.Must(err)
	for _, e := range events {
		if e.Type != chat.EventCustomerCreated && e.Type != chat.EventSetupLinkCreated {
			types = append(types, string(e.Type))
		}
	}
	return types
}

func (r *rig) accounts() []chat.Account {
	r.t.Helper()
	list, err := r.Read().Accounts(r.Org.ID, store.AccountFilter{}, store.Page{Limit: 100})
	r.Must(err)
	return list.Rows
}

func (r *rig) stored(link chat.SetupLink) chat.SetupLink {
	r.t.Helper()
	now, err := r.Read().SetupLink(link.OrgID, link.ID)
	r.Must(err)
	return now
}

// untouched checks that a visit changed nothing.
func (r *rig) untouched(link chat.SetupLink) {
	r.t.Helper()
	if status := r.stored(link).Status; status != link.Status || len(r.accounts()) > 0 || len(r.events()) > 0 {
		r.t.Errorf("the link is %s, with %d accounts and %v", status, len(r.accounts()), r.events())
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("it did not happen: %s", what)
		}
	}
}
