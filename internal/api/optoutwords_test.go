package api_test

import (
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
)

// Who writes a word must be understood. So no word means both, neither in one language nor in two.
func TestAWordMeansStopOrStart(t *testing.T) {
	words := func(method, language, body string) apitest.Request {
		return apitest.Request{Method: method, Path: "/v1/opt_out_words/" + language, Body: body}
	}
	having := func(changes ...apitest.Request) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			for _, r := range changes {
				c.Call(t, r).RequireStatus(t, http.StatusOK)
			}
		}
	}
	swapped := having(words(http.MethodPatch, "en", `{"stop":["END"],"start":["BEGIN"]}`), words(http.MethodPatch, "de", `{"stop":["Start"]}`))
	refused := func(name string, given func(*testing.T, *apitest.Case), r apitest.Request, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: r, Code: "invalid_field_value", Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		refused("both are given", nil, words(http.MethodPatch, "fr", `{"stop":["ARRET","non"],"start":["OUI","Non!"]}`), "stop[1]"),
		refused("the other was there", nil, words(http.MethodPatch, "en", `{"start":["go","stop"]}`), "start[1]"),
		refused("another language has it", nil, words(http.MethodPatch, "de", `{"stop":["START"]}`), "stop[0]"),
		refused("its default has it", swapped, words(http.MethodDelete, "en", ""), "language"),
		{Name: "it moves to the other side", Request: words(http.MethodPatch, "en", `{"stop":["START"],"start":["STOP"]}`), Status: http.StatusOK,
			Change: apitest.Changes{"opt_out_words": "+1"}},
		{Name: "another language has it on the same side", Request: words(http.MethodPatch, "de", `{"stop":["STOP"]}`), Status: http.StatusOK,
			Change: apitest.Changes{"opt_out_words": "+1"}},
		{Name: "the default is free", Given: having(words(http.MethodPatch, "de", `{"stop":["Ende"]}`)), Request: words(http.MethodDelete, "de", ""), Status: http.StatusOK,
			Change: apitest.Changes{"opt_out_words": "-1"}},
	})
}
