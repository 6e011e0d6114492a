package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

func TestListTemplates(t *testing.T) {
	_, option := simulated(t)
	some := having(aNew("instant_a", "de"), aNew("stays_pending", "de"), aNew("instant_reject_b", "fr"))
	listed := func(name, query string, want ...string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: some, Request: templates(http.MethodGet, query, ""), Status: http.StatusOK, Events: []string{},
			Then: func(t *testing.T, c *apitest.Case, r *apitest.Response) {
				var list []struct{ Name, Language, Status string }
				r.Data(t, &list)
				var got []string
				for _, one := range list {
					got = append(got, one.Name+" "+one.Language+" "+one.Status)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}}
	}
	refused := func(name, query, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: some, Request: templates(http.MethodGet, query, ""), Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		listed("approved ones by default", "?limit=1", "instant_a de approved"),
		listed("all", "?status=all&limit=3", "instant_reject_b fr rejected", "stays_pending de pending", "instant_a de approved"),
		listed("pending", "?status=pending", "stays_pending de pending"),
		listed("rejected", "?status=rejected", "instant_reject_b fr rejected"),
		listed("of a language", "?language=de", "instant_a de approved", "order_update de approved"),
		listed("of a language and a status", "?language=fr&status=all", "instant_reject_b fr rejected"),
		listed("of a language nobody has", "?language=tlh&status=all"),
		refused("an unknown status", "?status=paused", "invalid_field_value", "status"),
		refused("no language", "?language=", "invalid_field_value", "language"),
		refused("a limit of none", "?limit=0", "invalid_limit", "limit"),
		refused("a cursor of another list", "?cursor=abc", "invalid_cursor", "cursor"),
		{Name: "another's number", Given: func(t *testing.T, c *apitest.Case) {
			business(t, c)
			c.Org = c.Stranger(t)
		}, Request: templates(http.MethodGet, "", ""), Code: "resource_not_found"},
	}, option)
}

func TestTemplatesArePaged(t *testing.T) {
	_, option := simulated(t)
	apitest.EachCase(t, business, func(t *testing.T, c *apitest.Case) {
		seen := map[string]int{}
		query := "?limit=4"
		for pages := 0; query != ""; pages++ {
			var page struct {
				Data       []struct{ ID string }
				NextCursor *string `json:"next_cursor"`
			}
			r := c.Call(t, templates(http.MethodGet, query, "")).RequireStatus(t, http.StatusOK)
			if err := json.Unmarshal(r.Body, &page); err != nil || pages > 3 {
				t.Fatal(err, pages)
			}
			for _, one := range page.Data {
				seen[one.ID]++
			}
			if query = ""; page.NextCursor != nil {
				query = "?limit=4&cursor=" + *page.NextCursor
			}
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%s came %d times", id, n)
			}
		}
		if len(seen) != 9 {
			t.Errorf("%d templates, want 9", len(seen))
		}
	}, option)
}

func TestGetTemplate(t *testing.T) {
	_, option := simulated(t)
	shown := func(name, rest, language string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: having(aNew("instant_x", "de"), aNew("instant_x", "fr")), Request: templates(http.MethodGet, rest, ""), Status: http.StatusOK, Events: []string{},
			Want: shownTemplate(`"name":"instant_x","language":"` + language + `","status":"approved","provider_status":"APPROVED","category":"UTILITY","quality":"UNKNOWN",
				"content":"All is well.","variables":[],"parameter_format":"positional","components":[{"type":"BODY","text":"All is well."}],
				"provider_template_id":"<text>","created_at":"<time>","updated_at":"<time>"`)}
	}
	apitest.RunEach(t, []apitest.Scenario{
		shown("the newest language", "/instant_x", "fr"),
		shown("a language", "/instant_x?language=de", "de"),
		{Name: "an unknown language", Given: business, Request: templates(http.MethodGet, "/hello_world?language=de", ""), Code: "resource_not_found"},
		{Name: "an unknown name", Given: business, Request: templates(http.MethodGet, "/nobody", ""), Code: "resource_not_found"},
		{Name: "a name that cannot be", Given: business, Request: templates(http.MethodGet, "/No-body", ""), Code: "invalid_field_value", Param: "name"},
		{Name: "another's template", Given: func(t *testing.T, c *apitest.Case) {
			business(t, c)
			c.Org = c.Stranger(t)
		}, Request: templates(http.MethodGet, "/hello_world", ""), Code: "resource_not_found"},
	}, option)
}

