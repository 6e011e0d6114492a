package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/simulator"
)

// upstreamNode is the provider's simulator behind a socket.
type upstreamNode struct {
	*simulator.Simulator
	url    string
	writes atomic.Int64 // calls that change data
}

// simulated is a node whose provider is a simulator of its own.
func simulated(t *testing.T) (*upstreamNode, apitest.Option) {
	t.Helper()
	u := &upstreamNode{Simulator: simulator.New(simulator.Config{Seed: 7})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			u.writes.Add(1)
		}
		u.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	u.url = server.URL
	client, err := cloud.New(cloud.Options{BaseURL: server.URL + "/v24.0", AppID: simulator.DefaultAppID, Timeout: 5 * time.Second})
	must(t, err)
	return u, api.Connect(t, client, t.TempDir())
}

var businesses atomic.Int64

// business connects a number with a business account of its own, and reads its templates.
func business(t *testing.T, c *apitest.Case) {
	t.Helper()
	connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, WABAID: fmt.Sprint(210_000_000_000 + businesses.Add(1))})
	c.Call(t, templates(http.MethodPost, "/sync", "")).RequireStatus(t, http.StatusOK)
}

func templates(method, rest, body string) apitest.Request {
	return apitest.Request{Method: method, Path: "/v1/${number}/templates" + rest, Body: body}
}

// having is business with created templates.
func having(bodies ...string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		business(t, c)
		for _, body := range bodies {
			c.Call(t, templates(http.MethodPost, "", body)).RequireStatus(t, http.StatusCreated)
		}
	}
}

// aNew is a template of one text.
func aNew(name, language string, more ...string) string {
	return fmt.Sprintf(`{"name":%q,"language":%q,"category":"UTILITY","components":[%s]}`, name, language,
		strings.Join(append([]string{`{"type":"BODY","text":"All is well."}`}, more...), ","))
}

// shownTemplate is a template's envelope with the given fields.
func shownTemplate(fields string) string {
	return `{"data":{"id":"<tmpl>","object":"template","rejected_reason":null,"message_send_ttl_seconds":null,
		"chat_account":{"phone_number":"${phone}","phone_number_id":"${number}","customer":null},` + fields + `},"request_id":"<req>"}`
}

