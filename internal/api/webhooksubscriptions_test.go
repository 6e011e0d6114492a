package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
)

const noWebhook = "wbs_00000000000000000000000000"

// webhookWith is a subscription's envelope with a secret of its own. Fields behind the common ones are
// given as JSON.
func webhookWith(url, events, fields string) string {
	return `{"data":{"id":"<wbs>","object":"webhook_subscription","url":"` + url + `","events":` + events + `,
		"disabled_reason":null,"consecutive_failures":0,"secrets":[{"id":"<sec>","created_at":"<time>","expires_at":null}],
		"created_at":"<time>",` + fields + `},"request_id":"<req>"}`
}

func newWebhook(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions", Body: body}
}

func patchWebhook(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPatch, Path: "/v1/webhook_subscriptions/${webhook}", Body: body}
}

// hasWebhook makes the subscription that ${webhook} names, with the secret ${secret}.
func hasWebhook(body string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		var made struct {
			ID      string
			Secrets []struct{ ID string }
		}
		c.Call(t, newWebhook(body)).RequireStatus(t, http.StatusCreated).Data(t, &made)
		c.Set("webhook", made.ID)
		c.Set("secret", made.Secrets[0].ID)
	}
}

const anyWebhook = `{"url":"https://hooks.example/in","events":["*"]}`

// foreignWebhook makes a subscription in another organization: ${webhook}, ${secret}.
func foreignWebhook(t *testing.T, c *apitest.Case) {
	own := c.Org
	c.Org = c.Stranger(t)
	hasWebhook(anyWebhook)(t, c)
	c.Org = own
}

// disabled disables the subscription that ${webhook} names, as failures do.
func disabled(t *testing.T, c *apitest.Case) {
	c.Exec(t, `UPDATE webhook_subscriptions SET status = 'disabled', disabled_reason = 'consecutive_failures', consecutive_failures = 24,
		failing_since = 1 WHERE org_id = $1 AND id = $2`, c.Org.ID, c.Get("webhook"))
}

func patched(body string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) { c.Call(t, patchWebhook(body)).RequireStatus(t, http.StatusOK) }
}

var webhookMade = apitest.Changes{"webhook_subscriptions": "+1", "webhook_secrets": "+1"}

const shownOnce = `"description":null,"phone_number_ids":[],"status":"active","updated_at":"<now>","initial_secret":"<text>"`

func TestCreateWebhookSubscription(t *testing.T) {
	made := func(name, body, url, events, fields string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: connected, Request: newWebhook(body), Status: http.StatusCreated, Want: webhookWith(url, events, fields), Change: webhookMade}
	}
	scenarios := []apitest.Scenario{
		made("what is needed", anyWebhook, "https://hooks.example/in", `["*"]`, shownOnce),
		made("all fields", `{"url":"https://hooks.example:8443/a?b=c","events":["message.sent","contact.created"],"description":"é <b>","phone_number_ids":["${number}","${number}"]}`,
			"https://hooks.example:8443/a?b=c", `["message.sent","contact.created"]`,
			`"description":"é <b>","phone_number_ids":["${number}"],"status":"active","updated_at":"<now>","initial_secret":"<text>"`),
		made("nulls", `{"url":"https://hooks.example","events":["*"],"description":null,"phone_number_ids":null}`, "https://hooks.example", `["*"]`, shownOnce),
		made("no numbers", `{"url":"https://hooks.example","events":["*"],"phone_number_ids":[]}`, "https://hooks.example", `["*"]`, shownOnce),
		made("http where the network is opened", `{"url":"http://opened.example/","events":["*"]}`, "http://opened.example/", `["*"]`, shownOnce),
		made("http to an address that is opened", `{"url":"http://10.9.1.2:8080/","events":["*"]}`, "http://10.9.1.2:8080/", `["*"]`, shownOnce),
		made("https where the network is opened", `{"url":"https://opened.example/","events":["*"]}`, "https://opened.example/", `["*"]`, shownOnce),
		made("a name without an address yet", `{"url":"https://nowhere.example","events":["*"]}`, "https://nowhere.example", `["*"]`, shownOnce),
		made("everything and one more", `{"url":"https://hooks.example","events":["*","message.sent"]}`, "https://hooks.example", `["*","message.sent"]`, shownOnce),
		{Name: "the longest description", Request: newWebhook(`{"url":"https://hooks.example","events":["*"],"description":"` + strings.Repeat("é", 500) + `"}`), Status: http.StatusCreated, Change: webhookMade},
		{Name: "the longest URL", Request: newWebhook(`{"url":"https://hooks.example/` + strings.Repeat("x", 2048-22) + `","events":["*"]}`), Status: http.StatusCreated, Change: webhookMade},
	}
	for _, kind := range chat.EventTypes {
		scenarios = append(scenarios, made("event "+string(kind), `{"url":"https://hooks.example","events":["`+string(kind)+`"]}`, "https://hooks.example", `["`+string(kind)+`"]`, shownOnce))
	}
	apitest.RunEach(t, scenarios)
}

