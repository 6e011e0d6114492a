package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// under is a POST to path with an Idempotency-Key.
func under(key, path, body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: path, Body: body, Header: http.Header{"Idempotency-Key": {key}}}
}

// first sends a request and keeps its answer for replays.
func first(r apitest.Request) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		answer := c.Call(t, r)
		if got := answer.Header.Get("Idempotent-Replayed"); got != "false" {
			t.Fatalf("the first answer has Idempotent-Replayed: %s", got)
		}
		c.Set("body", string(answer.Body))
		c.Set("request_id", answer.Header.Get("X-Request-Id"))
	}
}

var (
	fresh    = map[string]string{"Idempotent-Replayed": "false"}
	replayed = map[string]string{"Idempotent-Replayed": "true", "X-Request-Id": "${request_id}"}
)

const reuse = "idempotency_key_reuse"

func TestReplay(t *testing.T) {
	const path, lead = "/v1/labels", `{"name":"Lead","color":"red","x":{"b":1,"a":[1,{"d":1,"c":"é"}]}}`
	given := first(under("k", path, lead))
	made := apitest.Changes{"labels": "+1", "idempotency": "+1"}
	kept := apitest.Changes{"idempotency": "+1"}
	again := func(name, key, body string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: under(key, path, body), Status: http.StatusCreated, Header: replayed, Then: sameBody}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "first", Request: under("k", path, lead), Status: http.StatusCreated, Header: fresh, Change: made},
		{Name: "without a key", Given: first(under("k", path, lead)), Request: newLabel(lead), Code: "invalid_field_value", Param: "name", Header: map[string]string{"Idempotent-Replayed": ""}},
		again("the same", "k", lead),
		again("keys in another order", "k", `{"x":{"a":[1,{"c":"é","d":1}],"b":1},"color":"red","name":"Lead"}`),
		again("other white space", "k", " {\n\t\"name\" : \"Lead\",\r\n\"color\":\"red\" , \"x\":{\"b\":1,\"a\":[ 1 , {\"d\":1,\"c\":\"é\"} ]} }\n"),
		again("other escapes", "k", `{"n\u0061me":"\u004cead","color":"red","x":{"b":1,"a":[1,{"d":1,"c":"\u00e9"}]}}`),
		{Name: "another query", Given: given, Request: under("k", path+"?x=1", lead), Status: http.StatusCreated, Header: replayed, Then: sameBody},
		{Name: "the path spelt otherwise is another path", Given: given, Request: under("k", "/v1/l%61bels", lead), Code: reuse, Param: "Idempotency-Key", Header: fresh},
		{Name: "another body", Given: given, Request: under("k", path, `{"name":"Lead"}`), Code: reuse, Param: "Idempotency-Key", Header: fresh},
		{Name: "a list in another order", Given: given, Request: under("k", path, strings.Replace(lead, `1,{"d":1,"c":"é"}`, `{"d":1,"c":"é"},1`, 1)), Code: reuse, Param: "Idempotency-Key"},
		{Name: "white space inside a text", Given: given, Request: under("k", path, strings.Replace(lead, "Lead", "Lead ", 1)), Code: reuse, Param: "Idempotency-Key"},
		{Name: "another unknown field", Given: given, Request: under("k", path, strings.Replace(lead, `"b":1`, `"b":2`, 1)), Code: reuse, Param: "Idempotency-Key"},
		{Name: "no body", Given: given, Request: under("k", path, ""), Code: reuse, Param: "Idempotency-Key"},
		{Name: "a broken body", Given: given, Request: under("k", path, "{"), Code: reuse, Param: "Idempotency-Key"},
		{Name: "another path", Given: given, Request: under("k", "/v1/probe", lead), Code: reuse, Param: "Idempotency-Key"},
		{Name: "another key", Given: given, Request: under("K", path, `{"name":"Other"}`), Status: http.StatusCreated, Header: fresh, Change: made},
		{Name: "the key with blanks around it", Given: given, Request: under("  k  ", path, lead), Status: http.StatusCreated, Header: replayed},
		{Name: "another organization's key", Given: func(t *testing.T, c *apitest.Case) {
			other := under("k", path, `{"name":"theirs"}`)
			other.Key = c.Stranger(t).Key
			c.Do(t, other).RequireStatus(t, http.StatusCreated)
		}, Request: under("k", path, lead), Status: http.StatusCreated, Header: fresh, Change: made},
		{Name: "with another key of the organization", Given: all(given, func(t *testing.T, c *apitest.Case) {
			_, c.Org.Key = c.NewKey(t, c.Org.ID, nil)
		}), Request: under("k", path, lead), Status: http.StatusCreated, Header: replayed, Then: sameBody},
		{Name: "after the label was deleted", Given: all(given, deleteAll), Request: under("k", path, lead), Status: http.StatusCreated, Header: replayed, Then: sameBody},

		{Name: "a refusal is kept", Request: under("k", path, `{"name":""}`), Code: "invalid_field_value", Param: "name", Header: fresh, Change: kept},
		{Name: "a refusal comes again", Given: first(under("k", path, `{"name":""}`)), Request: under("k", path, `{ "name": "" }`), Code: "invalid_field_value", Param: "name", Header: replayed, Then: sameBody},
		{Name: "a refused key is used up", Given: first(under("k", path, `{"name":""}`)), Request: under("k", path, `{"name":"x"}`), Code: reuse, Param: "Idempotency-Key"},
		{Name: "a missing field", Given: first(under("k", path, `{}`)), Request: under("k", path, `{}`), Code: "missing_required_field", Param: "name", Header: replayed, Then: sameBody},
		{Name: "no JSON", Given: first(under("k", path, `{x`)), Request: under("k", path, `{x`), Code: "invalid_json", Header: replayed, Then: sameBody},
		{Name: "other no JSON", Given: first(under("k", path, `{x`)), Request: under("k", path, `{y`), Code: reuse, Param: "Idempotency-Key"},
		{Name: "a name that was taken is refused again when it is free", Given: all(hasLabel(`{"name":"Lead"}`), first(under("k", path, lead)), deleteAll),
			Request: under("k", path, lead), Code: "invalid_field_value", Param: "name", Header: replayed, Then: sameBody},
		{Name: "a refusal after a change undoes the change", Request: under("k", "/v1/probe", `{"name":"n","kind":"a","hook":"refuse"}`), Code: "invalid_field_value", Param: "late", Header: fresh, Change: kept},
	}, api.Probes(api.Hooks{"refuse": refuseLate}))
}

