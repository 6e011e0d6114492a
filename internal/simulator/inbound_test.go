package simulator

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
)

func TestInboundOfEveryType(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tc := range []struct{ kind, fields, path string }{
		{"text", `"text":{"body":"hi"}`, "text.body"},
		{"text", `"text":"short"`, "text.body"},
		{"image", `"image":{"caption":"c"}`, "image.sha256"},
		{"video", `"type":"video"`, "video.id"},
		{"document", `"type":"document"`, "document.filename"},
		{"audio", `"type":"audio"`, "audio.voice"},
		{"sticker", `"type":"sticker"`, "sticker.animated"},
		{"location", `"location":{"latitude":48.1,"longitude":11.5}`, "location.latitude"},
		{"contacts", `"contacts":[{"name":{"formatted_name":"B"}}]`, "contacts"},
		{"interactive", `"interactive":{"type":"button_reply","button_reply":{"id":"b1","title":"Yes"}},"context":{"from":"1","id":"wamid.O"}`, "interactive.button_reply.id"},
		{"interactive", `"interactive":{"type":"list_reply","list_reply":{"id":"r1","title":"T"}}`, "interactive.list_reply.id"},
		{"interactive", `"interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","response_json":"{}"}}`, "interactive.nfm_reply.name"},
		{"button", `"button":{"payload":"P","text":"T"}`, "button.payload"},
		{"reaction", `"reaction":{"message_id":"wamid.O","emoji":"👍"}`, "reaction.emoji"},
		{"order", `"order":{"catalog_id":"77","product_items":[]}`, "order.catalog_id"},
		{"unsupported", `"type":"unsupported","errors":[{"code":131051,"title":"Message type unknown"}],"unsupported":{"type":"poll_creation"}`, "unsupported.type"},
		{"edit", `"edit":{"original_message_id":"wamid.O","message":{"type":"text","text":{"body":"new"}}}`, "edit.original_message_id"},
		{"revoke", `"revoke":{"original_message_id":"wamid.O"}`, "revoke.original_message_id"},
		{"request_welcome", `"type":"request_welcome"`, "id"},
		{"system", `"system":{"type":"user_changed_number","wa_id":"49155"}`, "system.wa_id"},
		{"text", `"text":"ad","referral":{"source_type":"ad","ctwa_clid":"x"}`, "referral.ctwa_clid"},
	} {
		r.recv.clear()
		r.control("POST", "inbound", fmt.Sprintf(`{"phone_number_id":%q,"from":%q,%s}`, testNumber, testPerson, tc.fields))
		r.settle(0)
		all := r.recv.all()
		if len(all) != 1 || all[0].field != "messages" {
			t.Fatalf("%s: %v", tc.fields, all)
		}
		m := at[map[string]any](t, all[0].value, "messages", 0)
		var path []any
		for p := range strings.SplitSeq(tc.path, ".") {
			path = append(path, p)
		}
		if m["type"] != tc.kind || m["from"] != "4915510000001" || dig(m, path...) == nil {
			t.Errorf("%s: %v", tc.fields, m)
		}
		if hasContact := all[0].value["contacts"] != nil; hasContact == (tc.kind == "system") {
			t.Errorf("%s: contacts %v", tc.kind, all[0].value["contacts"])
		}
	}
}

func TestInboundMistakes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, body := range []string{
		`{`, `{}`, `{"phone_number_id":"1","text":"x"}`, `{"phone_number_id":"1","from":"abc","text":"x"}`,
		`{"phone_number_id":"1","from":"+4915510000001"}`, `{"to":"+4930","from":"+4915510000001","text":"x"}`,
		`{"phone_number_id":"x","from":"+4915510000001","text":"x"}`, `{"phone_number_id":"1","from":{"name":"A"},"text":"x"}`,
		`{"phone_number_id":"1","from":"+4915510000001","image":[]}`,
	} {
		if got := r.do("POST", "/_sim/inbound", body); got.status != 400 || got.body["error"] == "" {
			t.Errorf("%s: %d %s", body, got.status, got.raw)
		}
	}
}