func TestCreateWebhookSubscriptionRefused(t *testing.T) {
	scenarios := []apitest.Scenario{
		{Name: "empty", Request: newWebhook(`{}`), Code: "missing_required_field", Param: "url"},
		{Name: "no events", Request: newWebhook(`{"url":"https://hooks.example"}`), Code: "missing_required_field", Param: "events"},
		{Name: "empty events", Request: newWebhook(`{"url":"https://hooks.example","events":[]}`), Code: "invalid_field_value", Param: "events"},
		{Name: "events null", Request: newWebhook(`{"url":"https://hooks.example","events":null}`), Code: "invalid_field_value", Param: "events"},
		{Name: "events a text", Request: newWebhook(`{"url":"https://hooks.example","events":"*"}`), Code: "invalid_field_value", Param: "events"},
		{Name: "an event that is no text", Request: newWebhook(`{"url":"https://hooks.example","events":["*",1]}`), Code: "invalid_field_value", Param: "events[1]"},
		{Name: "an unknown event", Request: newWebhook(`{"url":"https://hooks.example","events":["message.sent","message.lost"]}`), Code: "invalid_event_type", Param: "events[1]"},
		{Name: "an event in capitals", Request: newWebhook(`{"url":"https://hooks.example","events":["Message.Sent"]}`), Code: "invalid_event_type", Param: "events[0]"},
		{Name: "a pattern of events", Request: newWebhook(`{"url":"https://hooks.example","events":["message.*"]}`), Code: "invalid_event_type", Param: "events[0]"},
		{Name: "an event twice", Request: newWebhook(`{"url":"https://hooks.example","events":["message.sent","message.status","message.sent"]}`), Code: "invalid_field_value", Param: "events[2]"},
		{Name: "a long description", Request: newWebhook(`{"url":"https://hooks.example","events":["*"],"description":"` + strings.Repeat("é", 501) + `"}`), Code: "invalid_field_value", Param: "description"},
		{Name: "an unknown number", Request: newWebhook(`{"url":"https://hooks.example","events":["*"],"phone_number_ids":["100000001"]}`), Code: "invalid_field_value", Param: "phone_number_ids[0]"},
		{Name: "a foreign number", Given: all(connected, foreignNumber), Request: newWebhook(`{"url":"https://hooks.example","events":["*"],"phone_number_ids":["${number}","${foreign_number}"]}`), Code: "invalid_field_value", Param: "phone_number_ids[1]"},
		{Name: "a malformed number", Request: newWebhook(`{"url":"https://hooks.example","events":["*"],"phone_number_ids":["+49"]}`), Code: "invalid_field_value", Param: "phone_number_ids[0]"},
		{Name: "url null", Request: newWebhook(`{"url":null,"events":["*"]}`), Code: "invalid_field_value", Param: "url"},
		{Name: "url a number", Request: newWebhook(`{"url":1,"events":["*"]}`), Code: "invalid_field_value", Param: "url"},
		{Name: "the URL before the events", Request: newWebhook(`{"events":["x"],"url":"x"}`), Code: "invalid_webhook_url", Param: "url"},
	}
	for name, url := range map[string]string{
		"empty": "", "no scheme": "hooks.example", "a path": "/in", "ftp": "ftp://hooks.example", "http": "http://hooks.example", "HTTP": "HTTP://hooks.example/",
		"no host": "https://", "no host but a port": "https://:443/", "user": "https://me@hooks.example", "password": "https://me:secret@hooks.example",
		"fragment": "https://hooks.example/#a", "empty fragment": "https://hooks.example/#", "space": "https://hooks.example/a b", "tab": `https://hooks.example/a\tb`,
		"newline": `https://hooks.example/\n`, "backslash": `https://hooks.example\\@private.example/`, "port 0": "https://hooks.example:0/", "port 65536": "https://hooks.example:65536/",
		"no port": "https://hooks.example:/", "bad port": "https://hooks.example:x/", "opaque": "https:hooks.example", "too long": "https://hooks.example/" + strings.Repeat("x", 2048-21),
		"http to an unknown host": "http://nowhere.example", "a name that is never public": "https://nowhere.invalid", "private": "https://private.example", "one private address": "https://mixed.example", "http, half of it opened": "http://half-opened.example",
		"loopback": "https://127.0.0.1/", "loopback by its name": "https://[::1]/", "metadata": "https://169.254.169.254/latest", "mapped": "https://[::ffff:10.0.0.1]/", "one number": "https://2130706433/",
		"hexadecimal": "https://0x7f.1/", "bad escape": "https://hooks.example/%zz",
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: "URL: " + name, Request: newWebhook(`{"url":"` + url + `","events":["*"]}`), Code: "invalid_webhook_url", Param: "url",
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if strings.Contains(string(r.Body), "10.0.0.1") {
					t.Errorf("the answer tells the address that was found: %s", r.Body)
				}
			}})
	}
	apitest.RunEach(t, scenarios)
}

