package api_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

func TestCallsAreLogged(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		second, text := s.NewKey(t, org.ID, nil)
		revoked, revokedText := s.NewKey(t, org.ID, nil)
		s.RevokeKey(t, revoked)
		expired, expiredText := s.NewKey(t, org.ID, new(s.Clock.Now().Add(time.Minute)))
		s.Clock.Advance(time.Minute)
		do := func(r apitest.Request) string { return s.Do(t, r).Header.Get("X-Request-Id") }
		want := []store.APICall{
			{Method: "GET", Path: "/v1/labels", Route: "/labels", Status: http.StatusOK, KeyID: org.KeyID,
				RequestID: do(apitest.Request{Path: "/v1/labels?limit=3", Key: org.Key})},
			{Method: "POST", Path: "/v1/labels", Route: "/labels", Status: http.StatusBadRequest, KeyID: second, Code: "invalid_json",
				RequestID: do(apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Key: text, Body: "{"})},
			{Method: "ABCDEFGHIJKLMNOP", Path: "/v1/a%00%FFb", Status: http.StatusNotFound, KeyID: org.KeyID, Code: "resource_not_found",
				RequestID: do(apitest.Request{Method: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", Path: "/v1/a%00%FFb", Key: org.Key})},
			{Method: "GET", Path: "/v1/labels", Status: http.StatusUnauthorized, KeyID: revoked, Code: "revoked_api_key",
				RequestID: do(apitest.Request{Path: "/v1/labels", Key: revokedText})},
			{Method: "GET", Path: "/v1/labels", Status: http.StatusUnauthorized, KeyID: expired, Code: "expired_api_key",
				RequestID: do(apitest.Request{Path: "/v1/labels", Key: expiredText})},
		}
		made := s.Do(t, apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Key: org.Key, Body: `{"name":"new"}`}).RequireStatus(t, http.StatusCreated)
		var label struct{ ID string }
		made.Data(t, &label)
		want = append(want, store.APICall{Method: "POST", Path: "/v1/labels", Route: "/labels", Status: http.StatusCreated, KeyID: org.KeyID,
			RequestID: made.Header.Get("X-Request-Id"), Made: label.ID})
		do(apitest.Request{Path: "/v1/labels"})                 // without a key: not logged
		do(apitest.Request{Path: "/v1/health", Key: org.Key})   // open operation: the key is not read
		other := s.NewOrg(t)                                    //
		do(apitest.Request{Path: "/v1/labels", Key: other.Key}) // another organization's

		s.API.Stop(context.Background()) // writes what is held back
		got, err := s.Store.Read(t.Context()).APICalls(org.ID, store.CallFilter{}, store.Page{Limit: 100})
		must(t, err)
		for i := range want {
			want[i].OrgID, want[i].IP = org.ID, "127.0.0.1"
		}
		slices.Reverse(want) // newest first
		if d := cmp.Diff(want, got.Rows, cmpopts.IgnoreFields(store.APICall{}, "Latency", "Message")); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		for _, call := range got.Rows {
			if call.Latency <= 0 {
				t.Errorf("%s took %v", call.Path, call.Latency)
			}
			if failed := call.Status >= http.StatusBadRequest; failed != (call.Message != "") {
				t.Errorf("%s was answered with %d and %q", call.Path, call.Status, call.Message)
			}
		}
	})
}

// The last use of a key is accurate to the minute, because a busy key writes once a minute.
func TestKeyUses(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		first := s.Clock.Now()
		s.Do(t, apitest.Request{Path: "/v1/labels", Key: org.Key})
		s.Clock.Advance(2 * time.Minute)
		last := s.Clock.Now()
		s.Do(t, apitest.Request{Path: "/v1/labels", Key: org.Key})
		s.API.Stop(context.Background())
		uses, err := s.Store.Read(t.Context()).KeyUses(org.ID)
		if err != nil || len(uses) != 1 {
			t.Fatalf("uses are %v: %v", uses, err)
		}
		if at := uses[org.KeyID]; at.Before(first) || last.Sub(at) > time.Minute {
			t.Errorf("it was used last at %v, not %v", at, last)
		}
	})
}

// A node that stops writes all buffered lines, however many came in just before.
func TestStoppingWritesTheLog(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		const lines = 3000
		for range lines {
			s.API.LogCall(store.APICall{OrgID: org.ID, RequestID: s.Store.NewID(chat.KindRequest), KeyID: org.KeyID, Method: "GET", Path: "/", Status: http.StatusOK, IP: "192.0.2.1"})
		}
		s.API.Stop(context.Background())
		got, err := s.Store.Read(t.Context()).APICalls(org.ID, store.CallFilter{}, store.Page{Limit: 2 * lines})
		if err != nil || len(got.Rows) != lines {
			t.Errorf("%d lines were written, want %d (%v)", len(got.Rows), lines, err)
		}
	})
}
