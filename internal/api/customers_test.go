package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
)

const missingCustomer = "cus_00000000000000000000000000"

func postTo(path, body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: path, Body: body}
}

func patchAt(path, body string) apitest.Request {
	return apitest.Request{Method: http.MethodPatch, Path: path, Body: body}
}

func deleteAt(path string) apitest.Request {
	return apitest.Request{Method: http.MethodDelete, Path: path}
}

// customerJSON is a customer of the case, with fields changed.
func customerJSON(pairs ...string) string {
	const text = `{"id":ID,"object":"customer","name":NAME,"email":EMAIL,"status":STATUS,"metadata":METADATA,"archived_at":ARCHIVED,
		"team_id":"${team}","created_at":"<time>","updated_at":UPDATED}`
	defaults := []string{"ID", `"${customer}"`, "NAME", `"Toko"`, "EMAIL", "null", "STATUS", `"pending"`, "METADATA", "null", "ARCHIVED", "null", "UPDATED", `"<now>"`}
	return strings.NewReplacer(append(pairs, defaults...)...).Replace(text)
}

func dataAnswer(data string) string { return `{"data":` + data + `,"request_id":"<req>"}` }

func nativeEvent(kind, data string) string {
	return `{"id":"<evt>","type":"` + kind + `","created_at":"<now>","data":` + data + `}`
}

func customerEvent(kind string, pairs ...string) string {
	return nativeEvent(kind, `{"customer":`+customerJSON(pairs...)+`}`)
}

func updatedEvent(changed string, pairs ...string) string {
	return nativeEvent("customer.updated", `{"customer":`+customerJSON(pairs...)+`,"changed_fields":`+changed+`}`)
}

func withCustomer(t *testing.T, c *apitest.Case) {
	c.Make(t, "customer", "/v1/customers", `{"name":"Toko"}`)
}

func withFullCustomer(t *testing.T, c *apitest.Case) {
	c.Make(t, "customer", "/v1/customers", `{"name":"Toko","email":"a@toko.example","metadata":{"b":1,"a":[2]}}`)
}

func withTwoTeams(t *testing.T, c *apitest.Case) {
	c.Set("second", c.NewTeam(t, c.Org.ID, "Second").ID)
}

// foreignCustomer makes a customer of another organization.
func foreignCustomer(t *testing.T, c *apitest.Case) {
	stranger := c.Stranger(t)
	c.InTx(t, func(tx *store.Tx) error {
		customer, err := core.CreateCustomer(tx, stranger.ID, chat.NewCustomer{Name: "Theirs"})
		c.Set("foreign", customer.ID)
		return err
	})
}

func inStatus(status chat.CustomerStatus) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		c.InTx(t, func(tx *store.Tx) error {
			if status == chat.CustomerArchived {
				_, err := core.ArchiveCustomer(tx, c.Org.ID, c.Get("customer"))
				return err
			}
			_, err := core.UpdateCustomer(tx, c.Org.ID, c.Get("customer"), chat.CustomerPatch{Status: &status})
			return err
		})
	}
}

