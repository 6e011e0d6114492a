package api_test

import (
	"net/http"
	"regexp"
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

const (
	linksPath   = "/v1/customers/${customer}/setup_links"
	linkPath    = linksPath + "/${link}"
	missingLink = "csl_00000000000000000000000000"
)

func linkJSON(pairs ...string) string {
	const text = `{"id":ID,"object":"customer_setup_link","customer_id":"${customer}","status":STATUS,"token_last4":"<text>","expires_at":EXPIRES,
		"consumed_at":CONSUMED,"success_redirect_url":SUCCESS,"failure_redirect_url":FAILURE,"created_at":"<time>"}`
	defaults := []string{"ID", `"${link}"`, "STATUS", `"active"`, "EXPIRES", `"<time>"`, "CONSUMED", "null", "SUCCESS", "null", "FAILURE", "null"}
	return strings.NewReplacer(append(pairs, defaults...)...).Replace(text)
}

func withLink(t *testing.T, c *apitest.Case) {
	withCustomer(t, c)
	c.Make(t, "link", linksPath, `{"success_redirect_url":"https://shop.example/ok","failure_redirect_url":"https://shop.example/no"}`)
}

// expired ends the link's life without moving the clock that all cases share.
func expired(t *testing.T, c *apitest.Case) {
	c.Exec(t, "UPDATE setup_links SET expires_at = $1 WHERE id = $2", c.Clock.Now().UnixMilli(), c.Get("link"))
}

func revoked(t *testing.T, c *apitest.Case) {
	c.InTx(t, func(tx *store.Tx) error { return core.RevokeSetupLink(tx, c.Org.ID, c.Get("customer"), c.Get("link")) })
}

func consumed(t *testing.T, c *apitest.Case) {
	c.InTx(t, func(tx *store.Tx) error {
		link, err := tx.SetupLink(c.Org.ID, c.Get("link"))
		if err != nil {
			return err
		}
		link.Status, link.ConsumedAt = chat.LinkConsumed, new(tx.Now())
		return tx.UpdateSetupLink(link)
	})
}

// linkURLs are the addresses of a link as its answers show them.
var linkURLs = []string{"SUCCESS", `"https://shop.example/ok"`, "FAILURE", `"https://shop.example/no"`}

func platform(t *testing.T) apitest.Option {
	return api.Connect(t, &providertest.Client{}, t.TempDir())
}

func TestCreateSetupLink(t *testing.T) {
	create := func(body string) apitest.Request { return postTo(linksPath, body) }
	made := apitest.Changes{"setup_links": "+1"}
	bad := func(name, body, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: withCustomer, Request: create(body), Code: "invalid_field_value", Param: param}
	}
	ok := func(name, body string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: withCustomer, Request: create(body), Status: http.StatusCreated, Change: apitest.Changes{"setup_links": "+1", "events": "+1"}}
	}
	long := "https://shop.example/" + strings.Repeat("a", 2048-len("https://shop.example/"))
	scenarios := []apitest.Scenario{
		{Name: "nothing given", Given: withCustomer, Request: create(``), Status: http.StatusCreated, Change: made,
			Want:   dataAnswer(strings.TrimSuffix(linkJSON("ID", `"<csl>"`), "}") + `,"setup_url":"<text>"}`),
			Events: []string{nativeEvent("customer.setup_link.created", `{"customer_id":"${customer}","setup_link":`+linkJSON("ID", `"<csl>"`)+`}`)},
			Then:   checkSetupURL},
		{Name: "addresses", Given: withCustomer, Request: create(`{"success_redirect_url":"https://shop.example/ok","failure_redirect_url":"https://shop.example/no"}`),
			Status: http.StatusCreated, Change: made, Want: dataAnswer(strings.TrimSuffix(linkJSON(append(linkURLs, "ID", `"<csl>"`)...), "}") + `,"setup_url":"<text>"}`),
			Events: []string{nativeEvent("customer.setup_link.created", `{"customer_id":"${customer}","setup_link":`+linkJSON(append(linkURLs, "ID", `"<csl>"`)...)+`}`)}},
		{Name: "suspended customer", Given: all(withCustomer, inStatus(chat.CustomerSuspended)), Request: create(`{}`), Status: http.StatusCreated,
			Change: apitest.Changes{"setup_links": "+1", "events": "+1"}},
		{Name: "archived customer", Given: all(withCustomer, inStatus(chat.CustomerArchived)), Request: create(`{}`), Code: "customer_suspended"},
		{Name: "archived customer, a bad address", Given: all(withCustomer, inStatus(chat.CustomerArchived)), Request: create(`{"success_redirect_url":"http://x.example"}`),
			Code: "invalid_field_value", Param: "success_redirect_url"},
		{Name: "unknown customer", Request: postTo("/v1/customers/"+missingCustomer+"/setup_links", `{}`), Code: "resource_not_found"},
		{Name: "another organization's", Given: foreignCustomer, Request: postTo("/v1/customers/${foreign}/setup_links", `{}`), Code: "resource_not_found"},
		ok("an hour", `{"expires_in_hours":1}`), ok("a month", `{"expires_in_hours":720}`), ok("nulls", `{"success_redirect_url":null,"failure_redirect_url":null}`),
		ok("localhost", `{"success_redirect_url":"http://localhost:3000/x?y=z"}`), ok("a loopback address", `{"failure_redirect_url":"http://127.0.0.1/x"}`),
		ok("IPv6", `{"failure_redirect_url":"http://[::1]:8080"}`), ok("a query", `{"success_redirect_url":"https://shop.example?a=b&c=%20d"}`), ok("the longest", `{"success_redirect_url":"`+long+`"}`),
		bad("no time", `{"expires_in_hours":0}`, "expires_in_hours"), bad("too long", `{"expires_in_hours":721}`, "expires_in_hours"),
		bad("half an hour", `{"expires_in_hours":1.5}`, "expires_in_hours"), bad("a text", `{"expires_in_hours":"1"}`, "expires_in_hours"),
		bad("too long an address", `{"success_redirect_url":"`+long+`a"}`, "success_redirect_url"),
	}
	for name, address := range map[string]string{
		"http": "http://shop.example/", "relative": "/done", "no scheme": "//shop.example/", "a script": "javascript:alert(1)", "data": "data:text/html,x",
		"a fragment": "https://shop.example/#x", "an empty fragment": "https://shop.example/#", "no host": "https:///x", "credentials": "https://u:p@shop.example/",
		"a blank": "https://shop.example/a b", "a line": "https://shop.example/\\nx", "a backslash": "https:\\\\\\\\shop.example", "a name like localhost": "http://localhost.evil.example/",
		"an app": "myapp://done", "empty": "", "no address": "shop", "a control character": "https://shop.example/\\u0001",
	} {
		scenarios = append(scenarios, bad("success "+name, `{"success_redirect_url":"`+address+`"}`, "success_redirect_url"),
			bad("failure "+name, `{"failure_redirect_url":"`+address+`"}`, "failure_redirect_url"))
	}
	apitest.RunEach(t, scenarios, platform(t))
}

