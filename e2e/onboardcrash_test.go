package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// trap stops a call to the provider: on its way there, or with the answer on its way back.
type trap struct {
	call   string // the end of the path
	file   bool   // instead of a path: a call about a file, whose path has nothing but its id
	after  bool
	once   sync.Once
	sprung chan struct{}
	open   chan struct{}
}

// someFile is the path of a file at the provider. Numbers and accounts have other ids.
var someFile = regexp.MustCompile(`^/v24\.0/\d{14,}$`)

func (t *trap) catches(path string) bool {
	if t.file {
		return someFile.MatchString(path) && !strings.HasPrefix(path, "/v24.0/106") && !strings.HasPrefix(path, "/v24.0/205")
	}
	return strings.HasSuffix(path, t.call)
}

// trappedProvider passes calls on to a provider, and stops the one that a trap is set for.
type trappedProvider struct {
	*Provider
	url string
	set atomic.Pointer[trap]
}

func startTrapped(t *testing.T) *trappedProvider {
	t.Helper()
	p := &trappedProvider{Provider: StartProvider(t)}
	upstream, err := url.Parse(strings.TrimSuffix(p.URL, "/v24.0"))
	must(t, err)
	pass := httputil.NewSingleHostReverseProxy(upstream)
	pass.ModifyResponse = p.fromHere(upstream.Host)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		trapped := p.set.Load()
		if trapped == nil || !trapped.catches(r.URL.Path) {
			pass.ServeHTTP(w, r)
			return
		}
		caught := false
		trapped.once.Do(func() { caught = true })
		if !caught {
			pass.ServeHTTP(w, r)
			return
		}
		if trapped.after {
			pass.ServeHTTP(httptest.NewRecorder(), r)
		}
		close(trapped.sprung)
		<-trapped.open
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL + "/v24.0"
	return p
}

// fromHere lets the provider's answers name this address instead of its own, for files are fetched from no other.
func (p *trappedProvider) fromHere(upstream string) func(*http.Response) error {
	return func(answer *http.Response) error {
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
			return nil
		}
		body, err := io.ReadAll(answer.Body)
		here := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/v24.0")
		body = bytes.ReplaceAll(body, []byte(upstream), []byte(here))
		answer.Body = io.NopCloser(bytes.NewReader(body))
		answer.ContentLength = int64(len(body))
		answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
}

// visitor is a browser that finds the server again after its address changed.
type visitor struct {
	t      *testing.T
	srv    *Server
	cookie string
}

const publicURL = "http://parley.test"

// ask sends a request for a public address to the server's current address.
func (v *visitor) ask(method, address string) (int, string, string, error) {
	public, err := url.Parse(address)
	if err != nil {
		return 0, "", "", err
	}
	request, err := http.NewRequest(method, v.srv.URL()+public.RequestURI(), nil)
	if err != nil {
		return 0, "", "", err
	}
	request.Header.Set("Cookie", v.cookie)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, "", "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if set := response.Header.Get("Set-Cookie"); set != "" {
		v.cookie, _, _ = strings.Cut(set, ";")
	}
	return response.StatusCode, response.Header.Get("Location"), string(body), err
}

// approve follows a link up to the point where the provider sends the browser back. Further fields of the provider's
// form are given as pairs.
func (v *visitor) approve(link, phone string, more ...string) (callback string) {
	v.t.Helper()
	status, dialog, body, err := v.ask(http.MethodGet, link+"/start")
	if err != nil || status != http.StatusSeeOther {
		v.t.Fatalf("the link answers %d %s, %v", status, body, err)
	}
	u, err := url.Parse(dialog)
	must(v.t, err)
	form := u.Query()
	form.Set("decision", "approve")
	form.Set("number", "new")
	form.Set("phone", phone)
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	u.RawQuery = ""
	request, err := http.NewRequest(http.MethodPost, u.String(), strings.NewReader(form.Encode()))
	must(v.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(request)
	must(v.t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusFound {
		v.t.Fatalf("the provider answers %s", response.Status)
	}
	return response.Header.Get("Location")
}

// TestSignupsSurviveCrashes kills the server at every call that a signup makes, before and after it was carried out. At
// whatever moment, in the end one account has consumed the link once, and one event reports it.
func TestSignupsSurviveCrashes(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		p := startTrapped(t)
		srv := Start(t, engine, WithProvider(p.url), WithFlags("--provider-app-id="+simulator.DefaultAppID, "--public-url="+publicURL))
		p.server.Store(srv)
		org := srv.NewOrg()
		v := &visitor{t: t, srv: srv}
		i := 0
		for _, call := range []string{"/oauth/access_token", "/debug_token", "/phone_numbers", "/subscribed_apps", "/register"} {
			for _, after := range []bool{false, true} {
				i++
				t.Logf("killing at %s, after %v", call, after)
				customer := srv.make(org.Key, "/v1/customers", fmt.Sprintf(`{"name":"Customer %d"}`, i))
				link := srv.make(org.Key, "/v1/customers/"+customer.str("id")+"/setup_links", `{}`)
				phone := fmt.Sprintf("+62812777%04d", i)
				callback := v.approve(link.str("setup_url"), phone)
				v.crashAt(p, &trap{call: call, after: after}, callback)
				v.finish(link.str("setup_url"), callback, phone)
				checkOnboarded(t, srv, org, customer.str("id"), link.str("id"))
			}
		}
	})
}

