package api_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store"
)

// Of calls that no rate limit bounds, because they are refused before it or by it, those of a key that come first in a minute
// are logged, and the others are counted. Calls that took a token are logged in any case.
func TestRefusedCallsFillALittleOfTheLog(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		const beyond = 5
		org := s.NewOrgOn(t, s.NewPlan(t, apitest.Limits(1, 1200)))
		revoked, revokedText := s.NewKey(t, org.ID, nil)
		second, secondText := s.NewKey(t, org.ID, nil)
		third, thirdText := s.NewKey(t, org.ID, nil)
		s.RevokeKey(t, revoked)
		want := map[string]map[int]int{revoked: {}, second: {}, third: {}, org.KeyID: {}}
		calls := func(n int, r apitest.Request, keyID string, status, logged int) {
			t.Helper()
			for range n {
				s.Do(t, r).RequireStatus(t, status)
			}
			want[keyID][status] += logged
		}
		many, most := api.RefusalsLogged+beyond, api.RefusalsLogged
		write := apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Key: thirdText, Body: `{"name":"new"}`}
		for range 2 {
			calls(many, apitest.Request{Path: "/v1/labels", Key: revokedText}, revoked, http.StatusUnauthorized, most)
			calls(many, apitest.Request{Path: "/v1/nothing", Key: secondText}, second, http.StatusNotFound, most)
			calls(beyond, apitest.Request{Method: http.MethodPut, Path: "/v1/labels", Key: secondText}, second, http.StatusMethodNotAllowed, 0)
			calls(many, apitest.Request{Path: "/v1/labels", Key: org.Key}, org.KeyID, http.StatusOK, many)
			s.Clock.Advance(time.Minute)
		}
		calls(1, write, third, http.StatusCreated, 1)
		calls(many, write, third, http.StatusTooManyRequests, most)

		s.API.Stop(context.Background())
		got, err := s.Store.Read(t.Context()).APICalls(org.ID, store.CallFilter{}, store.Page{Limit: 1000})
		must(t, err)
		for _, call := range got.Rows {
			want[call.KeyID][call.Status]--
		}
		for key, statuses := range want {
			for status, n := range statuses {
				if n != 0 {
					t.Errorf("of the calls of %s with the answer %d %d are missing", key, status, n)
				}
			}
		}
		if lost := s.API.LinesLost(); lost != 7*beyond {
			t.Errorf("%d lines are counted as lost, want %d", lost, 7*beyond)
		}
	})
}

// What is remembered of refused calls is bounded, and so are their lines when more keys come than that.
func TestRefusedKeysAreBounded(t *testing.T) {
	t.Parallel()
	if logged, remembered := api.LogRefusals(20_000); logged != 10_000 || remembered != 10_000 {
		t.Errorf("calls of %d keys are logged, and %d keys remembered", logged, remembered)
	}
}
