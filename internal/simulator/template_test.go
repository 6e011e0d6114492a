package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/templates"
)

const testWABA = "200100100100100"

func newTemplateRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "waba_id": testWABA})
	return r
}

func templateBody(name string, components ...string) string {
	if len(components) == 0 {
		components = []string{`{"type":"BODY","text":"Hello there, friend."}`}
	}
	return fmt.Sprintf(`{"name":%q,"language":"de","category":"UTILITY","components":[%s]}`, name, strings.Join(components, ","))
}

func (r *rig) createTemplate(body string) reply {
	r.t.Helper()
	return r.do("POST", "/v25.0/"+testWABA+"/message_templates", body)
}

func (r *rig) templateStatus(id string) any {
	r.t.Helper()
	return r.do("GET", "/"+id+"?fields=status", nil).body["status"]
}

func TestTemplateReview(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	for name, want := range map[string]string{
		"order_ready":        "PENDING APPROVED APPROVED | APPROVED",
		"please_reject":      "PENDING REJECTED REJECTED | REJECTED INVALID_FORMAT",
		"reject_scam_1":      "PENDING REJECTED REJECTED | REJECTED SCAM",
		"pause_me":           "PENDING APPROVED PAUSED | APPROVED PAUSED",
		"disable_me":         "PENDING APPROVED DISABLED | APPROVED DISABLED",
		"stays_pending":      "PENDING PENDING PENDING |",
		"instant_one":        "APPROVED APPROVED APPROVED |",
		"instant_reject_two": "REJECTED REJECTED REJECTED |",
		"recategorize_this":  "PENDING APPROVED APPROVED | APPROVED MARKETING",
		"low_quality_one":    "PENDING APPROVED APPROVED | APPROVED RED",
	} {
		r.recv.clear()
		created := r.createTemplate(templateBody(name))
		id := at[string](t, created.body, "id")
		states := []string{at[string](t, created.body, "status")}
		for range 2 {
			r.settle(3 * time.Second)
			states = append(states, fmt.Sprint(r.templateStatus(id)))
		}
		states = append(states, "|")
		for _, c := range r.recv.all() {
			for _, key := range []string{"event", "reason", "new_category", "new_quality_score"} {
				if v, _ := c.value[key].(string); v != "" && v != "NONE" {
					states = append(states, v)
				}
			}
			if c.entry != testWABA || fmt.Sprintf("%.0f", c.value["message_template_id"]) != id {
				t.Errorf("%s: callback %v", name, c)
			}
		}
		if got := strings.Join(states, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestTemplateStatusDecidesSending(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	id := at[string](t, r.createTemplate(templateBody("news")).body, "id")
	send := func() int {
		return r.do("POST", "/"+testNumber+"/messages", templateTo(testPerson, "news", "de")).code()
	}
	for _, tc := range []struct {
		status string
		code   int
	}{{"", 132001}, {"APPROVED", 0}, {"PAUSED", 132015}, {"APPROVED", 0}, {"DISABLED", 132016}, {"REJECTED", 132001}} {
		if tc.status != "" {
			r.control("PATCH", "templates/"+id, map[string]any{"status": tc.status})
		}
		if got := send(); got != tc.code {
			t.Errorf("%q: %d, want %d", tc.status, got, tc.code)
		}
	}
	if got := r.do("POST", "/_sim/templates/1", nil); got.status != 404 {
		t.Errorf("unknown template: %d", got.status)
	}
}

func TestPausesEndAndAddUp(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	id := at[string](t, r.createTemplate(templateBody("instant_news")).body, "id")
	pause := func() { r.control("PATCH", "templates/"+id, map[string]any{"status": "PAUSED"}) }
	pause()
	if got := r.do("POST", "/"+id+"/unpause", nil); got.status != 200 || r.templateStatus(id) != "APPROVED" {
		t.Errorf("unpause: %s", got.raw)
	}
	if got := r.do("POST", "/"+id+"/unpause", nil); got.code() != 100 {
		t.Errorf("unpause twice: %s", got.raw)
	}
	pause()
	r.settle(6*time.Hour - time.Second)
	if got := r.templateStatus(id); got != "PAUSED" {
		t.Errorf("during the second pause: %v", got)
	}
	r.settle(time.Second)
	if got := r.templateStatus(id); got != "APPROVED" {
		t.Errorf("after the second pause: %v", got)
	}
	pause()
	if got := r.templateStatus(id); got != "DISABLED" {
		t.Errorf("the third time: %v", got)
	}
}

func TestTemplateEdits(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	id := at[string](t, r.createTemplate(templateBody("news")).body, "id")
	edit := func(body string) int { return r.do("POST", "/"+id, body).code() }
	change := `{"components":[{"type":"BODY","text":"Hello again, friend."}]}`
	check := func(step string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	check("while pending", edit(change), 100)
	r.settle(3 * time.Second)
	check("category of an approved one", edit(`{"category":"MARKETING"}`), 100)
	check("nothing", edit(`{}`), 100)
	check("bad component", edit(`{"components":[{"type":"BODY","text":""}]}`), 100)
	check("edit", edit(change), 0)
	check("under review", r.templateStatus(id), "PENDING")
	r.settle(3 * time.Second)
	check("approved again", r.templateStatus(id), "APPROVED")
	check("twice a day", edit(change), 100)
	for i := range templates.MaxEditsPerMonth - 1 {
		r.settle(24 * time.Hour)
		check(fmt.Sprint("edit ", i), edit(change), 0)
		r.settle(3 * time.Second)
	}
	r.settle(24 * time.Hour)
	check("too often a month", edit(change), 100)
	rejected := at[string](t, r.createTemplate(templateBody("reject_news")).body, "id")
	r.settle(3 * time.Second)
	for range 3 {
		check("rejected ones are free", r.do("POST", "/"+rejected, change).code(), 0)
		r.settle(3 * time.Second)
	}
	check("category of a rejected one", r.do("POST", "/"+rejected, `{"category":"MARKETING"}`).code(), 0)
}

func TestTemplateDeletion(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	de := at[string](t, r.createTemplate(templateBody("news")).body, "id")
	en := at[string](t, r.createTemplate(strings.Replace(templateBody("news"), `"de"`, `"en_US"`, 1)).body, "id")
	r.settle(3 * time.Second)
	if got := r.createTemplate(templateBody("news")); dig(got.body, "error", "error_subcode") != 2388024.0 || dig(got.body, "error", "error_user_msg") == nil {
		t.Errorf("same name and language: %s", got.raw)
	}
	remove := func(query string) reply { return r.do("DELETE", "/"+testWABA+"/message_templates?"+query, nil) }
	if got := remove("name=news&hsm_id=" + de); got.status != 200 || r.do("GET", "/"+de, nil).code() != 100 || r.templateStatus(en) != "APPROVED" {
		t.Errorf("one language: %s", got.raw)
	}
	if got := remove("name=news"); got.status != 200 || r.do("GET", "/"+en, nil).code() != 100 {
		t.Errorf("all languages: %s", got.raw)
	}
	if got := remove("name=news"); got.code() != 100 {
		t.Errorf("twice: %s", got.raw)
	}
	if got := remove(""); got.code() != 100 {
		t.Errorf("no name: %s", got.raw)
	}
	if got := r.createTemplate(templateBody("news")); got.code() != 100 {
		t.Errorf("the name at once: %s", got.raw)
	}
	r.clock.move(templates.NameFreeAfter)
	if got := r.createTemplate(templateBody("news")); got.status != 200 {
		t.Errorf("the name a month later: %s", got.raw)
	}
}

func TestTemplateListing(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	names := func(query string) (list []string) {
		path := "/" + testWABA + "/message_templates?" + query
		for path != "" {
			got := r.do("GET", path, nil)
			for _, item := range at[[]any](t, got.body, "data") {
				list = append(list, at[string](t, item, "name")+"/"+at[string](t, item, "language"))
			}
			next, _ := dig(got.body, "paging", "next").(string)
			path = strings.TrimPrefix(next, r.url)
		}
		return list
	}
	all := names("limit=3")
	if len(all) != len(templates.Builtins) {
		t.Errorf("listed: %v", all)
	}
	for query, want := range map[string]string{
		"name=order_update&language=de": "order_update/de", "category=AUTHENTICATION": "login_code/en_US", "status=REJECTED": "",
	} {
		if got := strings.Join(names(query), " "); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	got := r.do("GET", "/"+testWABA+"/message_templates?name=login_code&fields="+url.QueryEscape("name,status,quality_score,rejected_reason,components"), nil)
	if dig(got.body, "data", 0, "quality_score", "score") != "GREEN" || dig(got.body, "data", 0, "components", 2, "buttons", 0, "type") != "URL" {
		t.Errorf("fields: %s", got.raw)
	}
}

func TestTemplateLimits(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	for i := range templates.MaxCreatesPerHour {
		if got := r.createTemplate(templateBody(fmt.Sprint("t", i))); got.status != 200 {
			t.Fatalf("%d: %s", i, got.raw)
		}
	}
	if got := r.createTemplate(templateBody("more")); got.code() != 80008 {
		t.Errorf("too fast: %s", got.raw)
	}
	for i := range templates.MaxTemplates - templates.MaxCreatesPerHour - len(templates.Builtins) {
		if i%templates.MaxCreatesPerHour == 0 {
			r.clock.move(time.Hour)
		}
		if got := r.createTemplate(templateBody(fmt.Sprint("u", i))); got.status != 200 {
			t.Fatalf("%d: %s", i, got.raw)
		}
	}
	r.clock.move(time.Hour)
	if got := r.createTemplate(templateBody("more")); dig(got.body, "error", "error_subcode") != 2388019.0 {
		t.Errorf("too many: %s", got.raw)
	}
}

func TestTemplateShapes(t *testing.T) {
	t.Parallel()
	r := newTemplateRig(t)
	body := `{"type":"BODY","text":"Hi {{1}}, order {{2}} is ready.","example":{"body_text":[["Ada","A-17"]]}}`
	plain := `{"type":"BODY","text":"Hello there, friend."}`
	buttons := func(list string) string { return `{"type":"BUTTONS","buttons":[` + list + `]}` }
	quick := `{"type":"QUICK_REPLY","text":"Yes"}`
	link := `{"type":"URL","text":"Go","url":"https://example.com/{{1}}","example":["https://example.com/1"]}`
	handle := `"example":{"header_handle":["4::aW1hZ2U"]}`
	card := `{"components":[{"type":"HEADER","format":"IMAGE",` + handle + `},{"type":"BODY","text":"Nice thing."},` + buttons(quick) + `]}`
	carousel := func(card string) string { return `{"type":"CAROUSEL","cards":[` + card + `]}` }
	code := `{"type":"BODY","add_security_recommendation":true},{"type":"FOOTER","code_expiration_minutes":10},{"type":"BUTTONS","buttons":[{"type":"OTP","otp_type":"COPY_CODE"}]}`
	with := func(components ...string) string { return templateBody("t", components...) }
	in := func(key, value string) string {
		return fmt.Sprintf(`{"name":"t","language":"de","category":"UTILITY",%q:%s,"components":[%s]}`, key, value, plain)
	}
	for i, tc := range []struct {
		name    string
		body    string
		ok      bool
		subcode int
	}{
		{"variables", with(body), true, 0},
		{"all parts", with(`{"type":"HEADER","format":"TEXT","text":"Order {{1}}","example":{"header_text":["A"]}}`, body, `{"type":"FOOTER","text":"Shop"}`, buttons(quick+","+link)), true, 0},
		{"bad name", strings.Replace(with(plain), `"t"`, `"Bad Name"`, 1), false, templates.SubcodeLength},
		{"bad language", strings.Replace(with(plain), `"de"`, `"german"`, 1), false, 0},
		{"bad category", strings.Replace(with(plain), `UTILITY`, `OTHER`, 1), false, 0},
		{"bad format", in("parameter_format", `"other"`), false, 0},
		{"ttl", in("message_send_ttl_seconds", `600`), true, 0},
		{"no components", `{"name":"t","language":"de","category":"UTILITY"}`, false, 0},
		{"no body", with(`{"type":"FOOTER","text":"x"}`), false, templates.SubcodeBody},
		{"odd component", with(plain, `{"type":"DANCE"}`), false, 0},
		{"long body", with(`{"type":"BODY","text":"` + strings.Repeat("a ", 513) + `"}`), false, templates.SubcodeLength},
		{"variable first", with(`{"type":"BODY","text":"{{1}} is here today","example":{"body_text":[["A"]]}}`), false, templates.SubcodeVarAtEdge},
		{"variable last", with(`{"type":"BODY","text":"Here is {{1}}.","example":{"body_text":[["A"]]}}`), false, templates.SubcodeVarAtEdge},
		{"gap in numbers", with(`{"type":"BODY","text":"Here are {{1}} and {{3}} for you","example":{"body_text":[["A","B"]]}}`), false, templates.SubcodeBody},
		{"no example", with(`{"type":"BODY","text":"Here is {{1}} for you"}`), false, templates.SubcodeBody},
		{"one example too many", with(`{"type":"BODY","text":"Here is {{1}} for you","example":{"body_text":[["A","B"]]}}`), false, templates.SubcodeBody},
		{"named", `{"name":"n","language":"de","category":"UTILITY","parameter_format":"named","components":[{"type":"BODY","text":"Hi {{first_name}}, welcome.","example":{"body_text_named_params":[{"param_name":"first_name","example":"Ada"}]}}]}`, true, 0},
		{"two header variables", with(`{"type":"HEADER","format":"TEXT","text":"a {{1}} b {{2}} c","example":{"header_text":["1","2"]}}`, plain), false, templates.SubcodeHeader},
		{"long header", with(`{"type":"HEADER","format":"TEXT","text":"`+strings.Repeat("x", 61)+`"}`, plain), false, templates.SubcodeLength},
		{"image header", with(`{"type":"HEADER","format":"IMAGE",`+handle+`}`, plain), true, 0},
		{"image header without sample", with(`{"type":"HEADER","format":"IMAGE"}`, plain), false, templates.SubcodeHeader},
		{"image header with a link", with(`{"type":"HEADER","format":"IMAGE","example":{"header_handle":["https://example.com/a.png"]}}`, plain), false, templates.SubcodeHeader},
		{"location header", with(`{"type":"HEADER","format":"LOCATION"}`, plain), true, 0},
		{"odd header", with(`{"type":"HEADER","format":"SMELL"}`, plain), false, 0},
		{"variable in the footer", with(plain, `{"type":"FOOTER","text":"x {{1}} y"}`), false, templates.SubcodeFooter},
		{"long footer", with(plain, `{"type":"FOOTER","text":"`+strings.Repeat("x", 61)+`"}`), false, templates.SubcodeLength},
		{"long button", with(plain, buttons(`{"type":"QUICK_REPLY","text":"`+strings.Repeat("x", 26)+`"}`)), false, templates.SubcodeLength},
		{"coupon", with(plain, buttons(`{"type":"COPY_CODE","example":"SAVE10"}`)), true, 0},
		{"carousel", with(plain, carousel(card)), true, 0},
		{"carousel with a link", with(plain, carousel(strings.Replace(card, "4::aW1hZ2U", "https://example.com/a.png", 1))), false, templates.SubcodeHeader},
		{"copy code", strings.Replace(with(code), "UTILITY", "authentication", 1), true, 0},
	} {
		body := strings.Replace(tc.body, `"language":"de"`, fmt.Sprintf(`"language":"de_%c%c"`, 'A'+i/26, 'A'+i%26), 1)
		got := r.createTemplate(body)
		if (got.status == 200) != tc.ok {
			t.Errorf("%s: %s", tc.name, got.raw)
		}
		if tc.subcode != 0 && dig(got.body, "error", "error_subcode") != float64(tc.subcode) {
			t.Errorf("%s: subcode of %s", tc.name, got.raw)
		}
	}
}

// FuzzCreateTemplate checks that the answer to any creation is a template or a refusal with a code.
func FuzzCreateTemplate(f *testing.F) {
	for _, seed := range []string{
		templateBody("a"), templateBody("b", `{"type":"BODY","text":"Hi {{1}}, all is well.","example":{"body_text":[["x"]]}}`, `{"type":"BUTTONS","buttons":[{"type":"URL","text":"x","url":"https://a.b/{{1}}","example":"y"}]}`),
		`{"name":"c","language":"de","category":"MARKETING","components":[{"type":"body","text":"x"},{"type":"carousel","cards":[{"components":[]},{}]}]}`,
		`{"name":"d","language":"de","category":"AUTHENTICATION","components":[{"type":"body"},{"type":"footer","code_expiration_minutes":5},{"type":"buttons","buttons":[{"type":"otp","otp_type":"copy_code"}]}]}`,
		`{"components":[null]}`, `{"components":[{"example":null,"buttons":[null],"cards":[null]}]}`,
	} {
		f.Add([]byte(seed))
	}
	sim := New(Config{Seed: 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		req := httptest.NewRequest("POST", "/200100100100100/message_templates", bytes.NewReader(body))
		req.Header.Set("Authorization", "Bearer t")
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, req)
		sim.Reset()
		var e errorBody
		if w.Code >= 500 || json.Unmarshal(w.Body.Bytes(), &e) != nil || w.Code != 200 && e.Error.Code == 0 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
}
