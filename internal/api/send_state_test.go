package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

const (
	notVerified = "whatsapp_number_not_verified"
	upstream    = "upstream_error"
	restricted  = "account_restricted"
)

var (
	aText     = content("text", `{"body":"x"}`)
	aTemplate = content("template", `{"name":"hello","language":"en"}`)
)

func TestSendNeedsANumberThatMaySend(t *testing.T) {
	in := func(status chat.AccountStatus, provider *string) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, Status: status, ProviderStatus: provider})
		}
	}
	forbidden := func(kind chat.Restriction, after time.Duration) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			connected(t, c)
			changeNumber(func(a *chat.Account) {
				a.Restriction = &kind
				if after != 0 {
					a.RestrictedUntil = new(c.Clock.Now().Add(after))
				}
			})(t, c)
		}
	}
	owned := func(status string) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			hasCustomer(t, c)
			connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, CustomerID: new(c.Get("customer"))})
			c.Exec(t, "UPDATE customers SET status = $1 WHERE org_id = $2", status, c.Org.ID)
		}
	}
	ok := func(name, body string, given func(*testing.T, *apitest.Case)) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: post(body), Status: http.StatusOK, Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}}
	}
	no := func(name, body, code string, given func(*testing.T, *apitest.Case)) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: post(body), Code: code}
	}
	const all, opening, answering = chat.RestrictAll, chat.RestrictBusiness, chat.RestrictCustomer
	apitest.RunEach(t, []apitest.Scenario{
		ok("connected", aText, in(chat.AccountConnected, new("CONNECTED"))),
		ok("connected, with a provider status we do not know", aText, in(chat.AccountConnected, new("FLAGGED"))),
		no("onboarding", aText, notVerified, in(chat.AccountOnboarding, nil)),
		no("onboarding, connected at the provider", aText, notVerified, in(chat.AccountOnboarding, new("CONNECTED"))),
		no("unverified", aText, notVerified, in(chat.AccountConnected, new("UNVERIFIED"))),
		no("pending", aText, notVerified, in(chat.AccountConnected, new("PENDING"))),
		no("disconnected", aText, upstream, in(chat.AccountDisconnected, nil)),
		no("disconnected and unverified", aText, notVerified, in(chat.AccountDisconnected, new("UNVERIFIED"))),
		no("degraded", aText, upstream, in(chat.AccountDegraded, new("CONNECTED"))),
		no("restricted: a text", aText, restricted, forbidden(all, 0)),
		no("restricted: a template", aTemplate, restricted, forbidden(all, time.Millisecond)),
		no("may not open conversations: a template", aTemplate, restricted, forbidden(opening, 0)),
		ok("may not open conversations: a text", aText, forbidden(opening, 0)),
		no("may not answer: a text", aText, restricted, forbidden(answering, time.Hour)),
		ok("may not answer: a template", aTemplate, forbidden(answering, time.Hour)),
		ok("was restricted until this instant", aText, forbidden(all, -1)),
		ok("of an active customer", aText, owned("active")),
		ok("of a customer that is being set up", aText, owned("pending")),
		no("of a suspended customer", aText, "customer_suspended", owned("suspended")),
		no("of an archived customer", aText, "customer_suspended", owned("archived")),
	})
}

// Everything is wrong at first, and is fixed in the order in which it is reported.
func TestSendChecksInOrder(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		plan := s.NewPlan(t, core.PlanPatch{API: new(true), MonthlyMessages: new(int64(0))})
		s.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Plan: &plan, Subscription: new(chat.SubscriptionInactive)})
		hasCustomer(t, c)
		c.Exec(t, "UPDATE customers SET status = 'suspended' WHERE org_id = $1", c.Org.ID)
		connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, CustomerID: new(c.Get("customer")), Status: chat.AccountOnboarding})
		changeNumber(func(a *chat.Account) { a.Restriction = new(chat.RestrictAll) })(t, c)

		body := content("image", `{"id":"med_00000000000000000000000000","caption":5}`)
		refused := func(code, param string) {
			t.Helper()
			s.Unchanged(t, c.Org.ID, func() { c.Call(t, post(body)).RequireFailure(t, code, param) })
		}
		refused("subscription_inactive", "")
		s.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Subscription: new(chat.SubscriptionActive)})
		refused("invalid_field_value", "image.caption")
		body = content("image", `{"id":"med_00000000000000000000000000"}`)
		refused(notVerified, "")
		changeNumber(func(a *chat.Account) { a.Status = chat.AccountDisconnected })(t, c)
		refused(upstream, "")
		changeNumber(func(a *chat.Account) { a.Status = chat.AccountConnected })(t, c)
		refused(restricted, "")
		changeNumber(func(a *chat.Account) { a.Restriction = nil })(t, c)
		refused("customer_suspended", "")
		c.Exec(t, "UPDATE customers SET status = 'active' WHERE org_id = $1", c.Org.ID)
		refused("quota_exceeded", "")
		s.SetPlan(t, plan, core.PlanPatch{MonthlyMessages: new(int64(1))})
		refused(noMedia, "image.id") // and takes nothing of the quota
		body = content("image", `{"link":"https://a.b/c.png"}`)
		c.Call(t, post(body)).RequireStatus(t, http.StatusOK)
		refused("quota_exceeded", "")
	})
}