func TestUpdateTemplate(t *testing.T) {
	_, option := simulated(t)
	edit := func(rest, body string) apitest.Request { return templates(http.MethodPatch, rest, body) }
	text := `"components":[{"type":"BODY","text":"All is better."}]`
	one, two := having(aNew("instant_x", "de")), having(aNew("instant_x", "de"), aNew("instant_x", "fr"))
	changed := apitest.Changes{"templates": "~1", "template_changes": "+1"}
	done := func(name string, given func(*testing.T, *apitest.Case), r apitest.Request, language, content string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: r, Status: http.StatusOK, Change: changed, Events: []string{},
			Want: shownTemplate(`"name":"instant_x","language":"` + language + `","status":"pending","provider_status":"PENDING","category":"UTILITY","quality":"UNKNOWN",
				"content":"` + content + `","variables":[],"parameter_format":"positional","components":[{"type":"BODY","text":"` + content + `"}],
				"provider_template_id":"<text>","created_at":"<time>","updated_at":"<now>"`)}
	}
	refused := func(name string, given func(*testing.T, *apitest.Case), r apitest.Request, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: r, Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		done("the only language", one, edit("/instant_x", `{`+text+`}`), "de", "All is better."),
		done("one of several", two, edit("/instant_x", `{"language":"de",`+text+`}`), "de", "All is better."),
		done("one of several, in the query", two, edit("/instant_x?language=fr", `{`+text+`}`), "fr", "All is better."),
		done("the category it has", one, edit("/instant_x", `{"category":"UTILITY",`+text+`}`), "de", "All is better."),
		{Name: "the category of a rejected one", Given: having(aNew("instant_reject_x", "de")), Request: edit("/instant_reject_x", `{"category":"MARKETING"}`),
			Status: http.StatusOK, Change: apitest.Changes{"templates": "~1", "template_changes": "+2"}, Events: []string{}},
		{Name: "the time to live", Given: one, Request: edit("/instant_x", `{"message_send_ttl_seconds":60}`), Status: http.StatusOK, Change: changed, Events: []string{},
			Then: func(t *testing.T, c *apitest.Case, r *apitest.Response) {
				var shown struct {
					TTL     int `json:"message_send_ttl_seconds"`
					Content string
				}
				if r.Data(t, &shown); shown.TTL != 60 || shown.Content != "All is well." {
					t.Errorf("got %+v", shown)
				}
			}},
		refused("no language of several", two, edit("/instant_x", `{`+text+`}`), "missing_required_field", "language"),
		refused("a language it does not have", two, edit("/instant_x", `{"language":"es",`+text+`}`), "resource_not_found", ""),
		refused("a name it does not have", business, edit("/nobody", `{`+text+`}`), "resource_not_found", ""),
		refused("nothing", one, edit("/instant_x", `{}`), "missing_required_field", "components"),
		refused("a language alone", one, edit("/instant_x", `{"language":"de"}`), "missing_required_field", "components"),
		refused("null", one, edit("/instant_x", `{"components":null}`), "invalid_field_value", "components"),
		refused("no components", one, edit("/instant_x", `{"components":[]}`), "invalid_field_value", "components"),
		refused("components that are none", one, edit("/instant_x", `{"components":[{"type":"BODY","text":"Hi {{1}} good to see."}]}`), "missing_required_field", "components[0].example.body_text"),
		refused("another category when approved", one, edit("/instant_x", `{"category":"MARKETING"}`), "invalid_field_value", "category"),
		refused("too short a life", one, edit("/instant_x", `{"message_send_ttl_seconds":5}`), "invalid_field_value", "message_send_ttl_seconds"),
		refused("one that is under review", having(aNew("stays_pending", "de")), edit("/stays_pending", `{`+text+`}`), "invalid_field_value", "components"),
		refused("one that is under review, without components", having(aNew("stays_pending", "de")), edit("/stays_pending", `{"message_send_ttl_seconds":60}`), "invalid_field_value", "message_send_ttl_seconds"),
		{Name: "twice a day", Given: func(t *testing.T, c *apitest.Case) {
			one(t, c)
			c.Call(t, edit("/instant_x", `{`+text+`}`)).RequireStatus(t, http.StatusOK)
		}, Request: edit("/instant_x", `{`+text+`}`), Code: "invalid_field_value", Param: "components",
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if m := r.Failure(t).Message; !strings.Contains(m, "The provider refused: Message template") {
					t.Errorf("got %q", m)
				}
			}},
	}, option)
}

