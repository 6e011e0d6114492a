package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
)

// sentTemplate is a template message to Ada.
func sentTemplate(name, language string, components ...string) string {
	if len(components) == 0 {
		return content("template", fmt.Sprintf(`{"name":%q,"language":%q}`, name, language))
	}
	return content("template", fmt.Sprintf(`{"name":%q,"language":%q,"components":[%s]}`, name, language, strings.Join(components, ",")))
}

func textsOf(kind string, values ...string) string {
	var list []string
	for _, v := range values {
		list = append(list, fmt.Sprintf(`{"type":"text","text":%q}`, v))
	}
	return `{"type":"` + kind + `","parameters":[` + strings.Join(list, ",") + `]}`
}

const (
	urlButton   = `{"type":"button","sub_type":"url","index":"1","parameters":[{"type":"text","text":"sale"}]}`
	aPhoto      = `{"type":"header","parameters":[{"type":"image","image":{"link":"https://files.example/a.png"}}]}`
	cardButtons = `{"type":"button","sub_type":"quick_reply","index":0,"parameters":[{"type":"payload","payload":"p"}]},{"type":"button","sub_type":"url","index":1,"parameters":[{"type":"text","text":"1"}]}`
)

func cardFor(i int) string {
	return fmt.Sprintf(`{"card_index":%d,"components":[%s,%s,%s]}`, i, aPhoto, textsOf("body", "hat"), cardButtons)
}

