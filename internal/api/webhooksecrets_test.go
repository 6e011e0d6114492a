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

const noSecret = "sec_00000000000000000000000000"

func mint(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions/${webhook}/secrets", Body: body}
}

func revoke(id string) apitest.Request {
	return apitest.Request{Method: http.MethodDelete, Path: "/v1/webhook_subscriptions/${webhook}/secrets/" + id}
}

func minted(variable, body string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		c.Make(t, variable, "/v1/webhook_subscriptions/${webhook}/secrets", body)
	}
}

func TestMintWebhookSecret(t *testing.T) {
	given, made := hasWebhook(anyWebhook), apitest.Changes{"webhook_secrets": "+1"}
	want := func(expires string) string {
		return `{"data":{"id":"<sec>","object":"webhook_secret","secret":"<text>","created_at":"<now>","expires_at":` + expires + `},"request_id":"<req>"}`
	}
	refused := func(name, body, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: mint(body), Code: "invalid_field_value", Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "no body", Given: given, Request: mint(``), Status: http.StatusCreated, Want: want("null"), Change: made},
		{Name: "with an end", Given: given, Request: mint(`{"expires_in_hours":8760}`), Status: http.StatusCreated, Want: want(`"<time>"`), Change: made},
		{Name: "instead of the others", Given: given, Request: mint(`{"expire_others_in_hours":24}`), Status: http.StatusCreated, Want: want("null"), Change: apitest.Changes{"webhook_secrets": "+1 ~1"}},
		{Name: "instead of the others at once", Given: given, Request: mint(`{"expire_others_in_hours":0}`), Status: http.StatusCreated, Want: want("null"), Change: apitest.Changes{"webhook_secrets": "+1 -1"}},
		{Name: "others that end earlier", Given: all(given, minted("new", `{"expire_others_in_hours":1}`)), Request: mint(`{"expire_others_in_hours":2}`), Status: http.StatusCreated, Change: apitest.Changes{"webhook_secrets": "+1 ~1"}},
		refused("0 hours", `{"expires_in_hours":0}`, "expires_in_hours"),
		refused("too many hours", `{"expires_in_hours":8761}`, "expires_in_hours"),
		refused("half an hour", `{"expires_in_hours":0.5}`, "expires_in_hours"),
		refused("hours as a text", `{"expires_in_hours":"1"}`, "expires_in_hours"),
		refused("null hours", `{"expires_in_hours":null}`, "expires_in_hours"),
		refused("the others before now", `{"expire_others_in_hours":-1}`, "expire_others_in_hours"),
		refused("the others too late", `{"expire_others_in_hours":8761}`, "expire_others_in_hours"),
		{Name: "unknown", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/webhook_subscriptions/" + noWebhook + "/secrets"}, Code: "resource_not_found"},
		{Name: "foreign", Given: foreignWebhook, Request: mint(``), Code: "resource_not_found"},
		{Name: "a sixth", Given: all(given, minted("b", ``), minted("c", ``), minted("d", ``), minted("e", ``)), Request: mint(``), Code: "invalid_field_value", Param: "secrets"},
		{Name: "a sixth while the others run out", Given: all(given, minted("b", ``), minted("c", ``), minted("d", ``), minted("e", ``)), Request: mint(`{"expire_others_in_hours":1}`), Code: "invalid_field_value", Param: "secrets"},
		{Name: "a sixth instead of the others", Given: all(given, minted("b", ``), minted("c", ``), minted("d", ``), minted("e", ``)), Request: mint(`{"expire_others_in_hours":0}`), Status: http.StatusCreated,
			Change: apitest.Changes{"webhook_secrets": "+1 -5"}},
	})
}