// The objects of the path are looked up before the key: a 404 is not stored under the key, and a used key does
// not hide it.
func TestMissingPathUnderAKey(t *testing.T) {
	given := all(hasContact(`{"phone_number":"+4915112345678"}`), hasLabel(`{"name":"VIP"}`), foreignNumber, func(t *testing.T, c *apitest.Case) {
		c.Call(t, under("used", "/v1/labels", `{"name":"Used"}`)).RequireStatus(t, http.StatusCreated)
	})
	const text = `{"messaging_product":"chat","to":"+4915112345678","type":"text","text":{"body":"x"}}`
	var scenarios []apitest.Scenario
	for name, r := range map[string][2]string{
		"send":               {"/v1/999999999/messages", text},
		"send, foreign":      {"/v1/${foreign_number}/messages", text},
		"send, bad body":     {"/v1/999999999/messages", `{}`},
		"read receipt":       {"/v1/999999999/messages", `{"messaging_product":"chat","status":"read","message_id":"wamid.x"}`},
		"register":           {"/v1/999999999/register", `{"pin":"123456"}`},
		"contact":            {"/v1/999999999/contacts", `{"phone_number":"+4915112345679"}`},
		"bulk label":         {"/v1/999999999/contacts/bulk_label", `{"contact_ids":["${contact}"],"label_id":"${label}","operation":"attach"}`},
		"contact label":      {"/v1/999999999/contacts/${contact}/labels", `{"label_id":"${label}"}`},
		"label of a contact": {contacts + "/" + noContact + "/labels", `{"label_id":"${label}"}`},
		"setup link":         {"/v1/customers/cus_00000000000000000000000000/setup_links", `{}`},
		"webhook secret":     {"/v1/webhook_subscriptions/wbs_00000000000000000000000000/secrets", `{}`},
		"test event":         {"/v1/webhook_subscriptions/wbs_00000000000000000000000000/test", `{}`},
		"replay":             {"/v1/webhook_deliveries/wbd_00000000000000000000000000/replay", ``},
		"conversation label": {"/v1/${number}/conversations/" + noConversation + "/labels", `{"label_id":"${label}"}`},
	} {
		for _, key := range []string{"new", "used"} {
			scenarios = append(scenarios, apitest.Scenario{Name: name + ", key " + key, Given: given, Request: under(key, r[0], r[1]), Code: "resource_not_found"})
		}
	}
	apitest.RunEach(t, append(scenarios,
		apitest.Scenario{Name: "malformed", Given: given, Request: under("new", "/v1/12345/messages", text), Code: "invalid_field_value", Param: "phone_number_id"},
		apitest.Scenario{Name: "what the body names is another matter", Given: given, Request: under("new", contacts+"/${contact}/labels", `{"label_id":"`+noLabel+`"}`),
			Code: "resource_not_found", Header: fresh, Change: apitest.Changes{"idempotency": "+1"}},
	))
}

func sameBody(t *testing.T, c *apitest.Case, r *apitest.Response) {
	if string(r.Body) != c.Get("body") {
		t.Errorf("got %s, and first %s", r.Body, c.Get("body"))
	}
}