// checkSetupURL checks that the address holds a token that is shown only here and stored hashed.
func checkSetupURL(t *testing.T, c *apitest.Case, r *apitest.Response) {
	var link struct {
		ID        string
		SetupURL  string    `json:"setup_url"`
		Last4     string    `json:"token_last4"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	r.Data(t, &link)
	if !regexp.MustCompile(`^https://parley\.example/onboard/csl_[A-Za-z0-9_-]{24}$`).MatchString(link.SetupURL) || !strings.HasSuffix(link.SetupURL, link.Last4) || len(link.Last4) != 4 {
		t.Errorf("the address is %s, its end %s", link.SetupURL, link.Last4)
	}
	if want := c.Clock.Now().Add(168 * time.Hour); !link.ExpiresAt.Equal(want) {
		t.Errorf("it expires at %v, want %v", link.ExpiresAt, want)
	}
	token := link.SetupURL[strings.LastIndexByte(link.SetupURL, '/')+1:]
	stored, err := c.Store.Read(t.Context()).SetupLinkByToken(chat.HashToken(token))
	if err != nil || stored.ID != link.ID || strings.Contains(stored.TokenHash, token) {
		t.Errorf("stored is %+v, %v", stored, err)
	}
	got := c.Call(t, apitest.Request{Path: linksPath + "/" + link.ID}).RequireStatus(t, http.StatusOK)
	if strings.Contains(string(got.Body), "setup_url") || strings.Contains(string(got.Body), token) {
		t.Errorf("it is shown again: %s", got.Body)
	}
	for _, e := range c.Events(t, "") {
		if strings.Contains(string(e.Payload), token) {
			t.Errorf("an event tells it: %s", e.Payload)
		}
	}
}

func TestSetupLinkTokensDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		token := chat.NewLinkToken()
		if seen[token] || !chat.WellFormedLinkToken(token) {
			t.Fatalf("%s is no good token", token)
		}
		seen[token] = true
	}
}

func TestCreateSetupLinkOnce(t *testing.T) {
	apitest.EachCase(t, withCustomer, func(t *testing.T, c *apitest.Case) {
		r := postTo(linksPath, `{"expires_in_hours":2}`)
		r.Header = http.Header{"Idempotency-Key": {"link-1"}}
		first := c.Call(t, r).RequireStatus(t, http.StatusCreated)
		again := c.Call(t, r).RequireStatus(t, http.StatusCreated)
		if string(first.Body) != string(again.Body) || again.Header.Get("Idempotent-Replayed") != "true" || c.Count(t, "setup_links", c.Org.ID) != 1 {
			t.Errorf("got %s and %s", first.Body, again.Body)
		}
		record, err := c.Store.Read(t.Context()).IdempotencyRecord(c.Org.ID, "link-1", c.Clock.Now().Add(-time.Hour))
		if err != nil || strings.Contains(record.Body, "setup_url") || strings.Contains(record.Body, "/onboard/") {
			t.Errorf("kept is %s, %v", record.Body, err)
		}
		r.Body = `{"expires_in_hours":3}`
		c.Call(t, r).RequireFailure(t, "idempotency_key_reuse", "Idempotency-Key")
	}, platform(t))
}

func TestGetSetupLink(t *testing.T) {
	get := apitest.Request{Path: linkPath}
	sibling := func(t *testing.T, c *apitest.Case) { c.Make(t, "sibling", "/v1/customers", `{"name":"Other"}`) }
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "active", Given: withLink, Request: get, Status: http.StatusOK, Want: dataAnswer(linkJSON(linkURLs...))},
		{Name: "expired", Given: all(withLink, expired), Request: get, Status: http.StatusOK, Want: dataAnswer(linkJSON(append(linkURLs, "STATUS", `"expired"`)...))},
		{Name: "revoked", Given: all(withLink, revoked), Request: get, Status: http.StatusOK, Want: dataAnswer(linkJSON(append(linkURLs, "STATUS", `"revoked"`)...))},
		{Name: "revoked stays revoked", Given: all(withLink, revoked, expired), Request: get, Status: http.StatusOK, Want: dataAnswer(linkJSON(append(linkURLs, "STATUS", `"revoked"`)...))},
		{Name: "consumed", Given: all(withLink, consumed), Request: get, Status: http.StatusOK,
			Want: dataAnswer(linkJSON(append(linkURLs, "STATUS", `"consumed"`, "CONSUMED", `"<time>"`)...))},
		{Name: "another customer's", Given: all(withLink, sibling), Request: apitest.Request{Path: "/v1/customers/${sibling}/setup_links/${link}"}, Code: "resource_not_found"},
		{Name: "another organization's customer", Given: all(withLink, foreignCustomer), Request: apitest.Request{Path: "/v1/customers/${foreign}/setup_links/${link}"}, Code: "resource_not_found"},
		{Name: "unknown", Given: withCustomer, Request: apitest.Request{Path: linksPath + "/" + missingLink}, Code: "resource_not_found"},
		{Name: "malformed", Given: withCustomer, Request: apitest.Request{Path: linksPath + "/csl_x"}, Code: "invalid_field_value", Param: "link_id"},
	}, platform(t))
}