func TestDeleteTemplate(t *testing.T) {
	_, option := simulated(t)
	two := having(aNew("instant_x", "de"), aNew("instant_x", "fr"))
	gone := func(rest string, left int) func(*testing.T, *apitest.Case, *apitest.Response) {
		return func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
			var list []struct{ Name string }
			c.Call(t, templates(http.MethodPost, "/sync", "")).RequireStatus(t, http.StatusOK)
			c.Call(t, templates(http.MethodGet, "?status=all&limit=100", "")).RequireStatus(t, http.StatusOK).Data(t, &list)
			if len(list) != 9+left {
				t.Errorf("%d templates are left, want %d", len(list)-9, left)
			}
			c.Call(t, templates(http.MethodDelete, rest, "")).RequireStatus(t, http.StatusNotFound)
		}
	}
	const deleted = `{"data":{"id":"<tmpl>","object":"template","name":"instant_x","deleted":true},"request_id":"<req>"}`
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "in all languages", Given: two, Request: templates(http.MethodDelete, "/instant_x", ""), Status: http.StatusOK, Want: deleted,
			Change: apitest.Changes{"templates": "-2", "template_changes": "-2"}, Events: []string{}, Then: gone("/instant_x", 0)},
		{Name: "in one", Given: two, Request: templates(http.MethodDelete, "/instant_x?language=de", ""), Status: http.StatusOK, Want: deleted,
			Change: apitest.Changes{"templates": "-1", "template_changes": "-1"}, Events: []string{}, Then: gone("/instant_x?language=de", 1)},
		{Name: "in one it does not have", Given: two, Request: templates(http.MethodDelete, "/instant_x?language=es", ""), Code: "resource_not_found"},
		{Name: "an unknown name", Given: business, Request: templates(http.MethodDelete, "/nobody", ""), Code: "resource_not_found"},
	}, option)
}

func TestSyncTemplates(t *testing.T) {
	_, option := simulated(t)
	sync := templates(http.MethodPost, "/sync", "")
	result := func(created, updated, removed, synced int) string {
		return fmt.Sprintf(`{"data":{"object":"template_sync","created":%d,"updated":%d,"removed":%d,"synced":%d},"request_id":"<req>"}`, created, updated, removed, synced)
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "the first time", Given: func(t *testing.T, c *apitest.Case) {
			connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, WABAID: fmt.Sprint(210_000_000_000 + businesses.Add(1))})
		}, Request: sync, Status: http.StatusOK, Want: result(9, 0, 0, 9), Change: apitest.Changes{"templates": "+9", "template_syncs": "+1 -1"}, Events: []string{}},
		{Name: "nothing new", Given: business, Request: sync, Status: http.StatusOK, Want: result(0, 0, 0, 9), Events: []string{}},
		{Name: "something gone and something changed", Given: func(t *testing.T, c *apitest.Case) {
			business(t, c)
			waba := accountOf(t, c).WABAID
			c.Exec(t, "UPDATE templates SET digest = 'old' WHERE waba_id = $1 AND name = 'promo'", waba)
			c.Exec(t, "UPDATE templates SET name = 'vanished' WHERE waba_id = $1 AND name = 'hello_world'", waba)
		}, Request: sync, Status: http.StatusOK, Want: result(1, 1, 1, 9), Change: apitest.Changes{"templates": "+1 ~1 -1"}, Events: []string{}},
		{Name: "a number that is not connected", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/999999999/templates/sync"}, Code: "resource_not_found"},
	}, option)
}