func deleteAll(t *testing.T, c *apitest.Case) {
	for _, id := range getPage(t, c.Server, c.Org.Key, "").ids() {
		c.Call(t, apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/" + id}).RequireStatus(t, http.StatusOK)
	}
}

func TestIdempotencyKeyForms(t *testing.T) {
	var scenarios []apitest.Scenario
	for name, key := range map[string]string{
		"empty": "", "blank": "   ", "256 characters": strings.Repeat("k", 256), "a tab": "a\tb", "not ASCII": "schlüssel", "broken UTF-8": "\xff", "very long": strings.Repeat("k", 8000),
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: under(key, "/v1/labels", `{"name":"x"}`), Code: "invalid_field_value", Param: "Idempotency-Key", Header: fresh})
	}
	for name, key := range map[string]string{
		"one character": "k", "255 characters": strings.Repeat("k", 255), "all printable ones": "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~", "a blank inside": "a b",
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: under(key, "/v1/labels", `{"name":"x"}`), Status: http.StatusCreated, Header: fresh, Change: apitest.Changes{"labels": "+1", "idempotency": "+1"}})
	}
	for name, keys := range map[string][]string{"two headers": {"a", "b"}, "the same twice": {"a", "a"}, "one of them empty": {"", "a"}} {
		r := newLabel(`{"name":"x"}`)
		r.Header = http.Header{"Idempotency-Key": keys}
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: r, Code: "invalid_field_value", Param: "Idempotency-Key"})
	}
	apitest.RunEach(t, append(scenarios,
		apitest.Scenario{Name: "a bad key before a bad body", Request: under("", "/v1/labels", `{`), Code: "invalid_field_value", Param: "Idempotency-Key"},
	))
}

func TestOtherMethodsIgnoreIdempotencyKeys(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		c.Make(t, "label", "/v1/labels", `{"name":"x"}`)
		do := func(method, body string) *apitest.Response {
			r := under("k", "/v1/labels/${label}", body)
			r.Method = method
			return c.Call(t, r)
		}
		for _, color := range []string{"red", "blue", "red"} {
			var got struct{ Color string }
			do(http.MethodPatch, `{"color":"`+color+`"}`).RequireStatus(t, http.StatusOK).Data(t, &got)
			if got.Color != color {
				t.Errorf("the color is %s, want %s", got.Color, color)
			}
		}
		do(http.MethodGet, "").RequireStatus(t, http.StatusOK)
		do(http.MethodDelete, "").RequireStatus(t, http.StatusOK)
		do(http.MethodDelete, "").RequireFailure(t, "resource_not_found", "")
		if n := s.Count(t, "idempotency", c.Org.ID); n != 0 {
			t.Errorf("%d records were made", n)
		}
	})
}

// Answers that are not the outcome of the operation are not stored, because the same request may succeed later.
func TestAnswersThatAreNotKept(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		plan := s.NewPlan(t, apitest.Limits(1, 100))
		org := s.NewOrgOn(t, plan)
		request := under("k", "/v1/labels", `{"name":"x"}`)
		refused := func(code string) {
			t.Helper()
			s.Unchanged(t, org.ID, func() { s.Do(t, request).RequireFailure(t, code, "") })
		}
		refused("missing_api_key")
		request.Key = org.Key
		newLabel := newLabel(`{}`)
		newLabel.Key = org.Key
		s.Do(t, newLabel).RequireFailure(t, "missing_required_field", "name") // takes the only token
		refused("rate_limit_exceeded")
		s.Clock.Advance(time.Minute)

		change := func(patch core.OrganizationPatch) {
			s.InTx(t, func(tx *store.Tx) error {
				_, err := core.UpdateOrganization(tx, org.ID, patch)
				return err
			})
		}
		change(core.OrganizationPatch{Suspended: new(true)})
		refused("organization_suspended")
		change(core.OrganizationPatch{Suspended: new(false), Subscription: new(chat.SubscriptionInactive)})
		refused("subscription_inactive")
		s.Clock.Advance(time.Minute)
		change(core.OrganizationPatch{Subscription: new(chat.SubscriptionActive)})
		if got := s.Do(t, request).RequireStatus(t, http.StatusCreated).Header.Get("Idempotent-Replayed"); got != "false" {
			t.Errorf("Idempotent-Replayed is %s", got)
		}
	})
}

func TestIdempotencyWindow(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		send := func(want string) string {
			t.Helper()
			r := c.Call(t, under("k", "/v1/labels", `{"name":"x"}`)).RequireStatus(t, http.StatusCreated)
			if got := r.Header.Get("Idempotent-Replayed"); got != want {
				t.Errorf("Idempotent-Replayed is %s, want %s", got, want)
			}
			var made struct{ ID string }
			r.Data(t, &made)
			return made.ID
		}
		one := send("false")
		deleteAll(t, c)
		s.Clock.Advance(24*time.Hour - time.Millisecond)
		if again := send("true"); again != one {
			t.Errorf("the replay made %s", again)
		}
		s.Clock.Advance(time.Millisecond)
		two := send("false")
		if two == one {
			t.Error("the key was still in use after 24 hours")
		}
		s.Clock.Advance(24*time.Hour - time.Millisecond) // counted from the second use
		if again := send("true"); again != two {
			t.Errorf("the replay made %s", again)
		}
		s.Clock.Advance(time.Millisecond)
		other := c.Call(t, under("k", "/v1/labels", `{"name":"y"}`)) // another request may use it now
		other.RequireStatus(t, http.StatusCreated)
	})
}
