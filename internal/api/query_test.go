package api_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// wholeNumber reads a number of the document.
func wholeNumber(v any) int {
	text, _ := v.(json.Number)
	n, _ := strconv.Atoi(string(text))
	return n
}

// wrongValue is the code with which a value of a parameter is refused.
func wrongValue(name string, schema map[string]any) string {
	switch {
	case name == "limit":
		return "invalid_limit"
	case name == "cursor":
		return "invalid_cursor"
	case schema["format"] == "phone-number":
		return "invalid_phone_number"
	case schema["format"] == "event-type" || schema["format"] == "event-types":
		return "invalid_event_type"
	}
	return "invalid_field_value"
}

// A value that cannot be decoded is an error of its parameter, in every operation. The store is not read, so
// one engine is enough.
func TestQueriesThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	c := s.NewCase(t)
	connected(t, c)
	lists := 0
	for _, op := range documentedOperations(t, s.Document()) {
		target := op.target(t, s.Document())
		refused := func(query, code, param string) {
			r := c.Call(t, apitest.Request{Method: op.method, Path: target + "?" + query})
			if f := r.Failure(t); f.Code != code || f.Param != param {
				t.Errorf("%s ?%s: got %d %s, want %s with param %q", op.id, query, r.Status, r.Body, code, param)
			}
		}
		for _, p := range op.parameters {
			if p["in"] != "query" {
				continue
			}
			name := p["name"].(string)
			code := wrongValue(name, resolve(s.Document(), p["schema"].(map[string]any)))
			for _, value := range []string{"%zz", "%", "5%", "%F", "a%2", "%FF"} {
				refused(name+"="+value, code, name)
			}
			refused("x=%zz&"+name+"=%zz", code, name)
			repeated := "invalid_field_value"
			if name == "limit" || name == "cursor" {
				repeated = code
			}
			refused(name+"=1&x=1&"+name+"=1", repeated, name)
			refused(name+"=1&"+name+"=%zz", repeated, name)
			if name == "limit" {
				lists++
				refused("limit=5&%zz=1", "invalid_field_value", "query")
				refused("limit=5;cursor=x", "invalid_limit", "limit")
			}
		}
	}
	if lists < 8 {
		t.Errorf("only %d operations have a limit", lists)
	}
}

func TestQueriesThatAreTaken(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	c := s.NewCase(t)
	connected(t, c)
	for _, query := range []string{
		"", "limit=5", "&&limit=5&", "limit=%35", "l%69mit=5", "unknown=%zz", "unknown=1&unknown=2", "unknown=%FF&limit=5", "search=a;b", "search=a+b%20c", "a;b=c", "=", "=%zz",
		"phone=+4930123456", "phone=%2B4930123456",
	} {
		c.Call(t, apitest.Request{Path: "/v1/${number}/contacts?" + query}).RequireStatus(t, http.StatusOK)
	}
}

// A semicolon is part of the search text.
func TestSemicolonsInQueries(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		c.Make(t, "one", "/v1/${number}/contacts", `{"phone_number":"+4930123456","name":"Ada; Countess"}`)
		c.Make(t, "two", "/v1/${number}/contacts", `{"phone_number":"+4930123457","name":"Ada"}`)
		var found []struct{ ID string }
		c.Call(t, apitest.Request{Path: "/v1/${number}/contacts?search=Ada;"}).Data(t, &found)
		if len(found) != 1 || found[0].ID != c.Get("one") {
			t.Errorf("got %v", found)
		}
	})
}

// Who sends a value of the wrong form reads in words what it should look like, and sees no expression.
func TestFormsAreToldInWords(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	c := s.NewCase(t)
	connected(t, c)
	const number = "/v1/${number}"
	for _, test := range []struct{ method, path, body, param, says string }{
		{"POST", number + "/register", `{"pin":"12345"}`, "pin", "six digits"},
		{"GET", number + "/templates/Hello%20World", "", "name", "lowercase letters"},
		{"GET", number + "/conversations?assigned_to=ada", "", "assigned_to", "a user id"},
		{"GET", number + "/contacts?bsuid=ada", "", "bsuid", "such as US.13491208655302741918"},
		{"POST", number + "/messages", `{"messaging_product":"chat","recipient":"ada","type":"text","text":{"body":"x"}}`, "recipient", "US.ENT."},
		{"GET", "/v1/events?wait=60", "", "wait", "from 0 to 20"},
		{"GET", number + "/contacts?username=", "", "username", "at least 1 character long"},
		{"GET", number + "/messages?created_after=2026-01-31", "", "created_after", "such as 2026-01-31T12:00:00Z"},
	} {
		r := c.Call(t, apitest.Request{Method: test.method, Path: test.path, Body: test.body})
		f := r.Failure(t)
		if f.Code != "invalid_field_value" || f.Param != test.param || !strings.Contains(f.Message, test.says) {
			t.Errorf("%s %s answered %s, want %q about %s", test.method, test.path, r.Body, test.says, test.param)
		}
	}
}
