package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// broken are values that one of the stores cannot hold: NUL, and invalid UTF-8.
var broken = []string{"%00", "%ff", "a%00b", "%c3%28", "%ed%a0%80"}

// parameter is a place for a value in a request: in the path of an operation, or in its query.
type parameter struct{ method, path, name, in string }

// parametersOf are all parameters in the API's own description.
func parametersOf(t *testing.T, document []byte) (all []parameter) {
	t.Helper()
	var d struct {
		Paths map[string]map[string]struct{ Parameters []struct{ Name, In string } }
	}
	must(t, json.Unmarshal(document, &d))
	for path, operations := range d.Paths {
		for method, operation := range operations {
			for _, p := range operation.Parameters {
				if p.In == "path" || p.In == "query" {
					all = append(all, parameter{strings.ToUpper(method), "/v1" + path, p.Name, p.In})
				}
			}
		}
	}
	return all
}

// with is the address with a value for the parameter. Other variables of the path get a valid value.
func (p parameter) with(value, number string) string {
	path := p.path
	if p.in == "path" {
		path = strings.Replace(path, "{"+p.name+"}", value, 1)
	} else {
		value = p.name + "=" + value
	}
	path = strings.ReplaceAll(path, "{phone_number_id}", number)
	for kind, id := range map[string]string{"{name}": "hello_world", "{label_id}": "lbl_00000000000000000000000000"} {
		path = strings.ReplaceAll(path, kind, id)
	}
	if p.in == "query" {
		return path + "?" + value
	}
	return path
}

// connectedKey makes an organization with a number, and returns a key of it.
func connectedKey(t *testing.T, s *Server, number string) (key string) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
		org, team, err := core.CreateOrganization(tx, "Acme", "enterprise")
		if err != nil {
			return err
		}
		account := chat.NewAccount{OrgID: org.ID, TeamID: team.ID, PhoneNumberID: number, PhoneNumber: "+4915112345678", WABAID: "200000"}
		if _, err = core.ConnectAccount(tx, account, func(id string) string { return s.vault.Seal("token", core.TokenContext(id)) }); err == nil {
			_, key, err = core.CreateKey(tx, org.ID, "key", nil)
		}
		return err
	})
	must(t, err)
	return key
}

// A value in an address that no store can hold is the caller's mistake, in any parameter: nothing fails on our side,
// and nothing is logged.
func TestBrokenTextIsTheCallersMistake(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := settings(t)
		cfg.DatabaseURL = storetest.NewConfig(t, engine).URL
		s, lines := open(t, cfg)
		t.Cleanup(func() { s.Close() })
		const number = "301000001"
		key := connectedKey(t, s, number)
		ask := func(method, target string) int {
			request := httptest.NewRequest(method, "/", strings.NewReader("{}"))
			u, err := url.ParseRequestURI(target)
			must(t, err)
			request.URL, request.RequestURI = u, target
			request.Header.Set("Authorization", "Bearer "+key)
			response := httptest.NewRecorder()
			s.routes().ServeHTTP(response, request)
			return response.Code
		}
		document := httptest.NewRecorder()
		s.routes().ServeHTTP(document, httptest.NewRequest(http.MethodGet, "/v1/openapi.json", nil))
		places := parametersOf(t, document.Body.Bytes())
		if len(places) < 50 {
			t.Fatalf("only %d parameters were found", len(places))
		}
		for _, value := range broken {
			for _, p := range places {
				if status := ask(p.method, p.with(value, number)); status < 400 || status >= 500 {
					t.Errorf("%s %s with %s as %s: %d", p.method, p.path, value, p.name, status)
				}
			}
			for _, target := range []string{
				"/media/" + value, "/media/" + strings.Repeat("a", 31) + value, "/media/" + strings.Repeat("a", 32) + value, "/media/..%2f..%2fsecret.key" + value, "/onboard/" + value, "/onboard/" + value + "/start", "/onboard/callback?state=" + value + "&code=" + value,
				"/onboard/csl_" + strings.Repeat("a", 23) + value, "/provider/webhook?hub.mode=subscribe&hub.verify_token=" + value + "&hub.challenge=" + value, "/simulator/dialog/oauth?client_id=7001&state=" + value, "/" + value,
			} {
				if status := ask(http.MethodGet, target); status < 400 || status >= 500 {
					t.Errorf("%s: %d", target, status)
				}
			}
		}
		for line := range strings.Lines(lines.String()) {
			if strings.Contains(line, "level=ERROR") || strings.Contains(line, "SQLSTATE") {
				t.Errorf("logged %s", line)
			}
		}
	})
}