func TestWebhookSubscriptionsAreLimited(t *testing.T) {
	apitest.EachCase(t, hasWebhook(anyWebhook), func(t *testing.T, c *apitest.Case) {
		for i := 1; i < chat.MaxWebhookSubscriptions; i++ {
			c.Exec(t, `INSERT INTO webhook_subscriptions (org_id, id, url, events, status, consecutive_failures, created_at, updated_at)
				VALUES ($1, $2, 'https://hooks.example', '["*"]', 'paused', 0, 1, 1)`, c.Org.ID, fmt.Sprintf("wbs_%026d", i))
		}
		c.Call(t, newWebhook(anyWebhook)).RequireFailure(t, "invalid_field_value", "webhook_subscriptions")
		c.Call(t, apitest.Request{Method: http.MethodDelete, Path: "/v1/webhook_subscriptions/${webhook}"}).RequireStatus(t, http.StatusOK)
		c.Call(t, newWebhook(anyWebhook)).RequireStatus(t, http.StatusCreated)
	})
}

func TestReadWebhookSubscriptions(t *testing.T) {
	const shown = `"description":null,"phone_number_ids":[],"status":"active","updated_at":"<time>"`
	inPage := func(page string) string {
		return strings.Replace(strings.TrimSuffix(page, `,"request_id":"<req>"}`), `{"data":`, `{"data":[`, 1) + `],"has_more":false,"next_cursor":null,"request_id":"<req>"}`
	}
	one := webhookWith("https://hooks.example/in", `["*"]`, shown)
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "one", Given: hasWebhook(anyWebhook), Request: apitest.Request{Path: "/v1/webhook_subscriptions/${webhook}"}, Status: http.StatusOK, Want: one},
		{Name: "an unknown one", Request: apitest.Request{Path: "/v1/webhook_subscriptions/" + noWebhook}, Code: "resource_not_found"},
		{Name: "a foreign one", Given: foreignWebhook, Request: apitest.Request{Path: "/v1/webhook_subscriptions/${webhook}"}, Code: "resource_not_found"},
		{Name: "a malformed id", Request: apitest.Request{Path: "/v1/webhook_subscriptions/wbs_1"}, Code: "invalid_field_value", Param: "id"},
		{Name: "a disabled one", Given: all(hasWebhook(anyWebhook), disabled), Request: apitest.Request{Path: "/v1/webhook_subscriptions/${webhook}"}, Status: http.StatusOK,
			Want: strings.NewReplacer(`"disabled_reason":null`, `"disabled_reason":"consecutive_failures"`, `"consecutive_failures":0`, `"consecutive_failures":24`, `"active"`, `"disabled"`).Replace(one)},
		{Name: "the list", Given: all(foreignWebhook, hasWebhook(anyWebhook)), Request: apitest.Request{Path: "/v1/webhook_subscriptions"}, Status: http.StatusOK, Want: inPage(one)},
		{Name: "the list of none", Given: foreignWebhook, Request: apitest.Request{Path: "/v1/webhook_subscriptions"}, Status: http.StatusOK, Want: emptyPage},
		{Name: "a bad limit", Request: apitest.Request{Path: "/v1/webhook_subscriptions?limit=0"}, Code: "invalid_limit", Param: "limit"},
		{Name: "a bad cursor", Request: apitest.Request{Path: "/v1/webhook_subscriptions?cursor=x"}, Code: "invalid_cursor", Param: "cursor"},
	})
}