func TestPeopleShowWhatTheyWant(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "parent_user_ids": true})
	for _, tc := range []struct {
		from                          string
		phone, user, parent, mayBeAny bool
	}{
		{from: `"+4915510000001"`, phone: true},
		{from: `{"phone":"+4915510000002","username":"ada.l"}`, phone: true},
		{from: `{"phone":"+4915510000003","username":"bea","hide_phone":true}`},
		{from: `{"user_id":"DE.123abc","name":"No phone"}`, mayBeAny: true},
		{from: `"DE.456def"`, mayBeAny: true},
		{from: `{"phone":"+4915510000004","user_id":"DE.777","parent_user_id":"DE.ENT.1"}`, phone: true},
	} {
		r.recv.clear()
		r.control("POST", "inbound", fmt.Sprintf(`{"phone_number_id":%q,"from":%s,"text":"x"}`, testNumber, tc.from))
		r.settle(0)
		v := r.recv.all()[0].value
		m := at[map[string]any](t, v, "messages", 0)
		if (m["from"] != nil) != tc.phone || (dig(v, "contacts", 0, "wa_id") != nil) != tc.phone {
			t.Errorf("%s: phone in %v", tc.from, v)
		}
		if !names.IsUserID(at[string](t, m, "from_user_id")) || dig(v, "contacts", 0, "user_id") != m["from_user_id"] {
			t.Errorf("%s: user id in %v", tc.from, v)
		}
		if !tc.mayBeAny && !strings.HasPrefix(at[string](t, m, "from_parent_user_id"), "DE.ENT.") {
			t.Errorf("%s: parent in %v", tc.from, v)
		}
		// A person who wrote can be written to by the id they came with.
		reply := text("", "answer")
		reply["recipient"] = m["from_user_id"]
		id := r.send(reply)
		r.settle(time.Minute)
		if got := r.recv.statuses(id); !slices.Equal(got, []string{"sent", "delivered", "read"}) {
			t.Errorf("%s: %v", tc.from, got)
		}
	}
}

func TestUserIDsAreScopedAndReversible(t *testing.T) {
	t.Parallel()
	a, b := names.NewUserCipher("1"), names.NewUserCipher("2")
	for _, phone := range []string{"4915510000001", "12025550100", "999101310561234", "1234567"} {
		id := a.UserID(phone)
		if got, found := a.Phone(id); !found || got != phone {
			t.Errorf("%s became %s and then %s", phone, id, got)
		}
		if _, found := b.Phone(id); found || b.UserID(phone) == id {
			t.Errorf("%s is known to another business", id)
		}
		if got, _ := a.Phone(a.ParentID(phone)); got != phone || !names.IsUserID(a.ParentID(phone)) {
			t.Errorf("parent id of %s leads to %s", phone, got)
		}
	}
}

func TestInboundFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.BaseURL = "" })
	r.sim.cfg.BaseURL = r.url
	r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "from": testPerson, "type": "document",
		"file": map[string]any{"mime_type": "text/plain", "filename": "n.txt", "text": "content"}})
	r.settle(0)
	doc := at[map[string]any](t, r.recv.all()[0].value, "messages", 0, "document")
	if doc["filename"] != "n.txt" || doc["mime_type"] != "text/plain" {
		t.Errorf("document: %v", doc)
	}
	info := r.do("GET", "/v25.0/"+doc["id"].(string)+"?phone_number_id="+testNumber, nil)
	sum, _ := base64.StdEncoding.DecodeString(doc["sha256"].(string))
	if info.body["sha256"] != hex.EncodeToString(sum) || info.body["file_size"] != 7.0 {
		t.Errorf("look-up: %s", info.raw)
	}
	for _, address := range []string{doc["url"].(string), info.body["url"].(string)} {
		if got := r.fetch(address, testToken); got.status != 200 || string(got.raw) != "content" {
			t.Errorf("%s: %d %s", address, got.status, got.raw)
		}
	}
	r.clock.move(7 * 24 * time.Hour)
	if got := r.do("GET", "/"+doc["id"].(string), nil); got.code() != 100 {
		t.Errorf("after a week: %s", got.raw)
	}
}

