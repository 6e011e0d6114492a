package api_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
)

// registering refuses some PINs, each in its own way.
func registering(_ context.Context, _ provider.Number, pin string) error {
	switch pin {
	case "000001":
		return &provider.Error{HTTPStatus: 400, Code: 133005, Message: "Two step verification PIN mismatch"}
	case "000002":
		return &provider.Error{HTTPStatus: 400, Code: 133016, Message: "Too many attempts"}
	case "000003":
		return &provider.Error{HTTPStatus: 503}
	case "000004":
		return &provider.Error{HTTPStatus: 503, Code: 133004}
	case "000005":
		return &provider.Error{OutcomeUnknown: true, Cause: context.DeadlineExceeded}
	case "000006":
		return &provider.Error{HTTPStatus: 400, Code: 131031, Message: "Account locked"}
	case "000007":
		return &provider.Error{HTTPStatus: 500, Code: 133000, Message: "Incomplete deregistration"}
	case "000008":
		return &provider.Error{HTTPStatus: 401, Foreign: true, Message: "HTTP 401 Unauthorized"}
	}
	return nil
}

func registerWith(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/register", Body: body}
}

func TestRegister(t *testing.T) {
	state := func(status chat.AccountStatus, provider *string) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, Status: status, ProviderStatus: provider})
		}
	}
	onboarding := state(chat.AccountOnboarding, new("PENDING"))
	const registered = `{"data":{"object":"phone_number_registration","phone_number_id":"${number}","registered":true,"status":"connected","provider_status":"CONNECTED"},"request_id":"<req>"}`
	changed := apitest.Changes{"accounts": "~1", "account_history": "+1 -1"} // it was another until this instant
	good := func(name string, given func(*testing.T, *apitest.Case)) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: registerWith(`{"pin":"123456"}`), Status: http.StatusOK, Want: registered, Change: changed, Events: []string{}}
	}
	refused := func(name, pin, code string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: onboarding, Request: registerWith(`{"pin":"` + pin + `"}`), Code: code}
	}
	malformed := func(name, body, code string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: onboarding, Request: registerWith(body), Code: code, Param: "pin"}
	}
	const path = "/v1/${number}/register"
	apitest.RunEach(t, []apitest.Scenario{
		good("onboarding", onboarding),
		good("disconnected", state(chat.AccountDisconnected, nil)),
		good("degraded", state(chat.AccountDegraded, new("DISCONNECTED"))),
		{Name: "a PIN that begins with zeros", Given: onboarding, Request: registerWith(`{"pin":"000000"}`), Status: http.StatusOK, Want: registered, Change: changed},
		{Name: "a registration that was cut off long ago", Given: all(onboarding, running(-time.Millisecond)), Request: registerWith(`{"pin":"123456"}`), Status: http.StatusOK, Want: registered, Change: changed},
		{Name: "another is running", Given: all(onboarding, running(time.Minute)), Request: registerWith(`{"pin":"123456"}`), Code: "registration_in_progress"},
		refused("wrong PIN", "000001", "whatsapp_registration_failed"),
		refused("tried too often", "000002", "whatsapp_registration_failed"),
		refused("locked", "000006", "whatsapp_registration_failed"),
		refused("still being deregistered", "000007", "whatsapp_registration_failed"),
		refused("a proxy is in the way", "000008", "whatsapp_upstream_error"),
		refused("the provider is down", "000003", "whatsapp_upstream_error"),
		refused("the provider's registration is down", "000004", "whatsapp_upstream_error"),
		refused("the provider does not answer", "000005", "whatsapp_upstream_error"),
		malformed("no PIN", `{}`, missing),
		malformed("no body", ``, missing),
		malformed("five digits", `{"pin":"12345"}`, bad),
		malformed("seven digits", `{"pin":"1234567"}`, bad),
		malformed("letters", `{"pin":"12345a"}`, bad),
		malformed("blank", `{"pin":"12345 "}`, bad),
		malformed("line break", `{"pin":"123456\n"}`, bad),
		malformed("other digits", `{"pin":"١٢٣٤٥٦"}`, bad),
		malformed("a number", `{"pin":123456}`, bad),
		malformed("null", `{"pin":null}`, bad),
		{Name: "unknown number", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/999999999999/register", Body: `{"pin":"123456"}`}, Code: "resource_not_found"},
		{Name: "foreign number", Given: foreignNumber, Request: apitest.Request{Method: http.MethodPost, Path: "/v1/${foreign_number}/register", Body: `{"pin":"123456"}`}, Code: "resource_not_found"},

		{Name: "with a key", Given: onboarding, Request: under("k", path, `{"pin":"123456"}`), Status: http.StatusOK, Header: fresh, Change: apitest.Changes{"accounts": "~1", "account_history": "+1 -1", "idempotency": "+1"}},
		{Name: "again with its key", Given: all(onboarding, first(under("k", path, `{"pin":"123456"}`))), Request: under("k", path, `{"pin":"123456"}`), Status: http.StatusOK, Header: replayed, Then: sameBody},
		{Name: "another PIN with the key", Given: all(onboarding, first(under("k", path, `{"pin":"000001"}`))), Request: under("k", path, `{"pin":"123456"}`), Code: reuse, Param: "Idempotency-Key"},
		{Name: "a wrong PIN comes again", Given: all(onboarding, first(under("k", path, `{"pin":"000001"}`))), Request: under("k", path, `{"pin":"000001"}`), Code: "whatsapp_registration_failed", Header: replayed, Then: sameBody},
		{Name: "a fault of the provider's is not kept", Given: onboarding, Request: under("k", path, `{"pin":"000003"}`), Code: "whatsapp_upstream_error"},
	}, calling(t, &providertest.Client{OnRegister: registering}))
}