func TestWebhookSubscriptionsAreListedNewestFirst(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		var made []string
		for i := range 5 {
			c.Clock.Advance(time.Duration(i/2) * time.Second) // some at the same instant
			hasWebhook(anyWebhook)(t, c)
			made = append([]string{c.Get("webhook")}, made...)
		}
		requirePages(t, c, "/v1/webhook_subscriptions?limit=2", made)
	})
}

// requirePages walks a list to its end.
func requirePages(t *testing.T, c *apitest.Case, path string, want []string) {
	t.Helper()
	var got []string
	for cursor := ""; ; {
		var page struct {
			Data       []struct{ ID string }
			HasMore    bool    `json:"has_more"`
			NextCursor *string `json:"next_cursor"`
		}
		c.Call(t, apitest.Request{Path: path + cursor}).RequireStatus(t, http.StatusOK).Decode(t, &page)
		for _, row := range page.Data {
			got = append(got, row.ID)
		}
		if !page.HasMore {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s lists\n%v, want\n%v", path, got, want)
	}
}

func TestUpdateWebhookSubscription(t *testing.T) {
	changed := apitest.Changes{"webhook_subscriptions": "~1"}
	given := all(connected, hasWebhook(`{"url":"https://hooks.example/in","events":["message.sent"],"description":"old","phone_number_ids":["${number}"]}`))
	becomes := func(name, body, url, events, fields string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: patchWebhook(body), Status: http.StatusOK, Want: webhookWith(url, events, fields), Change: changed}
	}
	const in, sent = "https://hooks.example/in", `["message.sent"]`
	refused := func(name, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: patchWebhook(body), Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		becomes("url", `{"url":"https://other.example"}`, "https://other.example", sent, `"description":"old","phone_number_ids":["${number}"],"status":"active","updated_at":"<now>"`),
		becomes("events", `{"events":["contact.created","*"]}`, in, `["contact.created","*"]`, `"description":"old","phone_number_ids":["${number}"],"status":"active","updated_at":"<now>"`),
		becomes("description", `{"description":"new"}`, in, sent, `"description":"new","phone_number_ids":["${number}"],"status":"active","updated_at":"<now>"`),
		becomes("no description", `{"description":null}`, in, sent, `"description":null,"phone_number_ids":["${number}"],"status":"active","updated_at":"<now>"`),
		becomes("all numbers", `{"phone_number_ids":[]}`, in, sent, `"description":"old","phone_number_ids":[],"status":"active","updated_at":"<now>"`),
		becomes("all numbers, by null", `{"phone_number_ids":null}`, in, sent, `"description":"old","phone_number_ids":[],"status":"active","updated_at":"<now>"`),
		becomes("paused", `{"status":"paused"}`, in, sent, `"description":"old","phone_number_ids":["${number}"],"status":"paused","updated_at":"<now>"`),
		becomes("all at once", `{"status":"paused","url":"https://other.example","events":["*"],"description":null,"phone_number_ids":null}`, "https://other.example", `["*"]`,
			`"description":null,"phone_number_ids":[],"status":"paused","updated_at":"<now>"`),
		{Name: "resumed", Given: all(given, patched(`{"status":"paused"}`)), Request: patchWebhook(`{"status":"active"}`), Status: http.StatusOK,
			Want: webhookWith(in, sent, `"description":"old","phone_number_ids":["${number}"],"status":"active","updated_at":"<now>"`), Change: changed},
		{Name: "the same again", Given: given, Request: patchWebhook(`{"url":"https://hooks.example/in","events":["message.sent"],"description":"old","phone_number_ids":["${number}"],"status":"active"}`), Status: http.StatusOK},
		refused("nothing", `{}`, "missing_required_field", "url"),
		refused("nothing known", `{"id":"x"}`, "missing_required_field", "url"),
		refused("no url", `{"url":null}`, "invalid_field_value", "url"),
		refused("no events", `{"events":null}`, "invalid_field_value", "events"),
		refused("empty events", `{"events":[]}`, "invalid_field_value", "events"),
		refused("unknown event", `{"events":["x"]}`, "invalid_event_type", "events[0]"),
		refused("event twice", `{"events":["*","*"]}`, "invalid_field_value", "events[1]"),
		refused("bad url", `{"url":"http://hooks.example"}`, "invalid_webhook_url", "url"),
		refused("private url", `{"url":"https://private.example"}`, "invalid_webhook_url", "url"),
		refused("long description", `{"description":"`+strings.Repeat("x", 501)+`"}`, "invalid_field_value", "description"),
		refused("unknown number", `{"phone_number_ids":["123456789"]}`, "invalid_field_value", "phone_number_ids[0]"),
		refused("malformed number", `{"phone_number_ids":["x"]}`, "invalid_field_value", "phone_number_ids[0]"),
		refused("numbers a text", `{"phone_number_ids":"x"}`, "invalid_field_value", "phone_number_ids"),
		refused("disabled by hand", `{"status":"disabled"}`, "invalid_field_value", "status"),
		refused("deleted by hand", `{"status":"deleted"}`, "invalid_field_value", "status"),
		refused("no status", `{"status":null}`, "invalid_field_value", "status"),
		{Name: "unknown", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/webhook_subscriptions/" + noWebhook, Body: `{"status":"paused"}`}, Code: "resource_not_found"},
		{Name: "foreign", Given: foreignWebhook, Request: patchWebhook(`{"status":"paused"}`), Code: "resource_not_found"},
	})
}

