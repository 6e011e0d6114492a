package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// connected gives the case's organization a number: ${number} in paths, ${phone} to call.
func connected(t *testing.T, c *apitest.Case) {
	connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, TeamID: c.Org.Team.ID})
}

// connectAs connects a number whose variables have a prefix.
func connectAs(t *testing.T, c *apitest.Case, prefix string, in chat.NewAccount) chat.Account {
	account := c.ConnectAccount(t, in)
	c.Set(prefix+"number", *account.PhoneNumberID)
	c.Set(prefix+"phone", *account.PhoneNumber)
	c.Set(prefix+"account", account.ID)
	return account
}

// accountOf is the account that ${number} names.
func accountOf(t *testing.T, c *apitest.Case) chat.Account {
	account, err := c.Store.Read(t.Context()).AccountForCallback(c.Get("number"))
	must(t, err)
	return account
}

// foreignNumber connects a number to another organization: ${foreign_number}.
func foreignNumber(t *testing.T, c *apitest.Case) {
	org := c.Stranger(t)
	connectAs(t, c, "foreign_", chat.NewAccount{OrgID: org.ID})
}

// hasCustomer adds the customer that ${customer} names.
func hasCustomer(t *testing.T, c *apitest.Case) {
	c.Set("customer", insertCustomer(t, c, c.Org))
}

func insertCustomer(t *testing.T, c *apitest.Case, org apitest.Org) string {
	id := c.Store.NewID(chat.KindCustomer)
	c.Exec(t, `INSERT INTO customers (org_id, id, team_id, name, status, created_at, updated_at) VALUES ($1, $2, $3, 'Customer', 'active', 1, 1)`,
		org.ID, id, org.Team.ID)
	return id
}

func accountWith(prefix, status, customer string) string {
	return `{"id":"${` + prefix + `account}","object":"account","phone_number_id":"${` + prefix + `number}","phone_number":"${` + prefix +
		`phone}","name":null,"status":"` + status + `","status_reason":null,"provider_status":null,"customer_id":` + customer + `}`
}

func accountPage(accounts ...string) string {
	return `{"data":[` + strings.Join(accounts, ",") + `],"has_more":false,"next_cursor":null,"request_id":"<req>"}`
}

func TestListAccounts(t *testing.T) {
	const noCustomer = "cus_00000000000000000000000000"
	list := func(query string) apitest.Request { return apitest.Request{Path: "/v1/accounts" + query} }
	// A number of its own, one that is being set up and one of a customer, each newer than the last.
	three := func(t *testing.T, c *apitest.Case) {
		connected(t, c)
		connectAs(t, c, "new_", chat.NewAccount{OrgID: c.Org.ID, Status: chat.AccountOnboarding})
		hasCustomer(t, c)
		connectAs(t, c, "theirs_", chat.NewAccount{OrgID: c.Org.ID, CustomerID: new(c.Get("customer"))})
	}
	own, fresh, theirs := accountWith("", "connected", "null"), accountWith("new_", "onboarding", "null"), accountWith("theirs_", "connected", `"${customer}"`)
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "none", Request: list(""), Status: http.StatusOK, Want: emptyPage},
		{Name: "connected", Given: three, Request: list(""), Status: http.StatusOK, Want: accountPage(theirs, own)},
		{Name: "connected, said so", Given: three, Request: list("?status=connected"), Status: http.StatusOK, Want: accountPage(theirs, own)},
		{Name: "all", Given: three, Request: list("?status=all"), Status: http.StatusOK, Want: accountPage(theirs, fresh, own)},
		{Name: "of a customer", Given: three, Request: list("?customer_id=${customer}"), Status: http.StatusOK, Want: accountPage(theirs)},
		{Name: "of no customer", Given: three, Request: list("?customer_id=" + noCustomer), Status: http.StatusOK, Want: emptyPage},
		{Name: "of a foreign customer", Given: all(three, func(t *testing.T, c *apitest.Case) {
			c.Set("foreign_customer", insertCustomer(t, c, c.Stranger(t)))
		}), Request: list("?status=all&customer_id=${foreign_customer}"), Status: http.StatusOK, Want: emptyPage},
		{Name: "another organization's", Given: foreignNumber, Request: list("?status=all"), Status: http.StatusOK, Want: emptyPage},
		{Name: "another state", Request: list("?status=degraded"), Code: "invalid_field_value", Param: "status"},
		{Name: "malformed customer", Request: list("?customer_id=x"), Code: "invalid_field_value", Param: "customer_id"},
		{Name: "limit too large", Request: list("?limit=101"), Code: "invalid_limit", Param: "limit"},
		{Name: "limit zero", Request: list("?limit=0"), Code: "invalid_limit", Param: "limit"},
		{Name: "no cursor of ours", Request: list("?cursor=x"), Code: "invalid_cursor", Param: "cursor"},
	})
}