func TestCreateCustomer(t *testing.T) {
	made := apitest.Changes{"customers": "+1"}
	create := func(body string) apitest.Request { return postTo("/v1/customers", body) }
	long := strings.Repeat("ä", 200)
	full := []string{"ID", `"<cus>"`, "EMAIL", `"a@toko.example"`, "METADATA", `{"plan":"gold","n":1.50}`}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "name alone", Request: create(`{"name":"Toko"}`), Status: http.StatusCreated, Want: dataAnswer(customerJSON("ID", `"<cus>"`)),
			Change: made, Events: []string{customerEvent("customer.created", "ID", `"<cus>"`)}},
		{Name: "everything", Request: create(`{"name":"Toko","email":"a@toko.example","metadata":{"plan":"gold", "n":1.50},"team_id":"${team}","other":1}`),
			Status: http.StatusCreated, Want: dataAnswer(customerJSON(full...)), Change: made, Events: []string{customerEvent("customer.created", full...)}},
		{Name: "nulls", Request: create(`{"name":"Toko","email":null,"metadata":null}`), Status: http.StatusCreated,
			Want: dataAnswer(customerJSON("ID", `"<cus>"`)), Change: made, Events: []string{customerEvent("customer.created", "ID", `"<cus>"`)}},
		{Name: "white space", Request: create(`{"name":"  Toko \t Maju\n"}`), Status: http.StatusCreated,
			Want: dataAnswer(customerJSON("ID", `"<cus>"`, "NAME", `"Toko Maju"`)), Change: apitest.Changes{"customers": "+1", "events": "+1"}},
		{Name: "the longest name", Request: create(`{"name":"` + long + `   "}`), Status: http.StatusCreated, Change: apitest.Changes{"customers": "+1", "events": "+1"}},
		{Name: "the same name twice", Given: withCustomer, Request: create(`{"name":"Toko"}`), Status: http.StatusCreated, Change: apitest.Changes{"customers": "+1", "events": "+1"}},
		{Name: "no name", Request: create(`{"email":"bad"}`), Code: "missing_required_field", Param: "name"},
		{Name: "a name of white space", Request: create(`{"name":" \n "}`), Code: "invalid_field_value", Param: "name"},
		{Name: "a name too long", Request: create(`{"name":"` + long + `x"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "a null name", Request: create(`{"name":null}`), Code: "invalid_field_value", Param: "name"},
		{Name: "NUL in the name", Request: create(`{"name":"a\u0000"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "no address", Request: create(`{"name":"Toko","email":"toko"}`), Code: "invalid_field_value", Param: "email"},
		{Name: "an empty address", Request: create(`{"name":"Toko","email":""}`), Code: "invalid_field_value", Param: "email"},
		{Name: "an address too long", Request: create(`{"name":"Toko","email":"` + strings.Repeat("a", 250) + `@toko.example"}`), Code: "invalid_field_value", Param: "email"},
		{Name: "metadata that is no object", Request: create(`{"name":"Toko","metadata":[1]}`), Code: "invalid_field_value", Param: "metadata"},
		{Name: "too many keys", Request: create(`{"name":"Toko","metadata":` + metadataOf(65) + `}`), Code: "invalid_field_value", Param: "metadata"},
		{Name: "as many keys as may be", Request: create(`{"name":"Toko","metadata":` + metadataOf(64) + `}`), Status: http.StatusCreated, Change: apitest.Changes{"customers": "+1", "events": "+1"}},
		{Name: "too much metadata", Request: create(`{"name":"Toko","metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}}`), Code: "invalid_field_value", Param: "metadata"},
		{Name: "an unknown team", Request: create(`{"name":"Toko","team_id":"team_00000000000000000000000000"}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "no id of a team", Request: create(`{"name":"Toko","team_id":"x"}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "which of two teams", Given: withTwoTeams, Request: create(`{"name":"Toko"}`), Code: "missing_required_field", Param: "team_id"},
		{Name: "one of two teams", Given: withTwoTeams, Request: create(`{"name":"Toko","team_id":"${second}"}`), Status: http.StatusCreated,
			Change: apitest.Changes{"customers": "+1", "events": "+1"}, Then: func(t *testing.T, c *apitest.Case, r *apitest.Response) {
				var got struct {
					TeamID string `json:"team_id"`
				}
				if r.Data(t, &got); got.TeamID != c.Get("second") {
					t.Errorf("the team is %s", got.TeamID)
				}
			}},
	})
}

func metadataOf(n int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// TestCustomersNeedAPlan: every operation of the group says so, before anything else about it.
func TestCustomersNeedAPlan(t *testing.T) {
	given := all(withCustomer, onPlan("pro"))
	var scenarios []apitest.Scenario
	for _, r := range []apitest.Request{
		{Path: "/v1/customers"}, postTo("/v1/customers", `{`), {Path: "/v1/customers/${customer}"}, {Path: "/v1/customers/" + missingCustomer},
		patchAt("/v1/customers/${customer}", `{"name":"x"}`), deleteAt("/v1/customers/${customer}"), {Path: "/v1/customers/${customer}/setup_links"},
		postTo("/v1/customers/${customer}/setup_links", `{}`), {Path: "/v1/customers/${customer}/setup_links/csl_00000000000000000000000000"},
		patchAt("/v1/customers/${customer}/setup_links/csl_00000000000000000000000000", `{}`), deleteAt("/v1/customers/${customer}/setup_links/csl_00000000000000000000000000"),
		deleteAt("/v1/customers/${customer}/whatsapp_accounts/123456"),
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: r.Method + " " + r.Path, Given: given, Request: r, Code: "feature_not_entitled"})
	}
	scenarios = append(scenarios,
		apitest.Scenario{Name: "lapsed", Given: all(onPlan("pro"), inactive), Request: apitest.Request{Path: "/v1/customers"}, Code: "subscription_inactive"},
		apitest.Scenario{Name: "business", Given: onPlan("business"), Request: apitest.Request{Path: "/v1/customers"}, Status: http.StatusOK,
			Want: `{"data":[],"has_more":false,"next_cursor":null,"request_id":"<req>"}`})
	apitest.RunEach(t, scenarios)
}