// running makes a registration appear to run for so long.
func running(d time.Duration) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		changeNumber(func(a *chat.Account) { a.RegisteringUntil = new(c.Clock.Now().Add(d)) })(t, c)
	}
}

// While one registration waits for the provider no other begins on any node; afterwards another may.
func TestRegisterOneAtATime(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		asked, answer := make(chan struct{}), make(chan error)
		client := &providertest.Client{OnRegister: func(context.Context, provider.Number, string) error {
			asked <- struct{}{}
			return <-answer
		}}
		other := s.Another(t)
		calling(t, client)(s.API)
		calling(t, client)(other.API)
		c := s.NewCase(t)
		connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, Status: chat.AccountDegraded})
		request := c.Expanded(registerWith(`{"pin":"123456"}`))
		done := make(chan *apitest.Response, 1)
		begin := func() { done <- s.Do(t, request) }

		go begin()
		<-asked
		for _, node := range []*apitest.Server{s, other} {
			node.Do(t, request).RequireFailure(t, "registration_in_progress", "")
		}
		answer <- &provider.Error{HTTPStatus: 400, Code: 133005}
		(<-done).RequireFailure(t, "whatsapp_registration_failed", "")
		if got := accountOf(t, c); got.Status != chat.AccountDegraded || got.RegisteringUntil != nil {
			t.Errorf("a failed registration leaves %+v", got)
		}

		go begin()
		<-asked
		s.Clock.Advance(3 * time.Minute) // it hangs: another may be tried
		go func() { done <- other.Do(t, request) }()
		<-asked
		answer <- nil
		answer <- nil
		(<-done).RequireStatus(t, http.StatusOK)
		(<-done).RequireStatus(t, http.StatusOK)
		if got := accountOf(t, c); got.Status != chat.AccountConnected || got.RegisteringUntil != nil {
			t.Errorf("a registration leaves %+v", got)
		}

		go begin()
		<-asked
		s.Clock.Step(-time.Hour) // the lease seems to last for an hour more
		go func() { done <- other.Do(t, request) }()
		<-asked
		answer <- nil
		answer <- nil
		(<-done).RequireStatus(t, http.StatusOK)
		(<-done).RequireStatus(t, http.StatusOK)
		if calls := client.Calls(); len(calls) != 5 || calls[0] != c.Expand("register ${number} 123456") {
			t.Errorf("the provider was called with %q", calls)
		}
	})
}

// The answer shows the number's status at the provider, if the provider tells it.
func TestRegisterShowsTheProvidersStatus(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		for _, test := range []struct {
			say  provider.PhoneNumber
			err  error
			want string
		}{
			{provider.PhoneNumber{Status: "PENDING"}, nil, "PENDING"},
			{provider.PhoneNumber{}, nil, "CONNECTED"},
			{provider.PhoneNumber{Status: "PENDING"}, &provider.Error{HTTPStatus: 500}, "CONNECTED"},
		} {
			client := &providertest.Client{OnPhoneNumber: func(provider.Number) (provider.PhoneNumber, error) { return test.say, test.err }}
			calling(t, client)(s.API)
			c := s.NewCase(t)
			connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, Status: chat.AccountOnboarding})
			var got struct {
				Status         string
				ProviderStatus string `json:"provider_status"`
			}
			c.Call(t, registerWith(`{"pin":"123456"}`)).RequireStatus(t, http.StatusOK).Data(t, &got)
			stored := accountOf(t, c)
			shown := []string{got.ProviderStatus, *stored.ProviderStatus, got.Status, string(stored.Status)}
			if !slices.Equal(shown, []string{test.want, test.want, "connected", "connected"}) {
				t.Errorf("%+v, %v: got %q", test.say, test.err, shown)
			}
		}
	})
}
