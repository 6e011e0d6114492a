package simulator

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
)

func TestSendGoesThroughItsStatuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	got := r.do("POST", "/"+testNumber+"/messages", with(text(testPerson, "hi / ü 👍"), "biz_opaque_callback_data", "msg_1"))
	if got.status != 200 || at[string](t, got.body, "contacts", 0, "wa_id") != "4915510000001" || at[string](t, got.body, "contacts", 0, "input") != testPerson {
		t.Fatalf("answer: %d %s", got.status, got.raw)
	}
	id := at[string](t, got.body, "messages", 0, "id")
	checkWamid(t, id, "4915510000001", names.Outbound, 18)

	r.settle(149 * time.Millisecond)
	if n := len(r.recv.all()); n != 0 {
		t.Fatalf("%d callbacks too early", n)
	}
	r.settle(10 * time.Second)
	if got := r.recv.statuses(id); !slices.Equal(got, []string{"sent", "delivered", "read"}) {
		t.Fatalf("statuses: %v", got)
	}
	first := r.recv.statusObjects(id)[0]
	user := first["recipient_user_id"].(string)
	if first["recipient_id"] != "4915510000001" || first["biz_opaque_callback_data"] != "msg_1" || !strings.HasPrefix(user, "DE.") {
		t.Errorf("status: %v", first)
	}
	if first["timestamp"] != "1767323045" {
		t.Errorf("timestamp %v", first["timestamp"])
	}
	if at[string](t, first, "pricing", "category") != "service" || at[bool](t, first, "pricing", "billable") {
		t.Errorf("pricing: %v", first["pricing"])
	}
	value := r.recv.all()[0].value
	if at[string](t, value, "contacts", 0, "user_id") != user || at[string](t, value, "metadata", "phone_number_id") != testNumber {
		t.Errorf("value: %v", value)
	}
}

func checkWamid(t *testing.T, id, phone string, direction byte, digits int) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(id, "wamid."))
	want := append([]byte{0x1C, 0x18, byte(len(phone))}, phone...)
	want = append(want, 0x15, 0x02, 0x00, direction, 0x18, byte(digits))
	if err != nil || len(raw) != len(want)+digits+1 || string(raw[:len(want)]) != string(want) || raw[len(raw)-1] != 0 {
		t.Errorf("%s is %x, want %x and %d digits", id, raw, want, digits)
	}
}

func TestFreeFormNeedsAnOpenWindow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	never := r.send(text(testPerson, "hi"))
	r.settle(time.Minute)
	if code := r.recv.failureOf(t, never); code != 131047 {
		t.Errorf("without a window: %d", code)
	}
	failed := r.recv.all()[0].value
	if failed["contacts"] != nil || dig(failed, "statuses", 0, "recipient_user_id") != nil || dig(failed, "statuses", 0, "recipient_id") != "4915510000001" {
		t.Errorf("a failure shows too much: %v", failed)
	}
	r.inbound()
	open := r.send(text(testPerson, "hi"))
	r.settle(windowFor - time.Second)
	last := r.send(text(testPerson, "still open"))
	r.settle(time.Second)
	closed := r.send(text(testPerson, "too late"))
	template := r.send(helloWorld(testPerson))
	r.settle(time.Minute)
	for id, want := range map[string]int{open: 0, last: 0, closed: 131047, template: 0} {
		if code := r.recv.failureOf(t, id); code != want {
			t.Errorf("failed with %d, want %d", code, want)
		}
	}
}

func helloWorld(to string) map[string]any {
	return templateTo(to, "hello_world", "en_US")
}

func templateTo(to, name, language string, components ...any) map[string]any {
	tpl := map[string]any{"name": name, "language": map[string]any{"code": language}}
	if len(components) > 0 {
		tpl["components"] = components
	}
	return map[string]any{"messaging_product": "whatsapp", "to": to, "type": "template", "template": tpl}
}

func TestMarketingStopsWhenAPersonSaysSo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	promo := templateTo(testPerson, "promo", "en_US",
		map[string]any{"type": "body", "parameters": []any{map[string]any{"type": "text", "text": "20"}}},
		map[string]any{"type": "button", "sub_type": "url", "index": "1", "parameters": []any{map[string]any{"type": "text", "text": "sale"}}})
	before := r.send(promo)
	r.control("POST", "preferences", map[string]any{"phone_number_id": testNumber, "person": testPerson, "value": "stop"})
	stopped, utility := r.send(promo), r.send(helloWorld(testPerson))
	r.control("POST", "preferences", map[string]any{"phone_number_id": testNumber, "person": testPerson, "value": "resume", "quiet": true})
	resumed := r.send(promo)
	r.settle(time.Minute)
	for id, want := range map[string]int{before: 0, stopped: 131050, utility: 0, resumed: 0} {
		if code := r.recv.failureOf(t, id); code != want {
			t.Errorf("failed with %d, want %d", code, want)
		}
	}
	prefs := slices.DeleteFunc(r.recv.all(), func(c change) bool { return c.field != "user_preferences" })
	if len(prefs) != 1 || at[string](t, prefs[0].value, "user_preferences", 0, "value") != "stop" {
		t.Errorf("preferences: %v", prefs)
	}
}