func TestGetCustomer(t *testing.T) {
	get := apitest.Request{Path: "/v1/customers/${customer}"}
	none := strings.TrimSuffix(customerJSON("UPDATED", `"<time>"`), "}") + `,"whatsapp_accounts":[]}`
	numbers := strings.TrimSuffix(customerJSON("UPDATED", `"<time>"`), "}") + `,"whatsapp_accounts":[
		{"phone_number_id":"${number}","phone_number":"+15550009999","name":"Toko","status":"degraded","onboarded_at":"<time>"}]}`
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "without numbers", Given: withCustomer, Request: get, Status: http.StatusOK, Want: dataAnswer(none)},
		{Name: "with a number", Given: all(withCustomer, withCustomerNumber), Request: get, Status: http.StatusOK, Want: dataAnswer(numbers)},
		{Name: "another organization's", Given: foreignCustomer, Request: apitest.Request{Path: "/v1/customers/${foreign}"}, Code: "resource_not_found"},
		{Name: "unknown", Request: apitest.Request{Path: "/v1/customers/" + missingCustomer}, Code: "resource_not_found"},
		{Name: "malformed", Request: apitest.Request{Path: "/v1/customers/x"}, Code: "invalid_field_value", Param: "id"},
	})
}

// withCustomerNumber connects numbers to the customer: one, and another that is gone again.
func withCustomerNumber(t *testing.T, c *apitest.Case) {
	customer := c.Get("customer")
	for _, status := range []chat.AccountStatus{chat.AccountConnected, chat.AccountDegraded} {
		in := chat.NewAccount{OrgID: c.Org.ID, CustomerID: &customer, Name: new("Toko"), Status: status}
		if status == chat.AccountDegraded {
			in.PhoneNumber = "+15550009999"
		}
		account := c.ConnectAccount(t, in)
		if status == chat.AccountConnected {
			c.InTx(t, func(tx *store.Tx) error { return tx.DeleteAccount(c.Org.ID, account.ID, tx.Now()) })
			continue
		}
		c.Set("number", *account.PhoneNumberID)
	}
}

