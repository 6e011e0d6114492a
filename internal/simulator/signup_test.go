package simulator

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const testRedirect = "https://app.example.com/back?tenant=1"

func (r *rig) dialog(method string, form url.Values) reply {
	r.t.Helper()
	var req *http.Request
	var err error
	if method == "GET" {
		req, err = http.NewRequest("GET", r.url+"/v25.0/dialog/oauth?"+form.Encode(), nil)
	} else {
		req, err = http.NewRequest("POST", r.url+"/v25.0/dialog/oauth", strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	must(r.t, err)
	got, err := r.request(req)
	must(r.t, err)
	return got
}

func dialogForm(more ...string) url.Values {
	form := url.Values{"client_id": {"7001"}, "redirect_uri": {testRedirect}, "state": {"st&ate"}, "response_type": {"code"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// approve goes through the page and returns the code.
func (r *rig) approve(more ...string) string {
	r.t.Helper()
	got := r.dialog("POST", dialogForm(append(more, "decision", "approve")...))
	u, err := url.Parse(got.header.Get("Location"))
	if err != nil || got.status != http.StatusFound || u.Query().Get("state") != "st&ate" || u.Query().Get("tenant") != "1" {
		r.t.Fatalf("approve: %d %s %s", got.status, got.header.Get("Location"), got.raw)
	}
	return u.Query().Get("code")
}

func (r *rig) exchange(code, redirect string) reply {
	r.t.Helper()
	q := url.Values{"client_id": {"7001"}, "client_secret": {testSecret}, "code": {code}, "redirect_uri": {redirect}}
	return r.fetch(r.url+"/v25.0/oauth/access_token?"+q.Encode(), "")
}

func TestSignupFromPageToMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	page := r.dialog("GET", dialogForm())
	if page.status != 200 || !strings.Contains(string(page.raw), "Approve") || !strings.Contains(string(page.raw), `value="st&amp;ate"`) || !strings.Contains(string(page.raw), "width=device-width") {
		t.Fatalf("page: %d %s", page.status, page.raw)
	}
	code := r.approve("number", "new", "name", "Bakery", "phone", "+49 30 555777")
	r.settle(0)
	added := r.recv.all()
	if len(added) != 1 || added[0].field != "account_update" || added[0].value["event"] != "PARTNER_ADDED" || added[0].entry != appOwner {
		t.Fatalf("callback: %v", added)
	}
	token := at[string](t, r.exchange(code, testRedirect).body, "access_token")
	debug := r.fetch(r.url+"/debug_token?input_token="+token, "7001|"+testSecret)
	waba := at[string](t, debug.body, "data", "granular_scopes", 0, "target_ids", 0)
	if dig(debug.body, "data", "is_valid") != true || waba != dig(added[0].value, "waba_info", "waba_id") {
		t.Errorf("debug: %s", debug.raw)
	}
	numbers := r.fetch(r.url+"/"+waba+"/phone_numbers?fields=id,display_phone_number,verified_name,status", token)
	id := at[string](t, numbers.body, "data", 0, "id")
	if dig(numbers.body, "data", 0, "status") != "PENDING" || dig(numbers.body, "data", 0, "verified_name") != "Bakery" {
		t.Errorf("numbers: %s", numbers.raw)
	}
	as := func(token, path string, body any) reply {
		req, _ := http.NewRequest("POST", r.url+path, strings.NewReader(string(encode(t, body))))
		req.Header.Set("Authorization", "Bearer "+token)
		got, err := r.request(req)
		must(t, err)
		return got
	}
	if got := as(token, "/"+id+"/register", map[string]any{"messaging_product": "whatsapp", "pin": "111111"}); got.status != 200 {
		t.Errorf("register: %s", got.raw)
	}
	r.recv.clear()
	as(token, "/"+id+"/messages", helloWorld(testPerson))
	r.settle(time.Minute)
	if n := len(r.recv.all()); n != 0 {
		t.Errorf("%d callbacks before the app subscribed", n)
	}
	if got := as(token, "/"+waba+"/subscribed_apps", map[string]any{}); got.status != 200 {
		t.Errorf("subscribe: %s", got.raw)
	}
	if got := as(token, "/"+id+"/messages", helloWorld(testPerson)); got.status != 200 {
		t.Errorf("send: %s", got.raw)
	}
	r.settle(time.Minute)
	if n := len(r.recv.all()); n != 3 {
		t.Errorf("%d callbacks", n)
	}
	if got := as(token, "/"+testNumber+"/messages", helloWorld(testPerson)); got.code() != 100 || dig(got.body, "error", "error_subcode") != 33.0 {
		t.Errorf("another business's number: %s", got.raw)
	}
	// A fresh simulator knows the number by its token.
	again := newRig(t)
	if got := again.fetch(again.url+"/"+id+"?fields=status,verified_name,display_phone_number", token); got.body["status"] != "CONNECTED" || got.body["verified_name"] != "Bakery" {
		t.Errorf("after a restart: %s", got.raw)
	}
	if got := again.fetch(again.url+"/"+waba+"/phone_numbers", token); dig(got.body, "data", 0, "id") != id {
		t.Errorf("after a restart: %s", got.raw)
	}
}

func TestCodesAreUsedOnceAndSoon(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	code := r.approve("number", "new")
	if got := r.exchange(code, "https://app.example.com/other"); got.code() != 100 || dig(got.body, "error", "error_subcode") != 36008.0 {
		t.Errorf("another redirect: %s", got.raw)
	}
	if got := r.exchange(code, testRedirect); got.status != 200 {
		t.Errorf("exchange: %s", got.raw)
	}
	if got := r.exchange(code, testRedirect); got.code() != 100 || dig(got.body, "error", "error_subcode") != 36009.0 {
		t.Errorf("twice: %s", got.raw)
	}
	late := r.approve("number", "new")
	r.clock.move(codeLife)
	if got := r.exchange(late, testRedirect); got.code() != 100 || dig(got.body, "error", "error_subcode") != 36007.0 {
		t.Errorf("late: %s", got.raw)
	}
	if got := r.exchange("nonsense", testRedirect); got.code() != 100 {
		t.Errorf("unknown: %s", got.raw)
	}
	for query, code := range map[string]int{
		"client_id=7001&code=x":                                                                101,
		"client_id=1&client_secret=x&code=x":                                                   101,
		"client_id=7001&client_secret=wrong&code=x":                                            1,
		"client_id=7001&client_secret=" + testSecret:                                           100,
		"client_id=7001&client_secret=" + testSecret + "&grant_type=client_credentials&code=x": 0,
	} {
		if got := r.fetch(r.url+"/oauth/access_token?"+query, ""); got.code() != code {
			t.Errorf("%s: %s", query, got.raw)
		}
	}
}

func TestSignupCancelledOrWrong(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got := r.dialog("POST", dialogForm("decision", "cancel"))
	u, _ := url.Parse(got.header.Get("Location"))
	q := u.Query()
	if got.status != http.StatusFound || q.Get("error") != "access_denied" || q.Get("error_reason") != "user_denied" || q.Get("state") != "st&ate" || q.Get("tenant") != "1" {
		t.Errorf("cancel: %s", got.header.Get("Location"))
	}
	for name, form := range map[string]url.Values{
		"no app":        dialogForm("client_id", ""),
		"another app":   dialogForm("client_id", "1"),
		"bad redirect":  dialogForm("redirect_uri", "javascript:alert(1)"),
		"response type": dialogForm("response_type", "token"),
	} {
		if got := r.dialog("GET", form); got.status != 400 || strings.Contains(string(got.raw), "<form") {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if got := r.dialog("POST", dialogForm("decision", "approve", "number", "new", "phone", "12")); got.status != 200 || !strings.Contains(string(got.raw), "must be 7 to 15 digits") {
		t.Errorf("bad phone: %d %s", got.status, got.raw)
	}
}

func TestSignupWithAnExistingNumber(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "waba_id": testWABA, "name": "<Old> shop"})
	page := r.dialog("GET", dialogForm())
	if !strings.Contains(string(page.raw), testNumber) || !strings.Contains(string(page.raw), "&lt;Old&gt; shop") {
		t.Errorf("page: %s", page.raw)
	}
	token := at[string](t, r.exchange(r.approve("number", testNumber), testRedirect).body, "access_token")
	if got := r.fetch(r.url+"/"+testWABA+"/phone_numbers", token); dig(got.body, "data", 0, "id") != testNumber {
		t.Errorf("numbers: %s", got.raw)
	}
}

func TestHostedSignup(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got := r.fetch(r.url+"/messaging/whatsapp/onboard/?app_id=7001&redirect_uri="+url.QueryEscape(testRedirect), "")
	if got.status != 200 {
		t.Fatalf("page: %d %s", got.status, got.raw)
	}
	r.approve("number", "new")
	r.settle(0)
	business := at[string](t, r.recv.all()[0].value, "waba_info", "owner_business_id")
	proof := signature(sha256.New, testSecret, []byte(testToken))
	body := url.Values{"appsecret_proof": {proof}, "fetch_only": {"true"}}.Encode()
	req, _ := http.NewRequest("POST", r.url+"/"+business+"/system_user_access_tokens", strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	token, err := r.request(req)
	if err != nil || !strings.HasPrefix(at[string](t, token.body, "access_token"), grantPrefix) {
		t.Errorf("token: %s", token.raw)
	}
	if got := r.do("POST", "/"+business+"/system_user_access_tokens", map[string]any{"appsecret_proof": "x"}); got.code() != 100 {
		t.Errorf("wrong proof: %s", got.raw)
	}
}

func TestTokensCanBeRevoked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "tokens", map[string]any{"token": testToken, "subcode": 463})
	got := r.do("POST", "/"+testNumber+"/messages", helloWorld(testPerson))
	if got.status != 401 || got.code() != 190 || dig(got.body, "error", "error_subcode") != 463.0 {
		t.Errorf("revoked: %s", got.raw)
	}
	debug := r.fetch(r.url+"/debug_token?input_token="+testToken, "other")
	if dig(debug.body, "data", "is_valid") != false || dig(debug.body, "data", "error", "code") != 190.0 {
		t.Errorf("debug: %s", debug.raw)
	}
	r.control("POST", "tokens", map[string]any{"token": testToken, "valid": true})
	r.send(helloWorld(testPerson))
}

func TestCoexistence(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	extras, _ := json.Marshal(map[string]any{"featureType": "whatsapp_business_app_onboarding", "sessionInfoVersion": "3"})
	if page := r.dialog("GET", dialogForm("extras", string(extras))); !strings.Contains(string(page.raw), `name="on_business_app" value="1"`) {
		t.Errorf("page: %s", page.raw)
	}
	r.control("POST", "numbers", map[string]any{"id": testNumber, "on_business_app": true})
	number := r.do("GET", "/"+testNumber+"?fields=is_on_biz_app,platform_type", nil)
	if number.body["is_on_biz_app"] != true || number.body["platform_type"] != "CLOUD_API" {
		t.Errorf("number: %s", number.raw)
	}
	sync := func(kind string) int {
		return r.do("POST", "/"+testNumber+"/smb_app_data", map[string]any{"messaging_product": "whatsapp", "sync_type": kind}).code()
	}
	for _, tc := range []struct {
		kind string
		code int
	}{{"nonsense", 100}, {"smb_app_state_sync", 0}, {"smb_app_state_sync", 2593107}, {"history", 0}, {"history", 2593107}} {
		if got := sync(tc.kind); got != tc.code {
			t.Errorf("%s: %d, want %d", tc.kind, got, tc.code)
		}
	}
	if got := r.do("POST", "/"+testNumber+"/deregister", nil); got.code() != 100 {
		t.Errorf("deregister: %s", got.raw)
	}
	r.settle(time.Minute)
	fields, progress := map[string]int{}, []any{}
	for _, c := range r.recv.all() {
		fields[c.field]++
		if p := dig(c.value, "history", 0, "metadata", "progress"); p != nil {
			progress = append(progress, p)
		}
	}
	if fields["smb_app_state_sync"] != 1 || fmt.Sprint(progress) != "[55 80 100]" || fields["history"] != 3+len(appContacts) {
		t.Errorf("callbacks: %v %v", fields, progress)
	}
	id := r.send(text("+"+appContacts[0], "x"))
	r.settle(time.Minute)
	if code := r.recv.failureOf(t, id); code != 131047 {
		t.Errorf("history opened a window: %d", code)
	}
	r.control("POST", "numbers", map[string]any{"id": "4711", "on_business_app": true, "history_declined": true})
	r.recv.clear()
	r.control("POST", "sync", map[string]any{"phone_number_id": "4711", "sync_type": "history"})
	r.settle(time.Minute)
	if dig(r.recv.all()[0].value, "history", 0, "errors", 0, "code") != 2593109.0 {
		t.Errorf("declined: %v", r.recv.all())
	}
	r.clock.move(syncWithin)
	if got := r.do("POST", "/4711/smb_app_data", map[string]any{"messaging_product": "whatsapp", "sync_type": "history"}); got.code() != 2593108 {
		t.Errorf("late: %s", got.raw)
	}
	if got := r.do("POST", "/4712/smb_app_data", map[string]any{"messaging_product": "whatsapp", "sync_type": "history"}); got.code() != 100 {
		t.Errorf("not in the app: %s", got.raw)
	}
}

func TestEchoes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got := r.control("POST", "echoes", map[string]any{"phone_number_id": testNumber, "to": testPerson, "text": "from the phone"})
	r.settle(0)
	all := r.recv.all()
	echo := at[map[string]any](t, all[0].value, "message_echoes", 0)
	if all[0].field != "smb_message_echoes" || echo["id"] != got.body["id"] || echo["to"] != "4915510000001" || dig(echo, "text", "body") != "from the phone" {
		t.Errorf("echo: %v", all)
	}
	id := r.send(text(testPerson, "x"))
	r.settle(time.Minute)
	if code := r.recv.failureOf(t, id); code != 131047 {
		t.Errorf("an echo opened the window: %d", code)
	}
}
