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
)

func onPlan(plan string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		c.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Plan: &plan})
	}
}

func suspended(t *testing.T, c *apitest.Case) {
	c.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Suspended: new(true)})
}

func inactive(t *testing.T, c *apitest.Case) {
	c.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Subscription: new(chat.SubscriptionInactive)})
}

func all(steps ...func(*testing.T, *apitest.Case)) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		for _, step := range steps {
			step(t, c)
		}
	}
}

const me = `{"data":{"object":"api_key_context",
	"organization":{"id":"${org}","object":"organization","name":"<text>","plan":"PLAN","subscription_status":"STATUS"},
	"api_key":{"id":"${key_id}","object":"api_key","name":"test","last4":"${last4}","created_at":"<now>","expires_at":null},
	"rate_limits":{"write_per_minute":WRITE,"read_per_minute":READ},
	"teams":[{"id":"${team}","object":"team","name":"General"}]},"request_id":"<req>"}`

func meAs(plan, status, write, read string) string {
	return strings.NewReplacer("PLAN", plan, "STATUS", status, "WRITE", write, "READ", read).Replace(me)
}

func setLast4(_ *testing.T, c *apitest.Case) { c.Set("last4", c.Org.Key[len(c.Org.Key)-4:]) }

func TestMe(t *testing.T) {
	get := apitest.Request{Path: "/v1/me"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "default plan", Given: setLast4, Request: get, Status: http.StatusOK, Want: meAs("enterprise", "active", "600000", "6000000")},
		{Name: "business", Given: all(setLast4, onPlan("business")), Request: get, Status: http.StatusOK, Want: meAs("business", "active", "6000", "60000")},
		{Name: "pro", Given: all(setLast4, onPlan("pro")), Request: get, Status: http.StatusOK, Want: meAs("pro", "active", "600", "6000")},
		{Name: "without the API", Given: all(setLast4, onPlan("starter")), Request: get, Status: http.StatusOK, Want: meAs("starter", "active", "60", "600")},
		{Name: "lapsed", Given: all(setLast4, inactive), Request: get, Status: http.StatusOK, Want: meAs("enterprise", "inactive", "600000", "6000000")},
		{Name: "lapsed and without the API", Given: all(setLast4, inactive, onPlan("starter")), Request: get, Status: http.StatusOK, Want: meAs("starter", "inactive", "60", "600")},
		{Name: "suspended", Given: suspended, Request: get, Code: "organization_suspended"},
		{Name: "HEAD", Request: apitest.Request{Method: http.MethodHead, Path: "/v1/me"}, Status: http.StatusOK, Header: map[string]string{"Content-Type": "application/json"}},
		{Name: "unknown parameters", Given: setLast4, Request: apitest.Request{Path: "/v1/me?expand=teams&limit=0&cursor=x"}, Status: http.StatusOK, Want: meAs("enterprise", "active", "600000", "6000000")},
	})
}

func TestMeShowsTheCallingKeyAndAllTeams(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		s.NewOrg(t) // whose team must not show
		end := s.Clock.Now().Add(36 * time.Hour)
		id, text := s.NewKey(t, org.ID, &end)
		second := s.NewTeam(t, org.ID, "Zweites Team ✓")
		var got struct {
			APIKey struct {
				ID        string
				ExpiresAt string `json:"expires_at"`
			} `json:"api_key"`
			Teams []struct{ ID, Name string }
		}
		s.Do(t, apitest.Request{Path: "/v1/me", Key: text}).RequireStatus(t, http.StatusOK).Data(t, &got)
		if got.APIKey.ID != id || got.APIKey.ExpiresAt != chat.FormatTime(end) {
			t.Errorf("the key is %+v", got.APIKey)
		}
		if len(got.Teams) != 2 || got.Teams[0].ID != org.Team.ID || got.Teams[1].ID != second.ID || got.Teams[1].Name != second.Name {
			t.Errorf("the teams are %+v", got.Teams)
		}
	})
}

func TestGates(t *testing.T) {
	list := apitest.Request{Path: "/v1/labels"}
	create := apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Body: `{"name":"x"}`}
	broken := apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Body: `{`, Header: http.Header{"Idempotency-Key": {""}}}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "suspended, reading", Given: suspended, Request: list, Code: "organization_suspended"},
		{Name: "suspended, writing", Given: suspended, Request: create, Code: "organization_suspended"},
		{Name: "suspended, a broken request", Given: suspended, Request: broken, Code: "organization_suspended"},
		{Name: "suspended, an unknown path", Given: suspended, Request: apitest.Request{Path: "/v1/nothing"}, Code: "resource_not_found"},
		{Name: "suspended, a wrong method", Given: suspended, Request: apitest.Request{Method: http.MethodPut, Path: "/v1/labels"}, Code: "method_not_allowed"},
		{Name: "suspended, a missing label", Given: suspended, Request: apitest.Request{Path: "/v1/labels/lbl_00000000000000000000000000"}, Code: "organization_suspended"},
		{Name: "suspended before plan and bill", Given: all(onPlan("starter"), inactive, suspended), Request: list, Code: "organization_suspended"},
		{Name: "without the API, reading", Given: onPlan("starter"), Request: list, Code: "feature_not_available"},
		{Name: "without the API, writing", Given: onPlan("starter"), Request: create, Code: "feature_not_available"},
		{Name: "without the API, a broken request", Given: onPlan("starter"), Request: broken, Code: "feature_not_available"},
		{Name: "plan before bill", Given: all(onPlan("starter"), inactive), Request: list, Code: "feature_not_available"},
		{Name: "inactive, reading", Given: inactive, Request: list, Code: "subscription_inactive"},
		{Name: "inactive, writing", Given: inactive, Request: create, Code: "subscription_inactive"},
		{Name: "inactive, a broken request", Given: inactive, Request: broken, Code: "subscription_inactive"},
		{Name: "inactive, a missing label", Given: inactive, Request: apitest.Request{Path: "/v1/labels/lbl_00000000000000000000000000"}, Code: "subscription_inactive"},
		{Name: "inactive, a bad limit", Given: inactive, Request: apitest.Request{Path: "/v1/labels?limit=0"}, Code: "subscription_inactive"},
	})
}