// TestTemplateSendsAreChecked covers every rule about a template's parameters, with the field it names.
func TestTemplateSendsAreChecked(t *testing.T) {
	const missing, bad, unknown = "missing_required_field", "invalid_field_value", "invalid_template_name"
	_, option := simulated(t)
	order := func(components ...string) string { return sentTemplate("order_update", "en_US", components...) }
	promo := func(components ...string) string { return sentTemplate("promo", "en_US", components...) }
	invoice := func(parameter string) string {
		return sentTemplate("invoice_ready", "en_US", `{"type":"header","parameters":[`+parameter+`]}`, textsOf("body", "Ada"))
	}
	named := func(parameters string) string {
		return sentTemplate("appointment_reminder", "en_US", `{"type":"body","parameters":[`+parameters+`]}`)
	}
	cards := func(list string) string {
		return sentTemplate("summer_carousel", "en_US", textsOf("body", "Ada"), `{"type":"carousel","cards":[`+list+`]}`)
	}
	body := func(parameters string) string { return order(`{"type":"body","parameters":[` + parameters + `]}`) }
	apitest.EachCase(t, business, func(t *testing.T, c *apitest.Case) {
		c.Call(t, templates(http.MethodPost, "", aNew("stays_pending", "de"))).RequireStatus(t, http.StatusCreated)
		c.Call(t, templates(http.MethodPost, "", aNew("instant_reject_me", "de"))).RequireStatus(t, http.StatusCreated)
		c.Unchanged(t, c.Org.ID, func() {
			for _, b := range []refusedBody{
				{"an unknown name", sentTemplate("nobody", "en_US"), unknown, "template.name"},
				{"a name that cannot be", sentTemplate("Hello World", "en_US"), unknown, "template.name"},
				{"another language", sentTemplate("hello_world", "de"), unknown, "template.language"},
				{"one that is pending", sentTemplate("stays_pending", "de"), unknown, "template.name"},
				{"one that was rejected", sentTemplate("instant_reject_me", "de"), unknown, "template.name"},
				{"no parameters", order(), missing, "template.components"},
				{"an empty body", order(`{"type":"body"}`), missing, "template.components[0].parameters"},
				{"a body with an empty list", body(``), bad, "template.components[0].parameters"},
				{"an empty list of components", content("template", `{"name":"order_update","language":"en_US","components":[]}`), bad, "template.components"},
				{"a parameter with an empty type", body(`{"type":"","text":"Ada"},{"type":"text","text":"x"}`), bad, "template.components[0].parameters[0].type"},
				{"a parameter without text", body(`{"type":"text"},{"type":"text","text":"x"}`), missing, "template.components[0].parameters[0].text"},
				{"null for a text", body(`{"type":"text","text":null},{"type":"text","text":"x"}`), bad, "template.components[0].parameters[0].text"},
				{"null for a currency", body(`{"type":"currency","currency":null},{"type":"text","text":"x"}`), bad, "template.components[0].parameters[0].currency.fallback_value"},
				{"an empty name", named(`{"type":"text","parameter_name":"","text":"Ada"},{"type":"text","parameter_name":"day","text":"x"}`), bad, "template.components[0].parameters[0].parameter_name"},
				{"a button with an empty kind", promo(textsOf("body", "20"), strings.Replace(urlButton, `"sub_type":"url",`, `"sub_type":"",`, 1)), bad, "template.components[1].sub_type"},
				{"a button with an empty list", promo(textsOf("body", "20"), `{"type":"button","sub_type":"url","index":1,"parameters":[]}`), bad, "template.components[1].parameters"},
				{"a document with an empty link", invoice(`{"type":"document","document":{"link":""}}`), bad, "template.components[0].parameters[0].document.link"},
				{"null for the place of a card", cards(cardFor(0) + `,{"card_index":null,"components":[]}`), bad, "template.components[1].cards[1].card_index"},
				{"one too few", order(textsOf("body", "Ada")), bad, "template.components[0].parameters"},
				{"one too many", order(textsOf("body", "Ada", "A-1", "x")), bad, "template.components[0].parameters"},
				{"parameters for nothing", sentTemplate("hello_world", "en_US", textsOf("body", "Ada")), bad, "template.components[0].parameters"},
				{"parameters for a header without placeholder", sentTemplate("hello_world", "en_US", textsOf("header", "Ada")), bad, "template.components[0].parameters"},
				{"a header where there is none", order(textsOf("body", "Ada", "A-1"), textsOf("header", "x")), bad, "template.components[1].parameters"},
				{"a body twice", order(textsOf("body", "Ada", "A-1"), textsOf("body", "Ada", "A-1")), bad, "template.components[1].type"},
				{"a parameter that is none", body(`"Ada",{"type":"text","text":"x"}`), bad, "template.components[0].parameters[0]"},
				{"a parameter without type", body(`{"text":"Ada"},{"type":"text","text":"x"}`), missing, "template.components[0].parameters[0].type"},
				{"a parameter of another type", body(`{"type":"text","text":"Ada"},{"type":"image","image":{"link":"https://a.example"}}`), bad, "template.components[0].parameters[1].type"},
				{"an empty text", body(`{"type":"text","text":"Ada"},{"type":"text","text":""}`), bad, "template.components[0].parameters[1].text"},
				{"a text with a line break", body(`{"type":"text","text":"a\nb"},{"type":"text","text":"x"}`), bad, "template.components[0].parameters[0].text"},
				{"a text with many blanks", body(`{"type":"text","text":"a     b"},{"type":"text","text":"x"}`), bad, "template.components[0].parameters[0].text"},
				{"a currency without its text", body(`{"type":"currency","currency":{"code":"EUR"}},{"type":"text","text":"x"}`), missing, "template.components[0].parameters[0].currency.fallback_value"},
				{"a text that makes it too long", body(`{"type":"text","text":"` + strings.Repeat("ä", 1020) + `"},{"type":"text","text":"x"}`), bad, "template.components[0].parameters"},
				{"a named one without name", named(`{"type":"text","text":"Ada"},{"type":"text","parameter_name":"day","text":"x"}`), missing, "template.components[0].parameters[0].parameter_name"},
				{"a named one that is unknown", named(`{"type":"text","parameter_name":"who","text":"Ada"},{"type":"text","parameter_name":"day","text":"x"}`), bad, "template.components[0].parameters[0].parameter_name"},
				{"a named one twice", named(`{"type":"text","parameter_name":"day","text":"Ada"},{"type":"text","parameter_name":"day","text":"x"}`), bad, "template.components[0].parameters[1].parameter_name"},
				{"no document", sentTemplate("invoice_ready", "en_US", textsOf("body", "Ada")), missing, "template.components"},
				{"an image for a document", invoice(`{"type":"image","image":{"link":"https://a.example"}}`), bad, "template.components[0].parameters[0].type"},
				{"a document that is missing", invoice(`{"type":"document"}`), missing, "template.components[0].parameters[0].document"},
				{"a document without source", invoice(`{"type":"document","document":{"filename":"x"}}`), missing, "template.components[0].parameters[0].document.link"},
				{"a document with both", invoice(`{"type":"document","document":{"link":"https://a.example","id":"med_x"}}`), bad, "template.components[0].parameters[0].document.id"},
				{"two documents", invoice(`{"type":"document","document":{"link":"https://a.example"}},{"type":"document","document":{"link":"https://a.example"}}`), bad, "template.components[0].parameters"},
				{"a document that is not in the library", invoice(`{"type":"document","document":{"id":"med_01KJMMA2QT8SE6WEXK0BAN6ZFW"}}`), "media_not_found", "template.components[0].parameters[0].document.id"},
				{"a button that is missing", promo(textsOf("body", "20")), missing, "template.components"},
				{"a button without index", promo(textsOf("body", "20"), strings.Replace(urlButton, `"index":"1",`, ``, 1)), missing, "template.components[1].index"},
				{"a button with a word as index", promo(textsOf("body", "20"), strings.Replace(urlButton, `"1"`, `"one"`, 1)), bad, "template.components[1].index"},
				{"a button too far", promo(textsOf("body", "20"), urlButton, strings.Replace(urlButton, `"1"`, `2`, 1)), bad, "template.components[2].index"},
				{"a button twice", promo(textsOf("body", "20"), urlButton, urlButton), bad, "template.components[2].index"},
				{"a button without kind", promo(textsOf("body", "20"), strings.Replace(urlButton, `"sub_type":"url",`, ``, 1)), missing, "template.components[1].sub_type"},
				{"a button of another kind", promo(textsOf("body", "20"), strings.Replace(urlButton, `"sub_type":"url"`, `"sub_type":"quick_reply"`, 1)), bad, "template.components[1].sub_type"},
				{"a button without parameter", promo(textsOf("body", "20"), `{"type":"button","sub_type":"url","index":1}`), missing, "template.components[1].parameters"},
				{"a button with a parameter of another type", promo(textsOf("body", "20"), strings.Replace(urlButton, `"type":"text"`, `"type":"payload"`, 1)), bad, "template.components[1].parameters[0].type"},
				{"a button with an empty text", promo(textsOf("body", "20"), strings.Replace(urlButton, `sale`, ``, 1)), bad, "template.components[1].parameters[0].text"},
				{"a carousel where there is none", order(textsOf("body", "Ada", "A-1"), `{"type":"carousel","cards":[{}]}`), bad, "template.components[1].cards"},
				{"no carousel", sentTemplate("summer_carousel", "en_US", textsOf("body", "Ada")), missing, "template.components"},
				{"a card too few", cards(cardFor(0)), bad, "template.components[1].cards"},
				{"a card twice", cards(cardFor(0) + "," + cardFor(0)), bad, "template.components[1].cards[1].card_index"},
				{"a card without index", cards(cardFor(0) + `,{"components":[]}`), missing, "template.components[1].cards[1].card_index"},
				{"a card that is none", cards(cardFor(0) + `,5`), bad, "template.components[1].cards[1]"},
				{"a card without photo", cards(cardFor(0) + "," + strings.Replace(cardFor(1), aPhoto+",", "", 1)), missing, "template.components[1].cards[1].components"},
				{"a card with too many texts", cards(strings.Replace(cardFor(0), textsOf("body", "hat"), textsOf("body", "hat", "x"), 1) + "," + cardFor(1)), bad, "template.components[1].cards[0].components[1].parameters"},
				{"a code that is too long", sentTemplate("login_code", "en_US", textsOf("body", "1234567890123456"), `{"type":"button","sub_type":"url","index":0,"parameters":[{"type":"text","text":"1"}]}`), bad, "template.components[0].parameters[0].text"},
				{"a code without its button", sentTemplate("login_code", "en_US", textsOf("body", "1234")), missing, "template.components"},
				{"a code to a BSUID", strings.Replace(sentTemplate("login_code", "en_US", textsOf("body", "1234")), `"to":"+15550001111"`, `"recipient":"DE.123"`, 1), bad, "recipient"},
			} {
				r := c.Call(t, post(b.body))
				got := r.Failure(t)
				if got.Code != b.code || got.Param != b.param || r.Status != apitest.Codes[b.code].Status {
					t.Errorf("%s: got %d %s at %q (%s), want %s at %q", b.name, r.Status, got.Code, got.Param, got.Message, b.code, b.param)
				}
			}
		})
	}, option)
}