func TestUpdateCustomer(t *testing.T) {
	change := func(body string) apitest.Request { return patchAt("/v1/customers/${customer}", body) }
	changed := apitest.Changes{"customers": "~1"}
	full := []string{"EMAIL", `"a@toko.example"`, "METADATA", `{"b":1,"a":[2]}`}
	with := func(pairs ...string) []string { return append(pairs, full...) }
	changes := func(name, body, fields string, pairs ...string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: withFullCustomer, Request: change(body), Status: http.StatusOK, Want: dataAnswer(customerJSON(pairs...)),
			Change: changed, Events: []string{updatedEvent(fields, pairs...)}}
	}
	same := func(name, body string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: withFullCustomer, Request: change(body), Status: http.StatusOK, Want: dataAnswer(customerJSON(with("UPDATED", `"<time>"`)...))}
	}
	bad := func(name, body, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: withFullCustomer, Request: change(body), Code: "invalid_field_value", Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		changes("name", `{"name":" Toko  Jaya "}`, `["name"]`, with("NAME", `"Toko Jaya"`)...),
		changes("address", `{"email":"b@toko.example"}`, `["email"]`, append([]string{"EMAIL", `"b@toko.example"`}, full[2:]...)...),
		changes("no address", `{"email":null}`, `["email"]`, append([]string{"EMAIL", `null`}, full[2:]...)...),
		changes("metadata", `{"metadata":{"c": true}}`, `["metadata"]`, append([]string{"METADATA", `{"c":true}`}, full[:2]...)...),
		changes("no metadata", `{"metadata":null}`, `["metadata"]`, append([]string{"METADATA", `null`}, full[:2]...)...),
		changes("suspended", `{"status":"suspended"}`, `["status"]`, with("STATUS", `"suspended"`)...),
		changes("active", `{"status":"active"}`, `["status"]`, with("STATUS", `"active"`)...),
		changes("all at once", `{"status":"active","metadata":{},"email":"c@toko.example","name":"New"}`, `["name","email","metadata","status"]`,
			"NAME", `"New"`, "EMAIL", `"c@toko.example"`, "METADATA", `{}`, "STATUS", `"active"`),
		same("the same again", `{"name":"Toko ","email":"a@toko.example","metadata":{"a":[2],"b":1},"status":"pending"}`),
		{Name: "out of the archive", Given: all(withFullCustomer, inStatus(chat.CustomerArchived)), Request: change(`{"status":"active"}`), Status: http.StatusOK,
			Want: dataAnswer(customerJSON(with("STATUS", `"active"`)...)), Change: changed, Events: []string{updatedEvent(`["status"]`, with("STATUS", `"active"`)...)}},
		{Name: "in the archive", Given: all(withFullCustomer, inStatus(chat.CustomerArchived)), Request: change(`{"name":"New"}`), Status: http.StatusOK,
			Want:   dataAnswer(customerJSON(with("NAME", `"New"`, "STATUS", `"archived"`, "ARCHIVED", `"<time>"`)...)),
			Change: changed, Events: []string{updatedEvent(`["name"]`, with("NAME", `"New"`, "STATUS", `"archived"`, "ARCHIVED", `"<time>"`)...)}},
		bad("archived", `{"status":"archived"}`, "status"),
		bad("an unknown status", `{"status":"gone"}`, "status"),
		bad("a null status", `{"status":null}`, "status"),
		bad("a null name", `{"name":null}`, "name"),
		bad("an empty name", `{"name":"  "}`, "name"),
		bad("no address at all", `{"email":"x"}`, "email"),
		bad("metadata that is no object", `{"metadata":"x"}`, "metadata"),
		bad("too many keys", `{"metadata":`+metadataOf(65)+`}`, "metadata"),
		{Name: "nothing", Given: withCustomer, Request: change(`{}`), Code: "missing_required_field", Param: "name"},
		{Name: "only what cannot be changed", Given: withCustomer, Request: change(`{"team_id":"${team}"}`), Code: "missing_required_field", Param: "name"},
		{Name: "another organization's", Given: foreignCustomer, Request: patchAt("/v1/customers/${foreign}", `{"name":"x"}`), Code: "resource_not_found"},
		{Name: "unknown", Request: patchAt("/v1/customers/"+missingCustomer, `{"name":"x"}`), Code: "resource_not_found"},
	})
}

func TestArchiveCustomer(t *testing.T) {
	archived := []string{"STATUS", `"archived"`, "ARCHIVED", `"<now>"`}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "pending", Given: withCustomer, Request: deleteAt("/v1/customers/${customer}"), Status: http.StatusOK, Want: dataAnswer(customerJSON(archived...)),
			Change: apitest.Changes{"customers": "~1"}, Events: []string{customerEvent("customer.archived", archived...)}},
		{Name: "suspended", Given: all(withCustomer, inStatus(chat.CustomerSuspended)), Request: deleteAt("/v1/customers/${customer}"), Status: http.StatusOK,
			Want: dataAnswer(customerJSON(archived...)), Change: apitest.Changes{"customers": "~1"}, Events: []string{customerEvent("customer.archived", archived...)}},
		{Name: "again", Given: all(withCustomer, inStatus(chat.CustomerArchived)), Request: deleteAt("/v1/customers/${customer}"), Status: http.StatusOK,
			Want: dataAnswer(customerJSON("STATUS", `"archived"`, "ARCHIVED", `"<time>"`, "UPDATED", `"<time>"`))},
		{Name: "another organization's", Given: foreignCustomer, Request: deleteAt("/v1/customers/${foreign}"), Code: "resource_not_found"},
		{Name: "unknown", Request: deleteAt("/v1/customers/" + missingCustomer), Code: "resource_not_found"},
		{Name: "malformed", Request: deleteAt("/v1/customers/1"), Code: "invalid_field_value", Param: "id"},
	})
}