func TestDisabledWebhookSubscription(t *testing.T) {
	given := all(hasWebhook(anyWebhook), disabled)
	refused := func(name string, r apitest.Request) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: r, Code: "webhook_subscription_disabled"}
	}
	under := func(method, path string) apitest.Request {
		return apitest.Request{Method: method, Path: "/v1/webhook_subscriptions/${webhook}" + path}
	}
	apitest.RunEach(t, []apitest.Scenario{
		refused("another URL", patchWebhook(`{"url":"https://other.example"}`)),
		refused("a pause", patchWebhook(`{"status":"paused"}`)),
		refused("a description", patchWebhook(`{"description":"x"}`)),
		{Name: "what is wrong in itself", Given: given, Request: patchWebhook(`{"events":["x"]}`), Code: "invalid_event_type", Param: "events[0]"},
		refused("a new secret", under(http.MethodPost, "/secrets")),
		refused("a revoked secret", under(http.MethodDelete, "/secrets/${secret}")),
		refused("a test", under(http.MethodPost, "/test")),
		refused("a bulk replay", apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_deliveries/bulk_replay", Body: `{"subscription_id":"${webhook}"}`}),
		{Name: "revived", Given: given, Request: patchWebhook(`{"status":"active"}`), Status: http.StatusOK,
			Want:   webhookWith("https://hooks.example/in", `["*"]`, `"description":null,"phone_number_ids":[],"status":"active","updated_at":"<now>"`),
			Change: apitest.Changes{"webhook_subscriptions": "~1"}},
		{Name: "revived elsewhere", Given: given, Request: patchWebhook(`{"url":"https://other.example","status":"active"}`), Status: http.StatusOK,
			Want:   webhookWith("https://other.example", `["*"]`, `"description":null,"phone_number_ids":[],"status":"active","updated_at":"<now>"`),
			Change: apitest.Changes{"webhook_subscriptions": "~1"}},
		{Name: "deleted", Given: given, Request: under(http.MethodDelete, ""), Status: http.StatusOK,
			Change: apitest.Changes{"webhook_subscriptions": "~1", "webhook_secrets": "-1"}},
	})
}