// TestTemplateMessagesShowWhatTheRecipientSees sends what the rules allow.
func TestTemplateMessagesShowWhatTheRecipientSees(t *testing.T) {
	_, option := simulated(t)
	seen := func(name, body, preview string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: business, Request: post(body), Status: http.StatusOK, Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)},
			Then: func(t *testing.T, c *apitest.Case, r *apitest.Response) {
				var shown struct{ Preview map[string]any }
				r.Data(t, &shown)
				var want map[string]any
				must(t, json.Unmarshal([]byte(preview), &want))
				if d := gocmp.Diff(want, shown.Preview); d != "" {
					t.Errorf("another preview (-want +got):\n%s", d)
				}
			}}
	}
	card := `{"header":{"format":"IMAGE","link":"https://files.example/a.png"},"body":"A hat for the summer.",
		"buttons":[{"type":"QUICK_REPLY","text":"I like it"},{"type":"URL","text":"Buy","url":"https://shop.example.com/p/1"}]}`
	apitest.RunEach(t, []apitest.Scenario{
		seen("no parameters", sentTemplate(" hello_world ", "en_US"), `{"header":{"format":"TEXT","text":"Hello World"},"footer":"Simulated business",
			"body":"Welcome! This message shows that your number can send. Thank you for trying it."}`),
		seen("positions", sentTemplate("order_update", "de", textsOf("body", "Ada", "A-1")), `{"body":"Hallo Ada, deine Bestellung A-1 ist unterwegs."}`),
		seen("a currency and a date", sentTemplate("order_update", "de", `{"type":"body","parameters":[{"type":"currency","currency":{"fallback_value":"5 EUR","code":"EUR","amount_1000":5000}},
			{"type":"date_time","date_time":{"fallback_value":"1 May"}}]}`), `{"body":"Hallo 5 EUR, deine Bestellung 1 May ist unterwegs."}`),
		seen("names", sentTemplate("appointment_reminder", "en_US", `{"type":"body","parameters":[{"type":"text","parameter_name":"day","text":"Monday"},{"type":"text","parameter_name":"first_name","text":"{{day}}"}]}`),
			`{"body":"Hi {{day}}, see you on Monday at noon."}`),
		seen("a document", sentTemplate("invoice_ready", "en_US", `{"type":"header","parameters":[{"type":"document","document":{"link":"https://files.example/a.pdf","filename":"a.pdf"}}]}`, textsOf("body", "Ada")),
			`{"header":{"format":"DOCUMENT","text":"a.pdf","link":"https://files.example/a.pdf"},"body":"Hi Ada, here is your invoice."}`),
		seen("buttons", sentTemplate("promo", "en_US", textsOf("body", "20"), urlButton), `{"body":"Only this week: 20 percent off everything.","footer":"Reply STOP to opt out",
			"buttons":[{"type":"QUICK_REPLY","text":"Tell me more"},{"type":"URL","text":"Shop now","url":"https://shop.example.com/sale"}]}`),
		seen("a carousel", sentTemplate("summer_carousel", "en_US", textsOf("body", "Ada"), `{"type":"carousel","cards":[`+cardFor(1)+`,`+cardFor(0)+`]}`),
			`{"body":"Hi Ada, our picks for you.","cards":[`+card+`,`+card+`]}`),
		seen("a code", sentTemplate("login_code", "en_US", textsOf("body", "1234"), `{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"1234"}]}`),
			`{"body":"*1234* is your verification code. For your security, do not share this code.","footer":"This code expires in 10 minutes.",
			"buttons":[{"type":"URL","text":"Copy code","url":"https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp1234"}]}`),
		{Name: "a preview in the request counts for nothing", Given: business, Status: http.StatusOK, Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)},
			Request: post(content("template", `{"name":"order_update","language":"de","preview":7,"components":[`+textsOf("body", "Ada", "A-1")+`]}`))},
		{Name: "paused: the provider decides", Given: func(t *testing.T, c *apitest.Case) {
			business(t, c)
			templateNews(t, c, provider.TemplateUpdate{Aspect: provider.TemplateStatus, Name: "hello_world", Language: "en_US", Event: "PAUSED"})
		}, Request: post(sentTemplate("hello_world", "en_US")), Status: http.StatusOK, Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
	}, option)
}