func TestCreateTemplate(t *testing.T) {
	upstream, option := simulated(t)
	made := apitest.Changes{"templates": "+1", "template_changes": "+1"}
	create := func(body string) apitest.Request { return templates(http.MethodPost, "", body) }
	full := `{"name":"order_ready","language":"en_US","category":"MARKETING","parameter_format":"positional","message_send_ttl_seconds":43200,"variables":["1","2"],
		"components":[{"type":"HEADER","format":"TEXT","text":"Order {{1}}","example":{"header_text":["A-17"]}},
			{"type":"BODY","text":"Hi {{1}}, order {{2}} is ready.","example":{"body_text":[["Ada","A-17"]]}},{"type":"FOOTER","text":"Shop"},
			{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Thanks"},{"type":"URL","text":"Track","url":"https://example.com/t/{{1}}","example":"https://example.com/t/9"},
				{"type":"PHONE_NUMBER","text":"Call","phone_number":"+4930555000"},{"type":"COPY_CODE","example":["SAVE10"]}]}]}`
	created := func(name, body string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: business, Request: create(body), Status: http.StatusCreated, Change: made, Events: []string{}}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "all parts", Given: business, Request: create(full), Status: http.StatusCreated, Change: made, Events: []string{}, Want: `{"data":{
			"id":"<tmpl>","object":"template","name":"order_ready","language":"en_US","status":"pending","provider_status":"PENDING","rejected_reason":null,
			"category":"MARKETING","quality":"UNKNOWN","content":"Hi {{1}}, order {{2}} is ready.","variables":["1","2"],"parameter_format":"positional",
			"message_send_ttl_seconds":43200,"provider_template_id":"<text>","created_at":"<now>","updated_at":"<now>",
			"components":[{"type":"HEADER","format":"TEXT","text":"Order {{1}}","example":{"header_text":["A-17"]}},
				{"type":"BODY","text":"Hi {{1}}, order {{2}} is ready.","example":{"body_text":[["Ada","A-17"]]}},{"type":"FOOTER","text":"Shop"},
				{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Thanks"},{"type":"URL","text":"Track","url":"https://example.com/t/{{1}}","example":["https://example.com/t/9"]},
					{"type":"PHONE_NUMBER","text":"Call","phone_number":"+4930555000"},{"type":"COPY_CODE","example":"SAVE10"}]}],
			"chat_account":{"phone_number":"${phone}","phone_number_id":"${number}","customer":null}},"request_id":"<req>"}`},
		created("approved at once", aNew("instant_one", "de")),
		created("rejected at once", aNew("instant_reject_one", "de")),
		created("a language beside another", aNew("hello_world", "de")),
		created("the other spelling of the time to live", strings.Replace(aNew("x", "de"), `{`, `{"messageSendTtlSeconds":60,`, 1)),
		created("for ever", strings.Replace(aNew("x", "de"), `{`, `{"message_send_ttl_seconds":-1,`, 1)),
		created("placeholders in another order", `{"name":"x","language":"de","category":"UTILITY","components":[
			{"type":"BODY","text":"Das {{2}} ist für {{1}} da.","example":{"body_text":[["Ada","Buch"]]}}]}`),
		created("named placeholders", `{"name":"x","language":"de","category":"UTILITY","parameter_format":"named","variables":["first_name","day"],"components":[
			{"type":"HEADER","format":"TEXT","text":"Hi {{who}}","example":{"header_text_named_params":[{"param_name":"who","example":"Ada"}]}},
			{"type":"BODY","text":"Hi {{first_name}}, see you {{day}} at noon.","example":{"body_text_named_params":[{"param_name":"day","example":"Monday"},{"param_name":"first_name","example":"Ada"}]}}]}`),
		created("a place", aNew("x", "de", `{"type":"HEADER","format":"LOCATION"}`)),
		created("a handle", aNew("x", "de", `{"type":"HEADER","format":"DOCUMENT","example":{"header_handle":["4::YXBwbGljYXRpb24vcGRm"]}}`)),
		created("a carousel", carouselOf(10)),
		created("a carousel of one", carouselOf(1)),
		created("copy code", authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`)),
		created("one tap", authentication(`{"type":"OTP","otp_type":"ONE_TAP","text":"Copy","autofill_text":"Fill","supported_apps":[{"package_name":"com.example.app","signature_hash":"K8a/AINcGX7"}]}`)),
		created("zero tap", authentication(`{"type":"OTP","otp_type":"ZERO_TAP","zero_tap_terms_accepted":true,"supported_apps":[{"package_name":"com.example.app","signature_hash":"K8a/AINcGX7"}]}`)),
		{Name: "a copy code has the provider's texts", Given: business, Request: create(authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`)), Status: http.StatusCreated, Change: made,
			Then: func(t *testing.T, c *apitest.Case, r *apitest.Response) {
				var made struct {
					Content   string
					Variables []string
				}
				if r.Data(t, &made); made.Content != "*{{1}}* is your verification code. For your security, do not share this code." || fmt.Sprint(made.Variables) != "[1]" {
					t.Errorf("got %+v", made)
				}
			}},
		{Name: "a name that exists", Given: having(aNew("mine", "de")), Request: create(aNew("mine", "de")), Code: "template_already_exists", Param: "name"},
		{Name: "a name that was synchronized", Given: business, Request: create(aNew("order_update", "de")), Code: "template_already_exists", Param: "name"},
		{Name: "a name that exists at the provider only", Given: func(t *testing.T, c *apitest.Case) {
			business(t, c)
			waba := accountOf(t, c).WABAID
			res, err := http.Post(upstream.url+"/"+waba+"/message_templates?access_token=x", "application/json", strings.NewReader(aNew("elsewhere", "de")))
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatal(res, err)
			}
			res.Body.Close()
		}, Request: create(aNew("elsewhere", "de")), Code: "template_already_exists", Param: "name", Change: made},
		{Name: "a number that is not connected", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/999999999/templates", Body: aNew("x", "de")}, Code: "resource_not_found"},
		{Name: "the provider's words", Given: func(t *testing.T, c *apitest.Case) {
			having(aNew("instant_gone", "de"))(t, c)
			c.Call(t, templates(http.MethodDelete, "/instant_gone", "")).RequireStatus(t, http.StatusOK)
		}, Request: create(aNew("instant_gone", "de")), Code: "invalid_field_value", Param: "name",
			Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
				if !strings.Contains(r.Failure(t).Message, "The message template is being deleted: New content for instant_gone cannot be added") {
					t.Errorf("got %s", r.Body)
				}
			}},
	}, option)
}

