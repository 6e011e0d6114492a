package api

import (
	"context"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
)

func registerMeta(a *API) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/health", ID: "getHealth", Tag: "Meta",
		Summary:     "Tell whether the service can work",
		Description: "For load balancers and monitors: 200 while the store answers, 503 otherwise and while this node is stopping. It needs no key.", Open: true,
	}, a.health)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/me", ID: "getMe", Tag: "Meta",
		Summary:     "Introspect the calling key",
		Description: "Lists the organization's teams, whose ids team-scoped writes take. Answers also when the subscription has lapsed or the plan lacks the API.",
		Always:      true,
	}, a.me)

	a.surface.ServeDocument(rest.Operation{
		Method: http.MethodGet, Path: "/openapi.json", ID: "getOpenAPI", Tag: "Meta",
		Summary:     "This description",
		Description: "It needs no key, and carries an ETag: tools can ask whether it has changed.",
	})
}

type noInput struct{}

type healthView struct {
	Status string `json:"status" enum:"ok"`
}

const healthTimeout = 3 * time.Second

func (a *API) health(c *rest.Call, _ *noInput) (healthView, error) {
	if a.stopping != nil && a.stopping() {
		return healthView{}, chat.Fail(chat.CodeServiceUnavailable, "This node is stopping.")
	}
	ctx, cancel := context.WithTimeout(c.Ctx, healthTimeout)
	defer cancel()
	if err := a.store.Writable(ctx); err != nil {
		a.log.Warn("health check failed", "error", err)
		return healthView{}, chat.Fail(chat.CodeServiceUnavailable, "The store takes no writes at the moment.")
	}
	return healthView{Status: "ok"}, nil
}

type meView struct {
	Object       string         `json:"object" enum:"api_key_context"`
	Organization organizationMe `json:"organization"`
	APIKey       apiKeyMe       `json:"api_key"`
	RateLimits   rateLimitsMe   `json:"rate_limits"`
	Teams        []teamMe       `json:"teams"`
}

type organizationMe struct {
	ID                 rest.OrganizationID `json:"id"`
	Object             string              `json:"object" enum:"organization"`
	Name               string              `json:"name"`
	Plan               string              `json:"plan"`
	SubscriptionStatus string              `json:"subscription_status" enum:"active,trialing,inactive"`
}

type apiKeyMe struct {
	ID        rest.KeyID    `json:"id"`
	Object    string        `json:"object" enum:"api_key"`
	Name      string        `json:"name"`
	Last4     string        `json:"last4"`
	CreatedAt rest.Instant  `json:"created_at"`
	ExpiresAt *rest.Instant `json:"expires_at" nullable:"true"`
}

type rateLimitsMe struct {
	WritePerMinute int64 `json:"write_per_minute"`
	ReadPerMinute  int64 `json:"read_per_minute"`
}

type teamMe struct {
	ID     rest.TeamID `json:"id"`
	Object string      `json:"object" enum:"team"`
	Name   string      `json:"name"`
}

func (a *API) me(c *rest.Call, _ *noInput) (meView, error) {
	teams, err := c.Read().Teams(c.OrgID())
	if err != nil {
		return meView{}, err
	}
	view := viewMe(c.Caller, c.Now())
	for _, t := range teams {
		view.Teams = append(view.Teams, teamMe{ID: rest.TeamID(t.ID), Object: "team", Name: t.Name})
	}
	return view, nil
}

func viewMe(k rest.Caller, now time.Time) meView {
	org := k.Organization
	return meView{
		Object: "api_key_context",
		Organization: organizationMe{ID: rest.OrganizationID(org.ID), Object: "organization", Name: org.Name, Plan: org.Plan,
			SubscriptionStatus: string(org.SubscriptionAt(now))},
		APIKey: apiKeyMe{ID: rest.KeyID(k.Key.ID), Object: "api_key", Name: k.Key.Name, Last4: k.Key.Last4,
			CreatedAt: rest.Instant(k.Key.CreatedAt), ExpiresAt: rest.InstantPtr(k.Key.ExpiresAt)},
		RateLimits: rateLimitsMe{WritePerMinute: k.Plan.WritePerMinute, ReadPerMinute: k.Plan.ReadPerMinute},
	}
}