func TestMarketingNeedsConsent(t *testing.T) {
	_, option := simulated(t)
	promo := sentTemplate("promo", "en_US", textsOf("body", "20"), urlButton)
	ada := func(consent string, optIn bool) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			business(t, c)
			changeNumber(func(a *chat.Account) { a.RequireOptIn = optIn })(t, c)
			contact := c.NewContact(t, accountOf(t, c), chat.NewContact{PhoneNumber: new("+15550001111")})
			c.Exec(t, "UPDATE contacts SET marketing_consent = $1 WHERE id = $2", consent, contact.ID)
		}
	}
	sent := apitest.Changes{"messages": "+1", "conversations": "+1", "send_jobs": "+1"}
	ok := func(name, body string, given func(*testing.T, *apitest.Case)) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: post(body), Status: http.StatusOK, Change: sent, Events: []string{}}
	}
	no := func(name, body, code string, given func(*testing.T, *apitest.Case)) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: post(body), Code: code}
	}
	apitest.RunEach(t, []apitest.Scenario{
		ok("unknown", promo, ada("unknown", false)),
		ok("opted in", promo, ada("opted_in", true)),
		ok("utility to one who opted out", sentTemplate("hello_world", "en_US"), ada("opted_out", true)),
		ok("a text to one who opted out", aText, ada("opted_out", true)),
		ok("a category that the provider has not said", promo, func(t *testing.T, c *apitest.Case) {
			ada("opted_out", true)(t, c)
			c.Exec(t, "UPDATE templates SET category = NULL WHERE org_id = $1", c.Org.ID)
		}),
		no("opted out", promo, "marketing_opted_out", ada("opted_out", false)),
		no("opted out where opting in is required", promo, "marketing_opted_out", ada("opted_out", true)),
		no("unknown where opting in is required", promo, "consent_required", ada("unknown", true)),
		no("a stranger where opting in is required", promo, "consent_required", func(t *testing.T, c *apitest.Case) {
			business(t, c)
			changeNumber(func(a *chat.Account) { a.RequireOptIn = true })(t, c)
		}),
		{Name: "the template's faults come first", Given: ada("opted_out", true), Request: post(sentTemplate("promo", "en_US", urlButton)), Code: "missing_required_field", Param: "template.components"},
		no("the quota comes before the template", sentTemplate("nobody", "en_US"), "quota_exceeded", func(t *testing.T, c *apitest.Case) {
			business(t, c)
			plan := c.NewPlan(t, core.PlanPatch{API: new(true), MonthlyMessages: new(int64(0)), WritePerMinute: new(int64(100)), ReadPerMinute: new(int64(100))})
			c.UpdateOrg(t, c.Org.ID, core.OrganizationPatch{Plan: &plan})
		}),
		no("the account comes before the template", sentTemplate("nobody", "en_US"), "upstream_error", func(t *testing.T, c *apitest.Case) {
			business(t, c)
			changeNumber(func(a *chat.Account) { a.Status = chat.AccountDegraded })(t, c)
		}),
		{Name: "the template comes before media", Given: business, Code: "invalid_template_name", Param: "template.language",
			Request: post(sentTemplate("invoice_ready", "de", `{"type":"header","parameters":[{"type":"document","document":{"id":"med_01KJMMA2QT8SE6WEXK0BAN6ZFW"}}]}`))},
	}, option)
}

