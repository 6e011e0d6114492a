package e2e

import (
	"net/http"
	"testing"
	"time"
)

// TestCommandsCountFromTheNextRequestOn: an operator's changes beside a running server apply from the next request on.
func TestCommandsCountFromTheNextRequestOn(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store)
		org := srv.NewOrg()
		update := func(flags ...string) {
			t.Helper()
			srv.CLIObject(append([]string{"org", "update", org.ID}, flags...)...)
		}
		labels := func(status int, code string) {
			t.Helper()
			expect(t, srv.Get(org.Key, "/v1/labels"), status, code)
		}
		labels(http.StatusOK, "")
		update("--suspended")
		labels(http.StatusForbidden, "organization_suspended")
		update("--suspended=false", "--plan=starter")
		labels(http.StatusForbidden, "feature_not_available")
		update("--plan=pro", "--subscription=inactive")
		labels(http.StatusPaymentRequired, "subscription_inactive")
		expect(t, srv.Get(org.Key, "/v1/me"), http.StatusOK, "")
		update("--subscription=trialing", "--trial-ends-at", time.Now().Add(-time.Second).Format(time.RFC3339))
		labels(http.StatusPaymentRequired, "subscription_inactive")
		update("--trial-ends-at", time.Now().Add(time.Hour).Format(time.RFC3339))
		labels(http.StatusOK, "")
		srv.CLIObject("plan", "set", "pro", "--read-per-minute", "4321")
		if limit := srv.Get(org.Key, "/v1/labels").Header.Get("X-RateLimit-Limit"); limit != "4321" {
			t.Errorf("the limit is %s", limit)
		}
		second := srv.CLIObject("key", "create", "--org", org.ID)["key"].(string)
		srv.CLIObject("key", "revoke", org.KeyID)
		labels(http.StatusUnauthorized, "revoked_api_key")
		expect(t, srv.Get(second, "/v1/labels"), http.StatusOK, "")
		srv.CLIObject("team", "create", "--org", org.ID, "--name", "Second")
		expect(t, srv.Post(second, "/v1/labels", `{"name":"x"}`), http.StatusBadRequest, "missing_required_field")
	})
}
