package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// messageOf wraps the content of a type into a send.
func messageOf(kind, content string) string {
	return fmt.Sprintf(`{"messaging_product":"whatsapp","to":%q,"type":%q,%q:%s}`, testPerson, kind, kind, content)
}

func interactiveOf(content string) string { return messageOf("interactive", content) }

func list(n int, item string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(item, "#", fmt.Sprint(i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestSendValidation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	button := `{"type":"reply","reply":{"id":"b#","title":"Title #"}}`
	buttons := func(b string) string {
		return interactiveOf(`{"type":"button","body":{"text":"b"},"action":{"buttons":` + b + `}}`)
	}
	listOf := func(sections string) string {
		return interactiveOf(`{"type":"list","body":{"text":"b"},"action":{"button":"Open","sections":` + sections + `}}`)
	}
	row := `{"id":"r#","title":"Row"}`
	cta := func(action string) string {
		return interactiveOf(`{"type":"cta_url","body":{"text":"b"},"action":` + action + `}`)
	}
	x := func(n int) string { return strings.Repeat("ü", n) }

	for _, tc := range []struct {
		name string
		body string
		code int
	}{
		{"not JSON", `nonsense`, 100},
		{"not an object", `[]`, 100},
		{"empty", ``, 100},
		{"cut off", `{"messaging_product":"whatsapp"`, 100},
		{"no product", `{"to":"+4915510000001"}`, 100},
		{"other product", `{"messaging_product":"chat"}`, 100},
		{"no recipient", `{"messaging_product":"whatsapp","type":"text","text":{"body":"x"}}`, 131008},
		{"bad recipient", `{"messaging_product":"whatsapp","to":"12x","type":"text","text":{"body":"x"}}`, 131009},
		{"recipient is an object", `{"messaging_product":"whatsapp","to":{},"type":"text","text":{"body":"x"}}`, 100},
		{"recipient is a number", `{"messaging_product":"whatsapp","to":4915510000001,"type":"text","text":{"body":"x"}}`, 0},
		{"bad user id", `{"messaging_product":"whatsapp","recipient":"x","type":"text","text":{"body":"x"}}`, 131009},
		{"group", `{"messaging_product":"whatsapp","recipient_type":"group","to":"x","type":"text","text":{"body":"x"}}`, 131041},
		{"odd recipient type", `{"messaging_product":"whatsapp","recipient_type":"crowd","to":"+4915510000001","text":{"body":"x"}}`, 100},
		{"unknown type", messageOf("dance", `{}`), 100},
		{"type is inferred", `{"messaging_product":"whatsapp","to":"+4915510000001","text":{"body":"x"}}`, 0},
		{"long opaque data", `{"messaging_product":"whatsapp","to":"+4915510000001","text":{"body":"x"},"biz_opaque_callback_data":"` + x(513) + `"}`, 100},
		{"opaque data", `{"messaging_product":"whatsapp","to":"+4915510000001","text":{"body":"x"},"biz_opaque_callback_data":"` + x(512) + `"}`, 0},
		{"context", `{"messaging_product":"whatsapp","to":"+4915510000001","text":{"body":"x"},"context":{"message_id":"wamid.gone"}}`, 0},
		{"empty context", `{"messaging_product":"whatsapp","to":"+4915510000001","text":{"body":"x"},"context":{}}`, 131008},

		{"text", messageOf("text", `{"body":"`+x(4096)+`","preview_url":true}`), 0},
		{"no text object", `{"messaging_product":"whatsapp","to":"+4915510000001","type":"text"}`, 131008},
		{"empty text", messageOf("text", `{"body":" "}`), 131008},
		{"long text", messageOf("text", `{"body":"`+x(4097)+`"}`), 100},
		{"text is a number", messageOf("text", `{"body":1}`), 100},

		{"image link", messageOf("image", `{"link":"https://example.com/a.png","caption":"c"}`), 0},
		{"image nothing", messageOf("image", `{}`), 131008},
		{"image both", messageOf("image", `{"id":"1","link":"https://example.com/a.png"}`), 131009},
		{"image bad link", messageOf("image", `{"link":"ftp://example.com/a.png"}`), 131009},
		{"image unknown id", messageOf("image", `{"id":"9000000000000001"}`), 131009},
		{"long caption", messageOf("video", `{"link":"https://example.com/a.mp4","caption":"`+x(1025)+`"}`), 100},
		{"audio with caption", messageOf("audio", `{"link":"https://example.com/a.ogg","caption":"c"}`), 131009},
		{"image with filename", messageOf("image", `{"link":"https://example.com/a.png","filename":"f"}`), 131009},
		{"document", messageOf("document", `{"link":"https://example.com/a.pdf","filename":"f.pdf"}`), 0},
		{"sticker", messageOf("sticker", `{"link":"https://example.com/a.webp"}`), 0},

		{"location", messageOf("location", `{"latitude":"48.1","longitude":11.5,"name":"n"}`), 0},
		{"location without longitude", messageOf("location", `{"latitude":"48.1"}`), 131008},
		{"location off the globe", messageOf("location", `{"latitude":"91","longitude":"0"}`), 131009},
		{"location not a number", messageOf("location", `{"latitude":"NaN","longitude":"0"}`), 131009},
		{"contacts", messageOf("contacts", `[{"name":{"formatted_name":"A B","first_name":"A"}}]`), 0},
		{"no contacts", messageOf("contacts", `[]`), 131008},
		{"contact without a name", messageOf("contacts", `[{"name":{"formatted_name":"A B"}}]`), 131008},
		{"contacts is an object", messageOf("contacts", `{}`), 100},
		{"reaction without target", messageOf("reaction", `{"emoji":"👍"}`), 131008},
		{"reaction without emoji", messageOf("reaction", `{"message_id":"wamid.x"}`), 131008},
		{"reaction removed", messageOf("reaction", `{"message_id":"wamid.x","emoji":""}`), 0},
		{"reaction in words", messageOf("reaction", `{"message_id":"wamid.x","emoji":"like"}`), 131009},
		{"reaction with context", `{"messaging_product":"whatsapp","to":"+4915510000001","type":"reaction","context":{"message_id":"wamid.y"},"reaction":{"message_id":"wamid.x","emoji":"👍"}}`, 131009},

		{"three buttons", buttons(list(3, button)), 0},
		{"four buttons", buttons(list(4, button)), 131009},
		{"no buttons", buttons(`[]`), 131008},
		{"same id twice", buttons(list(2, `{"type":"reply","reply":{"id":"x","title":"T#"}}`)), 131009},
		{"same title twice", buttons(list(2, `{"type":"reply","reply":{"id":"x#","title":"T"}}`)), 131009},
		{"long button title", buttons(`[{"type":"reply","reply":{"id":"x","title":"` + x(21) + `"}}]`), 100},
		{"button of another type", buttons(`[{"type":"url","reply":{"id":"x","title":"t"}}]`), 100},
		{"no interactive type", interactiveOf(`{"body":{"text":"b"}}`), 131008},
		{"odd interactive type", interactiveOf(`{"type":"dance","body":{"text":"b"},"action":{}}`), 100},
		{"no body", interactiveOf(`{"type":"button","action":{"buttons":` + list(1, button) + `}}`), 131008},
		{"long body", interactiveOf(`{"type":"button","body":{"text":"` + x(1025) + `"},"action":{"buttons":` + list(1, button) + `}}`), 100},
		{"long footer", interactiveOf(`{"type":"button","body":{"text":"b"},"footer":{"text":"` + x(61) + `"},"action":{"buttons":` + list(1, button) + `}}`), 100},
		{"no action", interactiveOf(`{"type":"button","body":{"text":"b"}}`), 131008},
		{"image header", interactiveOf(`{"type":"button","header":{"type":"image","image":{"link":"https://example.com/a.png"}},"body":{"text":"b"},"action":{"buttons":` + list(1, button) + `}}`), 0},
		{"image header without image", interactiveOf(`{"type":"button","header":{"type":"image"},"body":{"text":"b"},"action":{"buttons":` + list(1, button) + `}}`), 131008},
		{"audio header", interactiveOf(`{"type":"button","header":{"type":"audio"},"body":{"text":"b"},"action":{"buttons":` + list(1, button) + `}}`), 100},
		{"list with image header", interactiveOf(`{"type":"list","header":{"type":"image","image":{"link":"https://example.com/a.png"}},"body":{"text":"b"},"action":{"button":"o","sections":[]}}`), 131009},
		{"ten rows", listOf(`[{"rows":` + list(10, row) + `}]`), 0},
		{"eleven rows", listOf(`[{"rows":` + list(11, row) + `}]`), 131009},
		{"untitled sections", listOf(`[{"rows":[{"id":"1","title":"t"}]},{"rows":[{"id":"2","title":"t"}]}]`), 131008},
		{"same row twice", listOf(`[{"rows":` + list(2, `{"id":"x","title":"t"}`) + `}]`), 131009},
		{"no rows", listOf(`[{"rows":[]}]`), 131008},
		{"eleven sections", listOf(list(11, `{"title":"s#","rows":[{"id":"r#","title":"t"}]}`)), 131009},
		{"long description", listOf(`[{"rows":[{"id":"1","title":"t","description":"` + x(73) + `"}]}]`), 100},
		{"cta", cta(`{"name":"cta_url","parameters":{"display_text":"Go","url":"https://example.com"}}`), 0},
		{"cta without url", cta(`{"name":"cta_url","parameters":{"display_text":"Go"}}`), 131008},
		{"cta with bad url", cta(`{"name":"cta_url","parameters":{"display_text":"Go","url":"x"}}`), 131009},
		{"cta with another name", cta(`{"name":"x","parameters":{}}`), 131009},
		{"cta without parameters", cta(`{"name":"cta_url"}`), 131008},
		{"location request", interactiveOf(`{"type":"location_request_message","body":{"text":"b"},"action":{"name":"send_location"}}`), 0},
	} {
		got := r.do("POST", "/"+testNumber+"/messages", tc.body)
		if got.code() != tc.code {
			t.Errorf("%s: code %d, want %d: %s", tc.name, got.code(), tc.code, got.raw)
		}
		if tc.code == 0 && got.status != 200 || tc.code != 0 && got.status != 400 {
			t.Errorf("%s: status %d", tc.name, got.status)
		}
		if tc.code != 0 && (dig(got.body, "error", "fbtrace_id") == nil || !strings.HasPrefix(at[string](t, got.body, "error", "message"), fmt.Sprintf("(#%d) ", tc.code))) {
			t.Errorf("%s: envelope %s", tc.name, got.raw)
		}
	}
}

func TestTemplateSendValidation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	body := func(params ...string) string {
		items := make([]string, len(params))
		for i, p := range params {
			items[i] = `{"type":"text","text":` + string(wire.MustJSON(p)) + `}`
		}
		return `{"type":"body","parameters":[` + strings.Join(items, ",") + `]}`
	}
	tpl := func(name, language string, components ...string) string {
		return messageOf("template", fmt.Sprintf(`{"name":%q,"language":{"code":%q},"components":[%s]}`, name, language, strings.Join(components, ",")))
	}
	urlButton := func(index, text string) string {
		return fmt.Sprintf(`{"type":"button","sub_type":"url","index":%s,"parameters":[{"type":"text","text":%q}]}`, index, text)
	}
	named := func(name string) string {
		return fmt.Sprintf(`{"type":"text","parameter_name":%q,"text":"x"}`, name)
	}
	card := func(i int) string {
		return fmt.Sprintf(`{"card_index":%d,"components":[{"type":"header","parameters":[{"type":"image","image":{"link":"https://example.com/a.png"}}]},%s,%s]}`, i, body("hat"), urlButton("1", "p"))
	}
	carousel := func(cards ...string) string { return `{"type":"carousel","cards":[` + strings.Join(cards, ",") + `]}` }

	for _, tc := range []struct {
		name         string
		body         string
		status, code int
	}{
		{"plain", tpl("hello_world", "en_US"), 200, 0},
		{"no name", messageOf("template", `{"language":{"code":"en_US"}}`), 400, 131008},
		{"no language", messageOf("template", `{"name":"hello_world"}`), 400, 131008},
		{"unknown name", tpl("nope", "en_US"), 404, 132001},
		{"unknown language", tpl("hello_world", "de"), 404, 132001},
		{"two parameters", tpl("order_update", "de", body("Ada", "A-1")), 200, 0},
		{"one parameter too few", tpl("order_update", "de", body("Ada")), 400, 132000},
		{"one too many", tpl("hello_world", "en_US", body("Ada")), 400, 132000},
		{"none", tpl("order_update", "de"), 400, 132000},
		{"empty text", tpl("order_update", "de", body("Ada", "")), 400, 100},
		{"line break", tpl("order_update", "de", body("Ada", "a\nb")), 400, 132018},
		{"too long", tpl("order_update", "de", body("Ada", strings.Repeat("x", 1100))), 400, 132005},
		{"currency", tpl("order_update", "de", `{"type":"body","parameters":[{"type":"currency","currency":{"fallback_value":"1 EUR","code":"EUR","amount_1000":1000}},{"type":"date_time","date_time":{"fallback_value":"1 May"}}]}`), 200, 0},
		{"image in the body", tpl("order_update", "de", `{"type":"body","parameters":[{"type":"image","image":{"id":"1"}},{"type":"text","text":"x"}]}`), 400, 132012},
		{"odd component", tpl("order_update", "de", `{"type":"dance"}`), 400, 100},
		{"named", tpl("appointment_reminder", "en_US", `{"type":"body","parameters":[`+named("day")+`,`+named("first_name")+`]}`), 200, 0},
		{"named without names", tpl("appointment_reminder", "en_US", body("a", "b")), 400, 100},
		{"named wrongly", tpl("appointment_reminder", "en_US", `{"type":"body","parameters":[`+named("day")+`,`+named("name")+`]}`), 400, 132000},
		{"document header", tpl("invoice_ready", "en_US", `{"type":"header","parameters":[{"type":"document","document":{"link":"https://example.com/a.pdf","filename":"a.pdf"}}]}`, body("Ada")), 200, 0},
		{"no header", tpl("invoice_ready", "en_US", body("Ada")), 400, 132012},
		{"header of another kind", tpl("invoice_ready", "en_US", `{"type":"header","parameters":[{"type":"image","image":{"link":"https://example.com/a.png"}}]}`, body("Ada")), 400, 132012},
		{"url button", tpl("promo", "en_US", body("20"), urlButton(`"1"`, "x")), 200, 0},
		{"url button by number", tpl("promo", "en_US", body("20"), urlButton(`1`, "x")), 200, 0},
		{"url button missing", tpl("promo", "en_US", body("20")), 400, 131008},
		{"button out of range", tpl("promo", "en_US", body("20"), urlButton(`1`, "x"), urlButton(`2`, "x")), 400, 132012},
		{"button without index", tpl("promo", "en_US", body("20"), `{"type":"button","sub_type":"url","parameters":[]}`), 400, 131008},
		{"button of another kind", tpl("promo", "en_US", body("20"), urlButton(`0`, "x"), urlButton(`1`, "x")), 400, 132012},
		{"quick reply", tpl("promo", "en_US", body("20"), urlButton(`1`, "x"), `{"type":"button","sub_type":"quick_reply","index":"0","parameters":[{"type":"payload","payload":"P"}]}`), 200, 0},
		{"code", tpl("login_code", "en_US", body("123456"), urlButton(`0`, "123456")), 200, 0},
		{"long code", tpl("login_code", "en_US", body("1234567890123456"), urlButton(`0`, "1234567890123456")), 400, 132018},
		{"carousel", tpl("summer_carousel", "en_US", body("Ada"), carousel(card(0), card(1))), 200, 0},
		{"carousel short of a card", tpl("summer_carousel", "en_US", body("Ada"), carousel(card(0))), 400, 132012},
		{"carousel with a card twice", tpl("summer_carousel", "en_US", body("Ada"), carousel(card(1), card(1))), 400, 132012},
		{"carousel missing", tpl("summer_carousel", "en_US", body("Ada")), 400, 132012},
	} {
		got := r.do("POST", "/"+testNumber+"/messages", tc.body)
		if got.code() != tc.code || got.status != tc.status {
			t.Errorf("%s: %d, want %d %d: %s", tc.name, got.status, tc.status, tc.code, got.raw)
		}
		if tc.code == 0 && dig(got.body, "messages", 0, "message_status") != "accepted" {
			t.Errorf("%s: %s", tc.name, got.raw)
		}
	}
}

func TestSenderChecks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": "101", "phone": "+4930555000", "status": "PENDING"})
	if got := r.do("POST", "/101/messages", helloWorld(testPerson)); got.code() != 133010 {
		t.Errorf("pending: %s", got.raw)
	}
	r.control("PATCH", "numbers/101", map[string]any{"status": "BANNED"})
	if got := r.do("POST", "/101/messages", helloWorld(testPerson)); got.code() != 131031 || got.status != 403 {
		t.Errorf("banned: %s", got.raw)
	}
	r.control("PATCH", "numbers/101", map[string]any{"status": "CONNECTED"})
	if got := r.do("POST", "/101/messages", helloWorld("+4930555000")); got.code() != 131021 {
		t.Errorf("to itself: %s", got.raw)
	}
	r.control("PATCH", "settings", map[string]any{"allow_list": []string{"+4915510000002"}})
	got := r.do("POST", "/101/messages", helloWorld(testPerson))
	if got.code() != 131030 || dig(got.body, "error", "error_subcode") != 2655007.0 {
		t.Errorf("not allowed: %s", got.raw)
	}
	if got := r.do("POST", "/101/messages", helloWorld("+4915510000002")); got.status != 200 {
		t.Errorf("allowed: %s", got.raw)
	}
}