func TestDeleteWebhookSubscription(t *testing.T) {
	remove := apitest.Request{Method: http.MethodDelete, Path: "/v1/webhook_subscriptions/${webhook}"}
	given := all(connected, hasWebhook(anyWebhook), func(t *testing.T, c *apitest.Case) {
		c.Make(t, "contact", "/v1/${number}/contacts", `{"phone_number":"+15550001111"}`)
	})
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "what is on its way ends", Given: given, Request: remove, Status: http.StatusOK,
			Want:   `{"data":{"id":"${webhook}","object":"webhook_subscription","deleted":true},"request_id":"<req>"}`,
			Change: apitest.Changes{"webhook_subscriptions": "~1", "webhook_secrets": "-1", "webhook_deliveries": "~1"},
			Then: func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
				var page struct {
					Data []struct {
						Status        string
						ErrorCode     string `json:"error_code"`
						NextAttemptAt any    `json:"next_attempt_at"`
					}
				}
				c.Call(t, apitest.Request{Path: "/v1/webhook_deliveries?subscription_id=${webhook}"}).Decode(t, &page)
				if got := fmt.Sprint(page.Data); got != "[{dead subscription_deleted <nil>}]" {
					t.Errorf("its deliveries are %s", got)
				}
				for _, r := range []apitest.Request{remove, {Path: "/v1/webhook_subscriptions/${webhook}"}, patchWebhook(`{"status":"active"}`)} {
					if f := c.Call(t, r).Failure(t); f.Code != "resource_not_found" {
						t.Errorf("%s %s: got %v", r.Method, r.Path, f)
					}
				}
				c.Make(t, "another", "/v1/${number}/contacts", `{"phone_number":"+15550002222"}`)
				if n := c.Count(t, "webhook_deliveries", c.Org.ID); n != 1 {
					t.Errorf("it got another delivery: %d", n)
				}
			}},
		{Name: "unknown", Request: apitest.Request{Method: http.MethodDelete, Path: "/v1/webhook_subscriptions/" + noWebhook}, Code: "resource_not_found"},
		{Name: "foreign", Given: foreignWebhook, Request: remove, Code: "resource_not_found"},
	})
}

func TestWebhookSubscriptionUpdatedAt(t *testing.T) {
	apitest.EachCase(t, hasWebhook(anyWebhook), func(t *testing.T, c *apitest.Case) {
		last := c.Clock.Now()
		for _, step := range []struct {
			body  string
			moves bool
		}{
			{`{"description":"x"}`, true}, {`{"description":"x"}`, false}, {`{"status":"active"}`, false}, {`{"status":"paused"}`, true},
			{`{"phone_number_ids":null}`, false}, {`{"events":["*"]}`, false}, {`{"events":["message.sent"]}`, true},
		} {
			if now := c.Clock.Advance(time.Second); step.moves {
				last = now
			}
			var got struct {
				UpdatedAt time.Time `json:"updated_at"`
			}
			c.Call(t, patchWebhook(step.body)).RequireStatus(t, http.StatusOK).Data(t, &got)
			if !got.UpdatedAt.Equal(last) {
				t.Errorf("%s: updated_at is %v, want %v", step.body, got.UpdatedAt, last)
			}
		}
	})
}

// The answer to a creation shows a secret. The copy stored for a repetition must not.
func TestWebhookSecretsAreSealed(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		create := newWebhook(anyWebhook)
		create.Header = http.Header{"Idempotency-Key": {"once"}}
		var first, again struct {
			ID            string
			InitialSecret string `json:"initial_secret"`
		}
		c.Call(t, create).RequireStatus(t, http.StatusCreated).Data(t, &first)
		repeated := c.Call(t, create).RequireStatus(t, http.StatusCreated)
		repeated.Data(t, &again)
		if first != again || repeated.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("repeated it says %v, first %v", again, first)
		}
		c.Set("webhook", first.ID)
		mint := apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions/${webhook}/secrets", Header: http.Header{"Idempotency-Key": {"twice"}}}
		var secret struct{ Secret string }
		c.Call(t, mint).RequireStatus(t, http.StatusCreated).Data(t, &secret)
		for _, text := range []string{first.InitialSecret, secret.Secret} {
			if !strings.HasPrefix(text, "whsec_") || len(text) != 38 {
				t.Errorf("the secret is %q", text)
			}
			if found := c.Find(t, c.Org.ID, text); found != "" {
				t.Errorf("the secret can be read in %s", found)
			}
		}
	})
}