func TestAccountsAreNotPagedUnasked(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		var want []string
		for range api.DefaultLimit + 2 {
			s.Clock.Advance(time.Millisecond)
			want = append(want, s.NewAccount(t, c.Org).ID)
		}
		slices.Reverse(want)
		if got := idsOfPages(t, c, "/v1/accounts", "", 1); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := idsOfPages(t, c, "/v1/accounts", "limit=10", 3); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// idsOfPages follows next_cursor to the end, which must come after so many pages, and returns the ids.
func idsOfPages(t *testing.T, c *apitest.Case, path, query string, pages int) []string {
	t.Helper()
	var ids []string
	cursor := ""
	for n := 1; ; n++ {
		var p labelPage
		c.Call(t, apitest.Request{Path: path + "?" + query + cursor}).RequireStatus(t, http.StatusOK).Decode(t, &p)
		ids = append(ids, p.ids()...)
		if p.HasMore != (p.NextCursor != nil) {
			t.Fatalf("has_more is %v with next_cursor %v", p.HasMore, p.NextCursor)
		}
		if p.NextCursor == nil {
			if n != pages {
				t.Errorf("%d pages, want %d", n, pages)
			}
			return ids
		}
		cursor = "&cursor=" + *p.NextCursor
	}
}

// pathOperation is an operation below a number.
type pathOperation struct{ method, path, body string }

func pathScenario(op pathOperation, name, number, code, param string) apitest.Scenario {
	return apitest.Scenario{
		Name: fmt.Sprint(name, " ", op.method, " ", op.path), Given: all(foreignNumber, goneNumber),
		Request: apitest.Request{Method: op.method, Path: "/v1/" + number + op.path, Body: op.body}, Code: code, Param: param,
	}
}

// Every operation on a number refuses a number that is missing, foreign or gone.
func TestPathAccounts(t *testing.T) {
	var scenarios []apitest.Scenario
	for _, op := range []pathOperation{
		{"GET", "/contacts", ""},
		{"POST", "/contacts", `{"phone_number":"+4915112345678"}`},
		{"GET", "/contacts/" + noContact, ""},
		{"PATCH", "/contacts/" + noContact, `{"name":"x"}`},
		{"DELETE", "/contacts/" + noContact, ""},
		{"POST", "/contacts/" + noContact + "/labels", `{"label_id":"` + noLabel + `"}`},
		{"DELETE", "/contacts/" + noContact + "/labels/" + noLabel, ""},
		{"POST", "/contacts/bulk_label", `{"contact_ids":["` + noContact + `"],"label_id":"` + noLabel + `","operation":"attach"}`},
		{"GET", "/conversations", ""},
		{"GET", "/conversations/" + noConversation, ""},
		{"PATCH", "/conversations/" + noConversation, `{"status":"open"}`},
		{"POST", "/conversations/" + noConversation + "/labels", `{"label_id":"` + noLabel + `"}`},
		{"DELETE", "/conversations/" + noConversation + "/labels/" + noLabel, ""},
	} {
		scenarios = append(scenarios,
			pathScenario(op, "unknown", "99999999", "resource_not_found", ""),
			pathScenario(op, "foreign", "${foreign_number}", "resource_not_found", ""),
			pathScenario(op, "malformed", "12345x", "invalid_field_value", "phone_number_id"),
		)
	}
	list := pathOperation{"GET", "/contacts", ""}
	scenarios = append(scenarios,
		pathScenario(list, "disconnected", "${gone_number}", "resource_not_found", ""),
		pathScenario(list, "short", "12345", "invalid_field_value", "phone_number_id"),
		pathScenario(list, "long", strings.Repeat("1", 21), "invalid_field_value", "phone_number_id"),
		pathScenario(list, "other numerals", "%D9%A1%D9%A2%D9%A3%D9%A4%D9%A5%D9%A6", "invalid_field_value", "phone_number_id"),
	)
	apitest.RunEach(t, scenarios)
}

// goneNumber deletes a number of the organization: ${gone_number}.
func goneNumber(t *testing.T, c *apitest.Case) {
	account := connectAs(t, c, "gone_", chat.NewAccount{OrgID: c.Org.ID})
	c.InTx(t, func(tx *store.Tx) error { return tx.DeleteAccount(c.Org.ID, account.ID, tx.Now()) })
}
