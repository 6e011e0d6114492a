package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

func registerMeta(a *API) {
	read(a, operation{
		method: http.MethodGet, path: "/health", id: "getHealth", tag: "Meta",
		summary:     "Tell whether the service can work",
		description: "For load balancers and monitors: 200 while the store answers, 503 otherwise. It needs no key.", open: true,
	}, a.health)

	read(a, operation{
		method: http.MethodGet, path: "/me", id: "getMe", tag: "Meta",
		summary:     "Introspect the calling key",
		description: "Lists the organization's teams, whose ids team-scoped writes take. Answers also when the subscription has lapsed or the plan lacks the API.",
		always:      true,
	}, a.me)

	op := operation{
		method: http.MethodGet, path: "/openapi.json", id: "getOpenAPI", tag: "Meta",
		summary:     "This description",
		description: "It needs no key, and carries an ETag: tools can ask whether it has changed.", open: true, conditional: true, input: &inputBinder{},
	}
	op.handle = a.openAPI
	add[struct{}, openAPIView](a, &op)
}

type noInput struct{}

type healthView struct {
	Status string `json:"status" enum:"ok"`
}

const healthTimeout = 3 * time.Second

func (a *API) health(c *call, _ *noInput) (healthView, error) {
	ctx, cancel := context.WithTimeout(c.ctx, healthTimeout)
	defer cancel()
	if err := a.store.Writable(ctx); err != nil {
		a.log.Warn("health check failed", "error", err)
		return healthView{}, chat.Fail(chat.CodeServiceUnavailable, "The store takes no writes at the moment.")
	}
	return healthView{Status: "ok"}, nil
}

// openAPIView is any OpenAPI document.
type openAPIView struct{}

// Schema describes it only in so far as tools need it to recognize one.
func (openAPIView) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"openapi"}, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{"openapi": {Type: huma.TypeString}}}
}

// openAPI serves the description as it is: it has no envelope, because tools read it.
func (a *API) openAPI(c *call) (answer, error) {
	c.w.Header().Set("Cache-Control", "public, max-age=60")
	document := a.document.written()
	if c.unchanged(document.tag) {
		return answer{status: http.StatusNotModified}, nil
	}
	return answer{status: http.StatusOK, body: document.text}, nil
}

type meView struct {
	Object       string         `json:"object" enum:"api_key_context"`
	Organization organizationMe `json:"organization"`
	APIKey       apiKeyMe       `json:"api_key"`
	RateLimits   rateLimitsMe   `json:"rate_limits"`
	Teams        []teamMe       `json:"teams"`
}

type organizationMe struct {
	ID                 string `json:"id" pattern:"^org_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object             string `json:"object" enum:"organization"`
	Name               string `json:"name"`
	Plan               string `json:"plan"`
	SubscriptionStatus string `json:"subscription_status" enum:"active,trialing,inactive"`
}

type apiKeyMe struct {
	ID        string   `json:"id" pattern:"^key_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object    string   `json:"object" enum:"api_key"`
	Name      string   `json:"name"`
	Last4     string   `json:"last4"`
	CreatedAt instant  `json:"created_at"`
	ExpiresAt *instant `json:"expires_at" nullable:"true"`
}

type rateLimitsMe struct {
	WritePerMinute int64 `json:"write_per_minute"`
	ReadPerMinute  int64 `json:"read_per_minute"`
}

type teamMe struct {
	ID     string `json:"id" pattern:"^team_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object string `json:"object" enum:"team"`
	Name   string `json:"name"`
}

func (a *API) me(c *call, _ *noInput) (meView, error) {
	teams, err := a.store.Read(c.ctx).Teams(c.key.Key.OrgID)
	if err != nil {
		return meView{}, err
	}
	view := viewMe(c.key, a.store.Now())
	for _, t := range teams {
		view.Teams = append(view.Teams, teamMe{ID: t.ID, Object: "team", Name: t.Name})
	}
	return view, nil
}

func viewMe(k store.KeyContext, now time.Time) meView {
	org := k.Organization
	return meView{
		Object: "api_key_context",
		Organization: organizationMe{ID: org.ID, Object: "organization", Name: org.Name, Plan: org.Plan,
			SubscriptionStatus: string(org.SubscriptionAt(now))},
		APIKey: apiKeyMe{ID: k.Key.ID, Object: "api_key", Name: k.Key.Name, Last4: k.Key.Last4,
			CreatedAt: instant(k.Key.CreatedAt), ExpiresAt: instantPtr(k.Key.ExpiresAt)},
		RateLimits: rateLimitsMe{WritePerMinute: k.Plan.WritePerMinute, ReadPerMinute: k.Plan.ReadPerMinute},
	}
}