func TestRevokeWebhookSecret(t *testing.T) {
	given := all(hasWebhook(anyWebhook), minted("new", ``))
	want := `{"data":{"id":"ID","object":"webhook_secret","revoked":true},"request_id":"<req>"}`
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "the old one", Given: given, Request: revoke("${secret}"), Status: http.StatusOK, Want: strings.Replace(want, "ID", "${secret}", 1), Change: apitest.Changes{"webhook_secrets": "-1"}},
		{Name: "the new one", Given: given, Request: revoke("${new}"), Status: http.StatusOK, Want: strings.Replace(want, "ID", "${new}", 1), Change: apitest.Changes{"webhook_secrets": "-1"}},
		{Name: "the only one", Given: hasWebhook(anyWebhook), Request: revoke("${secret}"), Code: "cannot_revoke_last_secret"},
		{Name: "again", Given: all(given, func(t *testing.T, c *apitest.Case) { c.Call(t, revoke("${secret}")).RequireStatus(t, http.StatusOK) }), Request: revoke("${secret}"), Code: "resource_not_found"},
		{Name: "unknown", Given: given, Request: revoke(noSecret), Code: "resource_not_found"},
		{Name: "malformed", Given: given, Request: revoke("x"), Code: "invalid_field_value", Param: "secret_id"},
		{Name: "foreign", Given: foreignWebhook, Request: revoke("${secret}"), Code: "resource_not_found"},
		{Name: "of another subscription", Given: all(given, func(t *testing.T, c *apitest.Case) {
			old := c.Get("webhook")
			hasWebhook(anyWebhook)(t, c)
			c.Set("webhook", old)
		}), Request: revoke("${secret}"), Code: "resource_not_found"},
	})
}

// signing lists the secrets that a subscription shows, with their remaining time where it is limited.
func signing(t *testing.T, c *apitest.Case) string {
	t.Helper()
	var shown struct {
		Secrets []struct {
			ID        string
			CreatedAt time.Time  `json:"created_at"`
			ExpiresAt *time.Time `json:"expires_at"`
		}
	}
	c.Call(t, apitest.Request{Path: "/v1/webhook_subscriptions/${webhook}"}).RequireStatus(t, http.StatusOK).Data(t, &shown)
	var names []string
	for _, s := range shown.Secrets {
		for _, name := range []string{"secret", "new", "newer"} {
			if c.Get(name) != s.ID {
				continue
			}
			if s.ExpiresAt != nil {
				name += "/" + s.ExpiresAt.Sub(c.Clock.Now()).String()
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// A secret's end is checked when it is needed, without a background job. The last one does not end until there
// is another.
func TestWebhookSecretsExpire(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		require := func(want string) {
			t.Helper()
			if got := signing(t, c); got != want {
				t.Errorf("%s sign, want %s", got, want)
			}
		}
		hasWebhook(anyWebhook)(t, c)
		minted("new", `{"expires_in_hours":3,"expire_others_in_hours":1}`)(t, c)
		require("secret/1h0m0s new/3h0m0s")
		c.Clock.Advance(time.Hour - time.Millisecond)
		require("secret/1ms new/2h0m0.001s")
		c.Clock.Advance(time.Millisecond)
		require("new/2h0m0s")
		c.Call(t, revoke("${new}")).RequireFailure(t, "cannot_revoke_last_secret", "")
		c.Call(t, revoke("${secret}")).RequireStatus(t, http.StatusOK) // it exists, but no longer signs
		c.Clock.Advance(100 * time.Hour)
		require("new")
		c.Call(t, revoke("${new}")).RequireFailure(t, "cannot_revoke_last_secret", "")
		minted("newer", ``)(t, c)
		require("new/24h0m0s newer")
		c.Clock.Advance(24 * time.Hour)
		require("newer")
	})
}

// The last secret, past its time, ends when the call says so.
func TestLastWebhookSecretCanGoAtOnce(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		for hours, want := range map[int]string{0: "newer", 5: "new/5h0m0s newer", 48: "new/24h0m0s newer"} {
			c := s.NewCase(t)
			hasWebhook(anyWebhook)(t, c)
			minted("new", `{"expires_in_hours":1,"expire_others_in_hours":0}`)(t, c)
			c.Clock.Advance(2 * time.Hour)
			minted("newer", fmt.Sprintf(`{"expire_others_in_hours":%d}`, hours))(t, c)
			if got := signing(t, c); got != want {
				t.Errorf("with %d hours %s sign, want %s", hours, got, want)
			}
		}
	})
}

// Expired secrets do not count towards the limit of five.
func TestExpiredWebhookSecretsTakeNoRoom(t *testing.T) {
	apitest.EachCase(t, hasWebhook(anyWebhook), func(t *testing.T, c *apitest.Case) {
		for range 3 {
			for i := range chat.MaxActiveSecrets - 1 {
				minted(fmt.Sprint("short", i), `{"expires_in_hours":1}`)(t, c)
			}
			c.Call(t, mint(``)).RequireFailure(t, "invalid_field_value", "secrets")
			c.Clock.Advance(time.Hour)
		}
	})
}