// crashAt requests the callback and kills the server when the trap springs.
func (v *visitor) crashAt(p *trappedProvider, at *trap, callback string) {
	v.t.Helper()
	at.sprung, at.open = make(chan struct{}), make(chan struct{})
	p.set.Store(at)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _, _, _ = v.ask(http.MethodGet, callback) // no server is left to answer
	}()
	select {
	case <-at.sprung:
	case <-time.After(patience):
		v.t.Fatal("the signup did not come that far")
	}
	v.srv.Kill()
	close(at.open)
	<-answered
	p.set.Store(nil)
	v.srv.Restart()
}

// finish does what a person does whose page broke off: load it again, and if that does not help, start again.
func (v *visitor) finish(link, callback, phone string) {
	v.t.Helper()
	status, _, body, err := v.ask(http.MethodGet, callback)
	if err == nil && status == http.StatusOK && strings.Contains(body, "is connected") {
		return
	}
	status, _, body, err = v.ask(http.MethodGet, v.approve(link, phone))
	if err != nil || status != http.StatusOK || !strings.Contains(body, "is connected") {
		v.t.Fatalf("the second try answers %d %s, %v", status, body, err)
	}
}

func checkOnboarded(t *testing.T, srv *Server, org Org, customerID, linkID string) {
	t.Helper()
	shown := srv.data(srv.Get(org.Key, "/v1/customers/"+customerID))
	if len(shown.list("whatsapp_accounts")) != 1 || shown.str("status") != "active" || shown.str("whatsapp_accounts", 0, "status") != "connected" {
		t.Errorf("the customer is %v", shown)
	}
	if link := srv.data(srv.Get(org.Key, "/v1/customers/"+customerID+"/setup_links/"+linkID)); link.str("status") != "consumed" {
		t.Errorf("the link is %v", link)
	}
	log := srv.stored()
	events, err := log.Read(t.Context()).EventsAfter(org.ID, "", 10_000)
	must(t, err)
	told := map[chat.EventType]int{}
	for _, e := range events {
		if e.Subject == customerID {
			told[e.Type]++
		}
	}
	for _, kind := range []chat.EventType{chat.EventCustomerCreated, chat.EventSetupLinkCreated, chat.EventCustomerOnboarded, chat.EventSetupLinkConsumed} {
		if told[kind] != 1 {
			t.Errorf("%s was told %d times", kind, told[kind])
		}
	}
	if len(told) != 4 {
		t.Errorf("it told of %v", told)
	}
	eventuallyDone(t, log, org)
}

// eventuallyDone waits until all work after a connection is done.
func eventuallyDone(t *testing.T, log *store.Store, org Org) {
	t.Helper()
	var left []store.AccountJob
	done := eventually(func() bool {
		var err error
		left, err = log.Read(t.Context()).AccountJobs(org.ID)
		return err == nil && len(left) == 0
	})
	if !done {
		t.Errorf("still to be done: %+v", left)
	}
}

// TestDisconnectionSurvivesACrash: the number is gone with the answer, and its data soon after the restart.
func TestDisconnectionSurvivesACrash(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) {
		srv := Start(t, engine, WithProvider(""))
		sim, org := srv.Sim(), srv.NewOrg()
		customer := srv.make(org.Key, "/v1/customers", `{"name":"Leaving"}`)
		n := connect(t, srv, sim, org, srv.stored(), "--customer", customer.str("id"))
		n.receiveText(newPerson(), "hello")
		account, err := n.log.Read(t.Context()).AccountByNumber(org.ID, n.ID)
		must(t, err)
		path := "/v1/customers/" + customer.str("id") + "/whatsapp_accounts/" + n.ID
		expect(t, srv.Do(Call{Method: http.MethodDelete, Path: path, Key: org.Key}), http.StatusOK, "")
		srv.Kill()
		srv.Restart()
		expect(t, srv.Do(Call{Method: http.MethodDelete, Path: path, Key: org.Key}), http.StatusNotFound, "resource_not_found")
		expect(t, srv.Get(org.Key, n.path("/messages")), http.StatusNotFound, "resource_not_found")
		if !eventually(func() bool {
			left, err := n.log.Read(t.Context()).Contacts(org.ID, account.ID, store.ContactFilter{}, store.Page{Limit: 1})
			return err == nil && len(left.Rows) == 0
		}) {
			t.Fatalf("its data is still there: %s", srv.Log())
		}
		srv.CLIObject("account", "connect", "--org", org.ID, "--phone-number-id", n.ID, "--phone-number", n.Phone,
			"--waba-id", n.WABAID, "--token", "token of "+n.ID, "--provider-status", "CONNECTED", "--customer", customer.str("id"))
		if r := srv.Get(org.Key, n.path("/contacts")); r.Status != http.StatusOK || !strings.Contains(r.Body, `"data":[]`) {
			t.Errorf("the number comes back with %s", r.Body)
		}
	})
}