// TestTheFirstSendReadsTheTemplates shows that nobody has to synchronize before sending.
func TestTheFirstSendReadsTheTemplates(t *testing.T) {
	_, option := simulated(t)
	fresh := func(t *testing.T, c *apitest.Case) {
		connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, WABAID: fmt.Sprint(210_000_000_000 + businesses.Add(1))})
	}
	read := apitest.Changes{"templates": "+9", "template_syncs": "+1 -1"}
	withMessage := apitest.Changes{"templates": "+9", "template_syncs": "+1 -1", "messages": "+1", "contacts": "+1", "conversations": "+1", "send_jobs": "+1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "one that exists", Given: fresh, Request: post(sentTemplate("hello_world", "en_US")), Status: http.StatusOK, Change: withMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "one that does not", Given: fresh, Request: post(sentTemplate("nobody", "en_US")), Code: "invalid_template_name", Param: "template.name", Change: read},
	}, option)

	down := &providertest.Client{OnTemplates: func(provider.Number, provider.TemplateQuery) (provider.TemplatePage, error) {
		return provider.TemplatePage{}, &provider.Error{HTTPStatus: 503, Transient: true}
	}}
	tried := apitest.Changes{"template_syncs": "+1 -1"}
	unchecked := apitest.Changes{"template_syncs": "+1 -1", "messages": "+1", "contacts": "+1", "conversations": "+1", "send_jobs": "+1"}
	t.Run("while the provider is down", func(t *testing.T) {
		apitest.RunEach(t, []apitest.Scenario{
			{Name: "it goes out unchecked", Given: fresh, Request: post(sentTemplate("anything", "en_US")), Status: http.StatusOK, Change: unchecked, Events: []string{newContactEvent(`"+15550001111"`)}},
			{Name: "but not to one who opted out", Given: func(t *testing.T, c *apitest.Case) {
				fresh(t, c)
				contact := c.NewContact(t, accountOf(t, c), chat.NewContact{PhoneNumber: new("+15550001111")})
				c.Exec(t, "UPDATE contacts SET marketing_consent = 'opted_out' WHERE id = $1", contact.ID)
			}, Request: post(sentTemplate("anything", "en_US")), Code: "marketing_opted_out", Change: tried},
		}, calling(t, down))
	})
}