// templateNews applies a template update, as the provider's callbacks do.
func templateNews(t *testing.T, c *apitest.Case, u provider.TemplateUpdate) {
	t.Helper()
	u.WABAID = accountOf(t, c).WABAID
	c.InTx(t, func(tx *store.Tx) error { return applier().Apply(tx, u) })
}

func TestNewsOfATemplateAreShown(t *testing.T) {
	_, option := simulated(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	status := func(event, reason string, after time.Duration) provider.TemplateUpdate {
		return provider.TemplateUpdate{Origin: provider.Origin{ReportedAt: at.Add(after)}, Aspect: provider.TemplateStatus, Name: "promo", Language: "en_US", Event: event, Reason: reason}
	}
	about := func(aspect provider.TemplateAspect, change func(*provider.TemplateUpdate)) provider.TemplateUpdate {
		u := provider.TemplateUpdate{Aspect: aspect, Name: "promo", Language: "en_US"}
		change(&u)
		return u
	}
	apitest.EachCase(t, business, func(t *testing.T, c *apitest.Case) {
		c.Set("stranger", c.Stranger(t).ID)
		for _, step := range []struct {
			u    provider.TemplateUpdate
			want string // status, provider's status, reason, category, quality
		}{
			{status("PAUSED", "NONE", 0), "pending PAUSED <nil> MARKETING GREEN"},
			{status("REINSTATED", "NONE", time.Hour), "approved APPROVED <nil> MARKETING GREEN"},
			{status("PAUSED", "NONE", time.Minute), "approved APPROVED <nil> MARKETING GREEN"}, // late
			{status("FLAGGED", "NONE", 2*time.Hour), "approved APPROVED <nil> MARKETING GREEN"},
			{status("REJECTED", "PROMOTIONAL", 3*time.Hour), "rejected REJECTED PROMOTIONAL MARKETING GREEN"},
			{status("DISABLED", "NONE", 4*time.Hour), "rejected DISABLED <nil> MARKETING GREEN"},
			{status("IN_APPEAL", "", 4*time.Hour), "pending IN_APPEAL <nil> MARKETING GREEN"},
			{status("APPROVED", "", 5*time.Hour), "approved APPROVED <nil> MARKETING GREEN"},
			{about(provider.TemplateQuality, func(u *provider.TemplateUpdate) { u.Quality, u.ReportedAt = "YELLOW", at.AddDate(-1, 0, 0) }), "approved APPROVED <nil> MARKETING GREEN"}, // late
			{about(provider.TemplateQuality, func(u *provider.TemplateUpdate) { u.Quality = "RED" }), "approved APPROVED <nil> MARKETING RED"},
			{about(provider.TemplateCategory, func(u *provider.TemplateUpdate) { u.Category, u.ReportedAt = "AUTHENTICATION", at.AddDate(-1, 0, 0) }), "approved APPROVED <nil> MARKETING RED"}, // late
			{about(provider.TemplateCategory, func(u *provider.TemplateUpdate) { u.Category = "UTILITY" }), "approved APPROVED <nil> UTILITY RED"},
		} {
			templateNews(t, c, step.u)
			var got struct {
				Status         string
				ProviderStatus string `json:"provider_status"`
				Reason         any    `json:"rejected_reason"`
				Category       string
				Quality        string
			}
			c.Call(t, templates(http.MethodGet, "/promo", "")).RequireStatus(t, http.StatusOK).Data(t, &got)
			if shown := fmt.Sprint(got.Status, " ", got.ProviderStatus, " ", got.Reason, " ", got.Category, " ", got.Quality); shown != step.want {
				t.Errorf("after %+v: %s, want %s", step.u, shown, step.want)
			}
		}
		templateNews(t, c, status("DELETED", "NONE", 6*time.Hour))
		c.Call(t, templates(http.MethodGet, "/promo", "")).RequireStatus(t, http.StatusNotFound)
	}, option)
}