func TestStrictModeKnowsOnlyWhatItWasTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Strict = true })
	if got := r.do("POST", "/"+testNumber+"/messages", helloWorld(testPerson)); got.code() != 190 {
		t.Errorf("unknown token: %s", got.raw)
	}
	r.sim.addToken(testToken)
	got := r.do("POST", "/"+testNumber+"/messages", helloWorld(testPerson))
	if got.code() != 100 || dig(got.body, "error", "error_subcode") != 33.0 || dig(got.body, "error", "type") != "GraphMethodException" {
		t.Errorf("unknown number: %s", got.raw)
	}
	if _, err := r.sim.AddNumber(NumberSpec{ID: testNumber}); err != nil {
		t.Fatal(err)
	}
	r.send(helloWorld(testPerson))
}

// FuzzSend checks that the answer to any send is a message, a refusal with a code, or an odd one that a magic number
// asked for; never a crash.
func FuzzSend(f *testing.F) {
	for _, seed := range []string{
		messageOf("text", `{"body":"x"}`), messageOf("image", `{"id":"1"}`), messageOf("audio", `{"link":"https://a.invalid/x","voice":true}`),
		messageOf("location", `{"latitude":1,"longitude":"2"}`), messageOf("contacts", `[{"name":{"formatted_name":"a","first_name":"b"}}]`),
		messageOf("reaction", `{"message_id":"wamid.x","emoji":"👍"}`),
		interactiveOf(`{"type":"button","body":{"text":"b"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"2"}}]}}`),
		interactiveOf(`{"type":"list","body":{"text":"b"},"action":{"button":"b","sections":[{"rows":[{"id":"1","title":"2"}]}]}}`),
		messageOf("template", `{"name":"promo","language":{"code":"en_US"},"components":[{"type":"body","parameters":[{"type":"text","text":"x"}]},{"type":"button","sub_type":"url","index":1,"parameters":[{"type":"text","text":"x"}]}]}`),
		messageOf("template", `{"name":"summer_carousel","language":{"code":"en_US"},"components":[{"type":"carousel","cards":[{"card_index":0,"components":[]}]}]}`),
		`{"messaging_product":"whatsapp","status":"read","message_id":"wamid.HBgNNDkxNTUxMDAwMDAwMRUCABIYFDNB","typing_indicator":{"type":"text"}}`,
		`{"messaging_product":"whatsapp","recipient":"DE.1","type":"text","text":{"body":"x"}}`,
		`[]`, `{}`, `null`, ``, `{"to":{}}`,
	} {
		f.Add([]byte(seed))
	}
	sim := New(Config{Seed: 1, IgnoreWindow: true, MaxMessages: 100, Delays: &Delays{Sent: time.Hour}})
	f.Fuzz(func(t *testing.T, body []byte) {
		var peek struct {
			To json.RawMessage `json:"to"`
		}
		if json.Unmarshal(body, &peek) == nil && strings.Contains(string(peek.To), "999") {
			return // magic numbers hang and fail on purpose
		}
		req := httptest.NewRequest("POST", "/v25.0/100200300400500/messages", strings.NewReader(string(body)))
		req.Header.Set("Authorization", "Bearer t")
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, req)
		sim.sched.clear()
		if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		var e errorBody
		if w.Code != http.StatusOK && (json.Unmarshal(w.Body.Bytes(), &e) != nil || e.Error.Code == 0) {
			t.Fatalf("%d without a code: %s", w.Code, w.Body)
		}
	})
}