func (r *rig) fetch(address, token string) reply {
	r.t.Helper()
	req, err := http.NewRequest("GET", address, nil)
	must(r.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := r.request(req)
	must(r.t, err)
	return got
}

func TestInboundCountAndTime(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "from": testPerson, "text": "x", "count": 25, "timestamp": 1700000000, "keep_window": true})
	r.settle(0)
	from := map[any]bool{}
	for _, c := range r.recv.all() {
		m := at[map[string]any](t, c.value, "messages", 0)
		from[m["from"]] = true
		if m["timestamp"] != "1700000000" {
			t.Errorf("timestamp %v", m["timestamp"])
		}
	}
	if len(from) != 25 {
		t.Errorf("%d people wrote", len(from))
	}
	id := r.send(text(testPerson, "x"))
	r.settle(time.Minute)
	if code := r.recv.failureOf(t, id); code != 131047 {
		t.Errorf("the window was opened: %d", code)
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	for _, sc := range []string{
		`{"person":"+4915510000001","contains":"order","reply":"Where is it?","after":"2s"}`,
		`{"person":"+4915510000001","contains":"choose","tap":1}`,
		`{"contains":"once","reply":{"type":"image","image":{"caption":"me"}},"once":true}`,
		`{"contains":"echo","echo":true}`,
	} {
		r.control("POST", "scripts", sc)
	}
	answers := func(body any) []map[string]any {
		r.recv.clear()
		r.send(body)
		r.settle(time.Minute)
		var list []map[string]any
		for _, c := range r.recv.all() {
			if m, found := dig(c.value, "messages", 0).(map[string]any); found {
				list = append(list, m)
			}
		}
		return list
	}
	if got := answers(text(testPerson, "Your ORDER is late")); len(got) != 1 || dig(got[0], "text", "body") != "Where is it?" {
		t.Errorf("reply: %v", got)
	}
	choose := interactiveOf(`{"type":"button","body":{"text":"choose"},"action":{"buttons":` + list(2, `{"type":"reply","reply":{"id":"b#","title":"T#"}}`) + `}}`)
	if got := answers(choose); len(got) != 1 || dig(got[0], "interactive", "button_reply", "id") != "b1" || dig(got[0], "context", "id") == nil {
		t.Errorf("tap: %v", got)
	}
	if got := answers(text(testPerson, "once")); len(got) != 1 || dig(got[0], "image", "caption") != "me" {
		t.Errorf("once: %v", got)
	}
	if got := answers(text(testPerson, "once")); len(got) != 0 {
		t.Errorf("twice: %v", got)
	}
	if got := answers(text(testPerson, "echo this")); len(got) != 1 || dig(got[0], "text", "body") != "echo this" {
		t.Errorf("echo: %v", got)
	}
	if got := answers(text(testPerson, "nothing")); len(got) != 0 {
		t.Errorf("silence: %v", got)
	}
	if got := answers(text("+4915510009999", "echo outside the window")); len(got) != 0 {
		t.Errorf("a failed message was answered: %v", got)
	}
}

func TestDemoPersonAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.send(text(DemoPhone, "Hi!"))
	r.settle(time.Minute)
	if got := r.recv.statuses(id); !slices.Equal(got, []string{"sent", "delivered", "read"}) {
		t.Errorf("statuses: %v", got)
	}
	answer := at[string](t, r.recv.all()[3].value, "messages", 0, "text", "body")
	if !strings.HasPrefix(answer, "Hello!") {
		t.Errorf("answer: %v", answer)
	}
	r.recv.clear()
	for _, body := range []string{answer, "This is what you asked for", "While you wait"} {
		id := r.send(text(DemoPhone, body))
		r.settle(time.Minute)
		if len(r.recv.all()) != 3 || len(r.recv.statuses(id)) != 3 {
			t.Errorf("%q is answered: %v", body, r.recv.all())
		}
		r.recv.clear()
	}
}

// A profile that comes with a message changes what it names and nothing else: Ada stays a person who can always be
// written to.
func TestProfilesAreMerged(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	twoDaysAgo := r.sim.now().Add(-48 * time.Hour).Unix()
	greeting := map[string]json.RawMessage{"text": json.RawMessage(`{"body":"Hello"}`)}
	if _, err := r.sim.Receive(Inbound{PhoneNumberID: testNumber, From: From(DemoPhone[1:], "Ada L."), Timestamp: twoDaysAgo, Fields: greeting}); err != nil {
		t.Fatal(err)
	}
	r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "timestamp": twoDaysAgo, "text": map[string]any{"body": "Hello"},
		"from": map[string]any{"phone": DemoPhone, "no_receipts": true}})
	r.settle(time.Minute)
	r.recv.clear()
	id := r.send(text(DemoPhone, "Are you there?"))
	r.settle(time.Minute)
	if got := r.recv.statuses(id); !slices.Equal(got, []string{"sent", "delivered"}) {
		t.Errorf("statuses: %v", got)
	}
	ada := r.sim.people.byPhone(DemoPhone[1:])
	if ada.Name != "Ada L." || ada.Username != "ada.simulated" || !ada.AlwaysOpen || !ada.NoReceipts {
		t.Errorf("Ada is %+v", *ada)
	}
}

func TestDeterminism(t *testing.T) {
	t.Parallel()
	run := func() string {
		r := newRig(t)
		r.inbound()
		var ids []string
		for i := range 5 {
			ids = append(ids, r.send(text(testPerson, fmt.Sprint(i))))
		}
		b, _ := json.Marshal(ids)
		return string(b)
	}
	if a, b := run(), run(); a != b {
		t.Errorf("the same seed gave %s and %s", a, b)
	}
}