func TestUpdateSetupLink(t *testing.T) {
	change := func(body string) apitest.Request { return patchAt(linkPath, body) }
	changed := apitest.Changes{"setup_links": "~1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "one", Given: withLink, Request: change(`{"success_redirect_url":"https://new.example"}`), Status: http.StatusOK, Change: changed,
			Want: dataAnswer(linkJSON(append([]string{"SUCCESS", `"https://new.example"`}, linkURLs[2:]...)...))},
		{Name: "cleared", Given: withLink, Request: change(`{"success_redirect_url":null,"failure_redirect_url":null}`), Status: http.StatusOK, Change: changed,
			Want: dataAnswer(linkJSON())},
		{Name: "the same", Given: withLink, Request: change(`{"failure_redirect_url":"https://shop.example/no"}`), Status: http.StatusOK, Want: dataAnswer(linkJSON(linkURLs...))},
		{Name: "nothing", Given: withLink, Request: change(`{"expires_in_hours":5}`), Code: "missing_required_field", Param: "success_redirect_url"},
		{Name: "bad", Given: withLink, Request: change(`{"failure_redirect_url":"http://shop.example"}`), Code: "invalid_field_value", Param: "failure_redirect_url"},
		{Name: "bad and expired", Given: all(withLink, expired), Request: change(`{"failure_redirect_url":"x"}`), Code: "invalid_field_value", Param: "failure_redirect_url"},
		{Name: "expired", Given: all(withLink, expired), Request: change(`{"failure_redirect_url":null}`), Code: "setup_link_inactive"},
		{Name: "revoked", Given: all(withLink, revoked), Request: change(`{"failure_redirect_url":null}`), Code: "setup_link_inactive"},
		{Name: "consumed", Given: all(withLink, consumed), Request: change(`{"failure_redirect_url":null}`), Code: "setup_link_inactive"},
		{Name: "unknown", Given: withCustomer, Request: patchAt(linksPath+"/"+missingLink, `{"failure_redirect_url":null}`), Code: "resource_not_found"},
		{Name: "unknown customer", Request: patchAt("/v1/customers/"+missingCustomer+"/setup_links/"+missingLink, `{"failure_redirect_url":null}`), Code: "resource_not_found"},
	}, platform(t))
}

func TestRevokeSetupLink(t *testing.T) {
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "active", Given: withLink, Request: deleteAt(linkPath), Status: http.StatusOK, Change: apitest.Changes{"setup_links": "~1"},
			Want: dataAnswer(`{"id":"${link}","object":"customer_setup_link","revoked":true,"status":"revoked"}`)},
		{Name: "again", Given: all(withLink, revoked), Request: deleteAt(linkPath), Code: "setup_link_inactive"},
		{Name: "expired", Given: all(withLink, expired), Request: deleteAt(linkPath), Code: "setup_link_inactive"},
		{Name: "consumed", Given: all(withLink, consumed), Request: deleteAt(linkPath), Code: "setup_link_inactive"},
		{Name: "unknown", Given: withCustomer, Request: deleteAt(linksPath + "/" + missingLink), Code: "resource_not_found"},
		{Name: "another organization's", Given: foreignCustomer, Request: deleteAt("/v1/customers/${foreign}/setup_links/" + missingLink), Code: "resource_not_found"},
		{Name: "malformed", Given: withCustomer, Request: deleteAt(linksPath + "/1"), Code: "invalid_field_value", Param: "link_id"},
	}, platform(t))
}

func TestListSetupLinks(t *testing.T) {
	apitest.EachCase(t, withCustomer, func(t *testing.T, c *apitest.Case) {
		c.Make(t, "sibling", "/v1/customers", `{"name":"Other"}`)
		c.Make(t, "theirs", "/v1/customers/${sibling}/setup_links", `{}`)
		for _, name := range []string{"a", "b", "c", "d"} {
			c.Clock.Advance(time.Second)
			c.Make(t, name, linksPath, `{"expires_in_hours":1}`)
		}
		for name, end := range map[string]func(*testing.T, *apitest.Case){"a": expired, "b": revoked, "c": consumed} {
			c.Set("link", c.Get(name))
			end(t, c)
		}
		for query, want := range map[string]string{
			"": "dcba", "?status=active": "d", "?status=expired": "a", "?status=revoked": "b", "?status=consumed": "c", "?limit=2": "dc",
		} {
			var rows []struct{ ID, Status string }
			c.Call(t, apitest.Request{Path: linksPath + query}).RequireStatus(t, http.StatusOK).Data(t, &rows)
			got := ""
			for _, row := range rows {
				for _, name := range []string{"a", "b", "c", "d", "theirs"} {
					if c.Get(name) == row.ID {
						got += name
					}
				}
			}
			if got != want {
				t.Errorf("%q lists %q, want %q", query, got, want)
			}
		}
		c.Call(t, apitest.Request{Path: linksPath + "?status=gone"}).RequireFailure(t, "invalid_field_value", "status")
		c.Call(t, apitest.Request{Path: linksPath + "?limit=0"}).RequireFailure(t, "invalid_limit", "limit")
		c.Call(t, apitest.Request{Path: "/v1/customers/" + missingCustomer + "/setup_links"}).RequireFailure(t, "resource_not_found", "")
		c.Clock.Advance(2 * time.Hour)
		var rows []struct{ ID string }
		c.Call(t, apitest.Request{Path: linksPath + "?status=active"}).Data(t, &rows)
		if len(rows) != 0 {
			t.Errorf("links live for ever: %v", rows)
		}
	}, platform(t))
}
