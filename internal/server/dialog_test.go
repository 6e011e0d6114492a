package server

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// invited makes a customer in its own organization, and returns the query of the provider's page to which its setup
// link leads. Each of numbers is connected to the customer, and own to the organization itself.
func invited(t *testing.T, s *Server, own string, numbers ...string) url.Values {
	t.Helper()
	var token string
	err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
		org, team, err := core.CreateOrganization(tx, "Acme", "enterprise")
		if err != nil {
			return err
		}
		customer, err := core.CreateCustomer(tx, org.ID, chat.NewCustomer{Name: "Shop"})
		if err != nil {
			return err
		}
		for _, id := range append(numbers, own) {
			account := chat.NewAccount{OrgID: org.ID, TeamID: team.ID, PhoneNumberID: id, PhoneNumber: "+49" + id, WABAID: "20" + id}
			if id != own {
				account.CustomerID = &customer.ID
			}
			if _, err := core.ConnectAccount(tx, account, func(string) string { return "sealed" }); err != nil {
				return err
			}
		}
		_, token, err = core.CreateSetupLink(tx, org.ID, customer.ID, chat.NewSetupLink{})
		return err
	})
	must(t, err)
	for _, id := range append(numbers, own) {
		if _, err := s.messaging.simulator.AddNumber(simulator.NumberSpec{ID: id, Phone: "+49" + id, Name: "Shop " + id}); err != nil {
			t.Fatal(err)
		}
	}
	response := httptest.NewRecorder()
	s.routes().ServeHTTP(response, httptest.NewRequest(http.MethodGet, core.OnboardPath+token+"/start", nil))
	leads, err := url.Parse(response.Header().Get("Location"))
	if err != nil || leads.Path != simulatedDialog {
		t.Fatalf("%d leads to %s, %v", response.Code, leads, err)
	}
	return leads.Query()
}

// visitDialog opens the public signup page, or sends its form.
func visitDialog(s *Server, query url.Values, form ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, simulatedDialog+"?"+query.Encode(), nil)
	if form != nil {
		fields := url.Values{}
		maps.Copy(fields, query)
		for i := 0; i < len(form); i += 2 {
			fields.Set(form[i], form[i+1])
		}
		request = httptest.NewRequest(http.MethodPost, simulatedDialog, strings.NewReader(fields.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response := httptest.NewRecorder()
	s.routes().ServeHTTP(response, request)
	return response
}

// A visitor is offered their own numbers, and never those of others.
func TestSignupPageShowsOwnNumbersAlone(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	mine := invited(t, s, "301000001", "301000002", "301000003")
	theirs := invited(t, s, "302000001", "302000002")
	if _, err := s.messaging.simulator.AddNumber(simulator.NumberSpec{ID: "303000001", Name: "Nobody's"}); err != nil {
		t.Fatal(err)
	}
	for name, visit := range map[string]struct {
		query   url.Values
		offered string
	}{"mine": {mine, "301000002 301000003"}, "theirs": {theirs, "302000002"}} {
		page := visitDialog(s, visit.query).Body.String()
		for _, id := range []string{"301000001", "301000002", "301000003", "302000001", "302000002", "303000001"} {
			if got, want := strings.Contains(page, id), strings.Contains(visit.offered, id); got != want {
				t.Errorf("%s: number %s is offered: %t, want %t", name, id, got, want)
			}
		}
	}
	for id, want := range map[string]int{"301000002": http.StatusFound, "302000002": http.StatusOK, "303000001": http.StatusOK, "new": http.StatusFound} {
		got := visitDialog(s, mine, "decision", "approve", "number", id)
		if got.Code != want || strings.Contains(got.Body.String(), "302000002<") {
			t.Errorf("approving %s answers %d %s", id, got.Code, got.Header().Get("Location"))
		}
	}
}

// A visitor who does not come from a setup link is refused, and the page redirects nobody elsewhere.
func TestSignupPageNeedsASetupLink(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	query := invited(t, s, "301000001", "301000002")
	with := func(name, value string) url.Values {
		changed := url.Values{}
		maps.Copy(changed, query)
		changed.Set(name, value)
		return changed
	}
	for name, test := range map[string]url.Values{
		"no state": with("state", ""), "another state": with("state", query.Get("state")+"x"), "a made-up state": with("state", "org_1.csl_1.a.b.c"),
		"another way back": with("redirect_uri", "https://evil.example/"), "another app": with("client_id", "1"), "a huge state": with("state", strings.Repeat("x", 100<<10)),
	} {
		for _, form := range [][]string{nil, {"decision", "approve", "number", "new"}, {"decision", "cancel"}} {
			if got := visitDialog(s, test, form...); got.Code != http.StatusBadRequest || got.Header().Get("Location") != "" || strings.Contains(got.Body.String(), "301000002") {
				t.Errorf("%s, %v: got %d %s", name, form, got.Code, got.Header().Get("Location"))
			}
		}
	}
	if got := visitDialog(s, query, "decision", "cancel"); got.Code != http.StatusFound || !strings.HasPrefix(got.Header().Get("Location"), s.PublicURL()+"/onboard/callback?") {
		t.Errorf("cancelling answers %d %s", got.Code, got.Header().Get("Location"))
	}
}