func TestRestoreCustomer(t *testing.T) {
	apitest.EachCase(t, withCustomer, func(t *testing.T, c *apitest.Case) {
		restore := func() (customer chat.Customer) {
			c.InTx(t, func(tx *store.Tx) (err error) {
				customer, err = core.RestoreCustomer(tx, c.Org.ID, c.Get("customer"))
				return err
			})
			return customer
		}
		if got := restore(); got.Status != chat.CustomerPending {
			t.Errorf("one that is not archived becomes %s", got.Status)
		}
		inStatus(chat.CustomerArchived)(t, c)
		if got := restore(); got.Status != chat.CustomerPending || got.ArchivedAt != nil {
			t.Errorf("a new one becomes %+v", got)
		}
		inStatus(chat.CustomerActive)(t, c)
		inStatus(chat.CustomerArchived)(t, c)
		if got := restore(); got.Status != chat.CustomerActive {
			t.Errorf("one that was active becomes %s", got.Status)
		}
		inStatus(chat.CustomerSuspended)(t, c)
		inStatus(chat.CustomerArchived)(t, c)
		if got := restore(); got.Status != chat.CustomerSuspended {
			t.Errorf("one that was suspended becomes %s", got.Status)
		}
		inStatus(chat.CustomerArchived)(t, c)
		patch := apitest.Request{Method: http.MethodPatch, Path: "/v1/customers/${customer}", Body: `{"status":"active"}`}
		for _, want := range []string{"suspended", "active"} { // out of the archive, then out of the suspension
			var shown struct{ Status string }
			if c.Call(t, patch).RequireStatus(t, http.StatusOK).Data(t, &shown); shown.Status != want {
				t.Errorf("a request makes it %s, want %s", shown.Status, want)
			}
		}
		var types []string
		for _, e := range c.Events(t, "") {
			types = append(types, strings.TrimPrefix(string(e.Type), "customer."))
		}
		if got := strings.Join(types, " "); got != "created archived updated updated archived updated updated archived updated archived updated updated" {
			t.Errorf("it told of %s", got)
		}
	})
}

func TestListCustomers(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		second := c.NewTeam(t, c.Org.ID, "Second")
		c.NewOrg(t)
		for _, in := range []struct{ id, body string }{
			{"a", `{"name":"Warung Ibu","team_id":"${team}"}`}, {"b", `{"name":"50% Toko_Maju","email":"Ani@Maju.example","team_id":"` + second.ID + `"}`},
			{"c", `{"name":"ÉCLAIR","team_id":"${team}"}`}, {"d", `{"name":"Warung Bapak","team_id":"` + second.ID + `"}`},
		} {
			c.Make(t, in.id, "/v1/customers", in.body)
			s.Clock.Advance(time.Second)
		}
		c.Set("customer", c.Get("b"))
		inStatus(chat.CustomerSuspended)(t, c)
		c.Set("customer", c.Get("d"))
		inStatus(chat.CustomerArchived)(t, c)
		list := func(query string) string {
			t.Helper()
			var names []string
			for path := "/v1/customers?limit=2&" + query; path != ""; {
				r := c.Call(t, apitest.Request{Path: path}).RequireStatus(t, http.StatusOK)
				var page struct {
					Data       []struct{ ID string }
					HasMore    bool    `json:"has_more"`
					NextCursor *string `json:"next_cursor"`
				}
				r.Decode(t, &page)
				for _, row := range page.Data {
					for _, name := range []string{"a", "b", "c", "d"} {
						if c.Get(name) == row.ID {
							names = append(names, name)
						}
					}
				}
				path = ""
				if page.NextCursor != nil {
					path = "/v1/customers?limit=2&" + query + "&cursor=" + *page.NextCursor
				}
			}
			return strings.Join(names, "")
		}
		for query, want := range map[string]string{
			"": "dcba", "status=pending": "ca", "status=suspended": "b", "status=archived": "d", "status=active": "", "team_id=" + second.ID: "db",
			"team_id=team_00000000000000000000000000": "", "search=warung": "da", "search=MAJU.EXAMPLE": "b", "search=%25": "b", "search=o_m": "b",
			"search=%C3%A9clair": "c", "search=nobody": "", "search=warung&status=pending": "a", "team_id=" + second.ID + "&search=warung": "d",
		} {
			if got := list(query); got != want {
				t.Errorf("%q lists %q, want %q", query, got, want)
			}
		}
		for query, param := range map[string]string{"status=gone": "status", "team_id=x": "team_id", "search=": "search", "search=" + strings.Repeat("x", 201): "search"} {
			c.Call(t, apitest.Request{Path: "/v1/customers?" + query}).RequireFailure(t, "invalid_field_value", param)
		}
	})
}