func TestSendByUserID(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "text": "hello",
		"from": map[string]any{"phone": testPerson, "name": "Ada", "username": "ada.l", "hide_phone": true}})
	r.settle(0)
	in := r.recv.all()[0].value
	user := at[string](t, in, "messages", 0, "from_user_id")
	if dig(in, "messages", 0, "from") != nil || dig(in, "contacts", 0, "wa_id") != nil || dig(in, "contacts", 0, "profile", "username") != "ada.l" {
		t.Fatalf("inbound: %v", in)
	}
	body := text("", "hi")
	body["recipient"] = user
	got := r.do("POST", "/"+testNumber+"/messages", body)
	if dig(got.body, "contacts", 0, "user_id") != user || dig(got.body, "contacts", 0, "wa_id") != nil {
		t.Errorf("answer: %s", got.raw)
	}
	known := at[string](t, got.body, "messages", 0, "id")
	body["recipient"] = "DE.00000000000000000001"
	unknown := r.send(body)
	r.settle(time.Minute)
	if st := r.recv.statusObjects(known); len(st) != 3 || st[0]["recipient_user_id"] != user || st[0]["recipient_id"] != nil {
		t.Errorf("statuses: %v", st)
	}
	if code := r.recv.failureOf(t, unknown); code != 131026 {
		t.Errorf("unknown user id failed with %d", code)
	}
	login := templateTo("", "login_code", "en_US")
	login["recipient"] = user
	if got := r.do("POST", "/"+testNumber+"/messages", login); got.code() != 131062 {
		t.Errorf("authentication by user id: %s", got.raw)
	}
}

func TestReactionsAreOnlySent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	target := r.inbound()
	react := func(to string) map[string]any {
		return map[string]any{"messaging_product": "whatsapp", "to": testPerson, "type": "reaction", "reaction": map[string]any{"message_id": to, "emoji": "👍"}}
	}
	good, bad := r.send(react(target)), r.send(react("wamid.unknown"))
	r.settle(time.Minute)
	if got := r.recv.statuses(good); !slices.Equal(got, []string{"sent"}) {
		t.Errorf("reaction: %v", got)
	}
	if code := r.recv.failureOf(t, bad); code != 131009 {
		t.Errorf("reaction to nothing failed with %d", code)
	}
	again := r.send(react(good))
	r.settle(time.Minute)
	if code := r.recv.failureOf(t, again); code != 131009 {
		t.Errorf("reaction to a reaction failed with %d", code)
	}
}

func TestReadReceipts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.inbound()
	checkWamid(t, id, "4915510000001", names.Inbound, 20)
	out := r.send(text(testPerson, "x"))
	receipt := func(id string) map[string]any {
		return map[string]any{"messaging_product": "whatsapp", "status": "read", "message_id": id}
	}
	for _, tc := range []struct {
		name string
		body map[string]any
		code int
	}{
		{"read", receipt(id), 0},
		{"typing", with(receipt(id), "typing_indicator", map[string]any{"type": "text"}), 0},
		{"typing of another kind", with(receipt(id), "typing_indicator", map[string]any{"type": "dance"}), 100},
		{"our own message", receipt(out), 131009},
		{"no id", with(receipt(""), "status", "read"), 100},
		{"no such status", with(receipt(id), "status", "seen"), 100},
		{"not an id", receipt("wamid.x"), 131009},
	} {
		got := r.do("POST", "/"+testNumber+"/messages", tc.body)
		if got.code() != tc.code || tc.code == 0 && got.body["success"] != true {
			t.Errorf("%s: %s", tc.name, got.raw)
		}
	}
	if got := r.control("GET", "messages/"+id, nil); got.body["read_receipt"] != true {
		t.Errorf("not marked read: %s", got.raw)
	}
}

func TestAddresseeMayGetAnotherNumber(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for in, want := range map[string]string{
		"+49 (155) 1000-0001": "4915510000001",
		"+5511987654321":      "5511987654321", // São Paulo keeps its 9
		"+5585987654321":      "558587654321",
		"+525512345678":       "5215512345678",
	} {
		got := r.do("POST", "/"+testNumber+"/messages", helloWorld(in))
		if dig(got.body, "contacts", 0, "wa_id") != want {
			t.Errorf("%s: %s", in, got.raw)
		}
	}
}

func TestVersionsAndTokens(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, path := range []string{"/v25.0/", "/v19.0/", "/"} {
		if got := r.do("POST", path+testNumber+"/messages", helloWorld(testPerson)); got.status != 200 {
			t.Errorf("%s: %d %s", path, got.status, got.raw)
		}
	}
	for _, tc := range []struct {
		authorization string
		status, code  int
		subcode       any
	}{
		{"", 401, 104, nil},
		{"Bearer expired-1", 401, 190, 463.0},
		{"Bearer revoked", 401, 190, 467.0},
		{"Bearer malformed", 401, 190, nil},
		{"Bearer EAASIMnonsense", 401, 190, nil},
		{"Bearer noaccess", 400, 100, 33.0},
		{"Bearer any", 200, 0, nil},
		{"OAuth any", 200, 0, nil},
	} {
		req, _ := http.NewRequest("POST", r.url+"/"+testNumber+"/messages", strings.NewReader(string(encode(t, helloWorld(testPerson)))))
		if tc.authorization != "" {
			req.Header.Set("Authorization", tc.authorization)
		}
		got, err := r.request(req)
		must(t, err)
		if got.status != tc.status || got.code() != tc.code || dig(got.body, "error", "error_subcode") != tc.subcode {
			t.Errorf("%q: %d %s", tc.authorization, got.status, got.raw)
		}
	}
}
