package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const noLabel = "lbl_00000000000000000000000000"

// labelWith is a label's envelope.
func labelWith(id, name, color, team string) string {
	return `{"data":{"id":"` + id + `","object":"label","name":"` + name + `","color":"` + color + `","team_id":"` + team +
		`","created_at":"<now>","updated_at":"<now>"},"request_id":"<req>"}`
}

func newLabel(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: "/v1/labels", Body: body}
}

// hasLabel makes the label that ${label} names.
func hasLabel(body string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) { c.Make(t, "label", "/v1/labels", body) }
}

// secondTeam adds the team that ${second} names.
func secondTeam(t *testing.T, c *apitest.Case) {
	c.Set("second", c.NewTeam(t, c.Org.ID, "Second").ID)
}

// foreign makes a label and a team in another organization: ${foreign_label}, ${foreign_team}.
func foreign(t *testing.T, c *apitest.Case) {
	org := c.Stranger(t)
	var made struct{ ID string }
	request := newLabel(`{"name":"theirs"}`)
	request.Key = org.Key
	c.Do(t, request).RequireStatus(t, http.StatusCreated).Data(t, &made)
	c.Set("foreign_label", made.ID)
	c.Set("foreign_team", org.Team.ID)
}

var labelMade = apitest.Changes{"labels": "+1"}

