package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// addLabel is an effect that must be rolled back when the probe fails.
func addLabel(tx *store.Tx, orgID string) error {
	_, err := core.CreateLabel(tx, orgID, chat.NewLabel{Name: "from a hook"})
	return err
}

func TestHealth(t *testing.T) {
	const ok = `{"data":{"status":"ok"},"request_id":"<req>"}`
	health := apitest.Request{Path: "/v1/health"}
	withKey := func(key string) apitest.Request {
		return apitest.Request{Path: "/v1/health", Header: http.Header{"Authorization": {key}}}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "without a key", Request: health, Anonymous: true, Status: http.StatusOK, Want: ok},
		{Name: "with a key", Request: health, Status: http.StatusOK, Want: ok},
		{Name: "with a bad key", Request: withKey("Bearer x"), Anonymous: true, Status: http.StatusOK, Want: ok},
		{Name: "of a suspended organization", Given: suspended, Request: health, Status: http.StatusOK, Want: ok},
		{Name: "HEAD", Request: apitest.Request{Method: http.MethodHead, Path: "/v1/health"}, Anonymous: true, Status: http.StatusOK},
	})
}

func TestUnexpectedFailures(t *testing.T) {
	failing := map[string]struct {
		fail func() error
		code string
	}{
		"a panic":            {func() error { panic("secret goroutine panic") }, "internal_error"},
		"a nil dereference":  {func() error { var p *int; *p = 1; return nil }, "internal_error"},
		"an aborted handler": {func() error { panic(http.ErrAbortHandler) }, "internal_error"},
		"an unknown error":   {func() error { return errors.New("pgx: secret") }, "internal_error"},
		"a row not found":    {func() error { return store.ErrNotFound }, "internal_error"},
		"a duplicate":        {func() error { return store.ErrDuplicate }, "internal_error"},
		"store unavailable":  {func() error { return fmt.Errorf("%w: secret", store.ErrUnavailable) }, "service_unavailable"},
		"store closed":       {func() error { return store.ErrClosed }, "service_unavailable"},
		"deadline":           {func() error { return context.DeadlineExceeded }, "service_unavailable"},
		"cancelled":          {func() error { return context.Canceled }, "service_unavailable"},
		"a wrapped refusal":  {func() error { return fmt.Errorf("outer: %w", chat.Invalid("name", "No.")) }, "invalid_field_value"},
	}
	hooks := api.Hooks{}
	var scenarios []apitest.Scenario
	for name, f := range failing {
		hooks[name] = func(context.Context, *store.Tx) error { return f.fail() }
		hooks[name+" after a change"] = func(_ context.Context, tx *store.Tx) error {
			orgs, err := tx.Organizations()
			if err != nil {
				return err
			}
			for _, org := range orgs {
				if err := addLabel(tx, org.ID); err != nil {
					return err
				}
			}
			return f.fail()
		}
		param := map[string]string{"invalid_field_value": "name"}[f.code]
		recovers := func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
			c.Call(t, newLabel(`{"name":"after"}`)).RequireStatus(t, http.StatusCreated)
		}
		scenarios = append(scenarios,
			apitest.Scenario{Name: name + " in a read", Request: apitest.Request{Path: "/v1/probe?hook=" + url.QueryEscape(name)}, Code: f.code, Param: param, Then: recovers},
			apitest.Scenario{Name: name + " in a write", Request: probeWith(`"hook":"` + name + `"`), Code: f.code, Param: param, Then: recovers},
			apitest.Scenario{Name: name + " after a change", Request: probeWith(`"hook":"` + name + ` after a change"`), Code: f.code, Param: param, Then: recovers},
		)
	}
	apitest.RunEach(t, scenarios, api.Probes(hooks))
}

// Every path answers 503 while its store is away, and works again when the store is back.
func TestStoreAway(t *testing.T) {
	t.Parallel()
	w, place := wiredStore(t)
	s := apitest.StartAt(t, place)
	c := s.NewCase(t)
	c.Make(t, "label", "/v1/labels", `{"name":"x"}`)
	requests := []apitest.Request{
		{Path: "/v1/health"}, {Path: "/v1/me"}, {Path: "/v1/labels"}, {Path: "/v1/labels/${label}"}, newLabel(`{"name":"y"}`),
		{Path: "/v1/nothing"}, {Method: http.MethodPut, Path: "/v1/labels"},
		{Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: `{"color":"red"}`},
		{Method: http.MethodPost, Path: "/v1/labels", Body: `{"name":"z"}`, Header: http.Header{"Idempotency-Key": {"k"}}},
	}
	w.Cut()
	for _, r := range requests {
		c.Call(t, r).RequireFailure(t, "service_unavailable", "")
	}
	s.Do(t, apitest.Request{Path: "/v1/openapi.json"}).RequireStatus(t, http.StatusOK)
	s.Do(t, apitest.Request{Path: "/v1/labels"}).RequireFailure(t, "missing_api_key", "")
	s.Do(t, apitest.Request{Path: "/nothing"}).RequireFailure(t, "resource_not_found", "")

	w.Mend()
	for _, r := range requests {
		if got := c.Call(t, r); got.Status == http.StatusServiceUnavailable {
			t.Errorf("%s %s still answers %s", r.Method, r.Path, got.Body)
		}
	}
	if got := getPage(t, s, c.Org.Key, "").ids(); len(got) != 3 {
		t.Errorf("there are %d labels", len(got))
	}
}

func TestClosedStore(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		s := apitest.Start(t, engine)
		org := s.NewOrg(t)
		list := apitest.Request{Path: "/v1/labels", Key: org.Key}
		s.Do(t, list).RequireStatus(t, http.StatusOK)
		must(t, s.Store.Close())
		s.Do(t, list).RequireFailure(t, "service_unavailable", "")
		s.Do(t, apitest.Request{Path: "/v1/health"}).RequireFailure(t, "service_unavailable", "")
		create := newLabel(`{"name":"x"}`)
		create.Key = org.Key
		s.Do(t, create).RequireFailure(t, "service_unavailable", "")
	})
}

func TestOverload(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		requests := []apitest.Request{{Path: "/v1/health"}, {Path: "/v1/labels"}, newLabel(`{"name":"x"}`), {Path: "/v1/nothing"}, {Path: "/v1/openapi.json"}}
		release := s.API.FillSlots()
		s.Unchanged(t, c.Org.ID, func() {
			for _, r := range requests {
				c.Call(t, r).RequireFailure(t, "service_unavailable", "")
			}
		})
		release()
		for _, r := range requests {
			if got := c.Call(t, r); got.Status == http.StatusServiceUnavailable {
				t.Errorf("%s still answers %s", r.Path, got.Body)
			}
		}
	})
}

// A crowded organization does not affect others.
func TestCrowdedOrganization(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		crowded, other := s.NewOrg(t), s.NewOrg(t)
		list := func(org apitest.Org) *apitest.Response {
			return s.Do(t, apitest.Request{Path: "/v1/labels", Key: org.Key})
		}
		release := s.API.Crowd(crowded.ID, api.MaxPerOrg-1)
		list(crowded).RequireStatus(t, http.StatusOK) // there is one place left
		last := s.API.Crowd(crowded.ID, 1)
		list(crowded).RequireFailure(t, "service_unavailable", "")
		list(other).RequireStatus(t, http.StatusOK)
		s.Do(t, apitest.Request{Path: "/v1/health"}).RequireStatus(t, http.StatusOK)
		last()
		list(crowded).RequireStatus(t, http.StatusOK)
		release()
		if n := s.API.CrowdSize(); n != 0 {
			t.Errorf("%d organizations are still counted", n)
		}
	})
}