// Each month has its quota. Without a limit nothing is counted.
func TestSendQuota(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		plan := c.NewPlan(t, core.PlanPatch{API: new(true), MonthlyMessages: new(int64(2))})
		c.Call(t, post(aText)).RequireStatus(t, http.StatusOK)
		c.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Plan: &plan})
		for range 2 {
			c.Call(t, post(aText)).RequireStatus(t, http.StatusOK)
		}
		exceeded := func() {
			t.Helper()
			c.Unchanged(t, c.Org.ID, func() { c.Call(t, post(aText)).RequireFailure(t, "quota_exceeded", "") })
		}
		exceeded()
		c.Clock.Set(time.Date(2026, time.March, 31, 23, 59, 59, 0, time.UTC))
		exceeded()
		c.Clock.Set(time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC))
		c.Call(t, post(aText)).RequireStatus(t, http.StatusOK)
		c.SetPlan(t, plan, core.PlanPatch{MonthlyMessages: new(int64(1))})
		exceeded()
		c.SetPlan(t, plan, core.PlanPatch{MonthlyMessages: new(int64(-1))})
		c.Call(t, post(aText)).RequireStatus(t, http.StatusOK)
	})
}

func TestSendIsIdempotent(t *testing.T) {
	const path = "/v1/${number}/messages"
	kept := apitest.Changes{"idempotency": "+1"}
	sentOnce := all(connected, first(under("k", path, aText)))
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "first", Given: connected, Request: under("k", path, aText), Status: http.StatusOK, Header: fresh,
			Change: apitest.Changes{"messages": "+1", "contacts": "+1", "conversations": "+1", "send_jobs": "+1", "idempotency": "+1"},
			Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "again", Given: sentOnce, Request: under("k", path, aText), Status: http.StatusOK, Header: replayed, Then: sameBody},
		{Name: "again in another order", Given: sentOnce, Request: under("k", path, `{"text":{"body":"x"},"type":"text","to":"+15550001111","messaging_product":"chat"}`), Status: http.StatusOK, Header: replayed, Then: sameBody},
		{Name: "another message", Given: sentOnce, Request: under("k", path, content("text", `{"body":"y"}`)), Code: reuse, Param: "Idempotency-Key"},
		{Name: "to another person", Given: sentOnce, Request: under("k", path, `{"messaging_product":"chat","to":"+15550002222","type":"text","text":{"body":"x"}}`), Code: reuse, Param: "Idempotency-Key"},
		{Name: "a bad body is kept", Given: connected, Request: under("k", path, content("text", `{}`)), Code: missing, Param: "text.body", Header: fresh, Change: kept},
		{Name: "a bad body comes again", Given: all(connected, first(under("k", path, content("text", `{}`)))), Request: under("k", path, content("text", `{}`)), Code: missing, Param: "text.body", Header: replayed, Then: sameBody},
		{Name: "a refusal is kept", Given: disconnected, Request: under("k", path, aText), Code: upstream, Header: fresh, Change: kept},
		{Name: "a refusal comes again when nothing speaks against it any more", Given: all(disconnected, first(under("k", path, aText)), changeNumber(func(a *chat.Account) { a.Status = chat.AccountConnected })),
			Request: under("k", path, aText), Code: upstream, Header: replayed, Then: sameBody},
		{Name: "unknown media is kept", Given: connected, Request: under("k", path, content("audio", `{"id":"x"}`)), Code: noMedia, Param: "audio.id", Header: fresh, Change: kept},
		{Name: "a bad key", Given: connected, Request: under("", path, aText), Code: bad, Param: "Idempotency-Key"},
	})
}

func disconnected(t *testing.T, c *apitest.Case) {
	connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, Status: chat.AccountDisconnected})
}