func carouselOf(n int) string {
	card := `{"components":[{"type":"HEADER","format":"IMAGE","example":{"header_handle":"4::aW1hZ2UvcG5n"}},{"type":"BODY","text":"A {{1}} for you today.","example":{"body_text":[["hat"]]}},
		{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Yes"},{"type":"URL","text":"Buy","url":"https://example.com/{{1}}","example":["https://example.com/1"]}]}]}`
	return `{"name":"cards","language":"en_US","category":"MARKETING","components":[{"type":"BODY","text":"Look here."},{"type":"CAROUSEL","cards":[` +
		strings.Join(repeated(card, n), ",") + `]}]}`
}

func repeated(s string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func authentication(button string) string {
	return `{"name":"code","language":"en_US","category":"AUTHENTICATION","message_send_ttl_seconds":300,"components":[{"type":"BODY","add_security_recommendation":true},
		{"type":"FOOTER","code_expiration_minutes":10},{"type":"BUTTONS","buttons":[` + button + `]}]}`
}

// TestTemplatesAreCheckedBeforeTheProviderIsAsked covers every rule, with the field it names.
func TestTemplatesAreCheckedBeforeTheProviderIsAsked(t *testing.T) {
	const missing, bad = "missing_required_field", "invalid_field_value"
	upstream, option := simulated(t)
	body := func(text, example string) string {
		return `{"name":"x","language":"de","category":"UTILITY","components":[{"type":"BODY","text":"` + text + `"` + example + `}]}`
	}
	one, two := `,"example":{"body_text":[["a"]]}`, `,"example":{"body_text":[["a","b"]]}`
	buttons := func(list string) string { return aNew("x", "de", `{"type":"BUTTONS","buttons":[`+list+`]}`) }
	header := func(fields string) string { return aNew("x", "de", `{"type":"HEADER",`+fields+`}`) }
	named := func(text, example string) string {
		return `{"name":"x","language":"de","category":"UTILITY","parameter_format":"named","components":[{"type":"BODY","text":"` + text + `"` + example + `}]}`
	}
	cards := func(list string) string {
		return `{"name":"x","language":"de","category":"MARKETING","components":[{"type":"BODY","text":"Look here."},{"type":"CAROUSEL","cards":[` + list + `]}]}`
	}
	const image, quick = `{"type":"HEADER","format":"IMAGE","example":{"header_handle":["4::x"]}}`, `{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Yes"}]}`
	app := `"supported_apps":[{"package_name":"com.example.app","signature_hash":"K8a/AINcGX7"}]`
	with := func(field, body string) string { return strings.Replace(body, `{`, `{`+field+`,`, 1) }
	quickReplies := strings.TrimSuffix(strings.Repeat(`{"type":"QUICK_REPLY","text":"a"},`, 11), ",")
	long := func(n int) string { return strings.Repeat("ä", n) }
	apitest.EachCase(t, business, func(t *testing.T, c *apitest.Case) {
		before := upstream.writes.Load()
		c.Unchanged(t, c.Org.ID, func() {
			for _, b := range []refusedBody{
				{"nothing", `{}`, missing, "name"},
				{"no language", `{"name":"x","category":"UTILITY","components":[]}`, missing, "language"},
				{"no category", `{"name":"x","language":"de","components":[]}`, missing, "category"},
				{"no components", `{"name":"x","language":"de","category":"UTILITY"}`, missing, "components"},
				{"empty components", `{"name":"x","language":"de","category":"UTILITY","components":[]}`, bad, "components"},
				{"capitals in the name", aNew("Order", "de"), bad, "name"},
				{"a dash in the name", aNew("my-order", "de"), bad, "name"},
				{"a long name", aNew(strings.Repeat("a", 513), "de"), bad, "name"},
				{"a language of words", aNew("x", "german"), bad, "language"},
				{"an unknown category", strings.Replace(aNew("x", "de"), "UTILITY", "SERVICE", 1), bad, "category"},
				{"an unknown component", aNew("x", "de", `{"type":"SIDEBAR"}`), bad, "components[1].type"},
				{"an unknown format of parameters", with(`"parameter_format":"mixed"`, aNew("x", "de")), bad, "parameter_format"},
				{"no body", `{"name":"x","language":"de","category":"UTILITY","components":[{"type":"FOOTER","text":"x"}]}`, missing, "components"},
				{"two bodies", aNew("x", "de", `{"type":"BODY","text":"Again."}`), bad, "components[1].type"},
				{"two footers", aNew("x", "de", `{"type":"FOOTER","text":"a"},{"type":"FOOTER","text":"b"}`), bad, "components[2].type"},
				{"a body without text", `{"name":"x","language":"de","category":"UTILITY","components":[{"type":"BODY"}]}`, missing, "components[0].text"},
				{"a blank body", body(" \\n", ""), bad, "components[0].text"},
				{"a long body", body(long(1025), ""), bad, "components[0].text"},
				{"a gap", body("Hi {{1}} and then {{3}} also here.", two), bad, "components[0].text"},
				{"a name in a positional template", body("Hi {{name}} good to see.", one), bad, "components[0].text"},
				{"a number in a named template", named("Hi {{1}} good to see.", `,"example":{"body_text_named_params":[{"param_name":"1","example":"a"}]}`), bad, "components[0].text"},
				{"capitals in a placeholder", named("Hi {{Name}} good to see.", `,"example":{"body_text_named_params":[{"param_name":"Name","example":"a"}]}`), bad, "components[0].text"},
				{"a brace too few", body("Hi {{1} good to see.", one), bad, "components[0].text"},
				{"blanks in a placeholder", body("Hi {{ 1 }} good to see.", one), bad, "components[0].text"},
				{"a placeholder at the start", body("{{1}} is here today.", one), bad, "components[0].text"},
				{"a placeholder at the end", body("Here today is {{1}}.", one), bad, "components[0].text"},
				{"placeholders side by side", body("We have for {{1}} {{2}} today only here.", two), bad, "components[0].text"},
				{"too many placeholders", body("a {{1}} b {{2}} c", two), bad, "components[0].text"},
				{"no example", body("Hi {{1}} good to see.", ""), missing, "components[0].example.body_text"},
				{"too few examples", body("Hi {{1}} or {{2}} good to see.", one), bad, "components[0].example.body_text"},
				{"too many examples", body("Hi {{1}} good to see.", two), bad, "components[0].example.body_text"},
				{"an example without placeholder", body("Hi good to see.", one), bad, "components[0].example.body_text"},
				{"a blank example", body("Hi {{1}} good to see.", `,"example":{"body_text":[[" "]]}`), bad, "components[0].example.body_text"},
				{"two lists of examples", body("Hi {{1}} good to see.", `,"example":{"body_text":[["a"],["b"]]}`), bad, "components[0].example.body_text"},
				{"no named example", named("Hi {{name}} good to see.", ""), missing, "components[0].example.body_text_named_params"},
				{"an example of another name", named("Hi {{name}} good to see.", `,"example":{"body_text_named_params":[{"param_name":"day","example":"a"}]}`), bad, "components[0].example.body_text_named_params"},
				{"variables that are others", with(`"variables":["2"]`, body("Hi {{1}} good to see.", one)), bad, "variables[0]"},
				{"too many variables", with(`"variables":["1","2"]`, body("Hi {{1}} good to see.", one)), bad, "variables"},
				{"a footer without text", aNew("x", "de", `{"type":"FOOTER"}`), missing, "components[1].text"},
				{"a long footer", aNew("x", "de", `{"type":"FOOTER","text":"`+long(61)+`"}`), bad, "components[1].text"},
				{"a placeholder in the footer", aNew("x", "de", `{"type":"FOOTER","text":"x {{1}} y"}`), bad, "components[1].text"},
				{"a header without format", header(`"example":{}`), missing, "components[1].format"},
				{"a header of an unknown format", header(`"format":"GIF"`), bad, "components[1].format"},
				{"a header without text", header(`"format":"TEXT"`), missing, "components[1].text"},
				{"a long header", header(`"format":"TEXT","text":"` + long(61) + `"`), bad, "components[1].text"},
				{"a header of two lines", header(`"format":"TEXT","text":"a\nb"`), bad, "components[1].text"},
				{"two placeholders in the header", header(`"format":"TEXT","text":"a {{1}} b {{2}}","example":{"header_text":["a","b"]}`), bad, "components[1].text"},
				{"a header without example", header(`"format":"TEXT","text":"Hi {{1}}"`), missing, "components[1].example.header_text"},
				{"a place with a text", header(`"format":"LOCATION","text":"here"`), bad, "components[1].text"},
				{"an image without sample", header(`"format":"IMAGE"`), missing, "components[1].example.header_url"},
				{"an image with two samples", header(`"format":"IMAGE","example":{"header_url":["https://a.example/1.png","https://a.example/2.png"]}`), bad, "components[1].example.header_url"},
				{"an image with both", header(`"format":"IMAGE","example":{"header_url":"https://a.example/1.png","header_handle":"4::x"}`), bad, "components[1].example.header_handle"},
				{"an image without TLS", header(`"format":"IMAGE","example":{"header_url":"http://a.example/1.png"}`), bad, "components[1].example.header_url"},
				{"a handle that is none", header(`"format":"IMAGE","example":{"header_handle":["http://a.example/1.png"]}`), bad, "components[1].example.header_handle"},
				{"a handle that is a number", header(`"format":"IMAGE","example":{"header_handle":5}`), bad, "components[1].example.header_handle"},
				{"no buttons", buttons(""), bad, "components[1].buttons"},
				{"eleven buttons", buttons(quickReplies), bad, "components[1].buttons"},
				{"a button of no type", buttons(`{"text":"x"}`), missing, "components[1].buttons[0].type"},
				{"a button of an unknown type", buttons(`{"type":"DANCE","text":"x"}`), bad, "components[1].buttons[0].type"},
				{"a code button", buttons(`{"type":"OTP","otp_type":"COPY_CODE"}`), bad, "components[1].buttons[0].type"},
				{"a button without text", buttons(`{"type":"QUICK_REPLY"}`), missing, "components[1].buttons[0].text"},
				{"a button with a long text", buttons(`{"type":"QUICK_REPLY","text":"` + long(26) + `"}`), bad, "components[1].buttons[0].text"},
				{"a placeholder on a button", buttons(`{"type":"QUICK_REPLY","text":"a {{1}}"}`), bad, "components[1].buttons[0].text"},
				{"three links", buttons(manyOf(3, `{"type":"URL","text":"a","url":"https://a.example"}`)), bad, "components[1].buttons[2].type"},
				{"two phones", buttons(manyOf(2, `{"type":"PHONE_NUMBER","text":"a","phone_number":"+4930555000"}`)), bad, "components[1].buttons[1].type"},
				{"two codes", buttons(manyOf(2, `{"type":"COPY_CODE","example":"a"}`)), bad, "components[1].buttons[1].type"},
				{"quick replies apart", buttons(`{"type":"QUICK_REPLY","text":"a"},{"type":"URL","text":"b","url":"https://a.example"},{"type":"QUICK_REPLY","text":"c"}`), bad, "components[1].buttons[2].type"},
				{"a link without address", buttons(`{"type":"URL","text":"a"}`), missing, "components[1].buttons[0].url"},
				{"a link that is none", buttons(`{"type":"URL","text":"a","url":"ftp://a.example"}`), bad, "components[1].buttons[0].url"},
				{"a long link", buttons(`{"type":"URL","text":"a","url":"https://a.example/` + strings.Repeat("a", 2000) + `"}`), bad, "components[1].buttons[0].url"},
				{"a placeholder inside a link", buttons(`{"type":"URL","text":"a","url":"https://a.example/{{1}}/b","example":"x"}`), bad, "components[1].buttons[0].url"},
				{"a placeholder for a host", buttons(`{"type":"URL","text":"a","url":"https://{{1}}","example":"x"}`), bad, "components[1].buttons[0].url"},
				{"a link without example", buttons(`{"type":"URL","text":"a","url":"https://a.example/{{1}}"}`), missing, "components[1].buttons[0].example"},
				{"a link with two examples", buttons(`{"type":"URL","text":"a","url":"https://a.example/{{1}}","example":["a","b"]}`), bad, "components[1].buttons[0].example"},
				{"a phone without number", buttons(`{"type":"PHONE_NUMBER","text":"a"}`), missing, "components[1].buttons[0].phone_number"},
				{"a phone that is none", buttons(`{"type":"PHONE_NUMBER","text":"a","phone_number":"call me"}`), bad, "components[1].buttons[0].phone_number"},
				{"a code without example", buttons(`{"type":"COPY_CODE"}`), missing, "components[1].buttons[0].example"},
				{"a long code", buttons(`{"type":"COPY_CODE","example":"` + strings.Repeat("a", 21) + `"}`), bad, "components[1].buttons[0].example"},
				{"a carousel that is no marketing", strings.Replace(carouselOf(2), "MARKETING", "UTILITY", 1), bad, "components[1].type"},
				{"no cards", cards(""), bad, "components[1].cards"},
				{"eleven cards", carouselOf(11), bad, "components[1].cards"},
				{"a carousel with a footer", strings.Replace(carouselOf(2), `[{"type":"BODY"`, `[{"type":"FOOTER","text":"x"},{"type":"BODY"`, 1), bad, "components[0].type"},
				{"a card without header", cards(`{"components":[` + quick + `]}`), missing, "components[1].cards[0].components"},
				{"a card without buttons", cards(`{"components":[` + image + `]}`), missing, "components[1].cards[0].components"},
				{"a card with a text header", cards(`{"components":[{"type":"HEADER","format":"TEXT","text":"x"},` + quick + `]}`), bad, "components[1].cards[0].components[0].format"},
				{"a card without sample", cards(`{"components":[{"type":"HEADER","format":"IMAGE"},` + quick + `]}`), missing, "components[1].cards[0].components[0].example.header_url"},
				{"a card with a long text", cards(`{"components":[` + image + `,{"type":"BODY","text":"` + long(161) + `"},` + quick + `]}`), bad, "components[1].cards[0].components[1].text"},
				{"a card with three buttons", cards(`{"components":[` + image + `,{"type":"BUTTONS","buttons":[` + manyOf(3, `{"type":"QUICK_REPLY","text":"a"}`) + `]}]}`), bad, "components[1].cards[0].components[1].buttons"},
				{"cards of two kinds", cards(`{"components":[` + image + `,` + quick + `]},{"components":[` + strings.Replace(image, "IMAGE", "VIDEO", 1) + `,` + quick + `]}`), bad, "components[1].cards[1].components"},
				{"cards with other buttons", cards(`{"components":[` + image + `,` + quick + `]},{"components":[` + image + `,{"type":"BUTTONS","buttons":[{"type":"URL","text":"a","url":"https://a.example"}]}]}`), bad, "components[1].cards[1].components"},
				{"a code with a text", strings.Replace(authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`), `"add_security`, `"text":"Mine","add_security`, 1), bad, "components[0].text"},
				{"a code with a header", strings.Replace(authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`), `[{"type":"BODY"`, `[{"type":"HEADER","format":"LOCATION"},{"type":"BODY"`, 1), bad, "components[0].type"},
				{"a code without button", `{"name":"x","language":"de","category":"AUTHENTICATION","components":[{"type":"BODY"}]}`, missing, "components"},
				{"a code with another button", authentication(`{"type":"QUICK_REPLY","text":"x"}`), bad, "components[2].buttons[0].type"},
				{"a code with two buttons", authentication(manyOf(2, `{"type":"OTP","otp_type":"COPY_CODE"}`)), bad, "components[2].buttons"},
				{"a code without kind", authentication(`{"type":"OTP"}`), missing, "components[2].buttons[0].otp_type"},
				{"a code of an unknown kind", authentication(`{"type":"OTP","otp_type":"SOME"}`), bad, "components[2].buttons[0].otp_type"},
				{"one tap without app", authentication(`{"type":"OTP","otp_type":"ONE_TAP"}`), missing, "components[2].buttons[0].supported_apps"},
				{"one tap with a short hash", authentication(`{"type":"OTP","otp_type":"ONE_TAP","supported_apps":[{"package_name":"com.example.app","signature_hash":"short"}]}`), bad, "components[2].buttons[0].supported_apps[0].signature_hash"},
				{"zero tap without terms", authentication(`{"type":"OTP","otp_type":"ZERO_TAP",` + app + `}`), missing, "components[2].buttons[0].zero_tap_terms_accepted"},
				{"zero tap with terms refused", authentication(`{"type":"OTP","otp_type":"ZERO_TAP","zero_tap_terms_accepted":false,` + app + `}`), bad, "components[2].buttons[0].zero_tap_terms_accepted"},
				{"a code for too long", strings.Replace(authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`), `minutes":10`, `minutes":91`, 1), bad, "components[1].code_expiration_minutes"},
				{"a footer of a code without time", strings.Replace(authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`), `,"code_expiration_minutes":10`, ``, 1), missing, "components[1].code_expiration_minutes"},
				{"too short a life", with(`"message_send_ttl_seconds":29`, aNew("x", "de")), bad, "message_send_ttl_seconds"},
				{"too long a life", with(`"message_send_ttl_seconds":43201`, aNew("x", "de")), bad, "message_send_ttl_seconds"},
				{"marketing for ever", with(`"message_send_ttl_seconds":-1`, strings.Replace(aNew("x", "de"), "UTILITY", "MARKETING", 1)), bad, "message_send_ttl_seconds"},
				{"a code that lives too long", strings.Replace(authentication(`{"type":"OTP","otp_type":"COPY_CODE"}`), `seconds":300`, `seconds":901`, 1), bad, "message_send_ttl_seconds"},
			} {
				r := c.Call(t, templates(http.MethodPost, "", b.body))
				got := r.Failure(t)
				if got.Code != b.code || got.Param != b.param || r.Status != http.StatusBadRequest {
					t.Errorf("%s: got %d %s at %q (%s), want %s at %q", b.name, r.Status, got.Code, got.Param, got.Message, b.code, b.param)
				}
			}
		})
		if n := upstream.writes.Load() - before; n != 0 {
			t.Errorf("the provider was asked %d times", n)
		}
	}, option)
}

func manyOf(n int, s string) string { return strings.Join(repeated(s, n), ",") }