func TestCreateLabel(t *testing.T) {
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "name only", Request: newLabel(`{"name":"Lead"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "Lead", "gray", "${team}"), Change: labelMade},
		{Name: "all fields", Request: newLabel(`{"name":"Lead","color":"teal","team_id":"${team}"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "Lead", "teal", "${team}"), Change: labelMade},
		{Name: "trimmed", Request: newLabel(`{"name":" \t\n\u00a0\u3000two  words\u2003\r "}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "two  words", "gray", "${team}"), Change: labelMade},
		{Name: "unusual characters", Request: newLabel(`{"name":"<b>&\"'\\ \u202e 👩‍👩‍👧 \u2028 é"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", `<b>&\"'\\ \u202e 👩‍👩‍👧 \u2028 é`, "gray", "${team}"), Change: labelMade},
		{Name: "one character", Request: newLabel(`{"name":"x"}`), Status: http.StatusCreated, Change: labelMade},
		{Name: "50 characters of four bytes", Request: newLabel(`{"name":"` + strings.Repeat("😀", 50) + `"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", strings.Repeat("😀", 50), "gray", "${team}"), Change: labelMade},
		{Name: "50 characters written as escapes", Request: newLabel(`{"name":"` + strings.Repeat(`\ud83d\ude00`, 50) + `"}`), Status: http.StatusCreated, Change: labelMade},
		{Name: "50 characters and blanks", Request: newLabel(`{"name":"   ` + strings.Repeat("x", 50) + `   "}`), Status: http.StatusCreated, Change: labelMade},
		{Name: "51 characters", Request: newLabel(`{"name":"` + strings.Repeat("x", 51) + `"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "51 characters of four bytes", Request: newLabel(`{"name":"` + strings.Repeat("😀", 51) + `"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "empty", Request: newLabel(`{"name":""}`), Code: "invalid_field_value", Param: "name"},
		{Name: "blank", Request: newLabel(`{"name":" \u00a0\u2003\t"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "NUL", Request: newLabel(`{"name":"a\u0000b"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "NUL at the edge", Request: newLabel(`{"name":"a\u0000"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "no name", Request: newLabel(`{"color":"red"}`), Code: "missing_required_field", Param: "name"},
		{Name: "missing before bad", Request: newLabel(`{"color":"mauve"}`), Code: "missing_required_field", Param: "name"},
		{Name: "empty object", Request: newLabel(`{}`), Code: "missing_required_field", Param: "name"},
		{Name: "no body", Request: newLabel(``), Code: "missing_required_field", Param: "name"},
		{Name: "unknown color", Request: newLabel(`{"name":"x","color":"mauve"}`), Code: "invalid_field_value", Param: "color"},
		{Name: "color in capitals", Request: newLabel(`{"name":"x","color":"Red"}`), Code: "invalid_field_value", Param: "color"},
		{Name: "empty color", Request: newLabel(`{"name":"x","color":""}`), Code: "invalid_field_value", Param: "color"},
		{Name: "null color", Request: newLabel(`{"name":"x","color":null}`), Code: "invalid_field_value", Param: "color"},
		{Name: "null name", Request: newLabel(`{"name":null}`), Code: "invalid_field_value", Param: "name"},
		{Name: "null team", Request: newLabel(`{"name":"x","team_id":null}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "number as name", Request: newLabel(`{"name":1}`), Code: "invalid_field_value", Param: "name"},
		{Name: "list as name", Request: newLabel(`{"name":["x"]}`), Code: "invalid_field_value", Param: "name"},
		{Name: "object as color", Request: newLabel(`{"name":"x","color":{}}`), Code: "invalid_field_value", Param: "color"},
		{Name: "boolean as team", Request: newLabel(`{"name":"x","team_id":true}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "first bad value, whatever its place in the text", Request: newLabel(`{"team_id":1,"color":1,"name":1}`), Code: "invalid_field_value", Param: "name"},
		{Name: "unknown fields", Request: newLabel(`{"id":"lbl_mine","Name":"no","name":"Lead","extra":{"a":[1,{}]},"created_at":"2020-01-01"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "Lead", "gray", "${team}"), Change: labelMade},
		{Name: "a name in another case is no name", Request: newLabel(`{"Name":"Lead"}`), Code: "missing_required_field", Param: "name"},
	})
}

func TestEveryLabelColor(t *testing.T) {
	var scenarios []apitest.Scenario
	for color := range strings.FieldsSeq("gray red orange amber yellow lime green emerald teal sky blue violet pink") {
		scenarios = append(scenarios, apitest.Scenario{
			Name: color, Request: newLabel(`{"name":"x","color":"` + color + `"}`),
			Status: http.StatusCreated, Want: labelWith("<lbl>", "x", color, "${team}"), Change: labelMade,
		})
	}
	apitest.RunEach(t, scenarios)
}

func TestLabelNamesAreUniqueInTheirTeam(t *testing.T) {
	var scenarios []apitest.Scenario
	for taken, again := range map[string]string{
		"Lead": "Lead", "lead": "LEAD", "ÄÖÜ": "äöü", "ΣΑΣ": "σας", "Привет": "пРИВЕТ", "ǅ": "ǆ", "K": "K", "straße": "STRAẞE", "x": "  x  ",
	} {
		scenarios = append(scenarios, apitest.Scenario{
			Name: taken + " and " + again, Given: hasLabel(`{"name":"` + taken + `"}`),
			Request: newLabel(`{"name":"` + again + `"}`), Code: "invalid_field_value", Param: "name",
		})
	}
	apitest.RunEach(t, append(scenarios,
		apitest.Scenario{Name: "another organization's", Given: foreign, Request: newLabel(`{"name":"theirs"}`), Status: http.StatusCreated, Change: labelMade},
		apitest.Scenario{Name: "another team's", Given: all(hasLabel(`{"name":"Lead"}`), secondTeam), Request: newLabel(`{"name":"lead","team_id":"${second}"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "lead", "gray", "${second}"), Change: labelMade},
		apitest.Scenario{Name: "after it was deleted", Given: all(hasLabel(`{"name":"Lead"}`), func(t *testing.T, c *apitest.Case) {
			c.Call(t, apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/${label}"}).RequireStatus(t, http.StatusOK)
		}), Request: newLabel(`{"name":"Lead"}`), Status: http.StatusCreated, Change: labelMade},
		apitest.Scenario{Name: "after it was renamed", Given: all(hasLabel(`{"name":"Lead"}`), func(t *testing.T, c *apitest.Case) {
			c.Call(t, apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: `{"name":"Other"}`}).RequireStatus(t, http.StatusOK)
		}), Request: newLabel(`{"name":"Lead"}`), Status: http.StatusCreated, Change: labelMade},
		apitest.Scenario{Name: "words that differ by an accent", Given: hasLabel(`{"name":"resume"}`), Request: newLabel(`{"name":"résumé"}`), Status: http.StatusCreated, Change: labelMade},
	))
}

func TestLabelTeams(t *testing.T) {
	const noTeam = "team_00000000000000000000000000"
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "several, none given", Given: secondTeam, Request: newLabel(`{"name":"x"}`), Code: "missing_required_field", Param: "team_id"},
		{Name: "several, the first", Given: secondTeam, Request: newLabel(`{"name":"x","team_id":"${team}"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "x", "gray", "${team}"), Change: labelMade},
		{Name: "several, the second", Given: secondTeam, Request: newLabel(`{"name":"x","team_id":"${second}"}`), Status: http.StatusCreated, Want: labelWith("<lbl>", "x", "gray", "${second}"), Change: labelMade},
		{Name: "unknown", Request: newLabel(`{"name":"x","team_id":"` + noTeam + `"}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "foreign", Given: foreign, Request: newLabel(`{"name":"x","team_id":"${foreign_team}"}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "malformed", Request: newLabel(`{"name":"x","team_id":"team_1"}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "empty", Request: newLabel(`{"name":"x","team_id":""}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "of another kind", Given: hasLabel(`{"name":"y"}`), Request: newLabel(`{"name":"x","team_id":"${label}"}`), Code: "invalid_field_value", Param: "team_id"},
		{Name: "filter by the only one", Given: hasLabel(`{"name":"y"}`), Request: apitest.Request{Path: "/v1/labels?team_id=${team}"}, Status: http.StatusOK,
			Want: `{"data":[{"id":"${label}","object":"label","name":"y","color":"gray","team_id":"${team}","created_at":"<now>","updated_at":"<now>"}],"has_more":false,"next_cursor":null,"request_id":"<req>"}`},
		{Name: "filter by one without labels", Given: all(hasLabel(`{"name":"y"}`), secondTeam), Request: apitest.Request{Path: "/v1/labels?team_id=${second}"}, Status: http.StatusOK, Want: emptyPage},
		{Name: "filter by an unknown one", Given: hasLabel(`{"name":"y"}`), Request: apitest.Request{Path: "/v1/labels?team_id=" + noTeam}, Status: http.StatusOK, Want: emptyPage},
		{Name: "filter by a foreign one", Given: foreign, Request: apitest.Request{Path: "/v1/labels?team_id=${foreign_team}"}, Status: http.StatusOK, Want: emptyPage},
		{Name: "filter by a malformed one", Request: apitest.Request{Path: "/v1/labels?team_id=x"}, Code: "invalid_field_value", Param: "team_id"},
		{Name: "filter by nothing", Request: apitest.Request{Path: "/v1/labels?team_id="}, Code: "invalid_field_value", Param: "team_id"},
		{Name: "filter by broken UTF-8", Request: apitest.Request{Path: "/v1/labels?team_id=%FF"}, Code: "invalid_field_value", Param: "team_id"},
	})
}

func TestListIsNewestFirst(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		want := makeLabels(t, s, org.ID, org.Team.ID, 7)
		s.Clock.Advance(time.Minute)
		patch := apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/" + want[6], Key: org.Key, Body: `{"color":"red"}`}
		s.Do(t, patch).RequireStatus(t, http.StatusOK) // a change does not move it
		got := getPage(t, s, org.Key, "").ids()
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestGetLabel(t *testing.T) {
	get := func(id string) apitest.Request { return apitest.Request{Path: "/v1/labels/" + id} }
	scenarios := []apitest.Scenario{
		{Name: "own", Given: hasLabel(`{"name":"y","color":"sky"}`), Request: get("${label}"), Status: http.StatusOK, Want: labelWith("${label}", "y", "sky", "${team}")},
		{Name: "unknown", Request: get(noLabel), Code: "resource_not_found"},
		{Name: "foreign", Given: foreign, Request: get("${foreign_label}"), Code: "resource_not_found"},
	}
	for name, id := range malformedIDs {
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: get(id), Code: "invalid_field_value", Param: "id"})
	}
	apitest.RunEach(t, scenarios)
}

var malformedIDs = map[string]string{
	"a word":            "abc",
	"too short":         noLabel[:len(noLabel)-1],
	"too long":          noLabel + "0",
	"lower case":        "lbl_" + strings.Repeat("a", 26),
	"letters left out":  "lbl_" + strings.Repeat("I", 26),
	"another kind":      "team_00000000000000000000000000",
	"without prefix":    strings.Repeat("0", 26),
	"prefix in capital": "LBL_" + strings.Repeat("0", 26),
	"with a blank":      noLabel + "%20",
	"with a line break": noLabel + "%0A",
	"with NUL":          noLabel + "%00",
	"with a slash":      "lbl_%2F" + strings.Repeat("0", 25),
	"dots":              "%2e%2e",
	"broken UTF-8":      "%ff%fe",
	"a quote":           "'%20OR%20''='",
}

func TestUpdateLabel(t *testing.T) {
	given := func(body string) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			hasLabel(`{"name":"Lead","color":"red"}`)(t, c)
			c.Make(t, "other", "/v1/labels", `{"name":"Taken"}`)
			if body != "" {
				foreign(t, c)
			}
		}
	}
	patch := func(body string) apitest.Request {
		return apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: body}
	}
	changed := apitest.Changes{"labels": "~1"}
	scenarios := []apitest.Scenario{
		{Name: "name", Request: patch(`{"name":" Client "}`), Status: http.StatusOK, Want: labelWith("${label}", "Client", "red", "${team}"), Change: changed},
		{Name: "color", Request: patch(`{"color":"blue"}`), Status: http.StatusOK, Want: labelWith("${label}", "Lead", "blue", "${team}"), Change: changed},
		{Name: "both", Request: patch(`{"color":"blue","name":"Client"}`), Status: http.StatusOK, Want: labelWith("${label}", "Client", "blue", "${team}"), Change: changed},
		{Name: "the case of its own name", Request: patch(`{"name":"LEAD"}`), Status: http.StatusOK, Want: labelWith("${label}", "LEAD", "red", "${team}"), Change: changed},
		{Name: "to what it is", Request: patch(`{"name":"Lead","color":"red"}`), Status: http.StatusOK, Want: labelWith("${label}", "Lead", "red", "${team}")},
		{Name: "to what it is, with blanks", Request: patch(`{"name":" Lead "}`), Status: http.StatusOK, Want: labelWith("${label}", "Lead", "red", "${team}")},
		{Name: "with unknown fields", Request: patch(`{"color":"blue","team_id":"${team}","id":null,"x":[]}`), Status: http.StatusOK, Want: labelWith("${label}", "Lead", "blue", "${team}"), Change: changed},
		{Name: "with an idempotency key", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: `{"color":"blue"}`, Header: http.Header{"Idempotency-Key": {""}}}, Status: http.StatusOK, Change: changed},
		{Name: "a name that is taken", Request: patch(`{"name":"tAKEN"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "a name that is taken, and a color", Request: patch(`{"name":"Taken","color":"blue"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "no fields", Request: patch(`{}`), Code: "missing_required_field", Param: "name"},
		{Name: "no body", Request: patch(``), Code: "missing_required_field", Param: "name"},
		{Name: "no known field", Request: patch(`{"team_id":"${team}","Name":"x"}`), Code: "missing_required_field", Param: "name"},
		{Name: "null name", Request: patch(`{"name":null}`), Code: "invalid_field_value", Param: "name"},
		{Name: "null color", Request: patch(`{"color":null}`), Code: "invalid_field_value", Param: "color"},
		{Name: "empty name", Request: patch(`{"name":""}`), Code: "invalid_field_value", Param: "name"},
		{Name: "blank name", Request: patch(`{"name":"  "}`), Code: "invalid_field_value", Param: "name"},
		{Name: "long name", Request: patch(`{"name":"` + strings.Repeat("ü", 51) + `"}`), Code: "invalid_field_value", Param: "name"},
		{Name: "unknown color", Request: patch(`{"color":"mauve"}`), Code: "invalid_field_value", Param: "color"},
		{Name: "good name, bad color", Request: patch(`{"name":"Client","color":"mauve"}`), Code: "invalid_field_value", Param: "color"},
		{Name: "wrong type", Request: patch(`{"color":"blue","name":7}`), Code: "invalid_field_value", Param: "name"},
		{Name: "not an object", Request: patch(`["name"]`), Code: "invalid_json"},
		{Name: "unknown", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/" + noLabel, Body: `{"name":"x"}`}, Code: "resource_not_found"},
		{Name: "foreign", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/${foreign_label}", Body: `{"name":"x"}`}, Code: "resource_not_found"},
		{Name: "malformed", Request: apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/x", Body: `{"name":"x"}`}, Code: "invalid_field_value", Param: "id"},
	}
	for i := range scenarios {
		scenarios[i].Given = given(map[bool]string{true: "foreign"}[strings.Contains(scenarios[i].Request.Path, "foreign")])
	}
	apitest.RunEach(t, scenarios)
}

// updated_at moves when something changes and at no other time; created_at never does.
func TestLabelTimes(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		made := s.Clock.Now()
		c.Make(t, "label", "/v1/labels", `{"name":"Lead","color":"red"}`)
		changed := made
		for _, step := range []struct {
			body    string
			changes bool
		}{
			{`{"name":"Lead"}`, false}, {`{"color":"red"}`, false}, {`{"name":"Client"}`, true},
			{`{"name":"\tClient","color":"red"}`, false}, {`{"color":"blue"}`, true}, {`{"color":"mauve"}`, false},
		} {
			s.Clock.Advance(1500 * time.Millisecond)
			if step.changes {
				changed = s.Clock.Now()
			}
			c.Call(t, apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: step.body})
			var got struct {
				CreatedAt string `json:"created_at"`
				UpdatedAt string `json:"updated_at"`
			}
			c.Call(t, apitest.Request{Path: "/v1/labels/${label}"}).RequireStatus(t, http.StatusOK).Data(t, &got)
			if got.CreatedAt != chat.FormatTime(made) || got.UpdatedAt != chat.FormatTime(changed) {
				t.Errorf("after %s: made %s, changed %s", step.body, got.CreatedAt, got.UpdatedAt)
			}
		}
	})
}

// onManyContacts puts ${label} on so many contacts.
func onManyContacts(n int) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		account := accountOf(t, c)
		c.InTx(t, func(tx *store.Tx) error {
			for i := range n {
				contact, err := core.CreateContact(tx, account, chat.NewContact{PhoneNumber: new(fmt.Sprint("+49155", 10_000_000+i))})
				if err != nil {
					return err
				}
				if _, err := tx.AttachToContacts(c.Org.ID, c.Get("label"), []string{contact.ID}); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func TestDeleteLabel(t *testing.T) {
	remove := func(id string) apitest.Request {
		return apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/" + id}
	}
	gone := func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
		for _, r := range []apitest.Request{remove("${label}"), {Path: "/v1/labels/${label}"}, {Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: `{"name":"x"}`}} {
			c.Call(t, r).RequireFailure(t, "resource_not_found", "")
		}
		c.Call(t, apitest.Request{Path: "/v1/labels/${other}"}).RequireStatus(t, http.StatusOK)
	}
	two := all(hasLabel(`{"name":"Lead"}`), func(t *testing.T, c *apitest.Case) { c.Make(t, "other", "/v1/labels", `{"name":"Other"}`) })
	const deleted = `{"data":{"id":"${label}","object":"label","deleted":true},"request_id":"<req>"}`
	scenarios := []apitest.Scenario{
		{Name: "own", Given: two, Request: remove("${label}"), Status: http.StatusOK, Want: deleted, Change: apitest.Changes{"labels": "-1"}, Then: gone},
		{Name: "with a body that is ignored", Given: two, Request: apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/${label}", Body: `{"a":`}, Status: http.StatusOK, Want: deleted, Change: apitest.Changes{"labels": "-1"}},
		{Name: "on more than go in one transaction", Given: all(connected, two, onManyContacts(501)), Request: remove("${label}"), Status: http.StatusOK, Want: deleted,
			Change: apitest.Changes{"labels": "-1", "contact_labels": "-501"}},
		{Name: "unknown", Request: remove(noLabel), Code: "resource_not_found"},
		{Name: "foreign", Given: foreign, Request: remove("${foreign_label}"), Code: "resource_not_found"},
	}
	for name, id := range malformedIDs {
		scenarios = append(scenarios, apitest.Scenario{Name: name, Request: remove(id), Code: "invalid_field_value", Param: "id"})
	}
	apitest.RunEach(t, scenarios)
}