func TestCustomersSends(t *testing.T) {
	send := postTo("/v1/${number}/messages", `{"messaging_product":"chat","to":"+4915112345678","type":"text","text":{"body":"x"}}`)
	number := func(t *testing.T, c *apitest.Case) {
		customer := c.Get("customer")
		c.Set("number", *c.ConnectAccount(t, chat.NewAccount{OrgID: c.Org.ID, CustomerID: &customer}).PhoneNumberID)
	}
	sent := apitest.Changes{"messages": "+1", "send_jobs": "+1", "conversations": "+1", "contacts": "+1", "events": "+1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "pending", Given: all(withCustomer, number), Request: send, Status: http.StatusOK, Change: sent},
		{Name: "active", Given: all(withCustomer, number, inStatus(chat.CustomerActive)), Request: send, Status: http.StatusOK, Change: sent},
		{Name: "suspended", Given: all(withCustomer, number, inStatus(chat.CustomerSuspended)), Request: send, Code: "customer_suspended"},
		{Name: "archived", Given: all(withCustomer, number, inStatus(chat.CustomerArchived)), Request: send, Code: "customer_suspended"},
		{Name: "restored", Given: all(withCustomer, number, inStatus(chat.CustomerArchived), inStatus(chat.CustomerActive)), Request: send, Status: http.StatusOK, Change: sent},
	}, api.Connect(t, &providertest.Client{}, t.TempDir()))
}

func TestDisconnectAccount(t *testing.T) {
	own := func(t *testing.T, c *apitest.Case) { c.Set("own", *c.NewAccount(t, c.Org).PhoneNumberID) }
	sibling := func(t *testing.T, c *apitest.Case) { c.Make(t, "sibling", "/v1/customers", `{"name":"Other"}`) }
	path := "/v1/customers/${customer}/whatsapp_accounts/${number}"
	gone := apitest.Changes{"accounts": "~1", "account_jobs": "+1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "connected", Given: all(withCustomer, withCustomerNumber), Request: deleteAt(path), Status: http.StatusOK,
			Want: dataAnswer(`{"phone_number_id":"${number}","object":"whatsapp_account","disconnected":true}`), Change: gone,
			Then: func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
				c.Call(t, deleteAt(path)).RequireFailure(t, "resource_not_found", "")
				for _, r := range []apitest.Request{
					{Path: "/v1/${number}/messages"}, {Path: "/v1/${number}/contacts"}, {Path: "/v1/${number}/conversations"},
					postTo("/v1/${number}/messages", `{"messaging_product":"chat","to":"+4915112345678","type":"text","text":{"body":"x"}}`),
					postTo("/v1/${number}/register", `{"pin":"123456"}`),
				} {
					c.Call(t, r).RequireFailure(t, "resource_not_found", "")
				}
				var list []any
				if c.Call(t, apitest.Request{Path: "/v1/accounts?status=all"}).Data(t, &list); len(list) != 0 {
					t.Errorf("it is still listed: %v", list)
				}
			}},
		{Name: "archived customer", Given: all(withCustomer, withCustomerNumber, inStatus(chat.CustomerArchived)), Request: deleteAt(path), Status: http.StatusOK, Change: gone},
		{Name: "another customer's", Given: all(withCustomer, withCustomerNumber, sibling), Request: deleteAt("/v1/customers/${sibling}/whatsapp_accounts/${number}"), Code: "resource_not_found"},
		{Name: "the organization's own", Given: all(withCustomer, own), Request: deleteAt("/v1/customers/${customer}/whatsapp_accounts/${own}"), Code: "resource_not_found"},
		{Name: "unknown number", Given: withCustomer, Request: deleteAt("/v1/customers/${customer}/whatsapp_accounts/99887766"), Code: "resource_not_found"},
		{Name: "unknown customer", Request: deleteAt("/v1/customers/" + missingCustomer + "/whatsapp_accounts/99887766"), Code: "resource_not_found"},
		{Name: "another organization's", Given: foreignCustomer, Request: deleteAt("/v1/customers/${foreign}/whatsapp_accounts/99887766"), Code: "resource_not_found"},
		{Name: "a malformed number", Given: withCustomer, Request: deleteAt("/v1/customers/${customer}/whatsapp_accounts/12"), Code: "invalid_field_value", Param: "phone_number_id"},
		{Name: "a malformed customer", Request: deleteAt("/v1/customers/x/whatsapp_accounts/123456"), Code: "invalid_field_value", Param: "id"},
	}, api.Connect(t, &providertest.Client{}, t.TempDir()))
}