func TestTrialEndsAtItsInstant(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		end := s.Clock.Now().Add(time.Hour)
		s.UpdateOrg(t, org.ID, core.OrganizationPatch{Subscription: new(chat.SubscriptionTrialing), TrialEndsAt: &end})
		list := apitest.Request{Path: "/v1/labels", Key: org.Key}
		requireSubscription := func(want string) {
			t.Helper()
			var me struct {
				Organization struct {
					Status string `json:"subscription_status"`
				}
			}
			s.Do(t, apitest.Request{Path: "/v1/me", Key: org.Key}).RequireStatus(t, http.StatusOK).Data(t, &me)
			if me.Organization.Status != want {
				t.Errorf("the subscription reads %s, want %s", me.Organization.Status, want)
			}
		}

		s.Clock.Advance(time.Hour - time.Millisecond)
		s.Do(t, list).RequireStatus(t, http.StatusOK)
		requireSubscription("trialing")
		s.Clock.Advance(time.Millisecond)
		s.Do(t, list).RequireFailure(t, "subscription_inactive", "")
		requireSubscription("inactive")

		s.UpdateOrg(t, org.ID, core.OrganizationPatch{Subscription: new(chat.SubscriptionActive)})
		s.Do(t, list).RequireStatus(t, http.StatusOK)
	})
}

func TestTrialWithoutAnEndGoesOn(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		s.UpdateOrg(t, org.ID, core.OrganizationPatch{Subscription: new(chat.SubscriptionTrialing)})
		s.Clock.Advance(10 * 365 * 24 * time.Hour)
		s.Do(t, apitest.Request{Path: "/v1/labels", Key: org.Key}).RequireStatus(t, http.StatusOK)
	})
}

// One organization has every trouble at once; they are cleared in the contract's order, and each
// step shows the next one.
func TestOrderOfTheGates(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrgOn(t, s.NewPlan(t, apitest.Limits(1, 1)))
		request := apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Key: org.Key, Body: "{"}
		s.Do(t, request).RequireFailure(t, "invalid_json", "") // takes the only token
		plan := s.NewPlan(t, core.PlanPatch{WritePerMinute: new(int64(1))})
		s.UpdateOrg(t, org.ID, core.OrganizationPatch{
			Plan: &plan, Suspended: new(true), Subscription: new(chat.SubscriptionInactive),
		})

		s.Do(t, request).RequireFailure(t, "organization_suspended", "")
		s.UpdateOrg(t, org.ID, core.OrganizationPatch{Suspended: new(false)})
		s.Do(t, request).RequireFailure(t, "feature_not_available", "")
		s.SetPlan(t, plan, core.PlanPatch{API: new(true)})
		s.Do(t, request).RequireFailure(t, "rate_limit_exceeded", "")
		s.Clock.Advance(time.Minute)
		s.Do(t, request).RequireFailure(t, "subscription_inactive", "")
		s.UpdateOrg(t, org.ID, core.OrganizationPatch{Subscription: new(chat.SubscriptionActive)})
		s.Do(t, request).RequireFailure(t, "rate_limit_exceeded", "") // the refusal before took the token
		s.Clock.Advance(time.Minute)
		request.Header = http.Header{"Idempotency-Key": {""}}
		s.Do(t, request).RequireFailure(t, "invalid_field_value", "Idempotency-Key")
	})
}

func TestLongURLIsRefused(t *testing.T) {
	pad := func(path string, length int) apitest.Request {
		return apitest.Request{Path: path + strings.Repeat("x", length-len(path))}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "as long as may be", Request: pad("/v1/labels?pad=", api.MaxURL), Status: http.StatusOK},
		{Name: "longer", Request: pad("/v1/labels?pad=", api.MaxURL+1), Code: "invalid_field_value", Param: "url"},
		{Name: "a long id", Request: pad("/v1/labels/", api.MaxURL+1), Code: "invalid_field_value", Param: "url"},
		{Name: "open", Request: pad("/v1/health?pad=", api.MaxURL+1), Code: "invalid_field_value", Param: "url"},
		{Name: "an unknown path", Request: pad("/v1/nothing/", api.MaxURL+1), Code: "resource_not_found"},
		{Name: "outside", Request: pad("/", api.MaxURL+1), Code: "resource_not_found"},
	})
}
